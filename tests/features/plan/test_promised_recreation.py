"""Over random clusters: whoever runs the commands of `plan --recreate` gets current sidecars, within all budgets."""

import json
import re
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import pytest

from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.sidecarset.pod_annotations import INPLACE_UPDATE_STATE
from tests.cli.running import run
from tests.features.explain.test_promised_remedies import Cluster, hash_if_recreated

APPS, KRUISE, BETA = "apps/v1", "apps.kruise.io/v1alpha1", "apps.kruise.io/v1beta1"
KINDS: list[tuple[str, str, Object]] = [
    ("Deployment", APPS, {"strategy": {"rollingUpdate": {"maxUnavailable": 1, "maxSurge": 0}}}),
    ("Deployment", APPS, {}),
    ("Deployment", APPS, {"strategy": {"type": "Recreate"}}),
    ("Deployment", APPS, {"paused": True}),
    ("StatefulSet", APPS, {}),
    ("StatefulSet", APPS, {"updateStrategy": {"type": "OnDelete"}}),
    ("StatefulSet", APPS, {"updateStrategy": {"rollingUpdate": {"partition": 1}}}),
    ("DaemonSet", APPS, {}),
    ("CloneSet", KRUISE, {}),
    ("CloneSet", KRUISE, {"updateStrategy": {"type": "InPlaceIfPossible"}}),
    ("StatefulSet", BETA, {}),
    ("StatefulSet", BETA, {"updateStrategy": {"rollingUpdate": {"podUpdatePolicy": "InPlaceOnly"}}}),
    ("DaemonSet", KRUISE, {"updateStrategy": {"rollingUpdate": {"rollingUpdateType": "InPlaceIfPossible"}}}),
    ("DaemonSet", KRUISE, {}),
    ("ReplicaSet", APPS, {}),
    ("Job", "batch/v1", {}),
    ("", "", {}),
]
HOLDS = ({"paused": True}, {"type": "OnDelete"}, {"partition": 1}, {"type": "InPlaceIfPossible"})
IN_PLACE = ({"podUpdatePolicy": "InPlaceOnly"}, {"rollingUpdateType": "InPlaceIfPossible"})


