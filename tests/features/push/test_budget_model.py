"""Whole pushes over random clusters of several namespaces, each patch of them checked by a model of the budget."""

import tempfile
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.plan_file.reading import PodKey
from sidecarctl.features.push.deciding.progress import Stage
from sidecarctl.features.push.deciding.waves import Send
from tests.effort import share
from tests.engine.rollout.manifests import pod, sidecarset
from tests.features.push.fake_cluster import FakeCluster
from tests.features.push.pushes import Shop, document_of
from tests.features.push.test_faults import unready
from tests.features.push.test_namespaces import TEAM, counted_share, updated_pod
from tests.features.push.virtual_time import VirtualPush, settings_for

NAMES = "vwxy"


class CheckedPush(VirtualPush):
    """A push whose every patch must fit the budget and the partition, by the pods and labels that were seen."""

    most: int | str
    partition: int | str
    labeled: bool
    free: frozenset[PodKey]
    """Pods that the plan has as not ready: they take no place."""

    def check_sent(self, sends: Sequence[Send]) -> None:
        members = [key for key in self.view if not self.labeled or self.namespaces[key[0]]["team"] == "a"]
        sent = {Stage.SENT, Stage.PATCHED, Stage.FAILED}
        busy = {entry.step.pod for entry in self.machine.progress if entry.stage in sent}
        down = {key for key in members if key in busy or not is_available(self.view[key])}
        assert {send.step.pod for send in sends} <= {step.pod for step in self.plan.steps}
        if any(send.step.pod not in self.free for send in sends):
            assert len(down) <= counted_share(self.most, len(members))
        waiting = [key for key in members if key not in busy and agent(self.view[key]) == "agent:1"]
        held = min(counted_share(self.partition, len(members)), len(members))
        held -= isinstance(self.partition, str) and self.partition != "100%" and held == len(members) > 1
        assert not sends or len(waiting) >= held


def agent(manifest: Object) -> str:
    return next(str(item["image"]) for item in manifest["spec"]["containers"] if item["name"] == "agent")


def is_available(manifest: Object) -> bool:
    """Whether it is ready, and its containers run the images of its spec."""
    ready = [item["status"] for item in manifest["status"]["conditions"] if item["type"] == "Ready"]
    wanted = {item["name"]: item["image"] for item in manifest["spec"]["containers"]}
    return ready == ["True"] and all(
        item["image"] == wanted[item["name"]] for item in manifest["status"]["containerStatuses"]
    )


@share(100)
@given(st.integers(0, 2**32).map(Random), st.integers(0, 2), st.integers(0, 4))
def test_allowed_and_actual_unavailability_of_whole_pushes(chance: Random, kills: int, mishaps: int) -> None:
    """Pods fail and recover by themselves, new ones come, Namespaces get other labels, and the push is killed."""
    numbers: list[int | str] = [1, 2, 3, "10%", "50%", "100%"]
    parts: list[int | str] = [0, 0, 1, "30%"]
    most, partition, labeled = chance.choice(numbers), chance.choice(parts), chance.random() < 0.5
    strategy: Object = {"maxUnavailable": most, "partition": partition}
    spec: Any = {"updateStrategy": strategy, **(TEAM if labeled else {})}
    labels = {name: {"team": chance.choice("aab")} for name in NAMES}
    cluster = FakeCluster()

    def create(name: str) -> None:
        made = pod(name, namespace=chance.choice(NAMES))
        made = updated_pod(made, **spec) if chance.random() < 0.3 else made
        cluster.create(made)
        if chance.random() < 0.2:
            cluster.edit(made["metadata"]["namespace"], name, unready)

    for index in range(chance.randrange(2, 14)):
        create(f"p{index}")
    pods = [*cluster.pods.values()]
    free = frozenset(key for key, manifest in cluster.pods.items() if not is_available(manifest))
    document = document_of([sidecarset("2", **spec)], pods, namespaces=labels)
    settings = settings_for(chance, timeout=300.0)
    with tempfile.TemporaryDirectory() as folder:
        pushed = CheckedPush(Shop(Path(folder), cluster, document), chance, settings, kills, mishaps, dict(labels))
    pushed.most, pushed.partition, pushed.labeled, pushed.free = most, partition, labeled, free

    def relabel(name: str) -> None:
        pushed.namespaces[name] = {"team": chance.choice("ab")}
        pushed.machine.see_namespaces(dict(pushed.namespaces))

    pushed.others = [partial(create, f"new{index}") for index in range(chance.randrange(3))]
    pushed.others += [partial(relabel, name) for name in NAMES if chance.random() < 0.2]
    machine = pushed.run()
    assert set(cluster.patched) <= {step.pod for step in pushed.plan.steps}
    assert set(cluster.patched.values()) <= {1}
    if machine.halt is None:
        assert {entry.stage for entry in machine.progress} <= {Stage.DONE, Stage.SKIPPED}
