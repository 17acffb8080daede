"""Whole pushes over random clusters of several namespaces, each patch of them checked by a model of the budget."""

import tempfile
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from hypothesis import given
from hypothesis import strategies as st

from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.sidecarset.sets import SidecarSet
from sidecarctl.features.push.deciding.progress import Stage
from sidecarctl.features.push.deciding.waves import Send
from tests.effort import share
from tests.engine.rollout.manifests import pod, sidecarset
from tests.features.push.fake_cluster import FakeCluster
from tests.features.push.pushes import Shop, document_of
from tests.features.push.test_faults import unready
from tests.features.push.test_namespaces import counted_share, updated_pod
from tests.features.push.virtual_time import VirtualPush, settings_for

NAMES = "vwxy"


class Law(NamedTuple):
    """What limits a rollout: of the plan, or of the SidecarSet in the cluster.

    `team`: of the namespaces, `ring`: of the pods that the strategy selects, `app`: of all its pods; empty for any.
    """

    most: int | str
    partition: int | str
    team: str
    ring: str = ""
    app: str = "web"

    def sidecarset(self) -> SidecarSet:
        """The SidecarSet that says so."""
        team: Any = {"namespaceSelector": {"matchLabels": {"team": self.team}}} if self.team else {}
        ring = {"selector": {"matchLabels": {"ring": self.ring}}} if self.ring else {}
        strategy: Any = {"maxUnavailable": self.most, "partition": self.partition, **ring}
        return sidecarset("2", updateStrategy=strategy, selector={"matchLabels": {"app": self.app}}, **team)

    def matches(self, manifest: Object, team: str) -> bool:
        """Whether a pod belongs to the SidecarSet; `team`: of its namespace."""
        return self.team in ("", team) and bool(manifest["metadata"]["labels"]["app"] == self.app)

    def updates(self, manifest: Object) -> bool:
        """Whether the strategy selects a pod."""
        return self.ring in ("", manifest["metadata"]["labels"]["ring"])


class CheckedPush(VirtualPush):
    """A push whose every patch must fit the plan and the SidecarSet, by the pods and labels that were seen."""

    laws: dict[str, Law]

    def check_sent(self, sends: Sequence[Send]) -> None:
        assert {send.step.pod for send in sends} <= {step.pod for step in self.plan.steps}
        for law in self.laws.values():
            self._check_by(law, sends)

    def _begin(self) -> None:
        super()._begin()
        if "live" in getattr(self, "laws", {}):
            self.machine.see_sidecarset("logs", self.laws["live"].sidecarset(), dict(self.namespaces))

    def _check_by(self, law: Law, sends: Sequence[Send]) -> None:
        members = [key for key, it in self.view.items() if law.matches(it, str(self.namespaces[key[0]]["team"]))]
        assert {send.step.pod for send in sends} <= {key for key in members if law.updates(self.view[key])}
        sent = {Stage.SENT, Stage.PATCHED, Stage.FAILED}
        busy = {entry.step.pod for entry in self.machine.progress if entry.stage in sent}
        free = {
            entry.step.pod
            for entry in self.machine.progress
            if not entry.step.patch.was_ready
            and (entry.stage is Stage.OPEN or (entry.step.wave == self.machine.wave and not entry.was_ready))
        }
        down = {key for key in members if key in busy or not is_available(self.view[key])} - free
        if any(send.step.pod not in free for send in sends):
            assert len(down) <= counted_share(law.most, len(members))
        waiting = [
            key
            for key in members
            if key not in busy and agent(self.view[key]) == "agent:1" and law.updates(self.view[key])
        ]
        held = min(counted_share(law.partition, len(members)), len(members))
        held -= isinstance(law.partition, str) and law.partition != "100%" and held == len(members) > 1
        assert not sends or len(waiting) >= held


def law(chance: Random, team: str) -> Law:
    """Any limits."""
    most: list[int | str] = [1, 2, 3, "10%", "50%", "100%"]
    partitions: list[int | str] = [0, 0, 1, "30%"]
    return Law(chance.choice(most), chance.choice(partitions), team, chance.choice(["", "", "a"]))


def agent(manifest: Object) -> str:
    return next(str(item["image"]) for item in manifest["spec"]["containers"] if item["name"] == "agent")


