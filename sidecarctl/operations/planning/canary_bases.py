"""A rollout that cannot begin: Kruise refuses to change a set of which a canary exists."""

from collections.abc import Iterator

from sidecarctl.facts.errors import ImpossibleError
from sidecarctl.facts.findings import Finding, warning
from sidecarctl.facts.reasons import Reason
from sidecarctl.inputs.world import World
from sidecarctl.rollout.summary.rollout_plan import Plan
from sidecarctl.sidecarset.canaries import base_of
from sidecarctl.validation.updates import base_refusal, canaries_by_base


def refuse_changed_bases(old: World, new: World) -> None:
    """ImpossibleError (CanaryExists) for each set that changes between two worlds which both have its canary."""
    before = {one.name: one for one in old.sidecarsets}
    after = {one.name: one for one in new.sidecarsets}
    findings = [
        finding
        for base, canary in canaries_by_base(old.sidecarsets, new.sidecarsets).items()
        if base in before and base in after and _changes(base, old, new)
        for finding in new.sources[base].findings([base_refusal(canary)])
    ]
    if findings:
        raise ImpossibleError(*findings)


def canary_warnings(plan: Plan, world: World) -> Iterator[Finding]:
    """Warnings where files alone do not tell whether the change of a SidecarSet that updates pods comes too late.

    A manifest with a uid is that of a cluster, where the change is made already.
    """
    canaries = {base: one.name for one in world.sidecarsets if (base := base_of(one))}
    for one in plan.sets:
        name, metadata = one.target.name, one.target.sidecar_set.metadata
        if name in canaries and one.waves and not metadata.get("uid"):
            canary = canaries[name]
            message = f"Kruise refuses every update of it where its canary {canary} exists already"
            hint = f"update it before {canary} is created, or delete {canary} first; plan --live knows what exists"
            finding = warning(Reason.CANARY_EXISTS, message, ("metadata", "name"), hint=hint)
            yield from world.sources[name].findings([finding])


def _changes(name: str, old: World, new: World) -> bool:
    """Whether applying the new manifest updates the set: labels and annotations that it does not name stay."""
    from sidecarctl.operations.comparing.sidecarset_changes import changed  # few plans have canaries

    (before,), (after,) = ([one for one in world.sidecarsets if one.name == name] for world in (old, new))
    change = changed(before, after, (old.sources[name].manifest, new.sources[name].manifest))
    return any(field.path[0] != "metadata" or field.after is not None for field in change.fields)
