"""The answer to a call: a ResourceList as text, what stderr gets, the exit code."""

import json
from collections.abc import Iterable, Iterator

from sidecarctl.documents.reading.document import Reader
from sidecarctl.facts.edits import Edit, applied
from sidecarctl.facts.errors import SidecarctlError
from sidecarctl.facts.named_tuples import NamedTuple
from sidecarctl.facts.references import reference_of
from sidecarctl.facts.values import Object
from sidecarctl.krm.orchestrators.annotations import KUSTOMIZE_ID, annotations_of
from sidecarctl.krm.orchestrators.callers import Caller
from sidecarctl.krm.orchestrators.slices import slices_of
from sidecarctl.krm.resource_list import API_VERSIONS, KIND, RESULTS, ResourceList
from sidecarctl.krm.results import in_order, result_of, summary_result
from sidecarctl.krm.work_results import Done
from sidecarctl.reports.layout.lines import finding_line


class Answer(NamedTuple):
    """What leaves the process."""

    text: str
    lines: tuple[str, ...]
    exit_code: int


def answer_of(call: ResourceList, done: Done, caller: Caller, reader: Reader, *, validates: bool = False) -> Answer:
    """The items after the work, or unchanged if it failed; with results.

    Kustomize compares what a validator answers with what it sent, in vain: it has added annotations meanwhile. So a
    validator answers it without items, which every other caller would take for deleted.
    """
    if validates and any(KUSTOMIZE_ID in annotations_of(item) for item in call.items):
        empty = {"apiVersion": API_VERSIONS[0], "kind": KIND, "items": [], "results": _results(call, done)}
        return Answer(json.dumps(empty) + "\n", tuple(_lines(done, caller)), done.exit_code)
    if caller is Caller.KPT:
        from sidecarctl.krm.orchestrators.setters import warned_of_setters  # no other caller has setters

        done = warned_of_setters(done, call)
    if done.exit_code:
        done = done.unchanged()
    text, done = _written(call, done, caller, reader)
    return Answer(text, tuple(_lines(done, caller)), done.exit_code)


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
    from sidecarctl.documents.editing.document_edits import edited_text  # not for kustomize
    from sidecarctl.documents.editing.proof import prove

    edits = done.edits()
    edited = edited_text(call.document, [*edits, _set_results(call, done)])
    if edited.rewritten or edited.written_out:
        done = done.warned_of(edited)
        edited = edited_text(call.document, [*edits, _set_results(call, done)])
    prove(reader, call.document, edited.text, applied(call.document.value, [*edits, _set_results(call, done)]))
    return call.text(edited.text), done


def _values_written(call: ResourceList, done: Done) -> str:
    """The output for kustomize, which reads only values: changed items on a line each, others unchanged.

    This is several times as fast as an edit of the text. Kustomize shows no results, so they are few.
    """
    done = done.brief()
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
    return [*ordered, *([] if done.failure else [summary_result(done.summary)])]


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
