"""How `render` runs: read the plan and the pods, write the patches."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from sidecarctl.api.decoding import check
from sidecarctl.cli.collector import without_collector
from sidecarctl.documents.reading.document import Reader
from sidecarctl.documents.writing.yaml_text import block_text
from sidecarctl.facts.errors import InputError, SidecarctlError, input_error, usage_error
from sidecarctl.facts.findings import Finding
from sidecarctl.facts.placing import in_file
from sidecarctl.facts.reasons import Reason
from sidecarctl.facts.values import Object
from sidecarctl.files.inputs import Input
from sidecarctl.files.outputs import Files, to_stdout, utf8, written
from sidecarctl.files.replacing import NewFile
from sidecarctl.inputs.located import Located
from sidecarctl.inputs.objects_in_files import every_object
from sidecarctl.inputs.opening import Named, Sources, opened
from sidecarctl.inputs.reading import Reading
from sidecarctl.inputs.world import refuse_unknown_sidecarsets
from sidecarctl.plan_file.kubectl_script import kubectl_script
from sidecarctl.plan_file.reading import PlannedPatch, PlannedRollout, read_plan
from sidecarctl.plan_file.rendering import (
    Name,
    Rendered,
    RenderForm,
    chosen_conditions,
    chosen_patches,
    rendered_conditions,
    rendered_patches,
    resulting_pods,
)
from sidecarctl.reports.layout.documents import json_text

_WAVES = re.compile(r"([0-9]{1,9})(?:-([0-9]{1,9}))?")
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]")
_MOST_WAVES = 1_000_000
_EXTENSIONS = {"json": "jsonpatch", "merge": "merge", "strategic": "strategic"}


@dataclass(frozen=True, slots=True)
class RenderRequest:
    """What the command line asks for; the plan is the one path to work on, PODS are read-only."""

    named: Named
    how: Reading
    form: RenderForm
    waves: frozenset[int]
    only: Sequence[str]
    folder: str | None
    write_conditions: bool
    simulated: bool


def render(request: RenderRequest) -> int:
    """Write the patches; how many."""
    with opened(request.named) as (sources,), without_collector():
        rollout = _read(sources, request.how.reader)
        _refuse_unknown(rollout, request.only)
        chosen = chosen_patches(rollout, request.waves, request.only, simulated=request.simulated)
        pods = _pods(sources, rollout, request.how) if request.form.needs_pods else {}
        _write(request, rollout, chosen, pods)
    return len(chosen)


def _write(
    request: RenderRequest,
    rollout: PlannedRollout,
    chosen: Sequence[PlannedPatch],
    pods: dict[Name, Object],
) -> None:
    if request.form is RenderForm.KUBECTL:
        entries = chosen_conditions(rollout, chosen, request.waves, request.only) if request.write_conditions else []
        to_stdout(kubectl_script(chosen, entries))
    elif request.form is RenderForm.PODS:
        _write_pods(request, resulting_pods(rollout, chosen, pods))
    else:
        patches = list(rendered_patches(request.form, rollout, chosen, pods))
        if request.write_conditions:
            patches += rendered_conditions(rollout, chosen, request.waves, request.only)
        _write_patches(request, patches)


def _write_pods(request: RenderRequest, pods: Sequence[Object]) -> None:
    if request.folder is None:
        to_stdout("".join(f"---\n{block_text(pod)}" for pod in pods))
        return
    names = (_file_name(number, pod["metadata"], "yaml") for number, pod in enumerate(pods, 1))
    _to_folder(request.folder, zip(names, map(block_text, pods), strict=True))


def _write_patches(request: RenderRequest, patches: Sequence[Rendered]) -> None:
    if request.folder is None:
        to_stdout(json_text([patch.document() for patch in patches]))
        return
    _to_folder(
        request.folder, ((_patch_file(at, patch), json_text(patch.patch)) for at, patch in enumerate(patches, 1))
    )


def _patch_file(number: int, patch: Rendered) -> str:
    wave = f"wave-{patch.wave:04}" if patch.wave is not None else f"conditions-{patch.round:04}"
    return (
        f"{_safe(patch.set_name)}/{wave}/{_file_name(number, patch.target, f'{_EXTENSIONS[patch.patch_type]}.json')}"
    )


def _file_name(number: int, named: Object, extension: str) -> str:
    return f"{number:06}-{_safe(named.get('namespace') or 'default')}-{_safe(named['name'])}.{extension}"


def _safe(text: str) -> str:
    """A part of a path that leads nowhere else."""
    return _UNSAFE.sub("_", text).lstrip(".") or "_"


class _NewFiles(Files):
    """Files that show together, once all are complete."""

    def add(self, path: Path, text: str) -> None:
        """Write a file beside its place."""
        path.parent.mkdir(parents=True, exist_ok=True)
        file = NewFile(path)
        self._new.append(file)
        file.write(utf8(text))
        file.finish()


def _to_folder(folder: str, texts: Iterable[tuple[str, str]]) -> None:
    with written(_NewFiles()) as output:
        for name, text in texts:
            output.add(Path(folder, name), text)
        output.commit()


def waves_of(texts: Sequence[str]) -> frozenset[int]:
    """The waves that `N` and `N-M` name, which count from 1; UsageError for anything else."""
    waves: set[int] = set()
    for text in texts:
        found = _WAVES.fullmatch(text)
        first, last = (int(found[1]), int(found[2] or found[1])) if found else (0, 0)
        if not 1 <= first <= last <= _MOST_WAVES:
            raise usage_error(
                f"--wave {text} is not a wave",
                hint="use a number such as 1, or a range such as 2-5; waves count from 1",
            )
        waves |= set(range(first, last + 1))
    return frozenset(waves)


def _read(sources: Sources[Input], reader: Reader) -> PlannedRollout:
    """The plan; InputError where the file cannot be read, or holds something else."""
    source = sources.paths[0]
    documents = []
    try:
        for chunk in source.chunks(reader.limits.size):
            documents += [document for document in reader.documents(chunk) if document.value is not None]
        if len(sources.paths) > 1 or len(documents) != 1:
            raise input_error(Reason.NO_MANIFEST, "PLAN must be one file with one RolloutPlan")
        return read_plan(documents[0].value)
    except SidecarctlError as fault:
        raise type(fault)(*in_file(fault.findings, source.name)) from None


def _refuse_unknown(rollout: PlannedRollout, only: Sequence[str]) -> None:
    known = {patch.set_name for patch in rollout.patches} | {entry.set_name for entry in rollout.conditions}
    refuse_unknown_sidecarsets(only, known)


def _pods(sources: Sources[Input], rollout: PlannedRollout, how: Reading) -> dict[Name, Object]:
    """The pods that the plan patches, whole."""
    wanted = {(patch.namespace, patch.name) for patch in rollout.patches}
    found: dict[Name, Object] = {}
    failures: list[Finding] = []
    for source in sources.deciders:
        for located in every_object(source.name, source.blocks, how.reader):
            if isinstance(located, Finding):
                failures.append(located)
            elif (
                _is_pod(located)
                and (name := (located.reference.namespace or how.namespace, located.reference.name)) in wanted
            ):
                failures += located.findings(check(located.manifest, "core.Pod"))
                found[name] = located.manifest
    if failures:
        raise InputError(*failures)
    return found


def _is_pod(located: Located) -> bool:
    return located.reference.kind == "Pod" and "/" not in located.reference.api_version
