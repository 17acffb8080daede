"""A push beside another push, or Kruise's rollout, of another SidecarSet over the same pods."""

import tempfile
from collections.abc import Sequence
from pathlib import Path
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.plan_file.journal import Past
from sidecarctl.engine.plan_file.reading import PodKey
from sidecarctl.engine.sidecarset.inplace_update_state import UpdateState, read_states, write_states
from sidecarctl.engine.sidecarset.pod_annotations import (
    HASH,
    HASH_WITHOUT_IMAGE,
    INJECTED_LIST,
    INPLACE_UPDATE_STATE,
    HashEntry,
    read_hashes,
    write_hashes,
)
from sidecarctl.engine.sidecarset.sets import SidecarSet
from sidecarctl.features.push.cluster.sending import Sender
from sidecarctl.features.push.deciding.machine import Machine
from sidecarctl.features.push.deciding.pod_limit import PodLimit
from sidecarctl.features.push.deciding.progress import Stage, progress_at_start
from sidecarctl.features.push.deciding.turns import Turns
from sidecarctl.features.push.deciding.waves import End, Send
from sidecarctl.features.push.events import Waiting
from sidecarctl.features.push.plan import PushPlan, read_push_plan
from sidecarctl.features.push.pods import live_pod
from tests.effort import share
from tests.engine.rollout.manifests import pod, sidecarset
from tests.features.push.fake_cluster import FakeCluster
from tests.features.push.pushes import NOW, QUICK, Shop, document_of, shop
from tests.features.push.virtual_time import VirtualPush, settings_for


def update_app(manifest: Object) -> None:
    """What someone else patches: the image of a container that another SidecarSet has injected."""
    annotations = manifest["metadata"]["annotations"]
    hashes = {**read_hashes(annotations[HASH]).entries, "other": HashEntry(None, "x", "other", ("app",))}
    annotations[HASH] = write_hashes(hashes)
    [app] = [item for item in manifest["spec"]["containers"] if item["name"] == "app"]
    app["image"] = "app:other"
    [status] = [item for item in manifest["status"]["containerStatuses"] if item["name"] == "app"]
    states = read_states(annotations.get(INPLACE_UPDATE_STATE)) or {}
    state = UpdateState("x", NOW, {"app": status["imageID"]})
    annotations[INPLACE_UPDATE_STATE] = write_states({**states, "other": state})


def start_app(manifest: Object) -> None:
    """The kubelet has carried out an update to another tag of the same image."""
    [status] = [item for item in manifest["status"]["containerStatuses"] if item["name"] == "app"]
    status["state"] = {"running": {"startedAt": "2026-02-01T00:00:05Z"}}


def restart_app(manifest: Object) -> None:
    """The kubelet has carried that out."""
    for item in manifest["status"]["containerStatuses"]:
        if item["name"] == "app":
            item["restartCount"] = (item.get("restartCount") or 0) + 1


def machine_of(here: Shop) -> Machine:
    plan = here.plan
    machine = Machine(plan, QUICK, {"logs": PodLimit(plan.targets["logs"], {})}, progress_at_start(plan, Past(), {}))
    look(here, machine, 0.0)
    return machine


def look(here: Shop, machine: Machine, now: float) -> None:
    for key, manifest in here.cluster.pods.items():
        machine.see(key, live_pod(manifest), now)


def sends(machine: Machine, now: float) -> int:
    return sum(isinstance(action, Send) for action in machine.decide(now, NOW))


def test_a_pod_that_someone_else_updates_takes_a_place_before_it_is_unready(tmp_path: Path) -> None:
    here = shop(tmp_path, 3)
    here.cluster.runs_kubelet = False
    machine = machine_of(here)
    here.cluster.edit("shop", "p2", update_app)
    look(here, machine, 1.0)
    assert [sends(machine, 1.0), sends(machine, 2.0)] == [0, 0]
    assert machine.wakes_at(2.0) == 61.0  # not at once, again and again
    why = [event.why for event in machine.take_events() if isinstance(event, Waiting)]
    assert why == [
        "someone else updates shop/p2, so pods are patched one by one",
        "1 of at most 1 pods unavailable: shop/p2",
    ]
    here.cluster.edit("shop", "p2", restart_app)
    look(here, machine, 3.0)
    assert sends(machine, 3.0) == 0
    assert machine.wakes_at(3.0) == 4.0
    assert sends(machine, 4.0) == 1


def test_a_pod_that_someone_else_was_updating_when_it_began_takes_a_place(tmp_path: Path) -> None:
    here = shop(tmp_path, 3)
    here.cluster.runs_kubelet = False
    here.cluster.edit("shop", "p2", update_app)
    machine = machine_of(here)
    assert sends(machine, 30.0) == 0
    here.cluster.edit("shop", "p2", restart_app)
    look(here, machine, 31.0)
    assert sends(machine, 31.0) == 0
    assert sends(machine, 32.0) == 1


