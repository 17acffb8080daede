"""The findings of a validation as a document: kind ValidationResult (schemas/validation-result.json)."""

from sidecarctl.facts.document_head import document_head
from sidecarctl.facts.finding_json import findings_json
from sidecarctl.facts.values import Object
from sidecarctl.operations.report import Report
from sidecarctl.operations.validating.facts import ValidationFacts
from sidecarctl.reports.layout.documents import json_text, yaml_text
from sidecarctl.reports.page import Page


def validation_json(report: Report[ValidationFacts], page: Page) -> str:
    """The result as JSON."""
    del page
    return json_text(_document(report))


def validation_yaml(report: Report[ValidationFacts], page: Page) -> str:
    """The result as YAML."""
    del page
    return yaml_text(_document(report))


def _document(report: Report[ValidationFacts]) -> Object:
    facts = report.facts
    return {
        **document_head("ValidationResult", facts.gates, report.release.behaviour),
        **({"behaviourBefore": facts.upgraded_from} if facts.upgraded_from else {}),
        "sidecarSets": facts.sidecarsets,
        "files": facts.files,
        "counts": {str(severity): number for severity, number in facts.counts.items()},
        "suppressed": facts.suppressed,
        "findings": findings_json(facts.findings),
        "failures": findings_json(facts.failures),
    }
