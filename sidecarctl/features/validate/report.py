"""Reports of `validate` and `rules`."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from sidecarctl.engine.facts.findings import API_VERSION, Finding, Severity, document_head, findings_json
from sidecarctl.engine.facts.values import Object, path_text
from sidecarctl.engine.report import Report
from sidecarctl.engine.validation.rules import Rule
from sidecarctl.features.validate.validate import ValidationFacts
from sidecarctl.render.formats import Formats, data_formats
from sidecarctl.render.lines import count, finding_line
from sidecarctl.render.markdown import cell, code, fitting
from sidecarctl.render.output import Page, Verbosity
from sidecarctl.render.run.findings import folded_lines
from sidecarctl.render.run.text import summarized_findings

if TYPE_CHECKING:
    from sidecarctl.render.page import HtmlPage


def validation_text(report: Report[ValidationFacts], page: Page) -> Iterator[str]:
    """A line for each finding, notes last; repeated notes are folded. If quiet, only what counts as an error."""
    findings = report.facts.findings
    if page.verbosity is Verbosity.QUIET:
        graves = {Severity.ERROR, Severity.WARNING} if page.strict else {Severity.ERROR}
        findings = [finding for finding in findings if finding.severity in graves]
    yield from _reported(findings, page)
    if report.facts.shows_suppressed:
        yield from (
            f"suppressed by {SUPPRESSED_BY[item.suppressed_by]}: {finding_line(item)}\n" for item in report.suppressed
        )


SUPPRESSED_BY = {
    "annotation": "the annotation",
    "option": "an option",
    "settings": "the settings",
    "baseline": "the baseline",
}
"""What suppresses a finding, in words."""


def _reported(findings: Sequence[Finding], page: Page) -> Iterator[str]:
    if page.verbosity is Verbosity.SUMMARY:
        errors = [finding for finding in findings if finding.severity is Severity.ERROR]
        yield from (f"{line}\n" for line in (*map(finding_line, errors), *summarized_findings(findings)))
        return
    yield from (f"{finding_line(finding)}\n" for finding in findings if finding.severity is not Severity.NOTE)
    yield from (
        f"{line}\n" for line in folded_lines(finding for finding in findings if finding.severity is Severity.NOTE)
    )


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


_TITLES = {Severity.ERROR: "Errors", Severity.WARNING: "Warnings", Severity.NOTE: "Notes"}


def validation_markdown(report: Report[ValidationFacts], _page: Page) -> str:
    """The counts, then a table for each severity, most severe first."""
    facts = report.facts
    every = [*facts.failures, *facts.findings]
    sections = [
        "\n".join(_table(title, [finding for finding in every if finding.severity is severity])) + "\n"
        for severity, title in _TITLES.items()
        if any(finding.severity is severity for finding in every)
    ]
    if facts.shows_suppressed and report.suppressed:
        sections.append("\n".join(_table("Suppressed", report.suppressed)) + "\n")
    return fitting(f"### Validation of SidecarSets\n\n{cell(summary(facts))}\n", sections, "table")


def _table(title: str, findings: Iterable[Finding]) -> Iterator[str]:
    yield f"#### {title}\n"
    yield "| where | finding | rule |"
    yield "| --- | --- | --- |"
    for finding in findings:
        where = code(str(finding.place or finding.subject or ""))
        field = f"{code(path_text(finding.path))}: " if finding.path else ""
        hint = f" ({cell(finding.hint)})" if finding.hint else ""
        by = f", suppressed by {SUPPRESSED_BY[finding.suppressed_by]}" if finding.suppressed_by else ""
        yield f"| {where} | {field}{cell(finding.message)}{hint} | {code(finding.rule or str(finding.reason))}{by} |"


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


def _html(report: Report[Any], page: Page) -> "HtmlPage":
    from sidecarctl.features.validate.validation_page import validation_html  # loads the template engine

    return validation_html(report, page)


FORMATS: Mapping[str, Formats] = {
    "validation": data_formats(validation_data, text=validation_text, markdown=validation_markdown, html=_html),
    "rules": data_formats(rules_data, text=rules_text),
}
"""The formats of a validation, and of the list of rules."""
