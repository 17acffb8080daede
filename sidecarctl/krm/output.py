"""The answer to a call: a ResourceList as text, what stderr gets, the exit code."""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from sidecarctl.engine.documents.reading.document import Reader
from sidecarctl.engine.facts.errors import SidecarctlError
from sidecarctl.engine.facts.findings import Finding, ObjectReference, Severity, reference_of, warning
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Edit, Object, Value, applied, path_text, value_at
from sidecarctl.features.inject.documents import Attempt
from sidecarctl.krm.resource_list import (
    API_VERSIONS,
    IDS,
    KIND,
    KUSTOMIZE_ID,
    RESULTS,
    Caller,
    ResourceList,
    annotations_of,
    file_of,
    slices_of,
)
from sidecarctl.krm.work_results import Done
from sidecarctl.render.lines import finding_line, shortened

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


_SETTER = "# kpt-set:"


def warned_of_setters(done: Done, call: ResourceList) -> Done:
    """The result with warnings where kpt will apply the setters of an app container to a sidecar."""
    text = call.document.text
    slices = slices_of(text, len(call.items)) if _SETTER in text else None
    if slices is None:
        return done
    attempts = (
        _warned(attempt) if _SETTER in slices.items[int(attempt.found.path[1])] else attempt
        for attempt in done.attempts
    )
    return done._replace(attempts=tuple(attempts))


def _warned(attempt: Attempt) -> Attempt:
    found, change = attempt.found, attempt.change
    if not any(key in annotations_of(found.manifest) for key in IDS):  # kpt copies comments by these
        return attempt
    displaced = (edit.path[len(found.path) :] for edit in attempt.edits() if edit.action == "insert")
    path = next((path for path in displaced if value_at(found.manifest, path) is not None), None)
    if path is None:
        return attempt
    message = "kpt copies the setters (# kpt-set) of this container to the sidecar before it"
    hint = "podInjectPolicy: AfterAppContainer avoids this"
    remark = warning(Reason.SETTERS_COPIED, message, path, hint=hint)
    return attempt._replace(change=change._replace(findings=(*change.findings, remark)))


class FunctionAnswer(NamedTuple):
    """The output of the process."""

    text: str
    lines: tuple[str, ...]
    exit_code: int


def answer_of(
    call: ResourceList, done: Done, caller: Caller, reader: Reader, *, validates: bool = False
) -> FunctionAnswer:
    """The items after the work, or unchanged if it failed; with results.

    Kustomize compares the answer of a validator with what it sent, but has added annotations meanwhile. So a
    validator answers it without items, which every other caller would take for deleted.
    """
    if validates and any(KUSTOMIZE_ID in annotations_of(item) for item in call.items):
        empty = {"apiVersion": API_VERSIONS[0], "kind": KIND, "items": [], "results": _results(call, done)}
        return FunctionAnswer(json.dumps(empty) + "\n", tuple(_lines(done, caller)), done.exit_code)
    if caller is Caller.KPT:
        done = warned_of_setters(done, call)
    if done.exit_code:
        done = done.unchanged()
    text, done = _written(call, done, caller, reader)
    return FunctionAnswer(text, tuple(_lines(done, caller)), done.exit_code)


def _written(call: ResourceList, done: Done, caller: Caller, reader: Reader) -> tuple[str, Done]:
    if caller is Caller.KUSTOMIZE:
        return _values_written(call, done), done
    try:
        return _edited(call, done, reader)
    except SidecarctlError as fault:  # then the values: the results say why, and only comments are lost
        done = done.unchanged().failed(fault)
        return _as_json(call, done), done


def _edited(call: ResourceList, done: Done, reader: Reader) -> tuple[str, Done]:
    """The text with the edits made in it, comments and all; proven."""
    from sidecarctl.engine.documents.editing.document_edits import (
        edited_text,  # not for kustomize
        prove,
    )

    edits = done.edits()
    edited = edited_text(call.document, [*edits, _set_results(call, done)])
    if edited.rewritten or edited.written_out:
        done = done.warned_of(edited)
        edited = edited_text(call.document, [*edits, _set_results(call, done)])
    prove(reader, call.document, edited, applied(call.document.value, [*edits, _set_results(call, done)]))
    return call.text(edited.text), done


def _values_written(call: ResourceList, done: Done) -> str:
    """The output for kustomize, which reads only values: changed items on a line each, others unchanged.

    This is several times as fast as an edit of the text. Kustomize shows no results, so they are few.
    """
    done = done._replace(is_brief=True)
    slices = None if call.document.is_json or call.results else slices_of(call.document.text, len(call.items))
    if slices is None:
        return _as_json(call, done)
    items = list(slices.items)
    for index, item in done.changed_items(call).items():
        items[index] = f"- {json.dumps(item, ensure_ascii=False)}\n"
    results = "".join(f"- {json.dumps(result, ensure_ascii=False)}\n" for result in _results(call, done))
    tail = slices.tail if slices.tail.endswith("\n") or not slices.tail else slices.tail + "\n"
    return call.text(f"{slices.head}{''.join(items)}{tail}results:\n{results}")


def _as_json(call: ResourceList, done: Done) -> str:
    after = applied(call.document.value, [*done.edits(), _set_results(call, done)])
    return json.dumps(after, ensure_ascii=False) + "\n"


def _set_results(call: ResourceList, done: Done) -> Edit:
    return Edit("set", RESULTS, [*call.results, *_results(call, done)])


def _results(call: ResourceList, done: Done) -> list[Object]:
    """All results, with the summary at the end."""
    subjects = {reference_of(subject): subject for subject in _subjects(call)}
    said = {(statement.finding, id(statement.item)): statement for statement in done.said()}
    results = [
        result_of(finding, item or (subjects.get(finding.subject) if finding.subject else None))
        for finding, item in said.values()
    ]
    ordered = in_order(results)
    if done.exit_code:  # kpt shows the first four lines: put the errors there
        ordered.sort(key=lambda result: result["severity"] != "error")
    return [*ordered, *([] if done.failure else [{"message": done.summary, "severity": "info"}])]


def _subjects(call: ResourceList) -> Iterable[Object]:
    """The objects that a result may be about."""
    yield from [call.function_config] if call.function_config else []
    yield from (found.manifest for found in call.objects())


def _lines(done: Done, caller: Caller) -> Iterator[str]:
    """The lines for stderr: kustomize shows no results, kpt shows them before these lines, and few of either."""
    if not done.exit_code:
        yield from (finding_line(finding) for finding in dict.fromkeys(done.warnings()) if caller is Caller.KUSTOMIZE)
    elif caller is Caller.KPT:
        count = len(done.objections())
        yield f"{count} error{'s' * (count != 1)}, nothing was changed; see the results"
    else:
        yield from map(finding_line, dict.fromkeys(done.objections()))
