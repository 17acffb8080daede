"""A rollout that cannot begin: Kruise rejects every change of a SidecarSet that has a canary."""

from collections.abc import Iterator

from sidecarctl.facts.errors import ImpossibleError
from sidecarctl.facts.findings import Finding, warning
from sidecarctl.facts.reasons import Reason
from sidecarctl.inputs.world import World
from sidecarctl.rollout.summary.rollout_plan import Plan
from sidecarctl.sidecarset.canaries import base_of
from sidecarctl.validation.updates import base_refusal, canaries_by_base


def refuse_changed_bases(old: World, new: World) -> None:
    """ImpossibleError (CanaryExists) for each SidecarSet that changes while both worlds have its canary."""
    before = {sidecarset.name: sidecarset for sidecarset in old.sidecarsets}
    after = {sidecarset.name: sidecarset for sidecarset in new.sidecarsets}
    findings = [
        finding
        for base, canary in canaries_by_base(old.sidecarsets, new.sidecarsets).items()
        if base in before and base in after and _changes(base, old, new)
        for finding in new.sources[base].findings([base_refusal(canary)])
    ]
    if findings:
        raise ImpossibleError(*findings)


def canary_warnings(plan: Plan, world: World) -> Iterator[Finding]:
    """Warnings if files alone do not show whether a SidecarSet can still be changed.

    A manifest with a uid comes from a cluster, where the change is already made.
    """
    canaries = {base: sidecarset.name for sidecarset in world.sidecarsets if (base := base_of(sidecarset))}
    for item in plan.sets:
        name, metadata = item.target.name, item.target.sidecar_set.metadata
        if name in canaries and item.waves and not metadata.get("uid"):
            canary = canaries[name]
            message = f"Kruise rejects every update of it if its canary {canary} already exists"
            hint = f"update it before you create {canary}, or delete {canary} first; plan --live shows what exists"
            finding = warning(Reason.CANARY_EXISTS, message, ("metadata", "name"), hint=hint)
            yield from world.sources[name].findings([finding])


def _changes(name: str, old: World, new: World) -> bool:
    """Whether applying the new manifest updates the SidecarSet: labels and annotations that it omits are kept."""
    from sidecarctl.operations.comparing.sidecarset_changes import changed  # few plans have canaries

    (before,), (after,) = (
        [sidecarset for sidecarset in world.sidecarsets if sidecarset.name == name] for world in (old, new)
    )
    change = changed(before, after, (old.sources[name].manifest, new.sources[name].manifest))
    return any(field.path[0] != "metadata" or field.after is not None for field in change.fields)
