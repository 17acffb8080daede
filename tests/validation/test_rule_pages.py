"""docs/rules.md says what the rules say."""

from sidecarctl.validation.catalogue import rules
from sidecarctl.validation.rule_pages import explanation, rules_page
from tests.validation.__main__ import PAGE


def test_the_page_is_that_of_the_rules() -> None:
    written = PAGE.read_text(encoding="utf-8")
    assert written == rules_page(), "make it again with: python -m tests.validation"


def test_one_rule_is_explained_as_on_the_page() -> None:
    for rule in rules().values():
        text = "\n".join(explanation(rule))
        assert text in rules_page()
        assert rule.mend in text
