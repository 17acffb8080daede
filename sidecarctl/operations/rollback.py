"""The plan that takes a plan back: an ordinary rollout to the SidecarSets as they were before it."""

from collections.abc import Iterable, Iterator, Sequence

from sidecarctl.facts.findings import Finding, note, warning
from sidecarctl.facts.reasons import Reason
from sidecarctl.facts.references import ObjectReference
from sidecarctl.inputs.reading import Reading
from sidecarctl.inputs.reading_pods import world_of_manifest
from sidecarctl.inputs.world import World
from sidecarctl.operations.plan import PlanFacts, RolloutInputs, overridden, plan_report
from sidecarctl.operations.planning.plan_options import PlanOptions
from sidecarctl.operations.report import Report
from sidecarctl.plan_file.earlier_sets import EarlierSet
from sidecarctl.rollout.pods.simulated_pods import PodName, SimulatedPod
from sidecarctl.rollout.pods.targets import Target, target_of
from sidecarctl.sidecarset.sets import GROUP


def rollback_report(
    inputs: RolloutInputs,
    earlier: Sequence[EarlierSet],
    of_cluster: World,
    options: PlanOptions,
    how: Reading,
    gates: frozenset[str],
) -> Report[PlanFacts]:
    """The plan to earlier SidecarSets; only the pods that were taken from them, and are still the same, change.

    `of_cluster` are the SidecarSets of the cluster, as far as they were read: they would roll forward again.
    InputError if an earlier set cannot be admitted.
    """
    world = _world(inputs.world, earlier, how)
    targets = [_target(item, world, options) for item in earlier]
    found = [finding for item, target in zip(earlier, targets, strict=True) for finding in _findings(item, target)]
    found += [finding for item in earlier for finding in _gone(item, inputs)]
    found += [_rolls_forward(item, of_cluster) for item in earlier]
    inputs = inputs._replace(world=world, findings=[*inputs.findings, *found])
    return plan_report(inputs, options, how.namespace, gates, targets)


def _world(read: World, earlier: Iterable[EarlierSet], how: Reading) -> World:
    """What was read, with the earlier SidecarSets in the place of all others."""
    worlds = [world_of_manifest(item.manifest, f"{item.name} before the plan", how) for item in earlier]
    return read._replace(
        sidecarsets=tuple(sidecarset for world in worlds for sidecarset in world.sidecarsets),
        sources={name: source for world in worlds for name, source in world.sources.items()},
        release=how.release,
    )


def _target(earlier_set: EarlierSet, world: World, options: PlanOptions) -> Target:
    admitted = next(sidecarset for sidecarset in world.sidecarsets if sidecarset.name == earlier_set.name)
    sidecarset = overridden(admitted, options.overrides)
    target = target_of(
        sidecarset, earlier_set.revision, now=options.timestamp, resource_version=options.resource_version
    )
    return target._replace(
        raises_versions=True, rolls_back=earlier_set.rolled_out, only=lambda pod: _is_the_same(pod, earlier_set)
    )


def _is_the_same(pod: SimulatedPod, earlier_set: EarlierSet) -> bool:
    """Whether the plan patched this very pod, not one that was created in its place."""
    uid = earlier_set.pods.get((pod.name.namespace, pod.name.name))
    return uid is not None and uid in ("", pod.manifest["metadata"].get("uid") or uid)


def _findings(earlier_set: EarlierSet, target: Target) -> Iterator[Finding]:
    if earlier_set.hash and earlier_set.hash != target.hash:
        message = (
            f"SidecarSet {earlier_set.name} with the earlier images has the hash {target.hash}, and its pods "
            f"recorded {earlier_set.hash}: more than images was different, and only images go back"
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
        names = ", ".join("/".join(pod) for pod in gone[:3]) + (" ..." if len(gone) > 3 else "")
        pods = "1 pod of the plan is" if len(gone) == 1 else f"{len(gone)} pods of the plan are"
        message = f"{pods} gone or recreated, and left alone: {names}"
        yield _about(earlier_set, note(Reason.POD_LEFT_ALONE, message))


def _rolls_forward(earlier_set: EarlierSet, of_cluster: World) -> Finding:
    """What Kruise would do after the rollback."""
    held = next((sidecarset for sidecarset in of_cluster.sidecarsets if sidecarset.name == earlier_set.name), None)
    images = ", ".join(f"{item['name']}={item['image']}" for item in earlier_set.manifest["spec"]["containers"])
    hint = f"give SidecarSet {earlier_set.name} in the cluster the earlier images before you unpause it: {images}"
    if held is None:
        new = f"the new SidecarSet {earlier_set.name}"
        message = f"if the cluster still has {new}, unpausing it rolls the pods forward again"
        return _about(earlier_set, note(Reason.ROLLS_FORWARD, message)._replace(hint=hint))
    if held.hash == earlier_set.hash:
        message = f"SidecarSet {earlier_set.name} in the cluster is the earlier one already"
        return _about(earlier_set, note(Reason.ROLLS_FORWARD, message))
    message = (
        f"SidecarSet {earlier_set.name} in the cluster has other images: unpausing it rolls the pods forward again"
    )
    return _about(earlier_set, warning(Reason.ROLLS_FORWARD, message, hint=hint))


def _about(earlier_set: EarlierSet, finding: Finding) -> Finding:
    return finding._replace(subject=ObjectReference(GROUP, "SidecarSet", "", earlier_set.name))
