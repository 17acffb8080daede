"""Findings for code hosts: GitHub annotations, GitLab code quality, and SARIF 2.1.0 for GitHub code scanning.

In SARIF, findings with a file are results; those without are notifications, since GitHub rejects results without a
location. GitHub rejects more than 25,000 results, and shows the first 5,000: the most severe come first.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple
from urllib.parse import quote

from sidecarctl import __version__
from sidecarctl.engine.facts.findings import Finding, Place, Severity, note
from sidecarctl.engine.facts.reason_remedies import REMEDIES
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.start_up import sha256
from sidecarctl.engine.facts.values import Object, path_text
from sidecarctl.engine.report import Report
from sidecarctl.engine.validation.catalog import rules
from sidecarctl.render.documents import LARGE, laid_out
from sidecarctl.render.lines import rule_id, shown
from sidecarctl.render.output import RunEnd
from sidecarctl.render.run.findings import BASE, every_finding, most_severe_first, other_behavior, summary_of

_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "notice"}
_SHOWN = 10


def report_github(report: Report[Any], end: RunEnd) -> Iterator[str]:
    """A line for each finding, then the summary of the run."""
    findings = most_severe_first(every_finding(report))
    for finding in findings:
        yield f"{_annotation(finding, end)}\n"
    if max(Counter(finding.severity for finding in findings).values(), default=0) > _SHOWN:
        yield f"GitHub shows the first {_SHOWN} annotations of each severity; the others are in the lines above.\n"
    yield f"{shown(summary_of(report, end))}{f'; settings: {shown(end.config_from_the_top)}' if end.config else ''}\n"


def _annotation(finding: Finding, end: RunEnd) -> str:
    place, file = finding.place, end.file_of(finding.place)
    properties = {
        "file": file,
        "line": place and file and place.line,
        "col": place and file and place.column,
        "title": rule_id(finding),
    }
    fields = ",".join(f"{key}={_property(shown(str(value)))}" for key, value in properties.items() if value)
    return f"::{_COMMANDS[finding.severity]} {fields}::{_data(shown(full_message(finding, file)))}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


_SEVERITIES = {Severity.ERROR: "major", Severity.WARNING: "minor", Severity.NOTE: "info"}
_NESTED = 5
"""Indented levels of the JSON."""


def report_gitlab(report: Report[Any], end: RunEnd) -> Iterator[str]:
    """The list of findings, most severe first, in parts."""
    findings = with_fingerprints([*most_severe_first(every_finding(report)), *_suppressed(report)], end)
    return laid_out([_entry(finding, fingerprint, end) for finding, fingerprint in findings], _NESTED)


def _suppressed(report: Report[Any]) -> Iterator[Finding]:
    """The number of suppressed findings, as a finding: GitLab has no other place for it."""
    if report.suppressed:
        of_base = sum(item.suppressed_by == BASE for item in report.suppressed)
        others = len(report.suppressed) - of_base
        said = " and ".join(
            f"{number} {word}" for number, word in ((others, "suppressed"), (of_base, "of the base")) if number
        )
        yield note(Reason.DOUBTFUL, f"{said}: list them with --show-suppressed")


def _entry(finding: Finding, fingerprint: str, end: RunEnd) -> Object:
    """The entry of a finding. GitLab needs a path and a line: findings without a file are at the project folder."""
    place, file = finding.place, end.file_of(finding.place)
    return {
        "description": shown(full_message(finding, file)),
        "check_name": rule_id(finding),
        "fingerprint": fingerprint,
        "severity": _SEVERITIES[finding.severity],
        "location": {
            "path": file or ".",
            "lines": {"begin": (place and file and place.line) or 1},
        },
    }


_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_MOST_RESULTS = 25_000
_LEVELS: Mapping[Severity, str] = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "note"}


def report_sarif(report: Report[Any], end: RunEnd) -> Iterator[str]:
    """The log of one run, in parts."""
    findings = most_severe_first(every_finding(report))
    suppressed = [finding for finding in report.suppressed if end.file_of(finding.place)]
    every = dict.fromkeys(map(rule_id, (*findings, *suppressed)))
    rules = {rule: index for index, rule in enumerate(every)}
    results = [*(finding for finding in findings if end.file_of(finding.place)), *suppressed]
    notifications = [_notification(finding, rules) for finding in findings if not end.file_of(finding.place)]
    if len(results) > _MOST_RESULTS:
        notifications.append(_left_out(len(results) - _MOST_RESULTS))
    properties: Object = {
        "behavior": other_behavior(report),
        "config": end.config_from_the_top,
        "suppressed": len(report.suppressed),
    }
    properties = {name: value for name, value in properties.items() if value}
    run = {
        "tool": {"driver": {"name": "sidecarctl", "version": __version__, "rules": [*map(_rule, rules)]}},
        "automationDetails": {"id": f"sidecarctl/{end.command}/"},
        **({"properties": properties} if properties else {}),
        "invocations": [
            {
                "executionSuccessful": not report.failure,
                "exitCode": end.exit_code,
                "toolExecutionNotifications": notifications,
            }
        ],
        "columnKind": "unicodeCodePoints",
        "results": _results(results[:_MOST_RESULTS], rules, end),
    }
    return laid_out({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, LARGE)


def _rule(identifier: str) -> Object:
    text = rule_text(identifier)
    return {
        "id": identifier,
        "name": text.defect,
        "shortDescription": {"text": text.defect},
        "fullDescription": {"text": f"{text.sentence} {text.remedy}"},
        "help": {"text": text.remedy},
        "helpUri": text.page,
    }


def _results(findings: Iterable[Finding], rules: Mapping[str, int], end: RunEnd) -> Iterator[Object]:
    for finding, fingerprint in with_fingerprints(findings, end):
        yield {
            "ruleId": rule_id(finding),
            "ruleIndex": rules[rule_id(finding)],
            "level": _LEVELS[finding.severity],
            "message": {"text": shown(said(finding))},
            "locations": [_location(finding, finding.place, end)] if finding.place else [],
            # The first is the one that GitHub matches alerts by.
            "partialFingerprints": {"primaryLocationLineHash": fingerprint, "sidecarctl/v1": fingerprint},
            **_known(finding.suppressed_by),
        }


def _known(by: str) -> Object:
    """The suppression of a result, in the source by an annotation, else from outside; or that it is not new."""
    if by == BASE:
        return {"baselineState": "unchanged"}
    kind = "inSource" if by == "annotation" else "external"
    return (
        {"suppressions": [{"kind": kind, "status": "accepted", "justification": _JUSTIFICATIONS[by]}]} if by else {}
    )


_JUSTIFICATIONS = {
    "annotation": "the annotation sidecarctl.dev/ignore of the SidecarSet",
    "option": "an option of the command",
    "settings": "the settings of the repository, .sidecarctl.yaml",
    "baseline": "the baseline of known findings",
}


def _location(finding: Finding, place: Place, end: RunEnd) -> Object:
    region = {"startLine": place.line or 1} | ({"startColumn": place.column} if place.column else {})
    location: Object = {"physicalLocation": {"artifactLocation": {"uri": _uri(end.file_of(place))}, "region": region}}
    if finding.subject:
        location["logicalLocations"] = [{"fullyQualifiedName": shown(str(finding.subject)), "kind": "object"}]
    return location


def _uri(path: str) -> str:
    """The relative URI of a file; absolute if the file is elsewhere."""
    quoted = quote(path, errors="surrogateescape")  # a colon too: it would end the scheme of a URI
    return f"file://{quoted}" if path.startswith("/") else quoted


def _notification(finding: Finding, rules: Mapping[str, int]) -> Object:
    return {
        "level": _LEVELS[finding.severity],
        "message": {"text": shown(full_message(finding, ""))},
        "associatedRule": {"id": rule_id(finding), "index": rules[rule_id(finding)]},
    }


def _left_out(number: int) -> Object:
    text = f"{number} less severe findings are left out: GitHub accepts at most {_MOST_RESULTS:,} in a run"
    return {"level": "warning", "message": {"text": text}}


def said(finding: Finding) -> str:
    """The message with its hint, without object, file and position."""
    where = path_text(finding.path)
    text = f"{where}: {finding.message}" if where else finding.message
    return f"{text} ({finding.hint})" if finding.hint else text


def full_message(finding: Finding, file: str) -> str:
    """What a finding says, with the object; with the place too, if the report has no file for it."""
    where = [str(part) for part in (None if file else finding.place, finding.subject) if part]
    return ": ".join([*where, said(finding)])


def with_fingerprints(findings: Iterable[Finding], end: RunEnd) -> Iterator[tuple[Finding, str]]:
    """The findings with fingerprints that are unique in the run and do not change when lines above them do."""
    seen: Counter[str] = Counter()
    for finding in findings:
        identity = _identity(finding, end)
        seen[identity] += 1
        yield finding, sha256(f"{identity}\0{seen[identity]}".encode(errors="replace")).hexdigest()


def _identity(finding: Finding, end: RunEnd) -> str:
    file = end.file_of(finding.place)
    message = re.sub(r"[0-9]+", "", finding.message)  # lines and counts in the message
    return "\0".join([rule_id(finding), file, str(finding.subject or ""), path_text(finding.path), message])


class RuleText(NamedTuple):
    """What a rule finds, in a few words; its explanation and what to do about a finding, in sentences; its page."""

    defect: str
    sentence: str
    remedy: str
    page: str


_PAGES = "https://github.com/sidecarctl/sidecarctl/blob/main/docs"


def rule_text(identifier: str) -> RuleText:
    """The texts of a rule of `validate`, or of a reason code."""
    if identifier in set(Reason):
        reason = Reason(identifier)
        return RuleText(reason.sentence.removesuffix("."), reason.sentence, REMEDIES[reason], f"{_PAGES}/reasons.md")

    rule = rules()[identifier]
    remedy = f"{rule.why} To fix it: {rule.mend}."
    return RuleText(rule.defect, rule.sentence, remedy, f"{_PAGES}/rules.md#{rule.id}")
