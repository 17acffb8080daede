"""Two trees of manifests, each injected by its own SidecarSets: the pods of each workload in both."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from sidecarctl.api.workloads import Workload, pod_template_paths
from sidecarctl.facts.errors import InputError, SidecarctlError
from sidecarctl.facts.findings import Finding
from sidecarctl.facts.named_tuples import NamedTuple
from sidecarctl.facts.paths import value_at
from sidecarctl.facts.references import ObjectReference
from sidecarctl.facts.values import Object
from sidecarctl.injection.options import InjectionOptions
from sidecarctl.injection.select.injection_context import InjectionContext
from sidecarctl.inputs.located import Located
from sidecarctl.inputs.manifest_objects import ManifestObject
from sidecarctl.inputs.world import World
from sidecarctl.operations.comparing.injection_changes import InjectionChange, Templates, injection_change, joined
from sidecarctl.operations.diff import DiffFacts, Pods, diff_report
from sidecarctl.operations.inject import Inject, injection_context
from sidecarctl.operations.report import Report
from sidecarctl.operations.transforming.object_changes import Outcome
from sidecarctl.operations.transforming.pod_templates import Templates as PodTemplates


class TreeChange(StrEnum):
    """What happened to the pods of a workload."""

    CHANGED = "changed"
    UNCHANGED = "unchanged"
    ADDED = "added"
    REMOVED = "removed"
    FAILED = "failed"


class PodText(NamedTuple):
    """The pods of a workload, as YAML, and which SidecarSets with which containers were injected."""

    text: str
    injected: str


class WorkloadDiff(NamedTuple):
    """A workload of either tree; empty texts for a tree that does not have it.

    `injection` is the change of what is injected, for workloads of the later tree.
    """

    reference: ObjectReference
    change: TreeChange
    before: PodText
    after: PodText
    injection: InjectionChange = InjectionChange()


class TreeDiffFacts(NamedTuple):
    """The workloads in the order of the later tree, removed ones last; and the changes of the SidecarSets."""

    workloads: Sequence[WorkloadDiff]
    sets: DiffFacts
    gates: frozenset[str]

    @property
    def differs(self) -> bool:
        """Whether any SidecarSet or workload differs."""
        return self.sets.differs or any(workload.change is not TreeChange.UNCHANGED for workload in self.workloads)


@dataclass(frozen=True, slots=True)
class Tree:
    """A tree: its world, its workloads, their default namespace, and the enabled feature gates."""

    world: World
    workloads: Sequence[Located]
    namespace: str = "default"
    kinds: Sequence[Workload] = ()
    gates: frozenset[str] = frozenset()


_NOTHING = PodText("", "")
_Identity = tuple[str, ...]


class _Workload(NamedTuple):
    """The pods of a workload as text, with their templates."""

    pods: PodText
    templates: Templates


class _Injected(NamedTuple):
    """The workloads of a tree; None for those whose pods Kruise would reject."""

    workloads: Mapping[_Identity, _Workload | None]
    context: InjectionContext


def tree_diff_report(before: Tree, after: Tree) -> Report[TreeDiffFacts]:
    """The difference for every workload; kind, namespace and name identify a workload in both trees.

    InputError if a workload cannot be decoded.
    """
    sets = diff_report(
        before.world, after.world, Pods((), after.workloads, after.namespace, after.kinds), after.gates
    )
    findings: list[Finding] = []
    old, new = (_injected(tree, findings) for tree in (before, after))
    references = {
        _identity(workload, tree.namespace): workload.reference
        for tree in (after, before)
        for workload in tree.workloads
    }
    workloads = [_diff(references[key], key, old, new) for key in references]
    facts = TreeDiffFacts(workloads, sets.facts, after.gates)
    failed = any(workload.change is TreeChange.FAILED for workload in workloads)
    every = [*sets.findings, *findings]
    objects, release = sets.is_objection or failed, after.world.release
    return Report("tree-diff", facts, every, is_objection=objects, objections=sets.objections, release=release)


def _identity(found: Located, namespace: str) -> _Identity:
    group = found.reference.api_version.rpartition("/")[0]
    return group, found.reference.kind, found.reference.namespace or namespace, found.reference.name


def _diff(
    reference: ObjectReference,
    key: _Identity,
    old: _Injected,
    new: _Injected,
) -> WorkloadDiff:
    was, is_now = old.workloads.get(key), new.workloads.get(key)
    before, after = (item.pods if item else _NOTHING for item in (was, is_now))
    if (key in old.workloads and was is None) or (key in new.workloads and is_now is None):
        return WorkloadDiff(reference, TreeChange.FAILED, before, after)
    if is_now is None:
        return WorkloadDiff(reference, TreeChange.REMOVED, before, after)
    if was and before.text == after.text:
        return WorkloadDiff(reference, TreeChange.UNCHANGED, before, after)
    injection = injection_change(was and was.templates, is_now.templates, old.context)
    return WorkloadDiff(reference, TreeChange.CHANGED if was else TreeChange.ADDED, before, after, injection)


def _injected(tree: Tree, findings: list[Finding]) -> _Injected:
    """The pods of each workload."""
    context = injection_context(tree.world, InjectionOptions(feature_gates=tree.gates))
    inject = Inject(PodTemplates(tree.world, tree.namespace, tree.kinds), context)
    faults: list[Finding] = []
    result: dict[_Identity, _Workload | None] = {}
    for found in tree.workloads:
        key = _identity(found, tree.namespace)
        try:
            result[key], said = _workload(found, inject, tree.kinds)
            findings += found.findings(said)
        except InputError as fault:
            faults += found.findings(fault.findings)
        except SidecarctlError as fault:
            result[key] = None
            findings += found.findings(fault.findings)
    if faults:
        raise InputError(*faults)
    return _Injected(result, context)


def _workload(found: Located, inject: Inject, kinds: Sequence[Workload]) -> tuple[_Workload, Iterable[Finding]]:
    whole = ManifestObject(found.manifest, found.path, found.reference)
    change = inject(whole)
    paths = pod_template_paths(found.manifest, kinds)
    bare, injected = (
        [_without_status(value_at(manifest, path)) for path in paths]
        for manifest in (found.manifest, change.after or found.manifest)
    )
    summary = change.summary if change.outcome is not Outcome.SKIPPED else ""
    templates = Templates(bare, injected, inject.templates.identity(whole, paths[0] if paths else ()))
    return _Workload(PodText(joined(injected), summary), templates), change.findings


def _without_status(pod: Object) -> Object:
    return {key: value for key, value in pod.items() if key != "status"}
