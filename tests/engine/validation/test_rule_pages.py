"""docs/rules.md says what the rules say."""

import re

from sidecarctl.engine.config import FILE_KIND
from sidecarctl.engine.files.fixed_files import shipped_schema
from sidecarctl.engine.validation.catalog import explanation, rules, section
from tests.engine.validation.__main__ import PAGE
from tests.engine.validation.rules_page import rules_page


def test_the_page_is_that_of_the_rules() -> None:
    written = PAGE.read_text(encoding="utf-8")
    assert written == rules_page(), "make it again with: python -m tests.engine.validation"


def test_one_rule_is_explained_as_on_the_page_and_with_its_examples() -> None:
    page = rules_page()
    for rule in rules().values():
        text, whole = "\n".join(section(rule)), "\n".join(explanation(rule))
        assert text in page
        assert rule.mend in text
        assert whole.startswith(text)
        assert all(example.rstrip() in whole for example in (rule.fails, rule.passes))
    assert "```" not in page


def test_each_rule_has_a_defect_of_its_own_in_a_few_words() -> None:
    defects = [rule.defect for rule in rules().values()]
    assert len(set(defects)) == len(defects)
    for defect in defects:
        assert len(defect) <= 60
        assert not defect.endswith(".")
        assert not defect.startswith(("A ", "The "))


def test_the_schema_of_settings_has_the_parameters_of_the_rules() -> None:
    known = shipped_schema(FILE_KIND)["$defs"]["parameters"]["properties"]
    given = {rule.id: set(rule.parameters) for rule in rules().values() if rule.parameters}
    assert {rule: set(schema["properties"]) for rule, schema in known.items()} == given


def test_each_rule_has_a_heading_that_links_can_name() -> None:
    headings = set(re.findall(r"^### (\S+)$", PAGE.read_text(encoding="utf-8"), re.MULTILINE))
    assert headings == set(rules())


def test_each_rule_is_in_one_table_which_links_to_its_section() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert sorted(re.findall(r"^\| \[(\S+)\]\(#\1\) \|", page, re.MULTILINE)) == sorted(rules())
