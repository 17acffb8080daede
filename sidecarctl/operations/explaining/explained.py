"""The explanation of a pod, and of each SidecarSet for it."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from sidecarctl.facts.findings import Finding
from sidecarctl.facts.named_tuples import NamedTuple
from sidecarctl.facts.paths import Path
from sidecarctl.facts.references import ObjectReference, Place
from sidecarctl.facts.values import Value
from sidecarctl.injection.explaining import InjectedContainers, InjectedSidecar
from sidecarctl.injection.select.decisions import Decision
from sidecarctl.injection.select.pod_identity import Identity
from sidecarctl.injection.select.tests_in_order import Holder, SelectionTest
from sidecarctl.operations.explaining.rollout_states import RolloutState

if TYPE_CHECKING:  # few SidecarSets patch metadata
    from sidecarctl.operations.explaining.whitelist import WhitelistAnswer


class Field(NamedTuple):
    """A field that decides: whose it is (`Deployment shop/web`), its place, and its value."""

    holder: Holder
    owner: str
    path: Path
    place: Place | None
    value: Value


class Test(NamedTuple):
    """A test with the fields that decide, the one at which it failed first."""

    test: SelectionTest
    fields: Sequence[Field]


class SetExplanation(NamedTuple):
    """One SidecarSet at one pod. `recorded`: the pod's annotation says that it was injected.

    `whitelist` is None for a SidecarSet that patches no metadata; `hints` are what to know about labels.
    """

    decision: Decision
    tests: Sequence[Test]
    revision: str
    sidecars: Sequence[InjectedSidecar]
    remedy: str
    recorded: bool
    rollout: RolloutState | None
    whitelist: "WhitelistAnswer | None" = None
    hints: Sequence[str] = ()

    @property
    def name(self) -> str:
        """The name of the SidecarSet."""
        return self.decision.set_name


class Outcome(NamedTuple):
    """What pods of a group have in common at a SidecarSet: the reason, the field that decided, the state and why."""

    name: str
    path: Path
    revision: str
    recorded: bool
    state: str
    why: str
    blocked_by: tuple[str, ...]


class ExplainedPod(NamedTuple):
    """What an explanation says of the pod itself, without its manifest: very many of them fit into memory.

    `place` is where the object that contains it begins. `replaced` are the places of the app containers that a
    sidecar replaces, by list and index, if a template has them.
    """

    reference: ObjectReference
    identity: Identity
    is_running: bool
    names_no_namespace: bool
    place: Place | None
    replaced: Mapping[tuple[str, int], Place | None]

    @property
    def name(self) -> str:
        """The name of the pod for people: `Deployment shop/web`, `Pod shop/web-0`."""
        return str(self.reference)


class PodExplanation(NamedTuple):
    """A pod that `gets_sidecars` or not, with the explanation of each SidecarSet.

    `rejected` are the errors because of which Kruise does not let it be created.
    """

    pod: ExplainedPod
    sets: Sequence[SetExplanation]
    containers: InjectedContainers
    rejected: Sequence[Finding]
    findings: Sequence[Finding]
    gets_sidecars: bool

    @property
    def outcome(self) -> str:
        """`Rejected`, `Injected` or `NotInjected`."""
        if self.rejected:
            return "Rejected"
        return "Injected" if self.gets_sidecars else "NotInjected"
