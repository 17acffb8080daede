"""The changes of SidecarSets that Kruise or the API server refuses, by the rules of `validate`.

Source: docs/behaviour/validation.md.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence

from sidecarctl.facts.findings import Finding
from sidecarctl.facts.values import natural
from sidecarctl.sidecarset.sets import BASE, CANARY, SidecarSet
from sidecarctl.sidecarset.world import World
from sidecarctl.validation.updates import base_refusal, canaries_by_base

_LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"

Refusals = Mapping[str, Sequence[Finding]]
"""Why SidecarSets are refused, by their names; paths lead into their manifests."""


def refused_changes(old: World, new: World, gates: frozenset[str]) -> Refusals:
    """Why each new or changed SidecarSet of `new` is refused; those that stay as they are cannot be."""
    changed = changed_names(old, new)
    if not changed:
        return {}
    found = refusals_in(new, gates, {item.name: item for item in old.sidecarsets})
    canaries = canaries_by_base(old.sidecarsets, new.sidecarsets)
    beside = {name: base_refusal(canaries[name]) for name in changed & canaries.keys()}
    return {
        name: findings
        for name in sorted(changed, key=natural)
        if (findings := [*found.get(name, ()), *([beside[name]] if name in beside else ())])
    }


def changed_names(old: World, new: World) -> set[str]:
    """The SidecarSets of `new` that an apply creates or updates.

    Labels and annotations that it omits are kept as a rule: others may have set them; those of canaries are not.
    """
    before = {item.name: item for item in old.sidecarsets}
    return {item.name for item in new.sidecarsets if item.name not in before or _updates(old, new, before, item)}


def _updates(old: World, new: World, before: Mapping[str, SidecarSet], item: SidecarSet) -> bool:
    from sidecarctl.operations.comparing.set_changes import changed

    written = old.sources[item.name].manifest, new.sources[item.name].manifest
    fields = changed(before[item.name], item, written).fields
    return any(
        field.path[0] != "metadata"
        or (field.path[-1] in (BASE, CANARY) if field.after is None else field.path[-1] != _LAST_APPLIED)
        for field in fields
    )


def refusals_in(
    world: World, gates: frozenset[str], older: Mapping[str, SidecarSet] | None = None
) -> dict[str, list[Finding]]:
    """The errors of every SidecarSet of a world, as updates of the `older` ones where there are such."""
    from sidecarctl.validation.checking import check
    from sidecarctl.validation.suppression import refuses

    asked = world._replace(gates=gates, older=older or {})
    return {item.sidecarset.name: [each for each in item.findings if refuses(each)] for item in check(asked)}


def refused_versions(world: World, gates: frozenset[str]) -> Refusals:
    """Why SidecarSets without a known earlier version are refused, whatever it was; conflicts are left open.

    A manifest with a uid comes from a cluster, which has accepted it.
    """
    from sidecarctl.validation.checking import own_findings
    from sidecarctl.validation.suppression import refuses

    asked, by_name = world._replace(gates=gates), world.by_name
    unknown = [item for item in world.sidecarsets if not item.metadata.get("uid")]
    found = {item.name: list(filter(refuses, own_findings(item, asked, by_name))) for item in unknown}
    return {name: errors for name, errors in found.items() if errors}


def without_refused(world: World, refused: Collection[str]) -> World:
    """The world as it is once the refused changes did not happen: those SidecarSets are not part of it."""
    return world._replace(sidecarsets=tuple(item for item in world.sidecarsets if item.name not in refused))


def placed_refusals(refusals: Refusals, world: World) -> Iterator[Finding]:
    """The refusals, with their places."""
    for name, findings in refusals.items():
        yield from world.sources[name].findings(findings)
