"""Writes tests from the current state: a first file (`test --init`), and values of failed expectations (`--update`).

A first file has one case for each distinct outcome.
"""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from sidecarctl.engine.changes import difference
from sidecarctl.engine.documents.editing.document_edits import edited_text, prove
from sidecarctl.engine.documents.reading.document import Document, Reader
from sidecarctl.engine.documents.writing import block_text
from sidecarctl.engine.facts.findings import API_VERSION
from sidecarctl.engine.facts.values import Edit, Object, Path, Value, applied, value_at
from sidecarctl.engine.files.inputs import PREFIX
from sidecarctl.engine.inputs.objects import Source, all_documents
from sidecarctl.features.expectations.document import KIND, Case, CaseResult, UpdatedFile, few
from sidecarctl.features.expectations.running import Injected, Settings, Subjects, code_of
from sidecarctl.library.inputs import FoundPod

_HEAD = """\
# The current state of sidecars, one case per outcome, written by `sidecarctl test --init`. Keep what must stay true,
# change the rest, and say why. docs/expectations.md has every word; `sidecarctl test --update` updates the values.
"""


class FirstTest(NamedTuple):
    """The text of a file with tests, its number of cases, and the pods that no case covers, each with the reason."""

    text: str
    cases: int
    left_out: Sequence[str]


def first_test(
    subjects: Subjects, settings: Settings, sidecarsets: Sequence[str], manifests: Sequence[str]
) -> FirstTest:
    """The file for the current folder; paths of inputs are relative to it."""
    how = settings.how
    inputs: Object = {
        "sidecarsets": [_path(path) for path in sidecarsets],
        "manifests": [_path(path) for path in manifests],
        "kruise": how.release.name,
    }
    if how.namespace != "default":
        inputs["namespace"] = how.namespace
    if how.namespaces:
        inputs["namespaceLabels"] = {name: dict(labels) for name, labels in how.namespaces.items()}
    inputs["featureGates"] = {
        gate.removesuffix("=false"): not gate.endswith("=false") for gate in sorted(settings.gates)
    }
    head = block_text(
        {"apiVersion": API_VERSION, "kind": KIND, "inputs": {key: value for key, value in inputs.items() if value}}
    )
    groups = list(_groups(subjects))
    left_out = [
        f"{pod.located.reference}: {group.why}" for group in groups if group.select is None for pod in group.pods
    ]
    cases = list(_named(group for group in groups if group.select is not None))
    body = "".join(f"# {about}\n{block_text([case])}" for case, about in cases)
    listed = f"cases:\n{body}" if body else "cases: []\n"
    return FirstTest(f"{_HEAD}{head}{listed}", len(cases), left_out)


def _path(path: str) -> str:
    return path if path.startswith(PREFIX) else os.path.relpath(path)


class _Group(NamedTuple):
    """Pods that have one outcome, and what selects exactly them; None if no case can cover them, and why."""

    pods: Sequence[FoundPod]
    select: Object | None
    expect: Object
    why: str = "it cannot be selected without others"


def _groups(subjects: Subjects) -> Iterator[_Group]:
    groups: dict[str, tuple[Object, list[FoundPod]]] = {}
    for found in subjects.inputs.templates:
        injected = subjects.injected(found)
        if expect := _expected(found, injected):
            groups.setdefault(repr(expect), (expect, []))[1].append(found)
        else:
            yield _Group([found], None, expect, injected.unknown)
    for expect, pods in groups.values():
        yield from _selected(pods, expect, subjects)


def _expected(found: FoundPod, injected: Injected) -> Object:
    """The expectations that hold for a pod; empty if its result is unknown."""
    if injected.refusals:
        return {"refused": code_of(injected.refusals[0])}
    if injected.unknown or injected.pod is None:
        return {}
    before = value_at(found.located.manifest, found.path)
    expect: Object = {"injected": sorted(injected.pod.sidecarsets)}
    added: list[str] = []
    for field in ("initContainers", "containers"):
        new = _images(before, injected.pod.pod, field)
        if new:
            expect[field] = {name: {"image": image} if image else {} for name, image in new.items()}
        added += new
    return {**expect, "order": added} if len(added) > 1 else expect


