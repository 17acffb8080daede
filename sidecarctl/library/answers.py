"""What the Python API answers: immutable values, with plain dicts where Kubernetes has objects."""

from collections.abc import Mapping
from typing import NamedTuple

from sidecarctl.engine.facts.findings import Finding, Place
from sidecarctl.engine.facts.values import Object


class InjectedPod(NamedTuple):
    """A pod, or a pod template, as Kruise would create it.

    `path` leads to it in the manifest; it is `()` for a Pod. `sidecarsets` are those that it gets, in their order.
    """

    path: tuple[str | int, ...]
    pod: Object
    sidecarsets: tuple[str, ...]


class Injection(NamedTuple):
    """A manifest after injection; the same object if nothing changes.

    `pods` has each pod template of it, injected. `reason` is the code why no SidecarSet applies (docs/reasons.md),
    empty if one does; `message` says it in words, or which containers are injected.
    """

    manifest: Object
    changed: bool
    pods: tuple[InjectedPod, ...]
    reason: str
    message: str
    findings: tuple[Finding, ...]

    @property
    def sidecarsets(self) -> tuple[str, ...]:
        """The SidecarSets that any of its pods gets, each once."""
        return tuple(dict.fromkeys(name for pod in self.pods for name in pod.sidecarsets))


class Decision(NamedTuple):
    """Whether a SidecarSet is injected into a pod, and why.

    `reason` is a code of docs/reasons.md, `Injected` among them. `place` is the field of the SidecarSet, or of the
    pod, that decides. `remedy` says what must change; empty if there is nothing to change.
    """

    sidecarset: str
    reason: str
    message: str
    place: Place | None
    remedy: str

    @property
    def injected(self) -> bool:
        """Whether the SidecarSet is injected."""
        return self.reason == "Injected"


class Explanation(NamedTuple):
    """Why a pod gets its sidecars: a decision for each SidecarSet, in the order of their names.

    `pod` is its name for people, `path` leads to it in the manifest. `outcome` is `Injected`, `NotInjected` or
    `Rejected`; `findings` say why Kruise rejects the pod.
    """

    pod: str
    path: tuple[str | int, ...]
    outcome: str
    decisions: tuple[Decision, ...]
    findings: tuple[Finding, ...]


class Change(NamedTuple):
    """What the change of a SidecarSet means for pods: its verdicts, the most severe first (docs of `diff`).

    `fields` are those that change. Numbers of pods are None if there are no pods and workloads: `matched` by the
    SidecarSet, `updated` in place now, `recreated`: those that keep the old version until they are, `lost` and
    `gained`: workloads and running pods that no longer or newly get its sidecars. `findings` say why it is refused.
    """

    sidecarset: str
    verdicts: tuple[str, ...]
    summary: str
    fields: tuple[str, ...]
    matched: int | None
    updated: int | None
    recreated: int | None
    lost: int | None
    gained: int | None
    findings: tuple[Finding, ...]


class RolloutPod(NamedTuple):
    """A pod of a rollout."""

    namespace: str
    name: str
    labels: Mapping[str, str]


class Wave(NamedTuple):
    """The pods that one round updates; rounds count from 1."""

    round: int
    pods: tuple[RolloutPod, ...]


class Rollout(NamedTuple):
    """A rollout to its end. `ending` is a word of `plan`: `Complete`, `HeldByPartition`, `Stalled` ...

    `updated` pods have the new version at the end, of those that match. `largest_unavailable` pods were so at once.
    `seconds` is None if the duration of an update is not a time.
    """

    sidecarset: str
    ending: str
    summary: str
    matched: int
    updated: int
    waves: tuple[Wave, ...]
    largest_unavailable: int
    seconds: int | None
    findings: tuple[Finding, ...]
