"""Two whole trees of manifests, each injected by its own sets: what the pods of each workload get in both."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from sidecarctl.api.workloads import Workload, pod_template_paths
from sidecarctl.facts.errors import SidecarctlError
from sidecarctl.facts.findings import Finding
from sidecarctl.facts.paths import value_at
from sidecarctl.facts.references import ObjectReference
from sidecarctl.facts.values import Object
from sidecarctl.injection.context import Context
from sidecarctl.injection.options import Options
from sidecarctl.inputs.manifest_objects import ManifestObject
from sidecarctl.inputs.world import Located, World
from sidecarctl.operations.inject import Inject
from sidecarctl.operations.transforming.forms import block_text
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


class TreeDiff(NamedTuple):
    """The workloads in the order of the later tree, those that are gone at the end; and what there is to say."""

    workloads: Sequence[WorkloadDiff]
    findings: Sequence[Finding]
    exit_code: int
    """That of a workload that could not be injected: 2 where it cannot be decoded, 3 where its pods are rejected."""


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


def tree_diff(before: Tree, after: Tree) -> TreeDiff:
    """The difference for every workload; one of the same kind, namespace and name in both trees is the same."""
    findings: list[Finding] = []
    exit_codes = [0]
    old, new = (_injected(tree, findings, exit_codes) for tree in (before, after))
    references = {_identity(one, tree.namespace): one.reference for tree in (after, before) for one in tree.workloads}
    return TreeDiff([_diff(references[key], key, old, new) for key in references], findings, max(exit_codes))


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


def _injected(tree: Tree, findings: list[Finding], exit_codes: list[int]) -> dict[_Identity, PodText | None]:
    """The pods of each workload; None for one that cannot be injected."""
    world = tree.world
    options = Options(feature_gates=tree.gates)
    context = Context(world.sidecarsets, namespaces=world.namespaces, revisions=world.revisions, options=options)
    inject = Inject(Templates(world, tree.namespace, tree.kinds), context)
    result: dict[_Identity, PodText | None] = {}
    for found in tree.workloads:
        key = _identity(found, tree.namespace)
        try:
            result[key], said = _pods(found, inject, tree.kinds)
            findings += _located(found, said)
        except SidecarctlError as fault:
            result[key] = None
            findings += _located(found, fault.findings)
            exit_codes.append(fault.exit_code)
    return result


def _located(found: Located, findings: Iterable[Finding]) -> list[Finding]:
    """Findings with the workload and its place, where they are not about a set."""
    return [
        one._replace(subject=one.subject or found.reference, place=one.place or found.place(one.path))
        for one in findings
    ]


def _pods(found: Located, inject: Inject, kinds: Sequence[Workload]) -> tuple[PodText, Iterable[Finding]]:
    change = inject(ManifestObject(found.manifest, found.path, found.reference))
    manifest = change.after or found.manifest
    pods = [_without_status(value_at(manifest, path)) for path in pod_template_paths(manifest, kinds)]
    injected = change.summary if change.outcome is not Outcome.SKIPPED else ""
    return PodText("---\n".join(map(block_text, pods)), injected), change.findings


def _without_status(pod: Object) -> Object:
    return {key: value for key, value in pod.items() if key != "status"}
