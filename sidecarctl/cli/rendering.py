"""How `render` runs: read the plan and the pods, write the patches."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from sidecarctl.api.decoding import check
from sidecarctl.cli.collector import without_collector
from sidecarctl.documents.reading.document import Document, Reader
from sidecarctl.documents.writing.yaml_text import block_text
from sidecarctl.facts.errors import InputError, SidecarctlError, input_error, usage_error
from sidecarctl.facts.findings import Finding
from sidecarctl.facts.named_tuples import NamedTuple
from sidecarctl.facts.patterns import lazy_pattern
from sidecarctl.facts.placing import in_file
from sidecarctl.facts.reasons import Reason
from sidecarctl.facts.values import Object, Value
from sidecarctl.files.inputs import Input
from sidecarctl.files.new_files import Files
from sidecarctl.files.new_folders import NewFolders
from sidecarctl.files.outputs import to_stdout, utf8, written
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

_WAVES = lazy_pattern(r"([0-9]{1,9})(?:-([0-9]{1,9}))?")
_UNSAFE = lazy_pattern(r"[^A-Za-z0-9._-]")
_Plan = TypeVar("_Plan")
_MOST_WAVES = 1_000_000
_EXTENSIONS = {"json": "jsonpatch", "merge": "merge", "strategic": "strategic"}


@dataclass(frozen=True, slots=True)
class RenderRequest:
    """The request of the command line; the plan is the only path to transform, PODS are read-only."""

    named: Named
    how: Reading
    form: RenderForm
    waves: frozenset[int]
    only: Sequence[str]
    folder: str | None
    write_conditions: bool
    simulated: bool


class Rendering(NamedTuple):
    """The number of patches, and findings about the folder that they were written to."""

    number: int
    findings: Sequence[Finding] = ()


def render(request: RenderRequest) -> Rendering:
    """Write the patches."""
    with opened(request.named) as (sources,), without_collector():
        rollout = read_plan_file(sources, request.how.reader, read_plan)
        _refuse_unknown(rollout, request.only)
        chosen = chosen_patches(rollout, request.waves, request.only, simulated=request.simulated)
        pods = _pods(sources, rollout, request.how) if request.form.needs_pods else {}
    return Rendering(len(chosen), _write(request, rollout, chosen, pods))


def _write(
    request: RenderRequest,
    rollout: PlannedRollout,
    chosen: Sequence[PlannedPatch],
    pods: dict[Name, Object],
) -> Sequence[Finding]:
    if request.form is RenderForm.KUBECTL:
        entries = chosen_conditions(rollout, chosen, request.waves, request.only) if request.write_conditions else []
        to_stdout(kubectl_script(chosen, entries))
        return ()
    if request.form is RenderForm.PODS:
        return _write_pods(request, resulting_pods(rollout, chosen, pods))
    patches = list(rendered_patches(request.form, rollout, chosen, pods))
    if request.write_conditions:
        patches += rendered_conditions(rollout, chosen, request.waves, request.only)
    return _write_patches(request, patches)


def _write_pods(request: RenderRequest, pods: Sequence[Object]) -> Sequence[Finding]:
    if request.folder is None:
        to_stdout("".join(f"---\n{block_text(pod)}" for pod in pods))
        return ()
    names = (_file_name(number, pod["metadata"], "yaml") for number, pod in enumerate(pods, 1))
    return _to_folder(request.folder, zip(names, map(block_text, pods), strict=True))


def _write_patches(request: RenderRequest, patches: Sequence[Rendered]) -> Sequence[Finding]:
    if request.folder is None:
        to_stdout(json_text([patch.document() for patch in patches]))
        return ()
    return _to_folder(
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
    """A path component without separators."""
    return _UNSAFE.sub("_", text).lstrip(".") or "_"


class _NewFiles(Files):
    """Files that are written together, once all are complete."""

    def __init__(self) -> None:
        super().__init__()
        self._made = NewFolders()

    def add(self, path: Path, text: str) -> None:
        """Write a temporary file next to its target."""
        self._made.make(path.parent)
        self._tidy(path.parent)
        file = NewFile(path)
        self._new.append(file)
        file.write(utf8(text))
        file.finish()

    def discard(self) -> None:
        """Remove files that were not committed, and the folders created only for them."""
        super().discard()
        self._made.discard()


def _to_folder(folder: str, texts: Iterable[tuple[str, str]]) -> Sequence[Finding]:
    with written(_NewFiles()) as output:
        for name, text in texts:
            output.add(Path(folder, name), text)
        output.commit()
        return output.findings


def waves_of(texts: Sequence[str], option: str = "--wave") -> frozenset[int]:
    """The waves in `N` and `N-M`, counted from 1; UsageError for anything else."""
    waves: set[int] = set()
    for text in texts:
        found = _WAVES.fullmatch(text)
        first, last = (int(found[1]), int(found[2] or found[1])) if found else (0, 0)
        if not 1 <= first <= last <= _MOST_WAVES:
            raise usage_error(
                f"{option} {text} is not a wave",
                hint="use a number such as 1, or a range such as 2-5; waves count from 1",
            )
        waves |= set(range(first, last + 1))
    return frozenset(waves)


def read_plan_file(sources: Sources[Input], reader: Reader, read: Callable[[Value], _Plan]) -> _Plan:
    """The plan, parsed by `read`; InputError if the file cannot be read, or contains something else."""
    source = sources.paths[0]
    documents = []
    try:
        for chunk in source.chunks(reader.limits.size):
            documents += [document for document in reader.documents(chunk) if document.value is not None]
        if len(sources.paths) > 1 or len(documents) != 1:
            raise input_error(Reason.NO_MANIFEST, "PLAN must be one file with one RolloutPlan")
        return read(documents[0].value)
    except SidecarctlError as fault:
        raise type(fault)(*in_file(_placed(fault.findings, documents), source.name)) from None


def _placed(findings: Iterable[Finding], documents: Sequence[Document]) -> list[Finding]:
    """The errors of the plan, with line and column if they are about a field."""
    if len(documents) != 1:
        return list(findings)
    return [finding._replace(place=finding.place or documents[0].place(finding.path)) for finding in findings]


def _refuse_unknown(rollout: PlannedRollout, only: Sequence[str]) -> None:
    known = {patch.set_name for patch in rollout.patches} | {entry.set_name for entry in rollout.conditions}
    refuse_unknown_sidecarsets(only, known)


def _pods(sources: Sources[Input], rollout: PlannedRollout, how: Reading) -> dict[Name, Object]:
    """The whole pods that the plan patches."""
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
