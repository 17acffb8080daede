"""No command advises to recreate a pod where that does not bring the current version."""

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from sidecarctl.engine.facts.values import Object
from tests.cli.running import run
from tests.engine.rollout.manifests import pod, sidecarset
from tests.features.explain.remedied_pods import (
    Inputs,
    answer,
    canary,
    ended,
    inputs,
    recreated_as,
    shows,
    stored,
    written,
)

WORDS = ("recreate it", "recreate the pod", "recreate them", "until recreated", "must be recreated")
CHANGED: list[Object] = [{"name": "agent", "image": "agent:2", "command": ["run"]}]
PIN: Object = {"revisionName": "logs-9"}
NATIVE: Object = {"name": "proxy", "image": "proxy:1", "restartPolicy": "Always"}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def changed(*pods: Object, **members: Any) -> Inputs:
    """A pod that cannot be updated in place."""
    return inputs(*(pods or (pod("p0"),)), containers=CHANGED, **members)


def said(given: Inputs) -> dict[str, str]:
    paths = written(given)
    texts = {command: run(command, *paths).stdout for command in ("plan", "status", "drift")}
    texts["explain"] = run("explain", *paths, "p0").stdout
    return {command: " ".join(text.split()) for command, text in texts.items()}


def valid_canary() -> Object:
    made = canary({"app": "web"})
    return {**made, "spec": {**made["spec"], "updateStrategy": {"type": "NotUpdate"}}}


def in_kube_system() -> Object:
    made = pod("p0")
    made["metadata"]["namespace"] = "kube-system"
    return made


@pytest.mark.parametrize(
    ("given", "instead"),
    [
        (
            changed(injectionStrategy={"paused": True}),
            "a new pod would have no sidecar of it: injectionStrategy.paused",
        ),
        (changed(in_kube_system()), "a new pod would have no sidecar of it: the Helm chart of Kruise 1.9 leaves out"),
        (
            changed(injectionStrategy={"revision": PIN}, more=(stored("logs-9"),)),
            "a new pod gets logs-9, which spec.injectionStrategy.revision asks for: write policy: Partial, or remove",
        ),
        (
            changed(injectionStrategy={"revision": PIN}, more=(stored("logs-9"),), options=("--kruise", "1.7")),
            "a new pod gets logs-9, which spec.injectionStrategy.revision asks for: remove it",
        ),
        (
            changed(
                injectionStrategy={"revision": {**PIN, "policy": "Partial"}},
                updateStrategy={"paused": True},
                more=(stored("logs-9"),),
            ),
            "a new pod gets logs-9, which spec.injectionStrategy.revision asks for: remove it",
        ),
        (
            changed(more=(valid_canary(),), options=("--kruise", "master")),
            "a new pod gets the sidecars of its canary logs-canary instead",
        ),
        (changed(injectionStrategy={"revision": PIN}), "Kruise rejects a new pod: no usable revision"),
    ],
    ids=["paused", "kube-system", "pinned", "pinned-1.7", "pinned-and-paused", "canary", "no-revision"],
)
def test_what_a_new_pod_gets_instead_is_said(given: Inputs, instead: str) -> None:
    for command, text in said(given).items():
        if "canary" not in instead:  # recreating the pod brings what the canary lacks in it
            assert not [word for word in WORDS if word in text], (command, text)
    assert instead in "; ".join(said(given).values())


def test_recreating_is_advised_where_it_helps() -> None:
    texts = said(changed())
    assert "not updatable in place: recreate them" in texts["plan"]
    assert "must be recreated" in texts["plan"]
    assert "; recreate it" in texts["status"]
    assert "what to change: recreate the pod, or revert the changed fields" in texts["explain"]


def test_policy_partial_is_no_certain_advice() -> None:
    revision = {**PIN, "policy": "Partial"}
    given = changed(
        injectionStrategy={"revision": revision}, updateStrategy={"partition": "30%"}, more=(stored("logs-9"),)
    )
    assert "recreate it: 70% of new pods get the current version" in said(given)["status"]


def test_the_replacement_of_an_ending_pod_is_not_always_current() -> None:
    given = changed(ended(pod("p0")), injectionStrategy={"revision": PIN}, more=(stored("logs-9"),))
    assert answer(given)[2].startswith("a new pod gets logs-9, which spec.injectionStrategy.revision asks for")


@pytest.mark.parametrize("held", [{"paused": True}, {"selector": {"matchLabels": {"x": "y"}}}, {"partition": 1}])
def test_a_change_that_kruise_rejects_is_not_advised(held: Object) -> None:
    given = inputs(
        pod("p0"),
        updateStrategy=held,
        more=(canary({"app": "web", "x": "y"}),),
        options=("--kruise", "master"),
    )
    remedy = answer(given)[2]
    assert remedy.startswith(
        "Kruise rejects the change that it needs: it cannot be changed while its canary logs-canary"
    )


