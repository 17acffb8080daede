"""Findings that are not reported: suppressed by an annotation, or by an option.

What Kruise or the API server refuses is always reported: suppressing the finding would not make them accept it.
"""

import posixpath
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from sidecarctl.engine.facts.findings import Finding, PathRules, Severity
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.validation.rules import warned

ANNOTATION = "sidecarctl.dev/ignore"
_PATH = ("metadata", "annotations", ANNOTATION)

UNKNOWN = warned(
    "unknown-rule",
    "Unknown rule in sidecarctl.dev/ignore",
    f"The annotation {ANNOTATION} names existing rules.",
    why="A misspelled id suppresses nothing.",
    mend="`sidecarctl rules` lists the ids; separate several with commas",
    within="set",
    fails="metadata: {name: agent, annotations: {sidecarctl.dev/ignore: no-resource}}",
    passes="metadata: {name: agent, annotations: {sidecarctl.dev/ignore: no-resources}}",
)


def ignored_by(metadata: Object) -> frozenset[str]:
    """The ids of the rules that a SidecarSet's annotation suppresses; the current id for a rule that was renamed."""
    names = _names_in(metadata)
    if not names:
        return frozenset()
    from sidecarctl.engine.validation.catalog import (
        id_of,  # loads every rule, and few SidecarSets have the annotation
    )

    return frozenset(map(id_of, names))


def _names_in(metadata: Object) -> frozenset[str]:
    text = (metadata.get("annotations") or {}).get(ANNOTATION) or ""
    return frozenset(part.strip() for part in text.split(",") if part.strip())


def ignore_findings(metadata: Object) -> Iterator[Finding]:
    """The unknown rules of the annotation, and older ids."""
    names = _names_in(metadata)
    if not names:
        return
    from sidecarctl.engine.validation.catalog import rule_called

    for name in sorted(names):
        rule = rule_called(name)
        if rule is None:
            yield UNKNOWN.at(_PATH, f'unknown rule "{name}"')
        elif rule.id != name:
            older = UNKNOWN.at(_PATH, f"{name} is called {rule.id} now", f"write {rule.id}")
            yield older._replace(severity=Severity.NOTE)


def refuses(finding: Finding) -> bool:
    """Whether Kruise or the API server rejects the SidecarSet; errors of our own rules do not count."""
    return finding.severity is Severity.ERROR and finding.reason is not Reason.DOUBTFUL


def regraded(findings: Iterable[Finding], severities: Mapping[str, Severity]) -> Iterator[Finding]:
    """The findings with the severities that are given to their rules; what is refused stays an error."""
    for finding in findings:
        severity = severities.get(finding.rule)
        yield finding if severity is None or refuses(finding) else finding._replace(severity=severity)


def regraded_by_path(findings: Iterable[Finding], by_path: Sequence[PathRules], here: str) -> Iterator[Finding]:
    """The findings with the severities, or suppressions, that hold in their files; the last that fits wins.

    `here`: the folder from which the files are named; the paths are absolute.
    """
    for finding in findings:
        found, place = finding, finding.place
        for rules in by_path if place and finding.rule and not refuses(finding) else ():
            if place and rules.hold_for(posixpath.join(here, place.file)):
                if finding.rule in rules.ignored:
                    found = found._replace(suppressed_by="settings")
                elif finding.rule in rules.severities:
                    found = found._replace(severity=rules.severities[finding.rule], suppressed_by="")
        yield found


Parted = tuple[list[Finding], list[Finding]]
"""The findings that are reported, and the suppressed ones, which say what suppresses them."""


def parted(findings: Iterable[Finding], ignored: Mapping[str, str], *, keeps_refused: bool = True) -> Parted:
    """The findings parted by `ignored`: rules and reasons, each with what suppresses it; what is refused stays.

    Without `keeps_refused` it is suppressed, too: a release that does not run yet rejects nothing. A reason
    suppresses warnings and notes, except that the settings changed.
    """
    reported: list[Finding] = []
    suppressed: list[Finding] = []
    for finding in findings:
        by = (
            ignored.get(finding.rule, "")
            if finding.rule
            else ""
            if _stays(finding)
            else ignored.get(finding.reason, "")
        )
        if finding.suppressed_by:
            suppressed.append(finding)
        elif by and not (keeps_refused and refuses(finding)):
            suppressed.append(finding._replace(suppressed_by=by))
        else:
            reported.append(finding)
    return reported, suppressed


def _stays(finding: Finding) -> bool:
    return finding.severity is Severity.ERROR or finding.reason is Reason.CONFIG_CHANGED


def without(findings: Iterable[Finding], ignored: Collection[str]) -> list[Finding]:
    """The findings, except those of some rules; what is refused stays."""
    return parted(findings, dict.fromkeys(ignored, "option"))[0]


def by_annotation(metadata: Object, *, obeys: bool = True) -> dict[str, str]:
    """The rules that a SidecarSet's annotation suppresses; none if annotations are disregarded."""
    return dict.fromkeys(ignored_by(metadata), "annotation") if obeys else {}
