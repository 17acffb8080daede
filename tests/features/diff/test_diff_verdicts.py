"""`sidecarctl diff`: what a change of the strategy or of the selector means for the pods that run."""

import json
from pathlib import Path

import pytest

from sidecarctl.engine.facts.values import Object, Value
from tests.cli.running import Ended, run
from tests.engine.rollout.manifests import pod, sidecarset
from tests.schemas import assert_valid


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def diff(old: Object, new: Object, pods: list[Object] | None = None, *more: str) -> Ended:
    Path("old.json").write_text(json.dumps(old))
    Path("new.json").write_text(json.dumps(new))
    if pods is not None:
        Path("pods.json").write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": pods}))
    return run("diff", "old.json", "new.json", *(["pods.json"] if pods is not None else []), *more)


def change(old: Object, new: Object, pods: list[Object] | None = None) -> Object:
    written = json.loads(diff(old, new, pods, "-o", "json").stdout)
    assert_valid(written, "sidecarset-diff.json")
    (item,) = written["sidecarSets"]
    assert item["verdict"] == item["verdicts"][0]
    found: Object = item
    return found


def strategy(**members: Value) -> Object:
    return sidecarset(updateStrategy=members).manifest


def selecting(labels: Object, tag: str = "1", **spec: Value) -> Object:
    return sidecarset(tag, selector={"matchLabels": labels}, **spec).manifest


PODS = [pod(f"p{number}", labels={"canary": "yes"} if number < 3 else {}) for number in range(30)]
CANARY = {"matchLabels": {"canary": "yes"}}


@pytest.mark.parametrize(
    ("old", "new", "verdict", "let_go", "held", "said"),
    [
        (
            {"partition": "90%"},
            {"partition": "50%"},
            "RolloutAdvances",
            12,
            0,
            "partition 90% → 50%: lets 12 more pods update.",
        ),
        (
            {"partition": 10},
            {"partition": 15},
            "RolloutHalts",
            0,
            5,
            "partition 10 → 15: holds back 5 pods that could be updated.",
        ),
        ({"partition": "50%"}, {"partition": 14}, "RolloutAdvances", 1, 0, "lets 1 more pod update."),
        ({"paused": True}, {}, "RolloutAdvances", 30, 0, "paused true → false: lets 30 more pods update."),
        ({}, {"paused": True}, "RolloutHalts", 0, 30, "paused false → true: holds back 30 pods"),
        ({"type": "NotUpdate"}, {}, "RolloutAdvances", 30, 0, "type NotUpdate → RollingUpdate: lets 30 more"),
        ({}, {"type": "NotUpdate"}, "RolloutHalts", 0, 30, "type RollingUpdate → NotUpdate: holds back 30"),
        ({"selector": CANARY}, {}, "RolloutAdvances", 27, 0, "no selector: lets 27 more pods update."),
        ({}, {"selector": CANARY}, "RolloutHalts", 0, 27, "a selector: holds back 27 pods"),
        (
            {},
            {"maxUnavailable": "10%"},
            "PaceChanges",
            0,
            0,
            "maxUnavailable 1 → 10%: up to 3 pods at a time instead of 1.",
        ),
        ({"paused": True}, {"paused": True, "partition": 5}, "NoEffect", 0, 0, "No pod changes."),
    ],
)
def test_a_change_of_the_strategy(old: Object, new: Object, verdict: str, let_go: int, held: int, said: str) -> None:
    item = change(strategy(**old), strategy(**new), PODS)
    assert (item["verdict"], item["rolloutShift"]["letGo"], item["rolloutShift"]["held"]) == (verdict, let_go, held)
    assert said in item["explanation"]
    assert f"logs: {verdict}: " in diff(strategy(**old), strategy(**new), PODS).stdout
    if verdict not in ("PaceChanges", "NoEffect") and old.get("partition") != "50%":
        assert change(strategy(**old), strategy(**new))["verdict"] == verdict


