"""Every rule finds its failing example, and leaves its passing one alone."""

import re

import pytest

from sidecarctl.engine.facts.findings import Severity
from sidecarctl.engine.inputs.first_look import header_findings
from sidecarctl.engine.validation.catalog import rules, rules_by_theme
from sidecarctl.engine.validation.checking import check, checked_with_pods
from sidecarctl.engine.validation.practice.fields import admitted, duplicate_finding
from sidecarctl.engine.validation.rules import Rule
from tests.engine.validation.examples import documents_of, given_by, given_of, sets_of, sound_set

RULES = list(rules().values())


def found(rule: Rule, text: str) -> set[str]:
    documents = documents_of(rule, text)
    about_text = [finding for document in documents for finding in header_findings(document)]
    first = {item["metadata"].get("name", ""): item for item in reversed(sets_of(documents))}
    names = [item["metadata"].get("name", "") for item in sets_of(documents)]
    twice = [
        duplicate_finding(name, item, first[name], "")
        for name, item in zip(names, sets_of(documents), strict=True)
        if rule.within != "update"
    ]
    about_text += filter(None, twice)
    undecodable = [item for item in map(admitted, sets_of(documents)) if isinstance(item, list)]
    about_text += [finding for findings in undecodable for finding in findings]
    if not undecodable:
        result = checked_with_pods(given_of(rule, text))
        about_text += [*result.of_pods, *(finding for item in result.sets for finding in item.findings)]
    return {finding.rule for finding in about_text}


@pytest.mark.parametrize("rule", RULES, ids=[rule.id for rule in RULES])
def test_the_failing_example_breaks_the_rule(rule: Rule) -> None:
    assert rule.id in found(rule, rule.fails)


@pytest.mark.parametrize("rule", RULES, ids=[rule.id for rule in RULES])
def test_the_passing_example_breaks_neither_the_rule_nor_any_that_is_enforced(rule: Rule) -> None:
    assert rule.id not in found(rule, rule.passes)
    given = given_of(rule, rule.passes)
    first = check(given)[:1]  # the base of a canary is refused, as its second version would be
    assert [each for item in first for each in item.findings if each.severity is Severity.ERROR] == []


def test_a_rule_is_reported_in_whole_sentences() -> None:
    for rule in RULES:
        assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", rule.id), rule.id
        assert rule.sentence.endswith("."), rule.id
        assert rule.why.endswith("."), rule.id
        assert not rule.mend.endswith("."), rule.id


def test_no_id_is_given_twice() -> None:
    ids = [rule.id for theme in rules_by_theme().values() for rule in theme]
    assert sorted(ids) == sorted(set(ids))


def test_a_sound_set_is_not_refused() -> None:
    [checked] = check(given_by([sound_set()]))
    assert not checked.is_refused
