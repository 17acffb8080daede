"""The simulated rollout of SidecarSets over pods, round by round to its end.

docs/behaviour/rollout.md, "Simulating to the end".
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from sidecarctl.facts.findings import Finding
from sidecarctl.facts.values import Object
from sidecarctl.rollout.pods.membership import NamespaceLabels, membership_of
from sidecarctl.rollout.pods.simulated_pods import PodName, SimulatedPod
from sidecarctl.rollout.pods.targets import Target
from sidecarctl.rollout.round.rollout_facts import PodPatch, RolloutOutcome, Round
from sidecarctl.rollout.round.set_rollout import Pass, SetRollout
from sidecarctl.rollout.simulation.begun_updates import finish_begun, restarting
from sidecarctl.rollout.simulation.endings import outcome_of
from sidecarctl.rollout.simulation.kubelet import Kubelet, UpdatesInFlight


def no_pod(_: PodName) -> bool:
    """The default of `fails`: no pod fails."""
    return False


@dataclass(frozen=True, slots=True)
class ClusterBehaviour:
    """The behaviour of the simulated cluster.

    `duration`: steps that an update takes, at least 1. `fails`: whether a pod never becomes ready after an update.
    `assume_ready`: every updated pod becomes ready. `mends`: new images work, so that a pod becomes ready if all its
    unready containers get one. `rounds`: the limit of rounds, None for none. `finishes_begun`: updates in flight in
    the input finish as others do; else they never finish.
    """

    duration: int = 1
    fails: Callable[[PodName], bool] = no_pod
    assume_ready: bool = False
    rounds: int | None = None
    finishes_begun: bool = False
    mends: bool = False


@dataclass(slots=True)
class _Course:
    """The rollout of a SidecarSet so far."""

    rollout: SetRollout
    patched: bool = False
    largest_unavailable: int = 0
    begun: int = 0
    error: Finding | None = None


@dataclass(slots=True)
class _Cluster:
    """The pods, and the updates in flight; for those in the input (`begun`), the restarting sidecars by pod."""

    pods: list[SimulatedPod]
    in_flight: UpdatesInFlight
    begun: dict[int, frozenset[str]] = field(default_factory=dict)
    step: int = 0
    changed: bool = False
    replaced: dict[int, frozenset[str]] = field(default_factory=dict)
    """The containers of each pod whose images the updates in flight change."""


class Simulation:
    """SidecarSets, pods and their rollout; consume `rounds` to the end, then call `outcomes`.

    `pods` are manifests of the API's types (absent and null fields allowed), `namespaces` the labels of the
    known Namespaces. In each round every SidecarSet makes a pass, in name order, then the cluster makes a step.
    """

    def __init__(
        self,
        targets: Iterable[Target],
        pods: Iterable[Object],
        namespaces: NamespaceLabels | None = None,
        options: ClusterBehaviour | None = None,
    ) -> None:
        self._options = options or ClusterBehaviour()
        alike: dict[int, object] = {}
        read = [SimulatedPod(index, manifest, alike) for index, manifest in enumerate(pods)]
        self._cluster = _Cluster(read, UpdatesInFlight(self._options.duration))
        self._kubelet = Kubelet(assume_ready=self._options.assume_ready)
        self._limited = False
        self._courses = [
            _Course(SetRollout(target, membership_of(target, read, namespaces or {})))
            for target in sorted(targets, key=lambda target: target.name)
        ]
        if self._options.finishes_begun:
            self._find_begun()

    @property
    def pods(self) -> Sequence[SimulatedPod]:
        """All pods, after the rounds consumed so far."""
        return self._cluster.pods

    @property
    def rollouts(self) -> Mapping[str, SetRollout]:
        """The rollout of each SidecarSet, by name."""
        return {course.rollout.target.name: course.rollout for course in self._courses}

    def rounds(self) -> Iterator[Round]:
        """The rounds to the end: for each round, a record per SidecarSet.

        The last is the first that changes nothing while no update is in flight, or the limit. A SidecarSet whose pass
        ended with an error makes no further passes.
        """
        cluster, options = self._cluster, self._options
        while options.rounds is None or cluster.step < options.rounds:
            cluster.step += 1
            cluster.changed = False
            for course in self._courses:
                if course.error is None:
                    yield self._round(course)
            if not cluster.changed and not cluster.in_flight:
                return
            self._kubelet_step()
        self._limited = True

    def outcomes(self) -> list[RolloutOutcome]:
        """How each rollout ended, by name of the SidecarSet."""
        return [
            outcome_of(
                course.rollout,
                patched=course.patched,
                limited=self._limited,
                largest_unavailable=course.largest_unavailable,
                begun=course.begun,
                error=course.error,
            )
            for course in self._courses
        ]

    def _find_begun(self) -> None:
        cluster = self._cluster
        for course in self._courses:
            for member in course.rollout.pods.members:
                if names := restarting(course.rollout.target, member):
                    course.begun += 1
                    index = member.pod.index
                    cluster.begun[index] = cluster.begun.get(index, frozenset()) | names
        for index in sorted(cluster.begun):
            cluster.in_flight.begin(index, 1)

    def _round(self, course: _Course) -> Round:
        done = course.rollout.run_pass()
        for patch in done.patches:
            self._cluster.in_flight.begin(patch.pod_index, self._cluster.step)
            if self._options.mends:
                self._mend(patch)
            self._refresh(patch.pod_index)
        self._cluster.changed |= bool(done.patches or done.conditions)
        course.patched |= bool(done.patches)
        course.error = done.error
        recorded = _recorded(course.rollout, done, self._cluster.step)
        course.largest_unavailable = max(course.largest_unavailable, recorded.unavailable_after)
        return recorded

    def _mend(self, patch: PodPatch) -> None:
        replaced = self._cluster.replaced
        names = frozenset([change.container for change in patch.images])
        replaced[patch.pod_index] = replaced.get(patch.pod_index, frozenset()) | names

    def _kubelet_step(self) -> None:
        options = self._options
        for index in self._cluster.in_flight.ended(self._cluster.step):
            pod = self._cluster.pods[index]
            fails = options.fails(pod.name)
            replaced = self._cluster.replaced.pop(index, frozenset())
            readiness_changed = self._kubelet.finish_update(pod, fails=fails, mended=replaced)
            if restarted := self._cluster.begun.pop(index, None):
                readiness_changed |= finish_begun(pod, restarted, fails=fails)
            self._refresh(index, readiness_changed=readiness_changed)

    def _refresh(self, index: int, *, readiness_changed: bool = False) -> None:
        for course in self._courses:
            course.rollout.pods.refresh(index, readiness_changed=readiness_changed)


def _recorded(rollout: SetRollout, done: Pass, number: int) -> Round:
    status = rollout.status()
    went_down, came_back = rollout.pods.availability_changes()
    return Round(
        number=number,
        set_name=rollout.target.name,
        status=done.status,
        window=done.window,
        patches=tuple(done.patches),
        conditions=tuple(done.conditions),
        events=tuple(done.events),
        unavailable_after=status.matched - status.ready,
        went_down=went_down,
        came_back=came_back,
        error=done.error,
    )
