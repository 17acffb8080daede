"""Taking the volumes and pull secrets of sets out of a pod.

Source: docs/behaviour/injection.md, "What is written", of which this is the inverse.
"""

from collections.abc import Iterable, Iterator

from sidecarctl.api.canonical import typed
from sidecarctl.facts.findings import Finding, warning
from sidecarctl.facts.named_tuples import NamedTuple
from sidecarctl.facts.reasons import Reason
from sidecarctl.facts.values import Value
from sidecarctl.injection.build.pod_branches import PodBranches
from sidecarctl.injection.build.pod_lists import name_of
from sidecarctl.injection.remove.container_removal import FIELDS, Kept
from sidecarctl.injection.remove.removal_scope import Scope


class KeptItems(NamedTuple):
    """The items of a list that are kept, and findings about some of them."""

    items: list[Value]
    findings: list[Finding]


def without_volumes(parts: PodBranches, containers: Kept, scope: Scope) -> KeptItems:
    """A pod's volumes without those that came with the containers that are gone.

    Of sets at hand these are the ones that they declare and mount; else those that nothing mounts any more.
    """
    brought = {name_of(volume): volume for plan in scope.going for volume in plan.volumes}
    shared = {name_of(volume) for plan in scope.staying for volume in plan.volumes}
    used = set(_mounted(container for field in FIELDS for container in containers.lists[field]))
    used.update(_mounted(parts.spec.get("ephemeralContainers") or ()))
    unused = set(_mounted(container for _, container in containers.gone)) - used
    guessed = unused - brought.keys() if scope.blind or scope.everything else set[str]()
    kept = KeptItems([], [])
    for index, volume in enumerate(parts.spec.get("volumes") or ()):
        name, why = name_of(volume), ""
        if name in brought and name not in shared:
            if name in used:
                why = "a container that is kept mounts it"
            elif not scope.force and typed(volume or {}, "core.Volume") != brought[name]:
                why = "it differs from what the SidecarSet declares"
            else:
                continue
        if name not in guessed:
            kept.items.append(volume)
        if why:
            kept.findings.append(_stays("volume", name, why, ("volumes", index)))
    return kept


def without_pull_secrets(parts: PodBranches, scope: Scope) -> KeptItems:
    """A pod's pull secrets without those that sets brought: injection puts them after all that are the pod's own."""
    present = parts.spec.get("imagePullSecrets") or ()
    shared = {name_of(secret) for plan in scope.staying for secret in plan.pull_secrets}
    brought = {name_of(secret) for plan in scope.going for secret in plan.pull_secrets}
    own = [index for index, secret in enumerate(present) if name_of(secret) not in brought | shared]
    kept = KeptItems([], [])
    for index, secret in enumerate(present):
        name = name_of(secret)
        is_own = bool(own) and index < own[-1]
        if name in brought - shared:
            if scope.force or not is_own:
                continue
            why = "it is listed before the pod's own secrets"
            kept.findings.append(_stays("pull secret", name, why, ("imagePullSecrets", index)))
        kept.items.append(secret)
    return kept


def _stays(what: str, name: str, why: str, place: tuple[str, int]) -> Finding:
    return warning(Reason.NOT_REVERSIBLE, f"{what} {name} is kept: {why}", ("spec", *place))


def _mounted(containers: Iterable[Value]) -> Iterator[str]:
    """The names of all volumes that containers mount, also as devices."""
    for container in containers:
        for field in ("volumeMounts", "volumeDevices"):
            yield from map(name_of, (container or {}).get(field) or ())
