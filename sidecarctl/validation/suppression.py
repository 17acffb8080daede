"""Findings that are not reported: suppressed by an annotation, or by an option.

A suppressed rule is not reported for that SidecarSet, not even an error; Kruise still rejects what it rejects.
"""

from collections.abc import Collection, Iterable, Iterator

from sidecarctl.facts.findings import Finding
from sidecarctl.facts.values import Object
from sidecarctl.validation.rules import warned

ANNOTATION = "sidecarctl.dev/ignore"
_PATH = ("metadata", "annotations", ANNOTATION)

UNKNOWN = warned(
    "unknown-rule",
    f"The annotation {ANNOTATION} names existing rules.",
    why="A misspelled id suppresses nothing.",
    mend="`sidecarctl rules` lists the ids; separate several with commas",
    within="set",
    fails="metadata: {name: agent, annotations: {sidecarctl.dev/ignore: no-resource}}",
    passes="metadata: {name: agent, annotations: {sidecarctl.dev/ignore: no-resources}}",
)


def ignored_by(metadata: Object) -> frozenset[str]:
    """The ids of the rules that a SidecarSet's annotation suppresses."""
    text = (metadata.get("annotations") or {}).get(ANNOTATION) or ""
    return frozenset(part.strip() for part in text.split(",") if part.strip())


def ignore_findings(metadata: Object, known: Collection[str]) -> Iterator[Finding]:
    """The unknown rules of the annotation."""
    for rule in sorted(ignored_by(metadata) - set(known)):
        yield UNKNOWN.at(_PATH, f'unknown rule "{rule}"')


def without(findings: Iterable[Finding], ignored: Collection[str]) -> list[Finding]:
    """The findings, except those of some rules."""
    return [finding for finding in findings if not finding.rule or finding.rule not in ignored]
