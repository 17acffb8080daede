"""A rollout that cannot begin: Kruise refuses to change a set of which a canary exists."""

from sidecarctl.facts.errors import ImpossibleError
from sidecarctl.inputs.world import World
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


def _changes(name: str, old: World, new: World) -> bool:
    """Whether applying the new manifest updates the set: labels and annotations that it does not name stay."""
    from sidecarctl.operations.comparing.sidecarset_changes import changed  # few plans have canaries

    (before,), (after,) = ([one for one in world.sidecarsets if one.name == name] for world in (old, new))
    change = changed(before, after, (old.sources[name].manifest, new.sources[name].manifest))
    return any(field.path[0] != "metadata" or field.after is not None for field in change.fields)
