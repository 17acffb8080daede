"""Two whole trees of manifests, each injected by its own sets: what the pods of each workload get in both."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from sidecarctl.api.workloads import Workload, pod_template_paths
from sidecarctl.documents.writing.yaml_text import block_text
from sidecarctl.facts.errors import InputError, SidecarctlError
from sidecarctl.facts.findings import Finding
from sidecarctl.facts.paths import value_at
from sidecarctl.facts.references import ObjectReference
from sidecarctl.facts.values import Object
from sidecarctl.injection.options import InjectionOptions
from sidecarctl.inputs.located import Located
from sidecarctl.inputs.manifest_objects import ManifestObject
from sidecarctl.inputs.world import World
from sidecarctl.operations.diff import DiffFacts, Pods, diff_report
from sidecarctl.operations.inject import Inject, injection_context
from sidecarctl.operations.report import Report
from sidecarctl.operations.transforming.object_changes import Outcome
from sidecarctl.operations.transforming.pod_templates import Templates


class TreeChange(StrEnum):
    """What became of a workload's pods."""

    CHANGED = "changed"
    UNCHANGED = "unchanged"
    ADDED = "added"
    REMOVED = "removed"
    FAILED = "failed"


class PodText(NamedTuple):
    """The pods that a workload makes, as YAML, and which sets with which containers were injected."""

    text: str
    injected: str


class WorkloadDiff(NamedTuple):
    """A workload of either tree; empty texts for the one that does not have it."""

    reference: ObjectReference
    change: TreeChange
    before: PodText
    after: PodText


class TreeDiffFacts(NamedTuple):
    """The workloads in the order of the later tree, those that are gone at the end; and the SidecarSets' changes."""

    workloads: Sequence[WorkloadDiff]
    sets: DiffFacts
    gates: frozenset[str]

    @property
    def differs(self) -> bool:
        """Whether any SidecarSet or workload is another one."""
        return self.sets.differs or any(one.change is not TreeChange.UNCHANGED for one in self.workloads)


@dataclass(frozen=True, slots=True)
class Tree:
    """A tree: what decides in it, its workloads, the namespace of those that name none, the feature gates on."""

    world: World
    workloads: Sequence[Located]
    namespace: str = "default"
    kinds: Sequence[Workload] = ()
    gates: frozenset[str] = frozenset()


_NOTHING = PodText("", "")
_Identity = tuple[str, ...]


def tree_diff_report(before: Tree, after: Tree) -> Report[TreeDiffFacts]:
    """The difference for every workload; one of the same kind, namespace and name in both trees is the same.

    InputError for a workload that cannot be decoded.
    """
    sets = diff_report(
        before.world, after.world, Pods((), after.workloads, after.namespace, after.kinds), after.gates
    )
    findings: list[Finding] = []
    old, new = (_injected(tree, findings) for tree in (before, after))
    references = {_identity(one, tree.namespace): one.reference for tree in (after, before) for one in tree.workloads}
    workloads = [_diff(references[key], key, old, new) for key in references]
    facts = TreeDiffFacts(workloads, sets.facts, after.gates)
    failed = any(one.change is TreeChange.FAILED for one in workloads)
    every = [*sets.findings, *findings]
    return Report("tree-diff", facts, every, is_objection=sets.is_objection or failed, objections=sets.objections)


def _identity(found: Located, namespace: str) -> _Identity:
    group = found.reference.api_version.rpartition("/")[0]
    return group, found.reference.kind, found.reference.namespace or namespace, found.reference.name


def _diff(
    reference: ObjectReference,
    key: _Identity,
    old: Mapping[_Identity, PodText | None],
    new: Mapping[_Identity, PodText | None],
) -> WorkloadDiff:
    before, after = old.get(key, _NOTHING), new.get(key, _NOTHING)
    if before is None or after is None:
        return WorkloadDiff(reference, TreeChange.FAILED, before or _NOTHING, after or _NOTHING)
    if key not in old:
        change = TreeChange.ADDED
    elif key not in new:
        change = TreeChange.REMOVED
    else:
        change = TreeChange.CHANGED if before.text != after.text else TreeChange.UNCHANGED
    return WorkloadDiff(reference, change, before, after)


def _injected(tree: Tree, findings: list[Finding]) -> dict[_Identity, PodText | None]:
    """The pods of each workload; None for one whose pods Kruise would reject."""
    context = injection_context(tree.world, InjectionOptions(feature_gates=tree.gates))
    inject = Inject(Templates(tree.world, tree.namespace, tree.kinds), context)
    faults: list[Finding] = []
    result: dict[_Identity, PodText | None] = {}
    for found in tree.workloads:
        key = _identity(found, tree.namespace)
        try:
            result[key], said = _pods(found, inject, tree.kinds)
            findings += found.findings(said)
        except InputError as fault:
            faults += found.findings(fault.findings)
        except SidecarctlError as fault:
            result[key] = None
            findings += found.findings(fault.findings)
    if faults:
        raise InputError(*faults)
    return result


def _pods(found: Located, inject: Inject, kinds: Sequence[Workload]) -> tuple[PodText, Iterable[Finding]]:
    change = inject(ManifestObject(found.manifest, found.path, found.reference))
    manifest = change.after or found.manifest
    pods = [_without_status(value_at(manifest, path)) for path in pod_template_paths(manifest, kinds)]
    injected = change.summary if change.outcome is not Outcome.SKIPPED else ""
    return PodText("---\n".join(map(block_text, pods)), injected), change.findings


def _without_status(pod: Object) -> Object:
    return {key: value for key, value in pod.items() if key != "status"}
