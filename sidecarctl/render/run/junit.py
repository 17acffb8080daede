"""Findings as JUnit XML: a test case for each object, in order or not, and one for the run."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from sidecarctl.engine.facts.findings import Finding, Severity
from sidecarctl.engine.report import Checked, Outcome, Report
from sidecarctl.render.lines import finding_line, rule_id, shown
from sidecarctl.render.output import RunEnd
from sidecarctl.render.run.findings import findings_of, other_behavior, summary_of


class _Case(NamedTuple):
    """A test case. Readers keep only one result of it, which therefore has all findings."""

    name: str
    place: str
    findings: tuple[Finding, ...] = ()
    skipped: str = ""

    def failures(self, *, strict: bool) -> list[Finding]:
        """The findings for which the test case fails."""
        graves = {Severity.ERROR, Severity.WARNING} if strict else {Severity.ERROR}
        return [finding for finding in self.findings if finding.severity in graves]


def report_junit(report: Report[Any], end: RunEnd) -> Iterator[str]:
    """One suite, in parts."""
    tests = 1
    failures = int(not report.failure and bool(end.exit_code))
    skipped = 0
    for case in _cases(report, end):
        is_failure = bool(case.failures(strict=end.strict))
        tests += 1
        failures += is_failure
        skipped += bool(case.skipped) and not is_failure
    name = _quoted(f"sidecarctl {end.command}".rstrip())
    errors = int(bool(report.failure))
    yield '<?xml version="1.0" encoding="UTF-8"?>\n'
    counts = f'tests="{tests}" failures="{failures}" errors="{errors}"'
    yield f"<testsuites name={name} {counts}>\n"
    yield f'  <testsuite name={name} {counts} skipped="{skipped}">\n'
    yield f'    <properties>\n      <property name="exitCode" value="{end.exit_code}"/>\n'
    if behavior := other_behavior(report):
        yield f'      <property name="behavior" value={_quoted(behavior)}/>\n'
    if end.config:
        yield f'      <property name="config" value={_attribute(end.config_from_the_top)}/>\n'
    if report.suppressed:
        yield f'      <property name="suppressed" value="{len(report.suppressed)}"/>\n'
    yield "    </properties>\n"
    yield from _run_case(report, end)
    for case in _cases(report, end):
        yield from _case_lines(case, strict=end.strict)
    yield "  </testsuite>\n</testsuites>\n"


def _run_case(report: Report[Any], end: RunEnd) -> Iterator[str]:
    """The test case of the run, which fails with its exit code; an error if the run failed."""
    element = "error" if report.failure else "failure"
    message = f"exit code {end.exit_code}: {summary_of(report, end)}"
    yield f'    <testcase name={_attribute(end.command or "run")} classname="sidecarctl">\n'
    if end.exit_code:
        yield f'      <{element} type="ExitCode{end.exit_code}" message={_attribute(message)}/>\n'
    yield "    </testcase>\n"


def _cases(report: Report[Any], end: RunEnd) -> Iterator[_Case]:
    for result in report.objects:
        if result.change.outcome is not Outcome.OTHER or result.change.findings:
            file = end.file_of(result.place)
            is_skipped = result.change.outcome is Outcome.SKIPPED
            why = ": ".join(filter(None, [result.change.reason, result.change.summary])) if is_skipped else ""
            findings = tuple(map(end.placed, findings_of(result, report.facts)))
            yield _Case(str(result.reference), file, findings, why)
    yield from _grouped((*report.findings, *report.objections), report.checked, end)


def _grouped(findings: Iterable[Finding], checked: Sequence[Checked], end: RunEnd) -> Iterator[_Case]:
    """A test case for each checked SidecarSet, and for each other object or file with findings.

    If an operation checks several things in a SidecarSet, each is a separate test case.
    """
    places = [(str(each.reference), end.file_of(each.place)) for each in checked]
    files = dict(places)
    parted = {str(each.reference): each.reasons for each in checked if each.reasons}
    groups: dict[tuple[str, str], list[Finding]] = {}
    for name, file in places:  # two files may have tests of one name
        for reason in parted.get(name, ("",)):
            groups[_name(name, reason), file] = []
    for finding in findings:
        file = end.file_of(finding.place)
        name = str(finding.subject or file or rule_id(finding))
        key = _name(name, finding.reason if name in parted else ""), file
        if key not in groups:
            key = key[0], files.get(name, file)
        groups.setdefault(key, []).append(end.placed(finding))
    for (name, file), group in groups.items():
        yield _Case(name, file, tuple(group))


def _name(name: str, reason: str) -> str:
    return f"{name}: {reason}" if reason else name


def _case_lines(case: _Case, *, strict: bool) -> Iterator[str]:
    yield f"    <testcase name={_attribute(case.name)} classname={_attribute(case.place or 'sidecarctl')}>\n"
    failures = case.failures(strict=strict)
    if failures:
        kind, message = rule_id(failures[0]), failures[0].message
        yield f"      <failure type={_attribute(kind)} message={_attribute(message)}>{_lines(failures)}</failure>\n"
    elif case.skipped:
        yield f"      <skipped message={_attribute(case.skipped)}/>\n"
    if others := [finding for finding in case.findings if finding not in failures]:
        yield f"      <system-out>{_lines(others)}</system-out>\n"
    yield "    </testcase>\n"


def _lines(findings: Iterable[Finding]) -> str:
    return _escaped("\n".join(finding_line(finding) for finding in findings))


def _attribute(text: str) -> str:
    return _quoted(_allowed(shown(text)))


def _escaped(text: str) -> str:
    return _text(_allowed(text))


def _quoted(text: str) -> str:
    """An attribute's value. The library's own function loads urllib, http, email and ssl."""
    text = _text(text).replace("\n", "&#10;").replace("\r", "&#13;").replace("\t", "&#9;")
    if '"' in text and "'" not in text:
        return f"'{text}'"
    return '"{}"'.format(text.replace('"', "&quot;"))


def _text(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _allowed(text: str) -> str:
    """Replace two characters that XML does not allow and `shown` does not replace."""
    return text.replace("\ufffe", "\ufffd").replace("\uffff", "\ufffd")