def test_an_update_of_someone_else_to_the_same_image_is_over_once_the_container_has_started_again(
    tmp_path: Path,
) -> None:
    here = shop(tmp_path, 3)
    here.cluster.runs_kubelet = False
    here.cluster.edit("shop", "p2", update_app)
    here.cluster.edit("shop", "p2", start_app)
    assert sends(machine_of(here), 0.0) == 1


def test_the_writer_who_patched_last_looks_for_longer() -> None:
    turns = Turns(lambda: 0.5)
    assert turns.is_ours(0.0, is_patching=True)
    turns.see_others(0.0)
    assert [turns.is_ours(now, is_patching=False) for now in (0.0, 1.4, 1.5)] == [False, False, True]
    turns.sent()
    assert not turns.is_ours(2.0, is_patching=True)
    assert [turns.is_ours(now, is_patching=False) for now in (3.0, 5.4, 5.5)] == [False, False, True]


def test_beside_another_writer_pods_are_patched_one_by_one(tmp_path: Path) -> None:
    here = shop(tmp_path, 4, max_unavailable=4)
    here.cluster.runs_kubelet = False
    machine = machine_of(here)
    here.cluster.edit("shop", "p3", update_app)
    look(here, machine, 1.0)
    assert sends(machine, 1.0) == 0
    assert sends(machine, 2.0) == 1
    assert sends(machine, 30.0) == 0


def test_a_minute_after_the_last_patch_of_someone_else_it_goes_on_as_before(tmp_path: Path) -> None:
    here = shop(tmp_path, 4, max_unavailable=4)
    here.cluster.runs_kubelet = False
    machine = machine_of(here)
    here.cluster.edit("shop", "p3", update_app)
    here.cluster.edit("shop", "p3", restart_app)
    look(here, machine, 1.0)
    assert sends(machine, 61.5) == 4


def shared(folder: Path, count: int, most: int) -> Shop:
    """A shop whose pods have another SidecarSet, which nobody has updated."""
    here = shop(folder, count, max_unavailable=most)
    here.cluster.runs_kubelet = False
    for name in here.cluster.pods:
        here.cluster.edit(*name, lambda pod: pod["metadata"]["annotations"].update({INJECTED_LIST: "logs,other"}))
    return here


def test_pods_with_other_sidecarsets_are_patched_one_by_one_until_a_look_has_seen_nobody(tmp_path: Path) -> None:
    """Another push may begin in the same second, and its patches are not to be seen yet."""
    here = shared(tmp_path, 4, most=4)
    machine = machine_of(here)
    assert [sends(machine, now) for now in (0.0, 0.9, 1.0, 30.0)] == [0, 0, 1, 0]
    [entry] = [entry for entry in machine.progress if entry.stage is Stage.SENT]
    live = live_pod(here.cluster.pods[entry.step.pod])
    machine.answered(entry.step.number, Sender(here.cluster, here.plan.targets).send(entry.step, live, NOW), 30.0)
    here.cluster.kubelet(*entry.step.pod)
    look(here, machine, 40.0)
    assert [sends(machine, now) for now in (40.0, 41.9, 42.0)] == [0, 0, 3]


def test_two_pushes_that_begin_at_once_send_one_patch_each(tmp_path: Path) -> None:
    here = shared(tmp_path, 6, most=3)
    machines = [machine_of(here), machine_of(here)]
    assert [sends(machine, 1.0) + sends(machine, 5.0) for machine in machines] == [1, 1]


@share(100)
@given(st.integers(0, 2**32).map(Random), st.integers(2, 9), st.integers(1, 4), st.integers(1, 6))
def test_it_never_patches_beyond_the_budget_that_others_leave_as_seen(
    chance: Random, count: int, allowed: int, others: int
) -> None:
    """Whatever the watch has delivered of someone else's patches counts, at every patch."""
    with tempfile.TemporaryDirectory() as folder:
        here = shop(Path(folder), count, max_unavailable=allowed)
        pushed = Beside(here, chance, settings_for(chance))
        pushed.others = [pushed.someone_else_patches] * others
        machine = pushed.run()
    assert machine.halt is None
    assert {item.stage for item in machine.progress} == {Stage.DONE}