class Shop(Cluster):
    """The cluster with workloads, budgets, pods that are no longer selected, and volumes that only new pods get."""

    def __init__(self, random: Random) -> None:
        self.swaps_volume = random.random() < 0.3
        super().__init__(random)
        self.workloads: list[Object] = []
        self.of: dict[str, int] = {}
        chosen = [random.choice(KINDS) for _ in range(3)]
        for pod in self.pods:
            self._own(pod, random.randrange(3), chosen)
            if random.random() < 0.1:
                pod["metadata"]["labels"]["app"] = "other"
        for index, (kind, version, spec) in enumerate(chosen):
            namespaces = {pod["metadata"]["namespace"] for pod in self.pods if self.of[name_of(pod)] == index}
            for namespace in sorted(namespaces) if kind and random.random() < 0.8 else ():
                metadata = {"name": f"w{index}", "namespace": namespace}
                template = {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": []}}
                made = {"apiVersion": version, "kind": kind, "metadata": metadata}
                self.workloads.append({**made, "spec": {"replicas": 4, "template": template, **spec}})
        self.limits = [random.choice([0, 1, 2]) for _ in range(random.choice([0, 0, 1, 1, 2]))]
        self.protection = random.choice([None, None, 0, 1])

    def sidecarset(self, tag: str, **members: Any) -> Object:
        if not self.swaps_volume:
            return super().sidecarset(tag, **members)
        mounts = [{"name": "buf", "mountPath": "/buf"}]
        made = super().sidecarset("1" if tag == "2" else tag, volumeMounts=mounts)
        source: Object = {"emptyDir": {}} if tag == "1" else {"configMap": {"name": "c"}}
        made["spec"]["volumes"] = [{"name": "buf", **source}]
        return made

    def _own(self, pod: Object, index: int, chosen: list[tuple[str, str, Object]]) -> None:
        kind, version, _ = chosen[index]
        self.of[name_of(pod)] = index
        if kind:
            of, name = ("ReplicaSet", f"w{index}-5d") if kind == "Deployment" else (kind, f"w{index}")
            pod["metadata"]["labels"] |= {"pod-template-hash": "5d"} if kind == "Deployment" else {}
            owner = {"apiVersion": version, "kind": of, "name": name, "uid": name, "controller": True}
            pod["metadata"]["ownerReferences"] = [owner]

    def budgets(self) -> list[Object]:
        selector = {"matchLabels": {"app": "web"}}
        made: list[Object] = [
            {
                "apiVersion": "policy/v1",
                "kind": "PodDisruptionBudget",
                "metadata": {"name": f"b{index}", "namespace": "shop"},
                "spec": {"selector": selector, "maxUnavailable": most},
            }
            for index, most in enumerate(self.limits)
        ]
        if self.protection is not None:
            total = {"pub.kruise.io/protect-total-replicas": str(len(self.covered()))}
            metadata = {"name": "p", "namespace": "shop", "annotations": total}
            spec = {"selector": selector, "maxUnavailable": self.protection}
            kind = {"apiVersion": "policy.kruise.io/v1alpha1", "kind": "PodUnavailableBudget"}
            made.append({**kind, "metadata": metadata, "spec": spec})
        return made

    def covered(self) -> dict[str, bool]:
        """The pods that budgets cover, and whether each is ready."""
        return {
            name_of(pod): {"type": "Ready", "status": "True"} in pod["status"]["conditions"]
            for pod in self.pods
            if (pod["metadata"]["namespace"], pod["metadata"]["labels"]["app"]) == ("shop", "web")
        }


def name_of(pod: Object) -> str:
    return f"{pod['metadata']['namespace']}/{pod['metadata']['name']}"


def recreation_of(shop: Shop) -> Object | None:
    """The recreation of a plan over the shop; None if Kruise rejects the SidecarSet."""
    decides = [shop.new, *shop.more, shop.revision]
    for name, items in (("sets", decides), ("pods", [*shop.pods, *shop.workloads, *shop.budgets()])):
        Path(f"{name}.json").write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": items}))
    words = ("--recreate", "--only", "logs", "--kruise", shop.release.name, "-o", "json=plan.json")
    ended = run("plan", "sets.json", "pods.json", *words)
    if ended.code not in (0, 1):
        return None
    found: Object = json.loads(Path("plan.json").read_text())["recreation"]
    return found


def replaced(shop: Shop, step: Object) -> tuple[set[str], int]:
    """The pods that the commands of a step replace, and how many are down at once."""
    workload, pods = step["workload"], {name_of(pod): pod for pod in shop.pods}
    commands = "\n".join(step["commands"])
    evicted = re.findall(r"/namespaces/([^/]+)/pods/([^/]+)/eviction", commands)
    if evicted:
        names = {f"{namespace}/{name}" for namespace, name in evicted}
        owners = [pods[name]["metadata"]["ownerReferences"][0]["kind"] for name in names]
        assert not {"Job", ""} & set(owners)
        return names, len(names)
    assert re.match(r"kubectl (rollout restart|patch) [\w.]+/w\d ", commands)
    is_patched = "restartedAt" in commands
    assert is_patched == workload["apiVersion"].startswith("apps.kruise.io")
    index = int(workload["name"].removeprefix("w"))
    [manifest] = [
        item
        for item in shop.workloads
        if (item["metadata"]["name"], item["metadata"]["namespace"]) == (workload["name"], workload["namespace"])
    ]
    text = json.dumps(manifest["spec"])
    assert not any(json.dumps(item)[1:-1] in text for item in (*HOLDS, *IN_PLACE))
    names = {name for name in pods if shop.of[name] == index and name.partition("/")[0] == workload["namespace"]}
    return names, step["mostUnavailable"]


def check(shop: Shop, found: Object, reached: Counter[str]) -> None:
    made, pods = shop.world(), {name_of(pod): pod for pod in shop.pods}
    covered, named = shop.covered(), Counter[str]()
    rooms = [most - list(covered.values()).count(False) for most in shop.limits]
    in_flight = {name for name, pod in pods.items() if INPLACE_UPDATE_STATE in pod["metadata"].get("annotations", {})}
    ready = {name for name, is_ready in covered.items() if is_ready} - in_flight  # to Kruise
    room_of_kruise = len(ready) if shop.protection is None else shop.protection - len(covered) + len(ready)
    for wave in found["waves"]:
        down = ready_down = 0
        for step in wave["steps"]:
            names, at_once = replaced(shop, step)
            assert names
            assert names == {f"{pod['namespace']}/{pod['name']}" for pod in step["pods"]}
            down += min(at_once, len(names & covered.keys()))
            ready_down += min(at_once, len(names & ready))  # Kruise lets others be deleted
            assert len(shop.limits) < 2 or step["way"] != "evict" or not names & covered.keys(), step
            named.update(names)
            reached[step["way"]] += 1
            reached.update(cause.removeprefix("logs: ") for cause in step["causes"])
            for name in names:
                wanted = {"", made.by_name["logs"].hash}
                got = hash_if_recreated(made, pods[name])
                assert got in wanted, (name, step)
                assert got or any("Orphan" in cause for cause in step["causes"]), (name, step)
                is_selected = pods[name]["metadata"]["labels"]["app"] == "web"
                assert bool(got) == is_selected, (name, step)
        assert down == 0 or down <= min(rooms, default=down), (down, rooms, found)
        assert ready_down == 0 or ready_down <= room_of_kruise, (ready_down, room_of_kruise, found)
    assert set(named.values()) <= {1}
    kept = {f"{pod['namespace']}/{pod['name']}" for each in found["notRecreated"] for pod in each["pods"]}
    reached["kept"] += len(kept)
    assert not kept & named.keys()


REACHED = (
    "restart",
    "annotate",
    "evict",
    "kept",
    "NotUpgradable",
    "NeverInjected",
    "NotUpdate",
    "Outdated",
    "Orphan",
)


@pytest.mark.parametrize(
    ("first", "number"), [(0, 40), pytest.param(40, 400, marks=pytest.mark.slow)], ids=["few", "many"]
)
def test_every_command_of_a_recreation_keeps_its_promise(
    first: int, number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    reached: Counter[str] = Counter()
    for seed in range(first, first + number):
        shop = Shop(Random(seed))  # noqa: S311 - the same cluster each time
        if found := recreation_of(shop):
            check(shop, found, reached)
    assert set(REACHED) <= reached.keys() or number < 100, reached
