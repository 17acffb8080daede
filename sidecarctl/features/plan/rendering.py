"""Rendering: the patches of a plan file as documents, one per pod, or as a script for kubectl."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple, TypeVar

from sidecarctl.engine.api.canonical import escaped
from sidecarctl.engine.api.decoding import check
from sidecarctl.engine.documents.reading.document import Document, Reader
from sidecarctl.engine.documents.writing import block_text
from sidecarctl.engine.facts.errors import InputError, in_file, input_error
from sidecarctl.engine.facts.findings import Finding
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.start_up import lazy_pattern
from sidecarctl.engine.facts.values import Object, Value
from sidecarctl.engine.files.inputs import Input
from sidecarctl.engine.inputs.objects import every_object, read_only_document
from sidecarctl.engine.inputs.opening import Sources
from sidecarctl.engine.inputs.reading import Reading
from sidecarctl.engine.plan_file.kubectl_script import kubectl_script
from sidecarctl.engine.plan_file.patch_times import times_left_out, with_times
from sidecarctl.engine.plan_file.reading import PlannedRollout, PodKey, read_plan
from sidecarctl.engine.plan_file.rendering import (
    Rendered,
    RenderForm,
    chosen_conditions,
    chosen_patches,
    rendered_conditions,
    rendered_patches,
    resulting_pods,
)
from sidecarctl.engine.sidecarset.world import refuse_unknown_sidecarsets

_UNSAFE = lazy_pattern(r"[^A-Za-z0-9._-]")
_Plan = TypeVar("_Plan")
_EXTENSIONS = {"json": "jsonpatch", "merge": "merge", "strategic": "strategic"}


class RenderRequest(NamedTuple):
    """What to render of a plan; `as_files`: one text per pod, each with a name, instead of a single one."""

    form: RenderForm
    waves: frozenset[int] = frozenset()
    only: Sequence[str] = ()
    as_files: bool = False
    write_conditions: bool = False
    simulated: bool = False


class Rendering(NamedTuple):
    """The number of patches, and the texts with their relative paths; a single text has none."""

    number: int
    texts: Iterable[tuple[str, str]]
    findings: Sequence[Finding] = ()


def render(
    sources: Sources[Input], how: Reading, request: RenderRequest, as_json: Callable[[Value], str]
) -> Rendering:
    """The patches of the plan in PATHS, as texts; the pods that some forms need are among the read-only inputs.

    `as_json` writes a patch, escaped the way the API server writes its own objects, because it compares the texts of
    `test` operations.

    InputError if it is not a plan, or if pods cannot be read; UsageError for an unknown SidecarSet.
    """
    rollout = read_plan_file(sources, how.reader, read_plan)
    known = {patch.set_name for patch in rollout.patches} | {entry.set_name for entry in rollout.conditions}
    refuse_unknown_sidecarsets(request.only, known)
    chosen = chosen_patches(rollout, request.waves, request.only, simulated=request.simulated)
    pods = _pods(sources, rollout, how) if request.form.needs_pods else {}
    if request.form is RenderForm.KUBECTL:
        entries = chosen_conditions(rollout, chosen, request.waves, request.only) if request.write_conditions else []
        wanted = set(map(id, chosen))
        timed = [
            new for old, new in zip(rollout.patches, with_times(rollout.patches), strict=True) if id(old) in wanted
        ]
        return Rendering(len(chosen), [("", kubectl_script(timed, entries))])
    findings = times_left_out(chosen)
    if request.form is RenderForm.PODS:
        texts = _pod_texts(resulting_pods(rollout, chosen, pods), as_files=request.as_files)
        return Rendering(len(chosen), texts, findings)
    patches = list(rendered_patches(request.form, rollout, chosen, pods))
    if request.write_conditions:
        patches += rendered_conditions(rollout, chosen, request.waves, request.only)
    return Rendering(len(chosen), _patch_texts(patches, as_json, as_files=request.as_files), findings)


def read_plan_file(sources: Sources[Input], reader: Reader, read: Callable[[Value], _Plan]) -> _Plan:
    """The plan, parsed by `read`; InputError if the file cannot be read, or contains something else."""
    one_plan = input_error(Reason.NO_MANIFEST, "PLAN must be one file with one RolloutPlan")

    def read_document(document: Document | None) -> _Plan:
        if document is None:
            raise one_plan
        return read(document.value)

    source, *others = sources.paths
    if others:
        raise InputError(*in_file(one_plan.findings, source.name))
    return read_only_document(source, reader, read_document)


def _pod_texts(pods: Sequence[Object], *, as_files: bool) -> Iterator[tuple[str, str]]:
    if not as_files:
        yield "", "".join(f"---\n{block_text(pod)}" for pod in pods)
        return
    for number, pod in enumerate(pods, 1):
        yield _file_name(number, pod["metadata"], "yaml"), block_text(pod)


def _patch_texts(
    patches: Sequence[Rendered], as_json: Callable[[Value], str], *, as_files: bool
) -> Iterator[tuple[str, str]]:
    if not as_files:
        yield "", escaped(as_json([patch.document() for patch in patches]))
        return
    for number, patch in enumerate(patches, 1):
        yield _patch_file(number, patch), escaped(as_json(patch.patch))


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


def _pods(sources: Sources[Input], rollout: PlannedRollout, how: Reading) -> dict[PodKey, Object]:
    """The whole pods that the plan patches."""
    wanted = {(patch.namespace, patch.name) for patch in rollout.patches}
    found: dict[PodKey, Object] = {}
    failures: list[Finding] = []
    for source in sources.deciders:
        for located in every_object(source.name, source.blocks, source.reader(how.reader), how.look):
            if isinstance(located, Finding):
                failures.append(located)
            elif (
                located.reference.kind == "Pod"
                and "/" not in located.reference.api_version
                and (name := (located.reference.namespace or how.namespace, located.reference.name)) in wanted
            ):
                failures += located.findings(check(located.manifest, "core.Pod"))
                found[name] = located.manifest
    if failures:
        raise InputError(*failures)
    return found
