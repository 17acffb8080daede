"""SidecarSets as they are after an upgrade of Kruise, when the same manifests are applied again.

Source: docs/behaviour/releases.md (`parses_odd_hosts`).
"""

from collections.abc import Sequence

from sidecarctl.facts.values import Object
from sidecarctl.inputs.world import World
from sidecarctl.sidecarset.admission import admit
from sidecarctl.sidecarset.sets import SidecarSet

_CONTAINER_LISTS = ("containers", "initContainers")
_FILLED_IN = "imagePullPolicy"


def applied_again(before: World, after: World) -> World:
    """The later world, with what the earlier release has stored for fields that the manifests omit.

    Only the default of imagePullPolicy depends on the release and on nothing else.
    """
    old = {sidecarset.name: sidecarset for sidecarset in before.sidecarsets}
    if after.release.parses_odd_hosts == before.release.parses_odd_hosts:
        return after
    applied = (_applied(after.sources[new.name].manifest, old[new.name], new) for new in after.sidecarsets)
    return after._replace(sidecarsets=tuple(applied))


def _applied(manifest: Object, before: SidecarSet, after: SidecarSet) -> SidecarSet:
    spec = manifest.get("spec") or {}
    written = {name: [each or {} for each in spec[name]] for name in _CONTAINER_LISTS if spec.get(name)}
    kept = {name: _with_stored(written[name], before.spec.get(name) or ()) for name in written}
    if all(kept[name] == written[name] for name in kept):
        return after
    return admit(manifest | {"spec": spec | kept}, after.release)


def _with_stored(containers: Sequence[Object], stored: Sequence[Object]) -> list[Object]:
    """The containers, each with the stored imagePullPolicy unless it has its own."""
    return [
        container if container.get(_FILLED_IN) else container | {_FILLED_IN: known[_FILLED_IN]}
        for container, known in zip(containers, stored, strict=True)
    ]
