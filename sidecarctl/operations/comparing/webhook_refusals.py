"""What the webhook of one release rejects in SidecarSets, and that of another does not.

Source: docs/behaviour/validation.md, docs/behaviour/releases.md, "Switches".
"""

from collections.abc import Mapping, Sequence

from sidecarctl.facts.findings import Finding
from sidecarctl.inputs.world import World
from sidecarctl.validation.checking import check, refuses
from sidecarctl.validation.given import Given

Refusals = Mapping[str, Sequence[Finding]]
"""The errors of SidecarSets by name; paths lead into their manifests."""


def new_refusals(before: World, after: World, gates: frozenset[str]) -> Refusals:
    """What the later release rejects, unless the earlier one rejects something at the same place."""
    known = _refusals(before, gates)
    return {
        name: [error for error in found if not any(_overlap(error, other) for other in known.get(name, ()))]
        for name, found in _refusals(after, gates).items()
    }


def _refusals(world: World, gates: frozenset[str]) -> Refusals:
    given = Given(
        world.sidecarsets,
        namespaces=world.namespaces,
        revisions=world.revisions,
        whitelist=world.whitelist,
        gates=gates,
    )
    return {checked.sidecarset.name: list(filter(refuses, checked.findings)) for checked in check(given)}


def _overlap(error: Finding, other: Finding) -> bool:
    """Whether one of the two paths leads to the place of the other, or below it."""
    return all(step == other_step for step, other_step in zip(error.path, other.path, strict=False))