@share(10)
@given(st.integers(0, 2**32).map(Random), st.integers(2, 4), st.sampled_from([0.0, 0.1, 0.3]))
def test_two_pushes_together_take_down_at_most_one_pod_more_than_one_may(
    chance: Random, most: int, lag: float
) -> None:
    """They begin at once, with different pods, and see each other's patches only after a while."""
    cluster = FakeCluster()
    cluster.runs_kubelet = False
    names = {"logs": "agent", "mesh": "app"}
    first = {name: version("1", name, container, most) for name, container in names.items()}
    entries = {name: HashEntry(None, item.hash, name, (names[name],), f"{name}-1") for name, item in first.items()}
    bare = {name: entries[name]._replace(hash=item.hash_without_image) for name, item in first.items()}
    annotations = {HASH: write_hashes(entries), HASH_WITHOUT_IMAGE: write_hashes(bare)}
    annotations[INJECTED_LIST] = ",".join(names)
    halves = [*"aaaabbbb"]
    pods = [pod(f"p{index}", labels={"half": half}, annotations=annotations) for index, half in enumerate(halves)]
    pods = [cluster.create(item) for item in pods]
    pushes = [
        Timed(cluster, read_push_plan(document_of([version("2", name, container, most)], pods)), chance)
        for name, container in names.items()
    ]
    times = [-1.0] * len(cluster.history)
    due: dict[PodKey, float] = {}
    now = 0.0
    while not all(push.has_ended for push in pushes):
        for push in pushes:
            push.step(now, [at + lag <= now for at in times])
        times += [now] * (len(cluster.history) - len(times))
        lagging = [key for key, item in cluster.pods.items() if is_lagging(item)]
        assert len(lagging) <= most + 1
        for key in lagging:
            if due.setdefault(key, now + chance.uniform(0.5, 4.0)) <= now:
                cluster.kubelet(*key)
                del due[key]
        now += 0.05
        assert now < 600.0
    assert set(cluster.patched.values()) == {2}


def version(tag: str, name: str, container: str, most: int) -> SidecarSet:
    """Two SidecarSets that begin with different pods."""
    strategy: Object = {"maxUnavailable": most}
    if name == "mesh":
        later = [{"weight": 50, "matchSelector": {"matchLabels": {"half": "b"}}}]
        strategy["priorityStrategy"] = {"weightPriority": later}
    return sidecarset(
        name=name, containers=[{"name": container, "image": f"{container}:{tag}"}], updateStrategy=strategy
    )


def is_lagging(manifest: Object) -> bool:
    """Whether the kubelet has still to start an image."""
    wanted = {item["name"]: item["image"] for item in manifest["spec"]["containers"]}
    return any(item["image"] != wanted[item["name"]] for item in manifest["status"]["containerStatuses"])


class Timed:
    """A push that sees what has happened in a cluster when it is told."""

    def __init__(self, cluster: FakeCluster, plan: PushPlan, chance: Random) -> None:
        self.has_ended = False
        self._cluster, self._sender = cluster, Sender(cluster, plan.targets)
        budgets = {name: PodLimit(target, {}) for name, target in plan.targets.items()}
        self._machine = Machine(plan, QUICK, budgets, progress_at_start(plan, Past(), {}), chance.random)
        self._seen = 0

    def step(self, now: float, visible: Sequence[bool]) -> None:
        """See what is visible by now, decide, and send."""
        while self._seen < len(visible) and visible[self._seen]:
            live = live_pod(self._cluster.history[self._seen][1]["object"])
            self._machine.see(live.key, live, now)
            self._seen += 1
        for action in self._machine.decide(now, NOW):
            self.has_ended |= isinstance(action, End)
            if isinstance(action, Send):
                outcome = self._sender.send(action.step, action.live, action.stamp)
                self._machine.answered(action.step.number, outcome, now)


class Beside(VirtualPush):
    """A push beside someone else, whose patches the kubelet carries out a while later."""

    def someone_else_patches(self) -> None:
        name = self.chance.choice(sorted(self.cluster.pods))
        self.cluster.edit(*name, update_app)
        self.others.append(lambda: self.cluster.edit(*name, restart_app))

    def check_sent(self, sends: Sequence[Send]) -> None:
        active = {entry.step.pod for entry in self.machine.progress if entry.stage in (Stage.SENT, Stage.PATCHED)}
        foreign = {key for key, manifest in self.view.items() if is_updated(manifest)}
        if sends:
            assert len(active | foreign) <= max(self.allowed, len(foreign))

    @property
    def allowed(self) -> int:
        [(_, _, allowed)] = self.machine.budgets()
        return allowed


def is_updated(manifest: Object) -> bool:
    """Whether the kubelet has still to carry out what someone else patched."""
    [app] = [item for item in manifest["spec"]["containers"] if item["name"] == "app"]
    [status] = [item for item in manifest["status"]["containerStatuses"] if item["name"] == "app"]
    return app["image"] == "app:other" and not status.get("restartCount")