def _images(before: Value, after: Value, field: str) -> Mapping[str, str]:
    """The containers that injection adds, with their images escaped for globs."""
    own = {item.get("name") for item in value_at(before, ("spec", field)) or () if item}
    new = [item for item in value_at(after, ("spec", field)) or () if item and item.get("name") not in own]
    return {str(item.get("name") or ""): str(item.get("image") or "") for item in new}


def _selected(pods: Sequence[FoundPod], expect: Object, subjects: Subjects) -> Iterator[_Group]:
    """The pods in as few groups as can be selected exactly: all of them, those of each namespace, each one."""
    select = _selecting(pods, subjects)
    if select is not None:
        yield _Group(pods, select, expect)
        return
    parts: dict[tuple[str, ...], list[FoundPod]] = {}
    for pod in pods:
        reference = pod.located.reference
        key = (pod.namespace,) if len({pod.namespace for pod in pods}) > 1 else (reference.kind, reference.name)
        parts.setdefault(key, []).append(pod)
    if len(parts) == 1:
        yield _Group(pods, None, expect)
        return
    for own in parts.values():
        yield from _selected(own, expect, subjects)


def _selecting(pods: Sequence[FoundPod], subjects: Subjects) -> Object | None:
    """What selects these pods and no others, as short as possible; None if nothing does."""
    members = {
        "namespace": sorted({pod.namespace for pod in pods}),
        "kind": sorted({pod.located.reference.kind for pod in pods}),
        "name": sorted({pod.located.reference.name for pod in pods}),
    }
    wanted = list(map(id, pods))
    for keys in ((), ("namespace",), ("namespace", "kind"), ("namespace", "name"), tuple(members)):
        select = {key: members[key][0] if len(members[key]) == 1 else members[key] for key in keys}
        if all(all(members[key]) for key in keys) and list(map(id, subjects.selected(select))) == wanted:
            return select
    return None


def _named(groups: Iterable[_Group]) -> Iterator[tuple[Object, str]]:
    """The cases, each with a unique name, and what it is about in words."""
    seen: set[str] = set()
    for group in groups:
        namespaces = sorted({pod.namespace for pod in group.pods})
        gets = _gets(group.expect)
        name = base = f"{few(namespaces)}: {gets}"
        if name in seen:
            name = base = f"{few([pod.located.reference.name for pod in group.pods])} in {base}"
        number = 1
        while name in seen:
            number += 1
            name = f"{base} ({number})"
        seen.add(name)
        about = few([pod.located.reference for pod in group.pods])
        yield {"name": name, "select": group.select, "expect": group.expect}, about


def _gets(expect: Object) -> str:
    if "refused" in expect:
        return f"refused, {expect['refused']}"
    return ", ".join(expect["injected"]) or "no sidecars"


def updated_file(source: Source, reader: Reader, results: Iterable[tuple[Case, CaseResult]]) -> UpdatedFile:
    """The file with the values that expectations would need to hold; everything else stays, comments too.

    Expectations whose values differ between objects stay, and so do those that no value can express, such as a
    missing container.
    """
    edits: dict[int, list[Edit]] = {}
    for case, result in results:
        edits.setdefault(case.document.line, []).extend(_edits(case, result))
    documents = all_documents(source, reader)
    before = "".join(document.prefix + document.text for document in documents)
    after = "".join(_edited(document, edits.get(document.line, ()), reader) for document in documents)
    return UpdatedFile(source.name, before, after)


def _edits(case: Case, result: CaseResult) -> Iterator[Edit]:
    found: dict[Path, list[Value]] = {}
    for failure in result.failures:
        found.setdefault(failure.path, []).append(failure.new)
    for path, values in found.items():
        if len(values) == 1 and values[0]:
            yield Edit("set", (*case.path, "expect", *path), values[0][0])


def _edited(document: Document, edits: Sequence[Edit], reader: Reader) -> str:
    if not edits:
        return document.prefix + document.text
    intended = applied(document.value, edits)
    edited = edited_text(document, difference(document.value, intended))  # of a list only the items that differ
    prove(reader, document, edited, intended)
    return document.prefix + edited.text
