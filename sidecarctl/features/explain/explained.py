"""The explanation of a pod, and of each SidecarSet for it."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from sidecarctl.engine.facts.findings import Finding, ObjectReference, Place
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Path, Value
from sidecarctl.engine.injection.decisions import SetDecision
from sidecarctl.engine.injection.explaining import InjectedContainers, InjectedSidecar
from sidecarctl.engine.injection.selection import Identity
from sidecarctl.engine.injection.tests_in_order import Holder, SelectionTest
from sidecarctl.features.explain.rollout_states import RolloutState
from sidecarctl.features.explain.subjects import Fate

if TYPE_CHECKING:  # only running pods have a history, few SidecarSets patch metadata
    from sidecarctl.features.explain.field_origins import FieldOrigin
    from sidecarctl.features.explain.pod_history import PodHistory
    from sidecarctl.features.explain.rollout_states import WhitelistAnswer


class ExplainedField(NamedTuple):
    """A field that decides: its object (`Deployment shop/web`), its place, and its value."""

    holder: Holder
    owner: ObjectReference
    path: Path
    place: Place | None
    value: Value


class Test(NamedTuple):
    """A test with the fields that decide, the one at which it failed first."""

    test: SelectionTest
    fields: Sequence[ExplainedField]


class SetExplanation(NamedTuple):
    """One SidecarSet at one pod. `recorded`: the pod's annotation says that it was injected.

    `outdated`: the fields of a running pod that a new one gets otherwise, each with why.
    `whitelist` is None for a SidecarSet that patches no metadata; `hints` are what to know about labels. `further`:
    the reasons that remain once that of the decision is gone.
    """

    decision: SetDecision
    tests: Sequence[Test]
    revision: str
    sidecars: Sequence[InjectedSidecar]
    remedy: str
    recorded: bool
    rollout: RolloutState | None
    whitelist: "WhitelistAnswer | None" = None
    hints: Sequence[str] = ()
    outdated: Sequence[tuple[str, str]] = ()
    further: Sequence[SetDecision] = ()

    @property
    def name(self) -> str:
        """The name of the SidecarSet."""
        return self.decision.set_name


class GroupOutcome(NamedTuple):
    """What pods of a group have in common at a SidecarSet: the reason, the field that decided, the state, the remedy.

    Not why each is in the state, which often names its own containers.
    """

    name: str
    path: Path
    revision: str
    recorded: bool
    state: str
    is_next: bool
    remedy: str
    blocked_by: tuple[str, ...]
    further: tuple[Path, ...] = ()


class ExplainedPod(NamedTuple):
    """The pod of an explanation without its manifest, so that very many fit into memory.

    `place` is where the object that contains it begins. `replaced` are the places of the app containers that a
    sidecar replaces, by list and index, if a template has them.
    """

    reference: ObjectReference
    identity: Identity
    is_running: bool
    names_no_namespace: bool
    place: Place | None
    replaced: Mapping[tuple[str, int], Place | None]
    fate: Fate | None = None
    """What replaces a pod that ends."""
    part: str = ""
    """Which of several templates of the workload it is."""

    @property
    def name(self) -> str:
        """The name of the pod for people: `Deployment shop/web`, `Pod shop/web-0`."""
        return f"{self.reference}{self.part}"


class PodExplanation(NamedTuple):
    """A pod that `gets_sidecars` or not, with the explanation of each SidecarSet.

    `rejected` are the errors for which Kruise rejects its creation. `history`: that of a running pod.
    `origin`: whose the field is that was asked about; then nothing else is shown.
    """

    pod: ExplainedPod
    sets: Sequence[SetExplanation]
    containers: InjectedContainers
    rejected: Sequence[Finding]
    findings: Sequence[Finding]
    gets_sidecars: bool
    history: "PodHistory | None" = None
    origin: "FieldOrigin | None" = None

    @property
    def outcome(self) -> str:
        """`Rejected`, `Injected`, `Unknown` or `NotInjected`."""
        if self.rejected:
            return "Rejected"
        unknown = any(item.decision.reason is Reason.NAMESPACE_UNKNOWN for item in self.sets)
        return "Injected" if self.gets_sidecars else "Unknown" if unknown else "NotInjected"
