"""The SidecarSet in the cluster: a push continues only while Kruise would leave its pods alone."""

import json

import pytest

from sidecarctl.engine.facts.values import Object
from tests.cluster.push.pushing import Pushing, begin, held, pushed, set_path, updated, waves
from tests.cluster.shop import Shop, images
from tests.engine.rollout.manifests import sidecarset


def change(shop: Shop, body: Object) -> None:
    answer = shop.api.patch(set_path(), body, "merge")
    assert answer.code == 200, answer


def names_of(plan: Object) -> list[str]:
    return [name for wave in waves(plan) for name in wave]


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ({"spec": {"updateStrategy": {"paused": False}}}, "neither paused nor of type NotUpdate"),
        ({"spec": {"containers": [{"name": "agent", "image": "agent:7"}]}}, "its hash is "),
        (None, "it was deleted"),
    ],
    ids=["unpaused", "changed", "deleted"],
)
def test_what_happens_to_it_in_a_wave_stops_the_push(shop: Shop, body: Object | None, why: str) -> None:
    names = names_of(begin(shop, 6))
    with held(shop, names[1]) as push:
        push.until("PodPatched", 2)
        if body is None:
            shop.api.delete(set_path())
        else:
            change(shop, body)
        push.end(code=1)
    stopping = push.until("Stopping")
    assert stopping["reason"] == "SidecarSetChanged"
    assert why in stopping["why"]
    assert len(updated(shop, names)) == 2


def test_what_does_not_matter_continues(shop: Shop) -> None:
    names = names_of(begin(shop))
    with held(shop) as push:
        push.until("PodPatched")
        change(shop, {"metadata": {"labels": {"team": "a"}}, "spec": {"updateStrategy": {"maxUnavailable": 3}}})
        shop.kubelet.held.clear()
        push.end()
    assert updated(shop, names) == names


@pytest.mark.parametrize(
    ("strategy", "tag", "why"),
    [({}, "2", "neither paused nor of type NotUpdate"), ({"paused": True}, "1", "its hash is ")],
    ids=["not paused", "another hash"],
)
def test_one_that_kruise_rolls_out_is_refused(shop: Shop, strategy: Object, tag: str, why: str) -> None:
    names = names_of(begin(shop))
    shop.hold(sidecarset(tag, updateStrategy=strategy).manifest)
    assert why in pushed(shop, code=3).stderr
    assert updated(shop, names) == []
    pushed(shop, "--force", "controller")
    assert updated(shop, names) == names


def test_not_update_acts_like_paused(shop: Shop) -> None:
    names = names_of(begin(shop))
    shop.hold(sidecarset("2", updateStrategy={"type": "NotUpdate"}).manifest)
    pushed(shop)
    assert updated(shop, names) == names


def test_none_in_the_cluster_is_noted(shop: Shop) -> None:
    names = names_of(begin(shop))
    shop.api.delete(set_path())
    assert "it is not in the cluster: nothing but this push updates the pods" in pushed(shop).stderr
    assert updated(shop, names) == names


def test_another_cluster(shop: Shop) -> None:
    begin(shop)
    plan = json.loads((shop.folder / "plan.json").read_text())
    system = shop.api.get("/api/v1/namespaces/kube-system")["metadata"]["uid"]
    assert plan["cluster"]["uid"] == system


def test_a_context_that_does_not_exist(shop: Shop) -> None:
    names = names_of(begin(shop))
    push = pushed(shop, "--context", "elsewhere; touch /tmp/pwned $(id)", code=2)
    assert 'context "elsewhere; touch /tmp/pwned $(id)" does not exist' in push.stderr
    assert updated(shop, names) == []


def test_a_plan_that_was_edited(shop: Shop) -> None:
    names = names_of(begin(shop))
    plan = shop.folder / "plan.json"
    plan.write_text(plan.read_text().replace('"agent:2"', '"agent:3"'))
    assert "its digest does not fit" in pushed(shop, code=3).stderr
    assert updated(shop, names) == []


def test_pods_that_are_not_as_planned_are_refused(shop: Shop) -> None:
    names = names_of(begin(shop))
    body = {"spec": {"containers": [{"name": "agent", "image": "agent:5"}]}}
    assert shop.api.patch(shop.path(names[-1]), body).code == 200
    push = pushed(shop, code=3)
    assert f"{names[-1]}: the image of agent is agent:5, the plan expects agent:1" in push.stderr
    assert updated(shop, names) == []


def test_hostile_names(shop: Shop) -> None:
    """Files and programs are named without a shell."""
    names = names_of(begin(shop))
    hostile = shop.folder / "a b; touch pwned; $(touch pwned) `touch pwned` 'x"
    hostile.mkdir()
    (hostile / "plan.json").write_text((shop.folder / "plan.json").read_text())
    (hostile / "kubeconfig").write_text(shop.kubeconfig.read_text())
    relative = str((hostile / "plan").relative_to(shop.folder))
    temporary = hostile / "t m p"
    temporary.mkdir()
    options = ("--kubeconfig", str(hostile / "kubeconfig"), "--context", "test")
    with Pushing(shop, *options, plan=relative, env={"TMPDIR": str(temporary)}) as push:
        push.end()
    assert updated(shop, names) == names
    assert not list(shop.folder.rglob("pwned"))
    assert images(shop.pod(names[0]))["app"] == "app:1"
