"""A change adds to requests what `cost` says after it, minus what it says before."""

import json
from copy import deepcopy
from pathlib import Path

import pytest

from sidecarctl.engine.api.pod_resources import amounts
from sidecarctl.engine.facts.values import Object
from tests.cli.running import run
from tests.effort import sampled
from tests.features.counts.test_costs import LOGS, MESH, bare, container, injected, sidecarset
from tests.schemas import assert_valid


def deployment(name: str, replicas: int, *containers: Object, **spec: object) -> Object:
    pod = {"containers": [*containers] or [container("app", cpu="1", memory="1Gi")], **spec}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name, "namespace": "shop"},
        "spec": {"replicas": replicas, "template": {"metadata": {"labels": {"app": "web"}}, "spec": pod}},
    }


APPS = (
    deployment("web", 3),
    deployment("api", 2, initContainers=[container("setup", cpu="1150m", memory="3Gi")]),
)


def changed(manifest: Object, text: str, other: str) -> Object:
    made: Object = json.loads(json.dumps(manifest).replace(text, other))
    assert made != manifest
    return made


POLICY = {"targetContainersMode": "sum", "resourcesExpr": {"requests": {"cpu": "max(cpu*10%, 50m)"}}}
COMPUTED = sidecarset("logs", {"containers": [{"name": "agent", "image": "a:1", "resourcesPolicy": POLICY}]})

CHANGES = {
    "more cpu": ([LOGS, MESH], [changed(LOGS, "100m", "300m"), MESH]),
    "a native sidecar needs less": ([LOGS, MESH], [LOGS, changed(MESH, "200m", "50m")]),
    "a SidecarSet is new": ([LOGS], [LOGS, MESH]),
    "a SidecarSet is gone": ([LOGS, MESH], [MESH]),
    "another selector": ([LOGS, MESH], [changed(LOGS, '"app": "web"', '"app": "none"'), MESH]),
    "limits alone": ([LOGS], [changed(LOGS, "256Mi", "512Mi")]),
    "injection is paused": ([LOGS], [{**LOGS, "spec": {**LOGS["spec"], "injectionStrategy": {"paused": True}}}]),
    "a computed request": ([COMPUTED], [changed(COMPUTED, "10%", "50%")]),
}


def files(folder: Path, name: str, *objects: Object) -> Path:
    path = folder / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": list(objects)}))
    return path


def added(*paths: Path) -> Object:
    """What all sidecars add, as `cost` says."""
    found: Object = json.loads(run("cost", *paths, "-o", "json").stdout)["total"]["added"]
    return found


def difference(after: Object, before: Object) -> Object:
    made: Object = {}
    for kind in ("requests", "limits"):
        old, new = amounts(before[kind]), amounts(after[kind])
        sums = {name: new.get(name, 0) - old.get(name, 0) for name in {**old, **new}}
        made[kind] = {name: amount for name, amount in sums.items() if amount}
    return made


def read(change: Object) -> Object:
    return {kind: amounts(change[kind]) for kind in ("requests", "limits")}


def diff(*arguments: str | Path, schema: str = "sidecarset-diff.json") -> Object:
    ended = run("diff", *arguments, "-o", "json")
    assert ended.code in (0, 1), ended.stderr
    made: Object = json.loads(ended.stdout)
    assert_valid(made, schema)
    return made


@pytest.mark.parametrize("name", sampled([*CHANGES], 4))
def test_over_the_pods_of_workloads(name: str, tmp_path: Path) -> None:
    before, after = CHANGES[name]
    old, new = files(tmp_path, "old.json", *before), files(tmp_path, "new.json", *after)
    apps = files(tmp_path, "apps.json", *APPS)
    cost = diff(old, new, apps)["cost"]
    assert read(cost["change"]) == difference(added(new, apps), added(old, apps))
    assert (cost["pods"], any(read(cost["change"]).values())) == ("workloads", True)


@pytest.mark.parametrize("name", sampled([*CHANGES], 4))
def test_over_running_pods_once_they_are_recreated(name: str, tmp_path: Path) -> None:
    before, after = CHANGES[name]
    old, new = files(tmp_path, "old.json", *before), files(tmp_path, "new.json", *after)
    plain = [bare(f"web-{index}", namespace="shop") for index in range(3)]
    pods = files(tmp_path, "pods.json", *(injected(pod, *before) for pod in plain))
    recreated = files(tmp_path, "recreated.json", *(injected(pod, *after) for pod in plain))
    cost = diff(old, new, pods)["cost"]
    assert read(cost["change"]) == difference(added(new, recreated), added(old, pods))
    assert (cost["pods"], cost["changedPods"]) == ("running", 3)


def test_an_image_costs_nothing(tmp_path: Path) -> None:
    old, new = files(tmp_path, "old.json", LOGS), files(tmp_path, "new.json", changed(LOGS, "agent:1", "agent:2"))
    assert "cost" not in diff(old, new, files(tmp_path, "apps.json", *APPS))
    assert "cost" not in diff(old, new, files(tmp_path, "pods.json", injected(bare("p"), LOGS)))


def test_trees_count_workloads_that_come_grow_and_go(tmp_path: Path) -> None:
    old = files(tmp_path, "old/all.json", LOGS, deployment("web", 2), deployment("gone", 1)).parent
    new = files(tmp_path, "new/all.json", LOGS, deployment("web", 5), deployment("more", 2)).parent
    cost = diff("--before", old, "--after", new, schema="injection-diff.json")["cost"]
    assert read(cost["change"]) == difference(added(new), added(old))
    assert cost["change"]["requests"] == {"cpu": "400m", "memory": "1Gi"}  # four pods more


def test_each_sidecarset_has_its_own_change_and_the_text_says_it(tmp_path: Path) -> None:
    more = [changed(LOGS, "100m", "300m"), changed(MESH, "200m", "50m")]
    old, new = files(tmp_path, "old.json", LOGS, MESH), files(tmp_path, "new.json", *more)
    apps = files(tmp_path, "apps.json", deepcopy(APPS[0]))
    found = {item["name"]: item["cost"]["change"]["requests"] for item in diff(old, new, apps)["sidecarSets"]}
    assert found == {"logs": {"cpu": "600m"}, "mesh": {"cpu": "-450m"}}
    text = run("diff", old, new, apps).stdout
    assert "  - requests: +0.6 cores over 3 pods\n" in text
    assert text.endswith("; sidecars request +0.15 cores over 3 pods\n")