def test_without_pods_a_share_and_a_number_cannot_be_compared() -> None:
    assert change(strategy(partition="50%"), strategy(partition=14))["verdict"] == "PaceChanges"


def test_pods_that_are_updated_already_are_not_let_go() -> None:
    item = change(sidecarset("1", updateStrategy={"partition": 20}).manifest, sidecarset("1").manifest, PODS)
    assert (item["verdict"], item["rolloutShift"]) == ("NoEffect", {"letGo": 0, "held": 0, "notUpdated": 0})
    assert item["explanation"] == "partition 20 → 0: all pods are already updated."


def test_that_no_pod_takes_part_is_not_that_all_are_updated() -> None:
    old, new = (sidecarset("1", updateStrategy={"partition": number}).manifest for number in (20, 0))
    elsewhere = [pod("p0", labels={"app": "api"})]
    assert "partition 20 → 0: no pod takes part in its rollout." in change(old, new, elsewhere)["explanation"]


def test_a_rollout_in_progress_is_reported() -> None:
    item = change(
        strategy(partition=15), sidecarset(updateStrategy={"partition": 15}, volumes=[{"name": "v"}]).manifest, PODS
    )
    assert item["verdict"] == "NewPodsOnly"
    assert "the rollout in progress updates 15 pods." in item["explanation"]


def test_a_change_of_the_image_tells_of_the_strategy_too() -> None:
    item = change(sidecarset("1").manifest, strategy(partition=10), PODS)
    assert item["verdicts"] == ["InPlace"]
    assert item["rollout"]["heldBack"] == {"partition": 10, "selector": 0, "paused": 0}
    assert (
        item["explanation"]
        == "Images change: 20 of 30 pods can be updated, 1 at a time, in 20 waves; partition 10 holds back 10."
    )


def test_a_new_version_that_nobody_updates_to_stops_no_rollout() -> None:
    item = change(sidecarset("1").manifest, strategy(type="NotUpdate"), PODS)
    assert item["verdicts"] == ["NewPodsOnly"]


def test_holding_back_pods_that_are_updated_changes_no_pod() -> None:
    item = change(sidecarset("1").manifest, sidecarset("1", updateStrategy={"partition": 20}).manifest, PODS)
    assert (item["verdicts"], item["explanation"]) == (
        ["NoEffect"],
        "partition 0 → 20: all pods are already updated.",
    )


def test_a_container_that_becomes_native_needs_new_pods() -> None:
    native = [{"name": "agent", "image": "agent:1", "restartPolicy": "Always"}]
    new = sidecarset("1", containers=[], initContainers=native, updateStrategy={"type": "NotUpdate"}).manifest
    for pods in (None, PODS):
        item = change(sidecarset("1").manifest, new, pods)
        assert item["verdicts"] == ["Recreate", "NewPodsOnly"]
        assert "keep the old version until" in item["explanation"]


@pytest.mark.parametrize("with_pods", [True, False])
def test_a_narrower_selector_loses_pods(with_pods: bool) -> None:  # noqa: FBT001 - a parameter
    old, new = selecting({"app": "web"}), selecting({"app": "web", "canary": "yes"})
    item = change(old, new, PODS if with_pods else None)
    assert item["verdicts"] == ["SidecarLost"]
    assert "no longer get its sidecars" in item["explanation"]
    if with_pods:
        assert (len(item["lost"]), item["gained"]) == (27, [])
        assert item["lost"][0] == {
            "object": {"apiVersion": "v1", "kind": "Pod", "namespace": "shop", "name": "p3"},
            "pods": 1,
            "running": True,
            "hasThem": True,
            "reason": "PodNotSelected",
            "cause": "spec.selector.matchLabels.canary: none → yes",
            "file": "new.json",
            "line": 1,
            "column": 381,
        }
        text = diff(old, new, PODS).stdout
        assert "  - SidecarLost: 27 running pods (Pod shop/p3, Pod shop/p4, Pod shop/p5 and 24 more)" in text
        assert "running pods keep them until they are recreated, and are never updated again\n" in text


