"""Reports of `validate` and `rules`."""

from collections.abc import Iterator, Mapping, Sequence

from sidecarctl.engine.facts.findings import API_VERSION, Finding, Severity, document_head, findings_json
from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.report import Report
from sidecarctl.engine.validation.rules import Rule
from sidecarctl.features.validate.validate import ValidationFacts
from sidecarctl.render.blocks import BlockDocument, FindingList, Sentence
from sidecarctl.render.formats import Formats, block_formats, data_formats
from sidecarctl.render.lines import count, finding_line
from sidecarctl.render.output import Page, Verbosity
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
        blocks=(Sentence(summary(facts), _mood([*facts.failures, *facts.findings])), findings),
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
}
"""What suppresses a finding, in words."""


def validation_summary(report: Report[ValidationFacts], verbosity: Verbosity) -> Iterator[str]:
    """What could not be read, and the counts; the findings are in the document."""
    yield from (f"{finding_line(failure)}\n" for failure in report.facts.failures)
    if verbosity > Verbosity.QUIET:
        yield f"{summary(report.facts)}\n"


def summary(facts: ValidationFacts) -> str:
    """`2 SidecarSets of 9 manifests in 3 files: 1 error, 4 notes; 2 suppressed; 1 error while reading`."""
    found = [count(number, str(severity)) for severity, number in facts.counts.items() if number]
    others = f" of {count(facts.manifests, 'manifest')}" if facts.manifests > facts.sidecarsets else ""
    cluster = ["the cluster"] if facts.is_live else []
    where = [*cluster, count(facts.files, "file")] if facts.files or not cluster else cluster
    looked_at = f"{count(facts.sidecarsets, 'SidecarSet')}{others} in {' and '.join(where)}"
    direction = "downgrade" if facts.is_downgrade else "upgrade"
    upgrade = f"{direction} from {facts.upgraded_from}, " if facts.upgraded_from else ""
    parts = [f"{upgrade}{looked_at}: {', '.join(found) or 'no findings'}"]
    if facts.suppressed:
        parts.append(f"{facts.suppressed} suppressed")
    if facts.failures:
        parts.append(f"{count(len(facts.failures), 'error')} while reading")
    return "; ".join(parts)


def validation_data(report: Report[ValidationFacts]) -> Object:
    """The result as an object of kind ValidationResult (schemas/validation-result.json)."""
    facts = report.facts
    return {
        **document_head("ValidationResult", report.release.behavior, facts.gates),
        **({"behaviourBefore": facts.upgraded_from} if facts.upgraded_from else {}),
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


Rules = Mapping[str, Sequence[Rule]]
"""The rules of each theme."""


def rules_text(report: Report[Rules], _page: Page) -> Iterator[str]:
    """A line for each rule, by theme: severity, id and requirement."""
    width = max(len(rule.id) for rules in report.facts.values() for rule in rules)
    for number, (theme, rules) in enumerate(report.facts.items()):
        yield "\n" if number else ""
        yield f"{theme}\n"
        for rule in rules:
            yield f"  {rule.severity:<7}  {rule.id:<{width}}  {rule.sentence}\n"


def rules_data(report: Report[Rules]) -> Object:
    """The rules, each with its theme, as an object of kind RuleList (schemas/rule-list.json)."""
    rules = [_rule(theme, rule) for theme, rules in report.facts.items() for rule in rules]
    return {"apiVersion": API_VERSION, "kind": "RuleList", "rules": rules}


def _rule(theme: str, rule: Rule) -> Object:
    return {
        "id": rule.id,
        "theme": theme,
        "severity": str(rule.severity),
        "rejectedBy": rule.refuser or None,
        "defect": rule.defect,
        "requirement": rule.sentence,
        "why": rule.why,
        "fix": rule.mend,
        "invalid": rule.fails,
        "valid": rule.passes,
    }


FORMATS: Mapping[str, Formats] = {
    "validation": block_formats(validation_blocks, validation_data),
    "rules": data_formats(rules_data, text=rules_text),
}
"""The formats of a validation, and of the list of rules."""
