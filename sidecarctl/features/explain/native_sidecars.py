"""Which sidecars of a SidecarSet are native, which could be, and what would change then.

Source: docs/behavior/validation.md, and https://kubernetes.io/docs/concepts/workloads/pods/sidecar-containers/.
"""

from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import NamedTuple

from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.injection.webhook_steps import PRIORITY
from sidecarctl.engine.releases.profiles import has_native_sidecars
from sidecarctl.engine.sidecarset.sets import SidecarSet, is_hot, is_native_sidecar
from sidecarctl.engine.sidecarset.world import World
from sidecarctl.engine.validation.admission.spec import refusals
from sidecarctl.engine.validation.practice.kubernetes import NATIVE_SIDECARS, dropped, parse_kubernetes
from sidecarctl.engine.validation.suppression import refuses


class Native(StrEnum):
    """Whether a sidecar is native, an initContainer with restartPolicy Always."""

    IS = "Native"
    COULD_BE = "Possible"
    CANNOT_BE = "Impossible"


_SAID = {
    Native.IS: "is a native sidecar",
    Native.COULD_BE: "could be a native sidecar",
    Native.CANNOT_BE: "cannot be a native sidecar",
}


class NativeAnswer(NamedTuple):
    """The answer for one sidecar: why it cannot be native, or what would change."""

    container: str
    answer: Native
    reasons: Sequence[str] = ()

    @property
    def sentence(self) -> str:
        """The answer in one line."""
        said = f"{self.container} {_SAID[self.answer]}"
        return f"{said}: {'; '.join(self.reasons)}" if self.reasons else said


def native_answers(sidecarset: SidecarSet, world: World, kubernetes: str) -> Iterator[NativeAnswer]:
    """The answer for each sidecar; `kubernetes` is the release of Kubernetes, empty if not known."""
    minor = parse_kubernetes(kubernetes)
    for container in filter(is_native_sidecar, sidecarset.spec.get("initContainers") or ()):
        yield NativeAnswer(container.get("name") or "", Native.IS)
    for container in sidecarset.spec.get("containers") or ():
        obstacles = [*_obstacles(container, sidecarset, world, minor)]
        answer = Native.CANNOT_BE if obstacles else Native.COULD_BE
        yield NativeAnswer(
            container.get("name") or "", answer, obstacles or [*_changes(container, sidecarset.spec, minor)]
        )


def _obstacles(container: Object, sidecarset: SidecarSet, world: World, minor: int | None) -> Iterator[str]:
    if is_hot(container):
        yield "hot upgrade updates it in place, and native sidecars are never updated in place"
    if not has_native_sidecars(sidecarset.release):
        yield f"{sidecarset.release.behavior} drops restartPolicy from initContainers: {_BLOCKED}"
    elif minor is not None and minor < NATIVE_SIDECARS.since:
        yield f"{dropped(NATIVE_SIDECARS, minor, 'restartPolicy')}: {_BLOCKED}"
    else:
        known = {finding.message for finding in refusals(sidecarset, world, world.by_name)}
        changed = sidecarset._replace(spec=_with_native(container, sidecarset.spec))
        found = filter(refuses, refusals(changed, world, world.by_name))
        yield from (f"it would be rejected: {item.message}" for item in found if item.message not in known)


_BLOCKED = "every pod would wait for it to end"


def _with_native(container: Object, spec: Object) -> Object:
    """A spec in which a container has become a native sidecar."""
    containers = [item for item in spec["containers"] if item is not container]
    native = [*(spec.get("initContainers") or ()), {**container, "restartPolicy": "Always"}]
    strategy = {**(spec.get("updateStrategy") or {}), "type": "NotUpdate"}
    return {**spec, "containers": containers, "initContainers": native, "updateStrategy": strategy}


def _changes(container: Object, spec: Object, minor: int | None) -> Iterator[str]:
    if (spec.get("updateStrategy") or {}).get("type") != "NotUpdate":
        yield "the SidecarSet needs updateStrategy.type NotUpdate: new versions come only with new pods"
    waits = "startupProbe" if container.get("startupProbe") else ""
    waits = waits or ("postStart" if (container.get("lifecycle") or {}).get("postStart") else "")
    yield f"it starts before the app, which waits for its {waits}" if waits else "it starts before the app"
    if container.get("readinessProbe"):
        not_waited = "" if container.get("startupProbe") else ", but the app does not wait for it"
        yield f"its readinessProbe still decides whether the pod is ready{not_waited}"
    if any((env or {}).get("name") == PRIORITY for env in container.get("env") or ()):
        yield f"its {PRIORITY} has no effect"
    yield "it ends after the app, so that Jobs complete"
    if minor is None:
        on = f"1.{NATIVE_SIDECARS.since} with the feature gate {NATIVE_SIDECARS.gate}"
        yield f"it needs Kubernetes 1.{NATIVE_SIDECARS.on_since}, or {on}"
    elif said := dropped(NATIVE_SIDECARS, minor, "restartPolicy"):
        yield f"{said}: {_BLOCKED}"