def test_a_native_sidecar_is_not_to_be_updated_in_place() -> None:
    given = inputs(pod("p0"), initContainers=[NATIVE], updateStrategy={"type": "NotUpdate"})
    assert answer(given)[2] == "recreate the pod"


def test_a_selector_is_not_all_that_holds_back_a_pod_with_other_fields() -> None:
    given = changed(updateStrategy={"selector": {"matchLabels": {"x": "y"}}})
    assert answer(given)[0] == "HeldBySelector"
    assert answer(given)[2] == "recreate the pod"


def static() -> Object:
    made = pod("p0")
    made["metadata"]["annotations"]["kubernetes.io/config.mirror"] = "abc"
    made["status"]["containerStatuses"] = made["status"]["containerStatuses"][1:]
    return made


def test_the_mirror_of_a_static_pod_counts_and_never_runs_the_sidecar() -> None:
    texts = said(inputs(static(), pod("p1")))
    assert "2 matched: 0 updated" in texts["plan"]
    assert "Stalls: 1 of 2 pods updated" in texts["plan"]
    assert "shop/p0 StaticPod" in texts["status"]
    assert "shop/p0" not in texts["drift"]
    assert "recreate" not in texts["explain"]
    assert "what to change: nothing: write the sidecar into the pod's file on its node" in texts["explain"]
    mirror = static()
    mirror["metadata"]["name"] = "a0"
    behind = said(inputs(mirror, pod("p0")))["explain"]
    assert "exclude the mirrors of static pods: shop/a0" in behind


def same_image() -> Inputs:
    given = inputs(pod("p0"))
    made = shows("agent:1", recreated_as(given, "p0"))
    key = "kruise.io/sidecarset-inplace-update-state"
    annotations = made["metadata"]["annotations"]
    annotations[key] = annotations[key].replace('"revision"', '"updateTimestamp":"2026-01-01T00:00:00Z","revision"')
    given["pods"] = [made]
    return given


@pytest.mark.parametrize(("started", "is_same"), [("2026-01-01T00:00:05Z", True), ("2025-12-31T00:00:00Z", False)])
def test_an_update_to_the_same_image_is_named(started: str, is_same: bool) -> None:  # noqa: FBT001 - the two answers
    given = same_image()
    for item in given["pods"][0]["status"]["containerStatuses"]:
        item["state"] = {"running": {"startedAt": started}}
    state, _, remedy = answer(given)
    assert state == "Updating"
    assert ("the old and the new image are one image of agent" in said(given)["status"]) is is_same
    assert (remedy == "recreate the pod") is is_same
    after = deepcopy(given)
    after["pods"] = [recreated_as(given, "p0")]
    assert answer(after)[0] == "Updated"


def test_a_rollout_beside_a_pod_that_blocks_is_not_called_free() -> None:
    given = inputs(shows("agent:0", pod("p0")), pod("p1"), updateStrategy={"maxUnavailable": 2})
    text = run("explain", *written(given), "logs").stdout
    assert "1 Busy" in text.partition("\n\n")[0]
    assert "nothing in these files blocks it" not in text.partition("\n\n")[0]


def test_a_release_that_no_longer_sees_the_pods_loses_their_sidecars() -> None:
    made = {**sidecarset("1").manifest, "apiVersion": "apps.kruise.io/v1alpha1"}
    given = {**inputs(in_kube_system()), "set": made}
    written(given)
    ended = run("diff", "--kruise-from", "1.4", "--kruise-to", "1.9", "set.json", "pods.json")
    assert ended.code == 1
    assert "logs: SidecarLost: 1 running pod, once recreated, without its sidecars." in ended.stdout
    again = ("diff", "--kruise-from", "1.4", "--kruise-to", "1.9", "set.json", "pods.json", "--fail-on")
    assert run(*again, "SidecarLost").code == 1
    assert run(*again, "none").code == 0


def test_a_daemonset_has_an_unknown_number_of_pods() -> None:
    template = {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "app", "image": "app:1"}]}}
    metadata = {"name": "web", "namespace": "kube-system"}
    spec = {"selector": {"matchLabels": {"app": "web"}}, "template": template}
    daemons = {"apiVersion": "apps/v1", "kind": "DaemonSet", "metadata": metadata, "spec": spec}
    made = {**sidecarset("1").manifest, "apiVersion": "apps.kruise.io/v1alpha1"}
    written({**inputs(), "set": made, "workloads": [daemons]})
    ended = run("diff", "--kruise-from", "1.4", "--kruise-to", "1.9", "set.json", "pods.json")
    assert "SidecarLost: 1 workload (unknown number of pods)" in ended.stdout
    assert "an unknown number of pods injected differently" in ended.stdout


