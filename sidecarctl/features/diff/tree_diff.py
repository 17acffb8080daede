"""Two trees of manifests, each injected by its own SidecarSets: the pods of each workload in both.

What is injected is compared apart from the workload itself: the sidecars of the old tree go into the pods of the new
one. The hash annotations follow from the rest: the report shows that they change, not how.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import NamedTuple

from sidecarctl.engine.api.workload_rows import WorkloadKind
from sidecarctl.engine.api.workloads import pod_template_paths
from sidecarctl.engine.comparing.pod_effects import Pods
from sidecarctl.engine.comparing.set_diff import DiffFacts, diff_report, stored_after
from sidecarctl.engine.comparing.verdicts import FAILS, Verdict
from sidecarctl.engine.comparing.workload_pairs import Key, keys_of_both
from sidecarctl.engine.documents.writing import block_text
from sidecarctl.engine.facts.errors import InputError, SidecarctlError
from sidecarctl.engine.facts.findings import Finding, ObjectReference
from sidecarctl.engine.facts.reasons import ABOUT_OUTPUT, Reason
from sidecarctl.engine.facts.values import Object, value_at
from sidecarctl.engine.field_changes import FieldChange, field_changes
from sidecarctl.engine.files.workers import spread_items
from sidecarctl.engine.injection.decisions import InjectionOptions
from sidecarctl.engine.injection.injection_context import InjectionContext, injection_context
from sidecarctl.engine.injection.pod_templates import Templates as PodTemplates
from sidecarctl.engine.injection.pod_webhook import admitted, template_of
from sidecarctl.engine.injection.selection import Identity, select
from sidecarctl.engine.inputs.objects import ManifestObject
from sidecarctl.engine.inputs.references import with_references
from sidecarctl.engine.report import InjectedSet, Outcome, Report
from sidecarctl.engine.sidecarset.pod_annotations import HASH, HASH_WITHOUT_IMAGE
from sidecarctl.engine.sidecarset.world import Located, Template, World
from sidecarctl.engine.transforming.inject import Inject
from sidecarctl.engine.validation.baselines import new_in_change

_HASHES = (HASH, HASH_WITHOUT_IMAGE)


class InjectionChange(NamedTuple):
    """The pods with the old and with the new injection, as YAML without hashes.

    `fields` are the differences; `hashes`: whether the hashes change; `own`: whether the workload itself changes its
    pods.
    """

    before: str = ""
    after: str = ""
    fields: tuple[FieldChange, ...] = ()
    hashes: bool = False
    own: bool = False


class TreeTemplates(NamedTuple):
    """The pod templates of a workload, as written and as injected; None in `kinds` for a pod."""

    bare: Sequence[Object]
    injected: Sequence[Object]
    identity: Identity
    kinds: Sequence[Template | None]


def _injection_change(
    before: TreeTemplates | None, after: TreeTemplates, context: InjectionContext
) -> InjectionChange:
    """The change of a workload (`context` is that of the old tree; None if the workload is new)."""
    old = after.bare if before is None else _transplanted(before, after, context)
    own = before is not None and list(before.bare) != list(after.bare)
    hashes = list(map(_hashes, old)) != list(map(_hashes, after.injected))
    pods = [[_without_hashes(pod) for pod in each] for each in (old, after.injected)]
    fields = tuple(field for pair in zip(*pods, strict=False) for field in field_changes(*pair))
    return InjectionChange(joined(pods[0]), joined(pods[1]), fields, hashes, own)


def _transplanted(before: TreeTemplates, after: TreeTemplates, context: InjectionContext) -> Sequence[Object]:
    """The new pods with the old injection; the old pods if that is impossible."""
    if len(before.bare) != len(after.bare):
        return before.injected
    try:
        return [
            _injected_as(old, new, kind, before.identity, context)
            for old, new, kind in zip(before.bare, after.bare, after.kinds, strict=True)
        ]
    except SidecarctlError:
        return before.injected


def _injected_as(
    old: Object, new: Object, kind: Template | None, identity: Identity, context: InjectionContext
) -> Object:
    selection = select(old, context, identity)
    return admitted(new, selection, context, kind).pod if selection.matched else new


def _hashes(pod: Object) -> Sequence[str | None]:
    annotations = (pod.get("metadata") or {}).get("annotations") or {}
    return [annotations.get(key) for key in _HASHES]


def _without_hashes(pod: Object) -> Object:
    metadata = pod.get("metadata") or {}
    annotations = {key: value for key, value in (metadata.get("annotations") or {}).items() if key not in _HASHES}
    kept = {key: value for key, value in metadata.items() if key != "annotations"}
    kept |= {"annotations": annotations} if annotations else {}
    return {key: kept if key == "metadata" else pod[key] for key in pod if key != "metadata" or kept}


def joined(pods: Iterable[Object]) -> str:
    """Pods as YAML, one document each."""
    return "---\n".join(map(block_text, pods))


class TreeChange(StrEnum):
    """What happened to the pods of a workload."""

    CHANGED = "changed"
    UNCHANGED = "unchanged"
    ADDED = "added"
    REMOVED = "removed"
    FAILED = "failed"


class PodText(NamedTuple):
    """The pods of a workload, as YAML, and the SidecarSets that they get; `injected` says it in words."""

    text: str
    injected: str
    sets: tuple[InjectedSet, ...] = ()


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
    """A tree: its world, its workloads, their default namespace, and the feature gates."""

    world: World
    workloads: Sequence[Located]
    namespace: str = "default"
    kinds: Sequence[WorkloadKind] = ()
    gates: frozenset[str] = frozenset()


_NOTHING = PodText("", "")
_Workloads = Mapping[Key, tuple[PodText, TreeTemplates] | None]
"""The pods of each workload of a tree, with their templates; None where Kruise would reject them."""


def tree_diff_report(
    before: Tree, after: Tree, pods: Pods, fails: Collection[str] = FAILS, *, jobs: int = 1
) -> Report[TreeDiffFacts]:
    """The difference for every workload; kind, namespace and name identify a workload in both trees, unless it moved.

    The `pods` are counted. `jobs`: how many processes inject; 0 for as many as pay off.

    An objection if a verdict is among `fails`, or a workload can no longer be injected. InputError if one cannot be
    decoded.
    """
    sets = diff_report(before.world, after.world, pods, after.gates, fails=fails)
    refused = [item.change.name for item in sets.facts.sets if Verdict.REJECTED in item.change.verdicts]
    after = replace(after, world=stored_after(before.world, after.world, refused))
    of_old: list[Finding] = []
    of_new: list[Finding] = []
    contexts = [injection_context(tree.world, InjectionOptions(feature_gates=tree.gates)) for tree in (before, after)]
    was, is_now = keys_of_both(before.workloads, after.workloads, after.namespace)
    old = _injected(before, was, contexts[0], of_old, jobs)
    new = _injected(after, is_now, contexts[1], of_new, jobs)
    # Unknown labels of a namespace concern all its workloads, and decide what a change does.
    of_old = [item for item in of_old if not (item.reason is Reason.NAMESPACE_UNKNOWN and sets.facts.differs)]
    findings, of_base = new_in_change(dict.fromkeys(of_new), dict.fromkeys(of_old))
    references: dict[Key, ObjectReference] = {}
    for tree, keys in ((after, is_now), (before, was)):
        for key, workload in zip(keys, tree.workloads, strict=True):
            references.setdefault(key, workload.reference)
    workloads = [_diff(reference, key, old, new, contexts[0]) for key, reference in references.items()]
    facts = TreeDiffFacts(workloads, sets.facts, after.gates)
    failed = any(made is None and (key not in old or old[key]) for key, made in new.items())
    every = [*sets.findings, *findings]
    return Report(
        "tree-diff",
        facts,
        every,
        is_objection=sets.is_objection or failed,
        objections=sets.objections,
        checked=sets.checked,
        suppressed=of_base,
        release=after.world.release,
    )


def _diff(
    reference: ObjectReference, key: Key, old: _Workloads, new: _Workloads, context: InjectionContext
) -> WorkloadDiff:
    """The change of a workload; `context` is that of the old tree."""
    was, is_now = old.get(key), new.get(key)
    before, after = (item[0] if item else _NOTHING for item in (was, is_now))
    if (key in old and was is None) or (key in new and is_now is None):
        return WorkloadDiff(reference, TreeChange.FAILED, before, after)
    if is_now is None:
        return WorkloadDiff(reference, TreeChange.REMOVED, before, after)
    if was and before.text == after.text:
        return WorkloadDiff(reference, TreeChange.UNCHANGED, before, after)
    injection = _injection_change(was and was[1], is_now[1], context)
    return WorkloadDiff(reference, TreeChange.CHANGED if was else TreeChange.ADDED, before, after, injection)


_SIZE = 4096
"""Bytes of a usual workload."""


def _injected(
    tree: Tree, keys: Sequence[Key], context: InjectionContext, findings: list[Finding], jobs: int
) -> _Workloads:
    """The pods of each workload, by its key."""
    inject = Inject(PodTemplates(tree.world, tree.namespace, tree.kinds), context)
    faults: list[Finding] = []
    result: dict[Key, tuple[PodText, TreeTemplates] | None] = {}
    workloads, missing = with_references(tree.workloads, tree.namespace)
    findings += missing

    def attempt(found: Located) -> tuple[tuple[PodText, TreeTemplates] | SidecarctlError, Sequence[Finding]]:
        try:
            made, said = _workload(found, inject, tree.kinds)
        except SidecarctlError as fault:
            return fault, found.findings(fault.findings)
        return made, found.findings(said)

    with closing(spread_items(attempt, workloads, [_SIZE] * len(workloads), jobs)) as attempts:
        for key, (made, said) in zip(keys, attempts, strict=True):
            if isinstance(made, InputError):
                faults += said
                continue
            findings += said
            result[key] = None if isinstance(made, SidecarctlError) else made
    if faults:
        raise InputError(*faults)
    return result


def _workload(
    found: Located, inject: Inject, kinds: Sequence[WorkloadKind]
) -> tuple[tuple[PodText, TreeTemplates], Iterable[Finding]]:
    whole = ManifestObject(found.manifest, found.path, found.reference)
    change = inject(whole)
    paths = pod_template_paths(found.manifest, kinds)
    bare, injected = (
        [_without_status(value_at(manifest, path)) for path in paths]
        for manifest in (found.manifest, change.after or found.manifest)
    )
    summary = change.summary if change.outcome is not Outcome.SKIPPED else ""
    identity = inject.templates.identity(whole, paths[0] if paths else ())
    templates = TreeTemplates(bare, injected, identity, [template_of(whole.reference, path) for path in paths])
    said = [finding for finding in change.findings if finding.reason not in ABOUT_OUTPUT]
    return (PodText(joined(injected), summary, change.injected), templates), said


def _without_status(pod: Object) -> Object:
    return {key: value for key, value in pod.items() if key != "status"}
