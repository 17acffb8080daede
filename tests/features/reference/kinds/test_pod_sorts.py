"""Pods of one workload that are not alike: subsets of a UnitedDeployment, templates elsewhere."""

import json
from collections import Counter
from pathlib import Path

import pytest
import yaml

from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.injection.pod_sorts import split, strategically_merged
from tests.cli.manifests import DEPLOYMENT, SET
from tests.cli.running import run

POD = "{metadata: {labels: {app: web}}, spec: {containers: [{name: a, image: 'a:1'}]}}"
UNITED = f"""\
apiVersion: apps.kruise.io/v1alpha1
kind: UnitedDeployment
metadata: {{name: ud, namespace: shop}}
spec:
  replicas: 6
  template: {{cloneSetTemplate: {{spec: {{template: {POD}}}}}}}
  topology:
    subsets:
    - {{name: zone-a, replicas: 50%}}
    - {{name: zone-b, replicas: 1, patch: {{metadata: {{labels: {{app: other}}}}}}}}
    - {{name: zone-c, patch: {{spec: {{containers: [{{name: a, image: 'a:2'}}]}}}}}}
"""
ROLLOUT = """\
---
apiVersion: argoproj.io/v1alpha1
kind: Rollout
metadata: {name: by-ref, namespace: shop}
spec:
  replicas: 3
  workloadRef: {apiVersion: apps/v1, kind: Deployment, name: web}
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("set.yaml").write_text(SET)
    Path("new.yaml").write_text(SET.replace("2.4.1", "2.4.2") + "  updateStrategy: {maxUnavailable: 100%}\n")
    return tmp_path


def planned(text: str, *words: str) -> Counter[str]:
    """How many pods there are by the beginnings of their names."""
    Path("one.yaml").write_text(text)
    ended = run("plan", "--from", "set.yaml", "new.yaml", "one.yaml", "-o", "json", *words)
    assert ended.code == 0, ended.stderr
    [plan] = json.loads(ended.stdout)["sidecarSets"]
    names = [pod["name"] for wave in plan["waves"] for pod in wave["pods"]]
    assert len(names) == len(set(names))
    return Counter(name.rpartition("-")[0] for name in names)


def test_subsets_have_pods_and_patches_of_their_own() -> None:
    assert planned(UNITED) == {"ud-zone-a": 3, "ud-zone-c": 2}
    by_patch = UNITED.replace("{app: other}", "{app: web}").replace(
        "labels: {app: web}}, spec", "labels: {x: z}}, spec"
    )
    assert planned(by_patch) == {"ud-zone-b": 1}
    assert planned(UNITED, "--replicas", "UnitedDeployment/ud=2") == {"ud-zone-a": 1}


def test_a_set_that_selects_a_subset() -> None:
    for name in ("set.yaml", "new.yaml"):
        Path(name).write_text(Path(name).read_text().replace("app: web", "apps.kruise.io/subset-name: zone-c"))
    assert planned(UNITED) == {"ud-zone-c": 2}


def test_numbers_that_do_not_add_up_are_reported() -> None:
    Path("one.yaml").write_text(UNITED.replace("replicas: 6", "replicas: 0"))
    ended = run("plan", "--from", "set.yaml", "new.yaml", "one.yaml")
    assert "the replicas of its subsets do not add up to spec.replicas: it is left out" in ended.stderr + ended.stdout


def test_a_patch_that_makes_no_pod_is_an_error() -> None:
    Path("one.yaml").write_text(UNITED.replace("{app: other}", "{app: 5}"))
    ended = run("plan", "--from", "set.yaml", "new.yaml", "one.yaml")
    assert ended.code == 2
    assert "one.yaml:10:" in ended.stderr
    assert "spec.topology.subsets[1].patch.metadata.labels.app" in ended.stderr
    assert run("validate", "new.yaml", "one.yaml").code == 1


@pytest.mark.parametrize(
    ("total", "subsets", "numbers"),
    [
        (5, [{"name": "a"}, {"name": "b"}], [2, 3]),
        (5, [{"name": "b"}, {"name": "a"}], [3, 2]),
        (5, [{"name": "a", "replicas": "40%"}, {"name": "b"}], [2, 3]),
        (5, [{"name": "a", "replicas": "50%"}, {"name": "b"}], [3, 2]),
        (5, [{"name": "a", "replicas": 6}, {"name": "b"}], None),
        (5, [{"name": "a", "replicas": 2}, {"name": "b", "replicas": 2}], None),
        (None, [{"name": "a", "replicas": 2}, {"name": "b", "replicas": 3}], [2, 3]),
        (None, [{"name": "a", "replicas": 2}, {"name": "b"}], None),
        (7, [{"name": "a", "minReplicas": 1, "maxReplicas": 3}, {"name": "b", "minReplicas": 2}], [3, 4]),
        (2, [{"name": "a", "minReplicas": 1}, {"name": "b", "minReplicas": 3}], [1, 1]),
    ],
)
def test_how_pods_are_split(total: int | None, subsets: list[Object], numbers: list[int] | None) -> None:
    assert split(total, subsets) == numbers


@pytest.mark.parametrize(
    ("patch", "after"),
    [
        ({"b": 1}, {"a": {"x": 1}, "b": 1}),
        ({"a": None}, {}),
        ({"a": {"x": None, "y": 2}}, {"a": {"y": 2}}),
        ({"a": {"$patch": "replace", "y": 2}}, {"a": {"y": 2}}),
        ({"a": {"$patch": "delete"}}, {}),
    ],
)
def test_a_patch_of_maps(patch: Object, after: Object) -> None:
    assert strategically_merged({"a": {"x": 1}}, patch) == after


def names(patch: list[Object]) -> list[tuple[str, str]]:
    value = {"containers": [{"name": "a", "image": "1"}, {"name": "b", "image": "1"}]}
    return [
        (item["name"], item.get("image")) for item in strategically_merged(value, {"containers": patch})["containers"]
    ]


def test_lists_are_merged_by_name_and_new_items_come_first() -> None:
    assert names([{"name": "b", "image": "2"}]) == [("a", "1"), ("b", "2")]
    assert names([{"name": "c", "image": "2"}]) == [("c", "2"), ("a", "1"), ("b", "1")]
    assert names([{"name": "a", "$patch": "delete"}]) == [("b", "1")]
    assert strategically_merged({"args": ["a", "b"]}, {"args": ["c"]}) == {"args": ["c"]}


def test_as_pods_prints_the_pods_of_each_subset() -> None:
    Path("one.yaml").write_text(UNITED)
    ended = run("inject", "-s", "set.yaml", "--as-pods", "one.yaml")
    pods = [pod for pod in yaml.safe_load_all(ended.stdout) if pod]
    names = [pod["metadata"]["generateName"] for pod in pods]
    assert names == ["ud-zone-a-"] * 3 + ["ud-zone-b-"] + ["ud-zone-c-"] * 2
    containers = [[(item["name"], item["image"]) for item in pod["spec"]["containers"]] for pod in pods]
    assert containers[3] == [("a", "a:1")]
    assert [len(found) for found in containers] == [2, 2, 2, 1, 2, 2]
    assert ("a", "a:2") in containers[4]
    assert pods[5]["metadata"]["labels"] == {"app": "web", "apps.kruise.io/subset-name": "zone-c"}
    assert pods[0]["metadata"]["ownerReferences"][0]["name"] == "ud-zone-a"
    assert "[SubsetDiffers]" not in ended.stderr


def test_inject_names_the_subsets_that_get_something_else() -> None:
    Path("one.yaml").write_text(UNITED)
    ended = run("inject", "-s", "set.yaml", "one.yaml")
    said = "in the cluster, pods of subset zone-b get no SidecarSet, while the common template has logs"
    assert ended.stderr.count("[SubsetDiffers]") == 1
    assert said in ended.stderr
    assert "one.yaml:10:" in ended.stderr
    explained = run("explain", "-s", "set.yaml", "one.yaml")
    assert explained.stdout.count(said) == 1
    assert "one.yaml:10:" in explained.stdout
    Path("set.yaml").write_text(SET.replace("app: web", "apps.kruise.io/subset-name: zone-c"))
    ended = run("inject", "-s", "set.yaml", "one.yaml")
    assert "pods of subset zone-c get logs, while the common template has none" in ended.stderr


def test_a_rollout_has_the_template_that_it_names() -> None:
    assert planned(DEPLOYMENT + ROLLOUT) == {"web": 2, "by-ref": 3}
    scaled = ROLLOUT.replace("name: web}", "name: web, scaleDown: onsuccess}")
    assert planned(DEPLOYMENT + scaled) == {"by-ref": 3}
    template = f"apiVersion: v1\nkind: PodTemplate\nmetadata: {{name: web, namespace: shop}}\ntemplate: {POD}\n"
    named = ROLLOUT.replace("apps/v1, kind: Deployment", "v1, kind: PodTemplate")
    assert planned(template + named) == {"by-ref": 3}


def test_a_workload_that_is_not_there_is_reported() -> None:
    Path("one.yaml").write_text(DEPLOYMENT + ROLLOUT.replace("name: web}", "name: gone}"))
    ended = run("plan", "--from", "set.yaml", "new.yaml", "one.yaml")
    assert "Deployment gone is not among the inputs: its pods are left out" in ended.stderr


def test_diff_names_a_subset_that_loses_its_sidecars() -> None:
    Path("one.yaml").write_text(UNITED)
    for name in ("set.yaml", "new.yaml"):
        key = "zone-b" if name == "set.yaml" else "zone-c"
        Path(name).write_text(Path(name).read_text().replace("app: web", f"apps.kruise.io/subset-name: {key}"))
    ended = run("diff", "set.yaml", "new.yaml", "one.yaml", "-o", "json")
    [change] = json.loads(ended.stdout)["sidecarSets"]
    assert sum(item["pods"] for item in change["lost"]) == 1
    assert sum(item["pods"] for item in change["gained"]) == 2
