"""The report of `validate`."""

from collections.abc import Mapping, Sequence

from sidecarctl.engine.facts.findings import Finding, Severity, document_head, findings_json
from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.report import Report
from sidecarctl.features.validate.validate import ValidationFacts
from sidecarctl.render.blocks import BlockDocument, FindingList, Sentence
from sidecarctl.render.formats import Formats, block_formats
from sidecarctl.render.output import Page
from sidecarctl.render.run.code_hosts import rule_text


def validation_blocks(report: Report[ValidationFacts], _page: Page) -> BlockDocument:
    """The counts, then the findings."""
    facts = report.facts
    suppressed = report.suppressed if facts.shows_suppressed else ()
    findings = FindingList(
        facts.findings,
        facts.failures,
        [(finding, SUPPRESSED_BY[finding.suppressed_by]) for finding in suppressed],
        facts.excerpts,
        rule_text,
    )
    return BlockDocument(
        title="Validation of SidecarSets",
        blocks=(Sentence(facts.summary, _mood([*facts.failures, *facts.findings])), findings),
        command="validate",
        behavior=report.release.behavior,
    )


def _mood(findings: Sequence[Finding]) -> str:
    severities = {finding.severity for finding in findings}
    return "bad" if Severity.ERROR in severities else "odd" if Severity.WARNING in severities else "good"


SUPPRESSED_BY = {
    "annotation": "the annotation",
    "option": "an option",
    "settings": "the settings",
    "baseline": "the baseline",
    "base": "the base, which has it too",
}
"""What suppresses a finding, in words."""


def validation_data(report: Report[ValidationFacts]) -> Object:
    """The result as an object of kind ValidationResult (schemas/validation-result.json)."""
    facts = report.facts
    return {
        **document_head("ValidationResult", report.release.behavior, facts.gates),
        **({"behaviorBefore": facts.upgraded_from} if facts.upgraded_from else {}),
        **report.cluster(),
        "sidecarSets": facts.sidecarsets,
        "manifests": facts.manifests,
        "files": facts.files,
        "checked": list(dict.fromkeys(item.reference.name for item in report.checked)),
        "counts": {str(severity): number for severity, number in facts.counts.items()},
        "suppressed": facts.suppressed,
        "findings": findings_json(facts.findings),
        **({"suppressedFindings": findings_json(report.suppressed)} if facts.shows_suppressed else {}),
        "failures": findings_json(facts.failures),
    }


FORMATS: Mapping[str, Formats] = {
    "validation": block_formats(validation_blocks, validation_data),
}
"""The formats of a validation."""
