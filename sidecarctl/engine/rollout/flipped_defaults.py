"""Containers whose default pull policy changes with the tag of their image."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from sidecarctl.engine.facts.findings import Finding
from sidecarctl.engine.facts.values import Object, Value, value_at
from sidecarctl.engine.validation.flipped_defaults import FIELD, flipped

if TYPE_CHECKING:  # an injection has none
    from sidecarctl.engine.rollout.summary.sidecar_comparison import FieldDifference


def flipped_in_pods(
    written: Object, sidecarset: Object, pods: Sequence[tuple[Object, Sequence["FieldDifference"]]]
) -> Iterator[Finding]:
    """A warning for each container of a SidecarSet whose defaults its pods do not have.

    `written` is its manifest, `sidecarset` the same after defaults; `pods` are blocked ones with what blocks them.
    """
    names = [container.get("name") for container in value_at(sidecarset, ("spec", "containers")) or ()]
    listed = [each or {} for each in value_at(written, ("spec", "containers")) or ()]  # null is an empty container
    own = {each.get("name"): each for each in listed}
    found: Mapping[str, tuple[Value, Value]] = {
        name: (each.now, each.new)
        for pod, differing in pods
        for each in differing
        if each.path[:2] == ("spec", "containers") and each.path[3:] == (FIELD,)
        if (name := value_at(pod, (*each.path[:3], "name"))) in names and not own[name].get(FIELD)
    }
    for name, (before, after) in found.items():
        yield flipped(before, after, names.index(name))
