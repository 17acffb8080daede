"""Findings as the results of a KRM function.

Source: the KRM Functions Specification v1, results.
"""

from collections.abc import Iterable, Mapping

from sidecarctl.facts.findings import Finding, Severity
from sidecarctl.facts.paths import path_text, value_at
from sidecarctl.facts.references import ObjectReference
from sidecarctl.facts.values import Object, Value
from sidecarctl.krm.orchestrators.annotations import file_of
from sidecarctl.reports.layout.lines import shortened

_SEVERITIES = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "info"}
_ORDER = tuple(_SEVERITIES.values())


def result_of(finding: Finding, subject: Object | None = None) -> Object:
    """A finding as a result; `subject` is the item that it is about, if any."""
    file = file_of(subject) if subject else None
    place = finding.place if finding.place and finding.place.file and not file else None
    message = f"{place}: {finding.message}" if place else finding.message  # kpt shows no files
    message = f"{message} ({finding.hint})" if finding.hint else message
    result: Object = {"message": shortened(message), "severity": _SEVERITIES[finding.severity]}
    if finding.subject and finding.subject.name:
        result["resourceRef"] = _reference(finding.subject)
        if finding.path:
            result["field"] = _field(finding, subject)
    if file:
        result["file"] = {"path": file.path, "index": file.number}
    elif place:
        result["file"] = {"path": place.file}
    result["tags"] = {"reason": str(finding.reason)} | ({"rule": finding.rule} if finding.rule else {})
    return result


def summary_result(message: str) -> Object:
    """The result with the summary."""
    return {"message": message, "severity": "info"}


def _reference(subject: ObjectReference) -> Object:
    reference = {"apiVersion": subject.api_version, "kind": subject.kind, "name": subject.name}
    return {**reference, "namespace": subject.namespace} if subject.namespace else reference


def _field(finding: Finding, subject: Object | None) -> Object:
    current = value_at(subject, finding.path)
    field: Object = {"path": path_text(finding.path)}
    return {**field, "currentValue": current} if isinstance(current, str | int | float) else field


def in_order(results: Iterable[Object]) -> list[Object]:
    """The results as the Go frameworks sort them: by file, index, severity, then text."""
    return sorted(results, key=_sort_key)


def _sort_key(result: Mapping[str, Value]) -> tuple[str, int, int, str, str, str]:
    file, reference, field = result.get("file") or {}, result.get("resourceRef") or {}, result.get("field") or {}
    named = " ".join(reference.get(key, "") for key in ("apiVersion", "kind", "name", "namespace"))
    severity = _ORDER.index(result["severity"])
    return file.get("path", ""), file.get("index", 0), severity, named, field.get("path", ""), result["message"]
