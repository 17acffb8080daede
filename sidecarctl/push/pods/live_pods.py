"""A pod as the cluster holds it now, kept as far as a push looks at it."""

from collections.abc import Iterable, Mapping

from sidecarctl.facts.named_tuples import NamedTuple
from sidecarctl.facts.values import Object
from sidecarctl.rollout.pods.simulated_pods import SimulatedPod, condition_of
from sidecarctl.rollout.pods.trimmed_pods import trimmed_pod

_MIRROR = "kubernetes.io/config.mirror"


class ContainerRun(NamedTuple):
    """How a container runs: its status. `waiting` is the reason why it does not; empty if it does."""

    image: str
    image_id: str
    ready: bool
    restarts: int
    waiting: str


class LivePod(NamedTuple):
    """One pod; `version` orders its states, 0 where that is not known. `runs` are all containers by name."""

    pod: SimulatedPod
    uid: str
    version: int
    runs: Mapping[str, ContainerRun]
    gates_are_open: bool

    @property
    def key(self) -> tuple[str, str]:
        """Namespace and name."""
        return self.pod.name

    @property
    def manifest(self) -> Object:
        """The trimmed pod."""
        return self.pod.manifest

    @property
    def why_left_alone(self) -> str:
        """Why no patch can do anything about it: it has ended, is being deleted, is a mirror; else empty."""
        if _MIRROR in self.pod.annotations:
            return "it is the mirror of a static pod"
        if (self.manifest["metadata"]).get("deletionTimestamp"):
            return "it is being deleted"
        return "" if self.pod.active else f"it has ended ({self.pod.phase})"

    def fresh(self) -> SimulatedPod:
        """The pod once more, for code that changes it."""
        return SimulatedPod(0, self.manifest)


def live_pod(manifest: Object) -> LivePod:
    """The pod of a manifest as the API server gives it."""
    metadata, status = manifest.get("metadata") or {}, manifest.get("status") or {}
    statuses = [*(status.get("initContainerStatuses") or ()), *(status.get("containerStatuses") or ())]
    return LivePod(
        pod=SimulatedPod(0, trimmed_pod(manifest, metadata.get("namespace") or "")),
        uid=metadata.get("uid") or "",
        version=version_of(metadata.get("resourceVersion")),
        runs=_runs(statuses),
        gates_are_open=_gates_are_open(manifest),
    )


def version_of(text: str | None) -> int:
    """A resourceVersion as a number, by which states of one object are ordered; 0 for one that is no number."""
    return int(text) if text and text.isascii() and text.isdigit() else 0


def _runs(statuses: Iterable[Object]) -> dict[str, ContainerRun]:
    return {item.get("name") or "": _run(item) for item in statuses if item}


def _run(status: Object) -> ContainerRun:
    waiting = (status.get("state") or {}).get("waiting") or {}
    return ContainerRun(
        status.get("image") or "",
        status.get("imageID") or "",
        bool(status.get("ready")),
        status.get("restartCount") or 0,
        waiting.get("reason") or "",
    )


def _gates_are_open(manifest: Object) -> bool:
    gates = (manifest.get("spec") or {}).get("readinessGates") or ()
    return all((condition_of(manifest, gate["conditionType"]) or {}).get("status") == "True" for gate in gates)