def is_available(manifest: Object) -> bool:
    """Whether it is ready, and its containers run the images of its spec."""
    ready = [item["status"] for item in manifest["status"]["conditions"] if item["type"] == "Ready"]
    wanted = {item["name"]: item["image"] for item in manifest["spec"]["containers"]}
    return ready == ["True"] and all(
        item["image"] == wanted[item["name"]] for item in manifest["status"]["containerStatuses"]
    )


def leave(chance: Random, cluster: FakeCluster) -> None:
    """A pod that was not patched goes."""
    if keys := sorted(set(cluster.pods) - set(cluster.patched)):
        cluster.delete(*chance.choice(keys))


def move(chance: Random, cluster: FakeCluster) -> None:
    """A pod leaves the SidecarSet by its labels, or joins it again, or another ring."""
    label, values = chance.choice([("app", ["web", "api"]), ("ring", ["a", "b"])])
    if keys := sorted(cluster.pods):
        value = chance.choice(values)
        cluster.edit(*chance.choice(keys), lambda manifest: manifest["metadata"]["labels"].update({label: value}))


@share(100)
@given(st.integers(0, 2**32).map(Random), st.integers(0, 2), st.integers(0, 4))
def test_allowed_and_actual_unavailability_of_whole_pushes(  # noqa: C901 - everything that can happen
    chance: Random, kills: int, mishaps: int
) -> None:
    """Pods fail, recover, come and go, labels and the SidecarSet change, the push is killed or loses time."""
    planned = law(chance, "a" if chance.random() < 0.5 else "")
    spec: Any = planned.sidecarset().spec
    spec = {key: spec[key] for key in ("updateStrategy", "namespaceSelector", "selector") if key in spec}
    labels = {name: {"team": chance.choice("aab")} for name in NAMES}
    cluster = FakeCluster()

    def create(name: str) -> None:
        made = pod(name, namespace=chance.choice(NAMES), labels={"ring": chance.choice("aab")})
        made = updated_pod(made, **spec) if chance.random() < 0.3 else made
        cluster.create(made)
        if chance.random() < 0.2:
            cluster.edit(made["metadata"]["namespace"], name, unready)

    for index in range(chance.randrange(2, 14)):
        create(f"p{index}")
    pods = [*cluster.pods.values()]
    document = document_of([sidecarset("2", **spec)], pods, namespaces=labels)
    settings = settings_for(chance, timeout=300.0)
    with tempfile.TemporaryDirectory() as folder:
        pushed = CheckedPush(Shop(Path(folder), cluster, document), chance, settings, kills, mishaps, dict(labels))
    pushed.laws = {"plan": planned}

    def relabel(name: str) -> None:
        pushed.namespaces[name] = {"team": chance.choice("ab")}
        pushed.machine.see_namespaces(dict(pushed.namespaces))

    def change() -> None:
        live = law(chance, chance.choice(["", planned.team, "a", "b"]))
        live = pushed.laws["live"] = live._replace(app=chance.choice(["web"] * 4 + ["api"]))
        pushed.machine.see_sidecarset("logs", live.sidecarset(), dict(pushed.namespaces))

    def lose_time() -> None:
        """Time passes unseen; then everything is read again before the next patch."""
        pushed.machine.set_outdated("pods", "time has passed")
        pushed.machine.lost_time(pushed.now)
        pushed.now += 1000.0

        def catch_up() -> None:
            while pushed.seen < len(cluster.history):
                pushed.deliver()
            pushed.machine.set_outdated("pods", "")

        pushed.others.append(catch_up)

    pushed.others = [partial(create, f"new{index}") for index in range(chance.randrange(3))]
    pushed.others += [partial(relabel, name) for name in NAMES if chance.random() < 0.2]
    happenings: list[Callable[[], None]] = [change, change, lose_time, partial(leave, chance, cluster)]
    happenings += [partial(move, chance, cluster)] * 3
    for other in happenings:
        pushed.others += [other] * (chance.random() < 0.4)
    machine = pushed.run()
    assert set(cluster.patched) <= {step.pod for step in pushed.plan.steps}
    assert set(cluster.patched.values()) <= {1}
    if machine.halt is None:
        assert {entry.stage for entry in machine.progress} <= {Stage.DONE, Stage.SKIPPED}