def test_a_wider_selector_gains_pods() -> None:
    others = [
        pod("q", labels={"app": "api"}, annotations={"kruise.io/sidecarset-injected-list": None}),
        pod("r", labels={"app": "api"}),
    ]
    narrow = selecting({"app": "web"})
    wide = sidecarset("1", selector={"matchExpressions": [{"key": "app", "operator": "Exists"}]}).manifest
    assert change(narrow, wide)["verdict"] == "SidecarGained"
    item = change(narrow, wide, [*PODS, *others])
    assert (item["verdict"], item["lost"], len(item["gained"])) == ("SidecarGained", [], 2)
    text = diff(narrow, wide, [*PODS, *others]).stdout
    assert (
        "running pods get them only when they are recreated; 1 of them has the sidecars already and takes part"
        in text
    )


def test_a_selector_that_moves_no_pod_does_nothing() -> None:
    old, new = selecting({"app": "web"}), selecting({"app": "web", "canary": "yes"})
    assert change(old, new, PODS[:3])["verdict"] == "NoEffect"


def test_an_image_and_a_selector_at_once() -> None:
    item = change(selecting({"app": "web"}), selecting({"app": "web", "canary": "yes"}, tag="2"), PODS)
    assert item["verdicts"] == ["SidecarLost", "InPlace"]


def test_pods_of_a_removed_set_are_lost() -> None:
    other = sidecarset("1", name="other", selector={"matchLabels": {"app": "none"}}).manifest
    written = json.loads(diff(sidecarset("1").manifest, other, PODS, "-o", "json").stdout)
    assert [item["verdict"] for item in written["sidecarSets"]] == ["SidecarLost", "NoEffect"]


def test_workloads_tell_of_lost_and_gained_pods() -> None:
    template = {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "a", "image": "a"}]}}
    web = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}}
    Path("web.json").write_text(json.dumps({**web, "spec": {"replicas": 4, "template": template}}))
    diff(selecting({"app": "web"}), selecting({"app": "web", "canary": "yes"}))
    written = json.loads(run("diff", "old.json", "new.json", "web.json", "-o", "json").stdout)
    assert written["sidecarSets"][0]["verdict"] == "SidecarLost"
    written = json.loads(run("diff", "new.json", "old.json", "web.json", "-o", "json").stdout)
    assert written["sidecarSets"][0]["verdict"] == "SidecarGained"


def test_two_containers_of_one_name_are_refused_as_such() -> None:
    old = sidecarset("1").manifest
    twice = [*old["spec"]["containers"], {"name": "agent", "image": "agent:3"}]
    item = change(old, {**old, "spec": {**old["spec"], "containers": twice}})
    assert item["verdicts"] == ["Rejected"]
    assert [each["reason"] for each in item["refusals"]] == ["Refused"]


def test_a_comment_begins_with_what_it_comes_to() -> None:
    def of(name: str, tag: str = "1", **spec: Value) -> Object:
        return sidecarset(tag, name=name, selector={"matchLabels": {"app": name}}, **spec).manifest

    old = [strategy(partition="90%"), *(of(name) for name in ("a", "b", "c", "d"))]
    new = [
        strategy(partition="50%"),
        of("a", containers=[{"name": "agent", "image": "agent:1", "command": ["x"]}]),
        of("b", "2"),
        of("c", containers=[{"name": "other", "image": "agent:1"}]),
        of("d"),
    ]
    lists = [{"apiVersion": "v1", "kind": "List", "items": items} for items in (old, new)]
    lines = diff(lists[0], lists[1], PODS, "-o", "markdown").stdout.split("\n")
    assert lines[0] == "<!-- sidecarctl diff -->"
    assert lines[1] == (
        "**1 of 5 SidecarSets is rejected by Kruise; 1 needs pods recreated; 1 updates pods in place; "
        "1 advances its rollout by 12 pods.**"
    )
    assert "**No SidecarSet changes.**" in diff(lists[0], lists[0], None, "-o", "markdown").stdout
