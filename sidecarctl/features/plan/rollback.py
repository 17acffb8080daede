"""Plans how to undo a plan: an ordinary rollout to the SidecarSets as they were before it."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

from sidecarctl.engine.facts.errors import ImpossibleError, impossible, in_file
from sidecarctl.engine.facts.findings import Finding, ObjectReference, note, warning
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.files.inputs import Input
from sidecarctl.engine.inputs.opening import ClusterIdentity, Sources
from sidecarctl.engine.inputs.pods import read_inputs, whole_pods, world_of_manifest
from sidecarctl.engine.inputs.reading import Reading
from sidecarctl.engine.plan_file.earlier_sets import EarlierSet, earlier_sets, with_earlier_images
from sidecarctl.engine.plan_file.reading import DIGEST, PodKey, read_plan, refuse_edited, release_of
from sidecarctl.engine.report import Report
from sidecarctl.engine.rollout.facts import OBJECTIONS, Ending
from sidecarctl.engine.rollout.plan_options import PlanOptions
from sidecarctl.engine.rollout.pod_budgets import budget_notes, protection_of
from sidecarctl.engine.rollout.simulated import RolloutInputs, overridden, rollout_inputs, simulated
from sidecarctl.engine.rollout.simulated_pods import PodName, SimulatedPod
from sidecarctl.engine.rollout.summary.rollout_plan import Plan
from sidecarctl.engine.rollout.summary.sentences import number
from sidecarctl.engine.rollout.summary.sidecar_comparison import blocked_fields
from sidecarctl.engine.rollout.targets import Target, target_of
from sidecarctl.engine.sidecarset.admission import admit
from sidecarctl.engine.sidecarset.revisions.revision_restoring import versions_of
from sidecarctl.engine.sidecarset.sets import GROUP, SidecarSet
from sidecarctl.engine.sidecarset.world import World, refuse_unknown_sidecarsets
from sidecarctl.features.plan.plan import PlanFacts, plan_report
from sidecarctl.features.plan.rendering import read_plan_file


class PushedPlan(NamedTuple):
    """The plan to undo: its document, its SidecarSets as they were before it, and how to read these.

    `file` is its name, for errors.
    """

    document: Object
    earlier: Sequence[EarlierSet]
    how: Reading
    file: str


def pushed_plan(
    sources: Sources[Input],
    how: Reading,
    only: Sequence[str] = (),
    to: str = "",
    sent: Callable[[str], Collection[int]] | None = None,
) -> PushedPlan:
    """The plan in a file; `sent` gives the numbers of the patches to undo for its digest, None means all.

    `only` are the SidecarSets to roll back, `to` chooses among several earlier versions. InputError for what is no
    plan; UsageError for an unknown name; ImpossibleError for a plan that cannot be undone.
    """
    document, rollout = read_plan_file(sources, how.reader, lambda value: (value, read_plan(value)))
    refuse_unknown_sidecarsets(only, [sidecarset["name"] for sidecarset in document["sidecarSets"]])
    file = sources.paths[0].name
    try:
        refuse_edited(document)
        if rollout.synthetic:
            message = "the plan was made from workloads, not from existing pods"
            raise impossible(Reason.SYNTHETIC_PLAN, message, ("synthetic",))
        how = how._replace(release=release_of(document))
        patches = [patch for patch in rollout.patches if not only or patch.set_name in only]
        if sent is not None:
            patched = {rollout.patches[number] for number in sent(document[DIGEST])}
            patches = [patch for patch in patches if patch in patched]
        return PushedPlan(document, earlier_sets(document, rollout, patches, to), how, file)
    except ImpossibleError as fault:
        raise ImpossibleError(*in_file(fault.findings, file)) from None


def rollback(pushed: PushedPlan, sources: Sources[Input], options: PlanOptions) -> Report[PlanFacts]:
    """The plan that rolls back the pods of files or of a cluster.

    InputError if something cannot be read; ImpossibleError for another cluster than that of the plan.
    """
    live, how = sources.live, pushed.how
    recorded = _recorded(pushed.document)
    _refuse_other_cluster(recorded, live.identity, pushed.file)
    found = read_inputs(sources, how, keeps_templates=False).whole()
    gates = frozenset(pushed.document.get("featureGates") or ())
    inputs = rollout_inputs(found, live)._replace(
        findings=[*live.findings, *budget_notes(gates, found)],
        protection=protection_of(gates, how.release, found),
        cluster=live.identity or recorded,
    )
    try:
        earlier = [with_earlier_images(item, _versions(item, found.world)) for item in pushed.earlier]
    except ImpossibleError as fault:
        raise ImpossibleError(*in_file(fault.findings, pushed.file)) from None
    inputs, made = _rolled_back(inputs, earlier, found.world, options, how)
    whole = partial(whole_pods, sources, how)
    blocked = blocked_fields(made, whole, how.namespace, gates, inputs.world.revisions)
    fails = OBJECTIONS - {Ending.STALLED} if _stalls_as_before(made, earlier) else OBJECTIONS
    return plan_report(inputs, made, blocked, options, gates, fails)._replace(read_at=live.versions)


def _versions(earlier: EarlierSet, world: World) -> Iterator[SidecarSet]:
    """The versions of a SidecarSet: manifests, and revisions if a recorded hash identifies them."""
    revisions = world.revisions if earlier.hash else ()
    sidecarset = admit(earlier.manifest, world.release)
    return (version.sidecarset for version in versions_of(sidecarset, revisions, world.sidecarsets))


def _stalls_as_before(made: Plan, earlier: Iterable[EarlierSet]) -> bool:
    """Whether only those pods do not finish that did not finish in the plan either: the plan lists them."""
    unfinished = {item.name: {PodName(*pod) for pod in item.unfinished} for item in earlier}
    return all(
        {made.pods[index].name for index in (*outcome.waiting, *outcome.busy, *outcome.holding_budget)}
        <= unfinished[name]
        for name, outcome in ((item.target.name, item.outcome) for item in made.sets)
        if outcome.ending is Ending.STALLED
    )


def _recorded(document: Object) -> ClusterIdentity | None:
    cluster = document.get("cluster")
    return None if cluster is None else ClusterIdentity(cluster.get("uid") or "", cluster.get("kruiseVersion") or "")


def _refuse_other_cluster(recorded: ClusterIdentity | None, identity: ClusterIdentity | None, file: str) -> None:
    if identity and recorded and identity.uid and recorded.uid and identity.uid != recorded.uid:
        message = "the plan is for another cluster"
        hint = "select the cluster of the plan with --context"
        fault = impossible(Reason.OTHER_CLUSTER, message, ("cluster", "uid"), hint=hint)
        raise ImpossibleError(*in_file(fault.findings, file))


def _rolled_back(
    inputs: RolloutInputs,
    earlier: Sequence[EarlierSet],
    of_cluster: World,
    options: PlanOptions,
    how: Reading,
) -> tuple[RolloutInputs, Plan]:
    """The inputs with earlier SidecarSets, and the rollout back to these.

    Only the pods that were taken from them, and are still the same, change.

    `of_cluster` are the SidecarSets of the cluster, as far as they were read: they would roll forward again.
    InputError if an earlier set cannot be admitted.
    """
    world = _world(inputs.world, earlier, how)
    targets = [_target(item, world, options) for item in earlier]
    found = [finding for item, target in zip(earlier, targets, strict=True) for finding in _findings(item, target)]
    found += [finding for item in earlier for finding in _gone(item, inputs)]
    found += [_rolls_forward(item, of_cluster) for item in earlier]
    inputs = inputs._replace(world=world, findings=[*inputs.findings, *found])
    return inputs, simulated(inputs, options, targets)


def _world(read: World, earlier: Iterable[EarlierSet], how: Reading) -> World:
    """What was read, with the earlier SidecarSets instead of all others."""
    worlds = [world_of_manifest(item.manifest, f"{item.name} before the plan", how) for item in earlier]
    return read._replace(
        sidecarsets=tuple(sidecarset for world in worlds for sidecarset in world.sidecarsets),
        sources={name: source for world in worlds for name, source in world.sources.items()},
        release=how.release,
    )


def _target(earlier_set: EarlierSet, world: World, options: PlanOptions) -> Target:
    sidecarset = overridden(world.by_name[earlier_set.name], options.overrides)
    target = target_of(
        sidecarset, earlier_set.revision, now=options.timestamp, resource_version=options.resource_version
    )
    return target._replace(
        raises_versions=True, rolls_back=earlier_set.rolled_out, only=lambda pod: _is_the_same(pod, earlier_set)
    )


def _is_the_same(pod: SimulatedPod, earlier_set: EarlierSet) -> bool:
    """Whether the plan patched this pod, not one that replaced it."""
    uid = earlier_set.pods.get((pod.name.namespace, pod.name.name))
    return uid is not None and uid in ("", pod.manifest["metadata"].get("uid") or uid)


def _findings(earlier_set: EarlierSet, target: Target) -> Iterator[Finding]:
    if earlier_set.hash and earlier_set.hash != target.hash:
        message = (
            f"with the earlier images it has the hash {target.hash}, and its pods "
            f"recorded {earlier_set.hash}: more than images differed, and only images are rolled back"
        )
        yield _about(earlier_set, warning(Reason.EARLIER_HASH_DIFFERS, message))
    if earlier_set.metadata:
        names = ", ".join(earlier_set.metadata)
        message = f"annotations from patchPodMetadata keep the values that the plan wrote: {names}"
        hint = "the plan has their earlier values, as `before`; set them with kubectl annotate --overwrite"
        yield _about(earlier_set, warning(Reason.METADATA_STAYS, message, hint=hint))
    if earlier_set.unsaid:
        count = len(earlier_set.unsaid)
        message = (
            f"the plan does not say which images {number(count)} had, and {'it gets' if count == 1 else 'they get'} "
            f"those of the others with the hash {earlier_set.hash or 'none'}: {_some(earlier_set.unsaid)}"
        )
        yield _about(earlier_set, warning(Reason.EARLIER_IMAGE_UNKNOWN, message))
    if earlier_set.odd:
        message = (
            f"{number(len(earlier_set.odd))} had other images before the plan than the others with the hash "
            f"{earlier_set.hash}, and get theirs: {_some(earlier_set.odd)}"
        )
        yield _about(earlier_set, warning(Reason.EARLIER_HASH_DIFFERS, message))


def _gone(earlier_set: EarlierSet, inputs: RolloutInputs) -> Iterator[Finding]:
    """A note about the pods that are no longer there."""
    there = {
        PodName(pod["metadata"].get("namespace") or "", pod["metadata"]["name"]): pod["metadata"].get("uid") or ""
        for pod in inputs.pods
    }
    gone = [
        pod
        for pod, uid in earlier_set.pods.items()
        if pod not in there or (uid and there[PodName(*pod)] not in ("", uid))
    ]
    if gone:
        pods = "1 pod of the plan is" if len(gone) == 1 else f"{len(gone)} pods of the plan are"
        message = f"{pods} gone or recreated, and left alone: {_some(gone)}"
        yield _about(earlier_set, note(Reason.POD_LEFT_ALONE, message))


def _some(pods: Sequence[PodKey]) -> str:
    return ", ".join("/".join(pod) for pod in pods[:3]) + (" ..." if len(pods) > 3 else "")


def _rolls_forward(earlier_set: EarlierSet, of_cluster: World) -> Finding:
    """What Kruise would do after the rollback."""
    held = of_cluster.by_name.get(earlier_set.name)
    images = ", ".join(f"{item['name']}={item['image']}" for item in earlier_set.manifest["spec"]["containers"])
    hint = f"give the SidecarSet in the cluster the earlier images before you unpause it: {images}"
    if held is None:
        message = "if the cluster still has the new SidecarSet, unpausing it rolls the pods forward again"
        return _about(earlier_set, note(Reason.ROLLS_FORWARD, message)._replace(hint=hint))
    if held.hash == earlier_set.hash:
        message = "the SidecarSet in the cluster is the earlier one already"
        return _about(earlier_set, note(Reason.ROLLS_FORWARD, message))
    message = "the SidecarSet in the cluster has other images: unpausing it rolls the pods forward again"
    return _about(earlier_set, warning(Reason.ROLLS_FORWARD, message, hint=hint))


def _about(earlier_set: EarlierSet, finding: Finding) -> Finding:
    return finding._replace(subject=ObjectReference(GROUP, "SidecarSet", "", earlier_set.name))
