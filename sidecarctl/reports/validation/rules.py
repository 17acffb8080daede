"""The list of validation rules."""

from collections.abc import Iterator, Mapping, Sequence

from sidecarctl.facts.document_head import API_VERSION
from sidecarctl.facts.values import Object
from sidecarctl.operations.report import Report
from sidecarctl.reports.layout.documents import json_text, yaml_text
from sidecarctl.reports.page import Page
from sidecarctl.validation.rules import Rule

Rules = Mapping[str, Sequence[Rule]]
"""The rules of each theme."""


def rules_text(report: Report[Rules], page: Page) -> Iterator[str]:
    """A line for each rule, by theme: severity, id and requirement."""
    del page
    width = max(len(rule.id) for rules in report.facts.values() for rule in rules)
    for number, (theme, rules) in enumerate(report.facts.items()):
        yield "\n" if number else ""
        yield f"{theme}\n"
        for rule in rules:
            yield f"  {rule.severity:<7}  {rule.id:<{width}}  {rule.sentence}\n"


def rules_json(report: Report[Rules], page: Page) -> str:
    """The rules as JSON."""
    del page
    return json_text(_document(report.facts))


def rules_yaml(report: Report[Rules], page: Page) -> str:
    """The rules as YAML."""
    del page
    return yaml_text(_document(report.facts))


def _document(by_theme: Rules) -> Object:
    rules = [_rule(theme, rule) for theme, rules in by_theme.items() for rule in rules]
    return {"apiVersion": API_VERSION, "kind": "RuleList", "rules": rules}


def _rule(theme: str, rule: Rule) -> Object:
    return {
        "id": rule.id,
        "theme": theme,
        "severity": str(rule.severity),
        "rejectedBy": rule.refuser or None,
        "requirement": rule.sentence,
        "why": rule.why,
        "fix": rule.mend,
        "invalid": rule.fails,
        "valid": rule.passes,
    }