def compared(**members: Any) -> str:
    """What `diff` says without any pod."""
    old, new = sidecarset("1").manifest, sidecarset("2", containers=CHANGED, **members).manifest
    for name, item in {"old.json": old, "new.json": new, "revision.json": stored("logs-9")}.items():
        Path(name).write_text(json.dumps(item))
    ended = run("diff", "old.json", "new.json", "-s", "revision.json")
    return " ".join(f"{ended.stdout} {ended.stderr}".split())


@pytest.mark.parametrize(
    ("members", "instead"),
    [
        ({"injectionStrategy": {"paused": True}}, "a new pod would have no sidecar of it: injectionStrategy.paused"),
        ({"injectionStrategy": {"revision": PIN}}, "a new pod gets logs-9, which spec.injectionStrategy.revision"),
    ],
    ids=["paused", "pinned"],
)
def test_diff_without_pods_asks_too_what_a_new_pod_gets(members: Object, instead: str) -> None:
    text = compared(**members)
    assert f"More than images changes: running pods keep the old version; {instead}" in text
    assert not [word for word in (*WORDS, "stay without it until") if word in text]


def test_diff_without_pods_lets_partial_revisions_be() -> None:
    strategies: Object = {"injectionStrategy": {"revision": {**PIN, "policy": "Partial"}}}
    text = compared(**strategies, updateStrategy={"selector": {"matchLabels": {"a": "b"}}})
    assert "running pods keep the old version until they are recreated" in text


@pytest.mark.parametrize(("was", "now"), [(None, True), (True, True)])
def test_a_paused_sidecarset_is_gained_by_no_pod(was: bool | None, now: bool) -> None:  # noqa: FBT001 - the two answers
    paused: Object = {"injectionStrategy": {"paused": now}}
    old = sidecarset("1", selector={"matchLabels": {"app": "a", "b": "c"}}, injectionStrategy={"paused": bool(was)})
    Path("new.json").write_text(
        json.dumps(sidecarset("1", selector={"matchLabels": {"app": "a"}}, **paused).manifest)
    )
    Path("old.json").write_text(json.dumps(old.manifest if was else {**old.manifest, "metadata": {"name": "other"}}))
    said = json.loads(run("diff", "old.json", "new.json", "-o", "json").stdout)["sidecarSets"]
    assert "SidecarGained" not in next(item for item in said if item["name"] == "logs")["verdicts"]


def beside(*, paused: bool) -> Inputs:
    """A pod of two SidecarSets that logs cannot update in place."""
    other = sidecarset("1", name="mesh", injectionStrategy={"paused": paused}).manifest
    other["spec"]["containers"] = [{"name": "proxy", "image": "proxy:1"}]
    made = pod("p0", annotations={"kruise.io/sidecarset-injected-list": "logs,mesh"})
    return changed(made, more=(other,))


def test_recreating_a_pod_must_not_cost_it_another_sidecar() -> None:
    assert "what to change: recreate the pod" in said(beside(paused=False))["explain"]
    lost = said(beside(paused=True))
    assert "a new pod would have no sidecar of mesh: injectionStrategy.paused is true" in lost["explain"]
    assert not [word for word in WORDS for text in lost.values() if word in text]


def orphan(**members: Any) -> str:
    other = sidecarset("1", name="mesh", **members).manifest
    other["spec"]["containers"] = [{"name": "proxy", "image": "proxy:1"}]
    made = pod("p0", annotations={"kruise.io/sidecarset-injected-list": "logs,mesh"})
    paths = written({**inputs(made), "set": other})
    return " ".join(run("drift", *paths).stdout.split())


def test_orphans_are_recreated_where_nothing_else_is_lost() -> None:
    assert "there is no SidecarSet of this name: recreate the pod to remove its sidecars" in orphan()
    assert "recreate" not in orphan(injectionStrategy={"paused": True})
    assert "this name: Kruise rejects a new pod: no usable revision" in orphan(injectionStrategy={"revision": PIN})


def test_images_of_pods_that_a_new_one_would_not_have() -> None:
    kept = run("images", *written(changed(in_kube_system()))).stderr
    assert "a new pod may not have the wanted images: a new pod would have no sidecar of it: the Helm chart" in kept
    assert "wanted images" not in run("images", *written(changed())).stderr
