"""The simulated rollout of sets over pods, round by round to its end.

docs/behaviour/rollout.md, "Simulating to the end".
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from sidecarctl.facts.findings import Finding
from sidecarctl.facts.values import Object
from sidecarctl.rollout.pods.membership import NamespaceLabels, membership_of
from sidecarctl.rollout.pods.simulated_pods import PodName, SimulatedPod
from sidecarctl.rollout.pods.targets import Target
from sidecarctl.rollout.round.rollout_facts import RolloutOutcome, Round
from sidecarctl.rollout.round.set_rollout import Pass, SetRollout
from sidecarctl.rollout.simulation.endings import outcome_of
from sidecarctl.rollout.simulation.kubelet import UpdatesInFlight, finish_update


def no_pod(_: PodName) -> bool:
    """No pod fails."""
    return False


@dataclass(frozen=True, slots=True)
class ClusterBehaviour:
    """How the simulated cluster behaves.

    `duration`: steps that an update takes, at least 1. `fails`: whether a pod never becomes ready after an
    update. `assume_ready`: every updated pod becomes ready. `mends`: new images are good, so that a pod becomes
    ready whose unready containers all got one. `rounds`: the limit of rounds, None for none.
    """

    duration: int = 1
    fails: Callable[[PodName], bool] = no_pod
    assume_ready: bool = False
    rounds: int | None = None
    mends: bool = False


@dataclass(slots=True)
class _Course:
    """How the rollout of one set went so far."""

    rollout: SetRollout
    patched: bool = False
    largest_unavailable: int = 0
    error: Finding | None = None


@dataclass(slots=True)
class _Cluster:
    """The pods, and the updates that are under way."""

    pods: list[SimulatedPod]
    in_flight: UpdatesInFlight
    step: int = 0
    changed: bool = False
    replaced: dict[int, set[str]] = field(default_factory=dict)
    """The containers of each pod whose images the updates that are under way change."""


class Simulation:
    """Sets, pods and their rollout; draw `rounds` to the end, then ask for `outcomes`.

    `pods` are manifests of the API's types (absent and null fields allowed), `namespaces` the labels of the
    Namespaces that are known. In each round every set makes one pass, sets in name order, then the cluster
    takes one step.
    """

    def __init__(
        self,
        targets: Iterable[Target],
        pods: Iterable[Object],
        namespaces: NamespaceLabels | None = None,
        options: ClusterBehaviour | None = None,
    ) -> None:
        self._options = options or ClusterBehaviour()
        read = [SimulatedPod(index, manifest) for index, manifest in enumerate(pods)]
        self._cluster = _Cluster(read, UpdatesInFlight(self._options.duration))
        self._limited = False
        self._courses = [
            _Course(SetRollout(target, membership_of(target, read, namespaces or {})))
            for target in sorted(targets, key=lambda target: target.name)
        ]

    @property
    def pods(self) -> Sequence[SimulatedPod]:
        """All pods, as they are after the rounds drawn so far."""
        return self._cluster.pods

    @property
    def rollouts(self) -> Mapping[str, SetRollout]:
        """The rollout of each set by its name."""
        return {course.rollout.target.name: course.rollout for course in self._courses}

    def rounds(self) -> Iterator[Round]:
        """The rounds to the end, for each one record a set.

        The last is the first that changes nothing while no update is under way, or the limit. A set whose
        pass ended with an error makes no further ones.
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
        """How each rollout ended, in the order of the sets' names."""
        return [
            outcome_of(
                course.rollout,
                patched=course.patched,
                limited=self._limited,
                largest_unavailable=course.largest_unavailable,
                error=course.error,
            )
            for course in self._courses
        ]

    def _round(self, course: _Course) -> Round:
        done = course.rollout.run_pass()
        for patch in done.patches:
            self._cluster.in_flight.begin(patch.pod_index, self._cluster.step)
            names = (change.container for change in patch.images)
            self._cluster.replaced.setdefault(patch.pod_index, set()).update(names)
            self._refresh(patch.pod_index)
        self._cluster.changed |= bool(done.patches or done.conditions)
        course.patched |= bool(done.patches)
        course.error = done.error
        recorded = _recorded(course.rollout, done, self._cluster.step)
        course.largest_unavailable = max(course.largest_unavailable, recorded.unavailable_after)
        return recorded

    def _kubelet_step(self) -> None:
        options = self._options
        for index in self._cluster.in_flight.ended(self._cluster.step):
            pod = self._cluster.pods[index]
            replaced = self._cluster.replaced.pop(index, set())
            readiness_changed = finish_update(
                pod,
                fails=options.fails(pod.name),
                assume_ready=options.assume_ready,
                mended=replaced if options.mends else (),
            )
            self._refresh(index, readiness_changed=readiness_changed)
            pod.forget()

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
