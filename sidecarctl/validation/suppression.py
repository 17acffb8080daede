"""What is not to be told: by an annotation, by an option, or because it was there before.

A suppressed rule is not told at that SidecarSet, an error neither; what Kruise refuses it refuses all the same.
"""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from hashlib import sha256

from sidecarctl.facts.errors import InputError, input_error
from sidecarctl.facts.findings import Finding
from sidecarctl.facts.paths import path_text
from sidecarctl.facts.reasons import Reason
from sidecarctl.facts.values import Object, Value
from sidecarctl.validation.rules import warned

ANNOTATION = "sidecarctl.dev/ignore"
BASELINE_VERSION, BASELINE_KIND = "sidecarctl.dev/v1alpha1", "ValidationBaseline"
_PATH = ("metadata", "annotations", ANNOTATION)

UNKNOWN = warned(
    "unknown-rule",
    f"The annotation {ANNOTATION} names rules that there are.",
    why="A name with a slip suppresses nothing.",
    mend="rules lists the ids; several are parted by commas",
    within="set",
    fails="metadata: {name: agent, annotations: {sidecarctl.dev/ignore: no-resource}}",
    passes="metadata: {name: agent, annotations: {sidecarctl.dev/ignore: no-resources}}",
)

Baseline = Mapping[str, int]
"""How often each finding was there, by its fingerprint."""


def ignored_by(metadata: Object) -> frozenset[str]:
    """The ids of the rules that a SidecarSet's annotation suppresses."""
    text = (metadata.get("annotations") or {}).get(ANNOTATION) or ""
    return frozenset(part.strip() for part in text.split(",") if part.strip())


def ignore_findings(metadata: Object, known: Collection[str]) -> Iterator[Finding]:
    """The rules of the annotation that there are not."""
    for rule in sorted(ignored_by(metadata) - set(known)):
        yield UNKNOWN.at(_PATH, f'there is no rule "{rule}"')


def without(findings: Iterable[Finding], ignored: Collection[str]) -> list[Finding]:
    """The findings but those of some rules."""
    return [finding for finding in findings if not finding.rule or finding.rule not in ignored]


def fingerprint(finding: Finding) -> str:
    """What stays of a finding when lines move: object, rule, path without indices, and message."""
    path = path_text(tuple(step for step in finding.path if isinstance(step, str)))
    parts = (str(finding.subject or ""), finding.rule, path, finding.message)
    return sha256("\0".join(parts).encode(errors="surrogatepass")).hexdigest()[:16]


def baseline_of(findings: Iterable[Finding]) -> Object:
    """The document of a baseline file: each finding's fingerprint with its rule, for people to read."""
    entries: dict[str, Object] = {}
    for finding in findings:
        known = {"subject": str(finding.subject or ""), "rule": finding.rule, "message": finding.message}
        entry = entries.setdefault(fingerprint(finding), known | {"count": 0})
        entry["count"] += 1
    return {
        "apiVersion": BASELINE_VERSION,
        "kind": BASELINE_KIND,
        "findings": dict(
            sorted(entries.items(), key=lambda entry: (entry[1]["subject"], entry[1]["rule"], entry[0]))
        ),
    }


def read_baseline(text: str) -> Baseline:
    """The baseline that a file holds; InputError when it is none."""
    try:
        document: Value = json.loads(text)
        if (document["apiVersion"], document["kind"]) != (BASELINE_VERSION, BASELINE_KIND):
            raise _no_baseline(f"expected {BASELINE_KIND} of {BASELINE_VERSION}")
        return {str(key): int(entry["count"]) for key, entry in document["findings"].items()}
    except (ValueError, TypeError, KeyError, AttributeError) as problem:
        raise _no_baseline(str(problem)) from problem


def beyond(findings: Iterable[Finding], baseline: Baseline) -> list[Finding]:
    """The findings that the baseline does not have, or not as often."""
    left = dict(baseline)
    new = []
    for finding in findings:
        key = fingerprint(finding)
        if left.get(key, 0) > 0:
            left[key] -= 1
        else:
            new.append(finding)
    return new


def _no_baseline(why: str) -> InputError:
    return input_error(Reason.SYNTAX, f"this is no baseline: {why}", hint="--write-baseline writes one")
