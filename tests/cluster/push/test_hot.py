"""A hot plan from end to end: upgrade, wait, reset; and its way back."""

import json
from collections.abc import Iterator

import pytest

from sidecarctl.engine.facts.values import Object
from tests.cli.running import run
from tests.cluster.api import Api
from tests.cluster.kubelet import Fault
from tests.cluster.push.pushing import Pushing, begin, pushed, set_path, waves
from tests.cluster.shop import Shop, images, is_settled
from tests.engine.rollout.manifests import EMPTY, sidecarset

SYSTEM = "/api/v1/namespaces/kruise-system"
DEPLOYMENTS = "/apis/apps/v1/namespaces/kruise-system/deployments"
BEFORE = {"agent-1": "agent:1", "agent-2": EMPTY, "app": "app:1"}
AFTER = {"agent-1": EMPTY, "agent-2": "agent:2", "app": "app:1"}
VERSION = "version.sidecarset.kruise.io/"


@pytest.fixture(autouse=True)
def kruise(api: Api) -> Iterator[None]:
    """A Deployment by which the version of Kruise is known; nothing runs."""
    if api.ask("GET", SYSTEM).code == 404:
        api.create("/api/v1/namespaces", {"metadata": {"name": "kruise-system"}})
    labels = {"app": "kruise"}
    container = {"name": "manager", "image": "openkruise/kruise-manager:v1.9.0"}
    api.create(
        DEPLOYMENTS,
        {
            "metadata": {"name": "kruise-controller-manager"},
            "spec": {
                "selector": {"matchLabels": labels},
                "template": {"metadata": {"labels": labels}, "spec": {"containers": [container]}},
            },
        },
    )
    yield
    api.delete(f"{DEPLOYMENTS}/kruise-controller-manager")


def names_of(plan: Object) -> list[str]:
    return sorted({name for wave in waves(plan) for name in wave})


def rollback(shop: Shop, of: str = "plan.json") -> Object:
    """The plan back, as back.json."""
    words = ("rollback", shop.folder / of, "--live", "-o", f"json={shop.folder}/back.json")
    ended = run(*words, env={"KUBECONFIG": str(shop.kubeconfig)})
    assert ended.code == 0, ended.stderr
    assert "unpausing it rolls the pods forward again" in ended.stderr
    document: Object = json.loads((shop.folder / "back.json").read_text())
    return document


def version_of(shop: Shop, name: str, half: str) -> int:
    return int(shop.pod(name)["metadata"]["annotations"][VERSION + half])


def test_there_and_back(shop: Shop) -> None:
    names = names_of(begin(shop, 3, hot=True))
    last = pushed(shop).events[-1]
    assert last["result"] == "Completed"
    assert [images(shop.pod(name)) for name in names] == [AFTER] * 3
    versions = [version_of(shop, name, "agent-2") for name in names]
    assert names_of(rollback(shop)) == names
    assert pushed(shop, plan="back").events[-1]["result"] == "Completed"
    assert [images(shop.pod(name)) for name in names] == [BEFORE] * 3
    assert all(version_of(shop, name, "agent-1") > before for name, before in zip(names, versions, strict=True))


def test_never_more_than_one_half_changes_at_once(shop: Shop) -> None:
    """One running agent is there at every moment, there and back."""
    names = names_of(begin(shop, 2, hot=True))
    watch = shop.api.watch(f"/api/v1/namespaces/{shop.namespace}/pods")
    pushed(shop)
    rollback(shop)
    pushed(shop, plan="back")
    watch.close()
    seen = [images(event["object"]) for event in watch]
    assert len(seen) > len(names)
    assert all({held["agent-1"], held["agent-2"]} != {EMPTY} for held in seen)


def test_one_that_is_stopped_half_way_continues(shop: Shop) -> None:
    """Between the upgrade and the reset of its first pod."""
    names = names_of(begin(shop, 3, hot=True))
    pushed(shop, "--waves", "1")
    assert any(images(shop.pod(name))["agent-1"] == "agent:1" for name in names)
    last = pushed(shop, "--resume").events[-1]
    assert last["result"] == "Completed"
    assert [images(shop.pod(name)) for name in names] == [AFTER] * 3


def test_a_new_half_that_never_runs_is_emptied_on_the_way_back(shop: Shop) -> None:
    names = names_of(begin(shop, 3, hot=True))
    shop.kubelet.faults["agent:2"] = Fault.CRASH_LOOP
    pushed(shop, "--settle", "30", code=1)  # it crashes before
    changed = [name for name in names if images(shop.pod(name)) != BEFORE]
    assert len(changed) == 1
    assert names_of(rollback(shop)) == changed
    pushed(shop, plan="back")
    assert [images(shop.pod(name)) for name in names] == [BEFORE] * 3


def test_a_plan_of_an_older_kruise_is_refused(shop: Shop) -> None:
    """It resets hot pairs at the same time as the push."""
    names = names_of(begin(shop, 2, hot=True))
    body = {"spec": {"template": {"spec": {"containers": [{"name": "manager", "image": "kruise-manager:v1.8.0"}]}}}}
    assert shop.api.patch(f"{DEPLOYMENTS}/kruise-controller-manager", body).code == 200
    push = pushed(shop, code=3)
    assert "resets hot pairs even while paused" in push.stderr
    assert [images(shop.pod(name)) for name in names] == [BEFORE] * 2


def test_a_cold_one_there_and_back(shop: Shop) -> None:
    """The SidecarSet in the cluster may be the new one, or the earlier one already."""
    names = names_of(begin(shop))
    pushed(shop)
    assert names_of(rollback(shop)) == names
    pushed(shop, "--waves", "1", plan="back")
    shop.hold(sidecarset("1", updateStrategy={"paused": True}).manifest)
    pushed(shop, "--resume", plan="back")
    assert {images(shop.pod(name))["agent"] for name in names} == {"agent:1"}
    assert shop.api.get(set_path())["spec"]["containers"][0]["image"] == "agent:1"


def test_back_from_a_push_that_was_stopped(shop: Shop) -> None:
    """Only what was patched has a way back."""
    names = names_of(begin(shop, 6))
    with Pushing(shop, "--waves", "1") as push:
        push.end()
    patched = sorted(push.pods("PodPatched"))
    assert names_of(rollback(shop)) == patched
    by_hand = next(name for name in names if name not in patched)
    adopted = {"spec": {"containers": [{"name": "agent", "image": "agent:2"}]}}
    adopted["metadata"] = {"annotations": shop.pod(patched[0])["metadata"]["annotations"]}
    assert shop.api.patch(shop.path(by_hand), adopted).code == 200
    shop.await_pod(by_hand, is_settled)
    assert names_of(rollback(shop)) == sorted([*patched, by_hand])
    assert names_of(rollback(shop, "plan.json.journal")) == patched
    pushed(shop, plan="back")
    assert [name for name in names if images(shop.pod(name))["agent"] == "agent:2"] == [by_hand]
