"""A push in virtual time: the machine and the sender, and a cluster in which everything happens in any order.

One thing happens after the other, as a source of chance decides: a patch arrives, its answer comes back, the watch
delivers, the kubelet reports, a pod fails for a reason of its own, time passes, the push is killed and resumed.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from random import Random

from sidecarctl.engine.api.label_selectors import Labels
from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.plan_file.journal import Past
from sidecarctl.engine.plan_file.reading import PodKey
from sidecarctl.engine.rollout.predicates import half_done, is_consistent, is_ready
from sidecarctl.engine.rollout.simulated_pods import SimulatedPod
from sidecarctl.features.push.cluster.sending import Sender
from sidecarctl.features.push.deciding.machine import Machine
from sidecarctl.features.push.deciding.pod_limit import PodLimit
from sidecarctl.features.push.deciding.progress import progress_at_start
from sidecarctl.features.push.deciding.waves import End, Send
from sidecarctl.features.push.events import PodDone, PushEvent
from sidecarctl.features.push.journal import containers_record
from sidecarctl.features.push.patches import Patched, SendResult
from sidecarctl.features.push.plan import PushSettings
from sidecarctl.features.push.pods import LivePod, live_pod, resource_version
from tests.features.push.pushes import Shop

_MOST_STEPS = 20_000


@dataclass
class VirtualPush:
    """One push of a shop's plan; `kills`: how often it may be killed, `mishaps`: how often a pod fails by itself.

    `namespaces`: the labels of each. `others`: what else happens, each at some time.
    """

    shop: Shop
    chance: Random
    settings: PushSettings
    kills: int = 0
    mishaps: int = 0
    namespaces: dict[str, Labels] = field(default_factory=dict)
    others: list[Callable[[], None]] = field(default_factory=list)
    events: list[PushEvent] = field(default_factory=list)
    now: float = 0.0
    largest: int = 0
    """The most pods that were not available because of us."""

    def __post_init__(self) -> None:
        self.plan = self.shop.plan
        self.cluster = self.shop.cluster
        self.cluster.runs_kubelet = False
        self.sender = Sender(self.cluster, self.plan.targets)
        self.past = Past(size=1)
        self._own_mishaps: set[PodKey] = set()
        self._fallen: list[PodKey] = []
        self._begin()

    def run(self) -> Machine:
        """Run to the end, however often it is killed; the machine of the last run."""
        for _ in range(_MOST_STEPS):
            if self._decide():
                return self.machine
            self._happen()
            self._check()
        raise AssertionError("it comes to no end")

    def _begin(self) -> None:
        """Read all pods, as a push does when it begins."""
        pods = {key: live_pod(pod) for key, pod in self.cluster.pods.items()}
        limit = self.settings.max_unavailable
        budgets = {name: PodLimit(target, self.namespaces, limit) for name, target in self.plan.targets.items()}
        progress = progress_at_start(self.plan, self.past, pods)
        self.machine = Machine(self.plan, self.settings, budgets, progress, self.chance.random)
        self.seen = len(self.cluster.history)
        self.view = {key: live.manifest for key, live in pods.items()}
        for key, live in pods.items():
            self.machine.see(key, live, self.now)
        self.sent: list[Send] = []
        self.answers: list[tuple[int, SendResult]] = []

    def _decide(self) -> bool:
        stamp = f"2026-02-01T00:{int(self.now) // 60 % 60:02}:{int(self.now) % 60:02}Z"
        actions = self.machine.decide(self.now, stamp)
        self.check_sent([action for action in actions if isinstance(action, Send)])
        for action in actions:
            if isinstance(action, Send):
                record = {"record": "intent", "step": action.step.number, "time": action.stamp}
                self.past.take({**record, "containers": containers_record(action.live.runs)})
                self.sent.append(action)
        for event in self.machine.take_events():
            self.events.append(event)
            if isinstance(event, PodDone):
                self.past.take({"record": "done", "step": event.step})
        self._check()
        return any(isinstance(action, End) for action in actions)

    def check_sent(self, sends: Sequence[Send]) -> None:
        """Check what was decided to be sent, on what has been seen (`view`)."""

    def _happen(self) -> None:
        """One thing, of those that can."""
        can: list[Callable[[], None]] = [self._pass_time]
        can += [self._arrive] * 3 * bool(self.sent)
        can += [self._answer] * 3 * bool(self.answers)
        can += [self.deliver] * 4 * (self.seen < len(self.cluster.history))
        can += [self._report] * 3
        can += [self._fail] * bool(self.mishaps)
        can += [self._recover] * bool(self._fallen)
        can += [self._do_other] * bool(self.others)
        can += [self._kill] * bool(self.kills and self.chance.random() < 0.1)
        self.chance.choice(can)()

    def _pass_time(self) -> None:
        self.now += self.chance.choice([0.1, 1.0, 5.0])

    def _arrive(self) -> None:
        action = self.sent.pop(self.chance.randrange(len(self.sent)))
        self.answers.append((action.step.number, self.sender.send(action.step, action.live, action.stamp)))

    def _answer(self) -> None:
        number, outcome = self.answers.pop(self.chance.randrange(len(self.answers)))
        self.machine.answered(number, outcome, self.now)
        if isinstance(outcome, Patched):
            self._look(outcome.live)

    def deliver(self) -> None:
        """Let the watch deliver the next event."""
        told = self.cluster.history[self.seen][1]
        self.seen += 1
        if "spec" in told["object"] and "containers" in told["object"]["spec"] and "status" in told["object"]:
            key = (told["object"]["metadata"]["namespace"], told["object"]["metadata"]["name"])
            live = None if told["type"] == "DELETED" else live_pod(told["object"])
            self.machine.see(key, live, self.now)
            if live is None:
                self.view.pop(key, None)
            else:
                self._look(live)

    def _look(self, live: LivePod) -> None:
        """Remember a pod, unless something newer of it was seen."""
        known = self.view.get(live.key)
        if known is None or resource_version(known["metadata"]["resourceVersion"]) <= live.version:
            self.view[live.key] = live.manifest

    def _report(self) -> None:
        key = self.chance.choice(sorted(self.cluster.pods))
        self.cluster.kubelet(*key)

    def _do_other(self) -> None:
        self.others.pop(self.chance.randrange(len(self.others)))()

    def _fail(self) -> None:
        """A pod becomes unready on its own."""
        self.mishaps -= 1
        key = self.chance.choice(sorted(self.cluster.pods))
        self._own_mishaps.add(key)
        self._fallen.append(key)
        self.cluster.edit(*key, lambda pod: _set_ready(pod, "False"))

    def _recover(self) -> None:
        """It becomes ready again on its own."""
        if (key := self._fallen.pop(0)) in self.cluster.pods:
            self.cluster.edit(*key, lambda pod: _set_ready(pod, "True"))

    def _kill(self) -> None:
        """What was sent has arrived, or never will."""
        self.kills -= 1
        for action in self.sent:
            if self.chance.random() < 0.5:
                self.sender.send(action.step, action.live, action.stamp)
        self._begin()

    def _check(self) -> None:
        assert max(self.cluster.patched.values(), default=0) <= self._most_patches
        down = sum(self._is_down_by_us(key) for key in self.cluster.patched)
        self.largest = max(self.largest, down)

    @property
    def _most_patches(self) -> int:
        return 2 if self.plan.is_hot else 1

    def _is_down_by_us(self, key: PodKey) -> bool:
        if key in self._own_mishaps or key not in self.cluster.pods:
            return False
        [target] = self.plan.targets.values()
        pod = SimulatedPod(0, self.cluster.pods[key])
        behind = {status.image for status in pod.statuses.values()} != set(pod.images.values())
        return behind or bool(half_done(target, pod)) or not (is_consistent(target, pod) and is_ready(target, pod))


def _set_ready(pod: Object, status: str) -> None:
    conditions = [condition for condition in pod["status"]["conditions"] if condition["type"] != "Ready"]
    pod["status"]["conditions"] = [*conditions, {"type": "Ready", "status": status}]


def settings_for(chance: Random, **given: object) -> PushSettings:
    """Settings of any kind."""
    made = PushSettings(
        settle=chance.choice([0.0, 0.5, 10.0]),
        timeout=100_000.0,
        first_pod_alone=chance.random() < 0.5,
        max_parallel=chance.choice([1, 2, 8]),
    )
    return replace(made, **given)  # type: ignore[arg-type] # by the names of fields
