"""Admission webhooks that refuse patches, or change them."""

from collections.abc import Callable

import pytest

from sidecarctl.engine.facts.values import Object
from tests.cluster.control_plane import ControlPlane
from tests.cluster.push.pushing import Pushing, begin, pushed, updated, waves
from tests.cluster.shop import Shop, images
from tests.cluster.webhook import Webhook, busy, changed, refused

NO_ROOM = 'podunavailablebudget.policy.kruise.io "shop" is forbidden: pub unavailable allowed is negative'
"""As Kruise's own webhook says it."""


@pytest.fixture
def guard(shop: Shop, control_plane: ControlPlane) -> Callable[..., Webhook]:
    def made(answer: Callable[[Object], Object | None], *, mutates: bool = False) -> Webhook:
        return Webhook(shop.api, shop.namespace, control_plane.folder / "pki", answer, mutates=mutates)

    return made


def is_update(request: Object) -> bool:
    """Whether it brings a pod to version 2."""
    new, old = images(request["object"]), images(request["oldObject"])
    return bool(new["agent"] == "agent:2" != old["agent"])


def names_of(plan: Object) -> list[str]:
    return [name for wave in waves(plan) for name in wave]


def test_one_that_refuses_is_met_in_the_dry_run(shop: Shop, guard: Callable[..., Webhook]) -> None:
    names = names_of(begin(shop))
    with guard(lambda request: refused("not on a Friday") if is_update(request) else None):
        push = pushed(shop, code=3)
    assert 'admission webhook "guard.example.com" denied the request: not on a Friday' in push.stderr
    assert updated(shop, names) == []


def test_one_that_refuses_only_in_earnest(shop: Shop, guard: Callable[..., Webhook]) -> None:
    names = names_of(begin(shop))
    with guard(lambda request: refused("too late") if is_update(request) and not request.get("dryRun") else None):
        push = pushed(shop, code=1)
    assert push.until("Stopping")["reason"] == "PatchRefused"
    assert "too late" in push.until("PodRefused")["why"]
    assert updated(shop, names) == []


def test_one_that_refuses_a_pod_can_be_passed_over(shop: Shop, guard: Callable[..., Webhook]) -> None:
    first, *names = names_of(begin(shop))

    def policy(request: Object) -> Object | None:
        return refused("not this one") if is_update(request) and request["name"] == first else None

    with guard(policy):
        assert "--max-failures passes over pods whose patch is refused" in pushed(shop, code=3).stderr
        last = pushed(shop, "--max-failures", "1", code=1).events[-1]
    assert (last["result"], last["patched"], last["failed"], last["notReached"]) == ("Incomplete", 3, 0, 1)
    assert updated(shop, [first, *names]) == names


def test_one_that_changes_the_patch(shop: Shop, guard: Callable[..., Webhook]) -> None:
    """The pod would never run what was planned: the push does not wait for it."""
    names = names_of(begin(shop))
    mirror = {"op": "replace", "path": "/spec/containers/0/image", "value": "mirror/agent:2"}

    def mirrored(request: Object) -> Object | None:
        return changed(mirror) if is_update(request) and not request.get("dryRun") else None

    with guard(mirrored, mutates=True):
        push = pushed(shop, code=1)
    assert push.until("Stopping")["reason"] == "ChangedByAdmission"
    assert "the image of agent became mirror/agent:2 instead of agent:2" in push.until("Stopping")["why"]
    assert len([name for name in names if images(shop.pod(name))["agent"] != "agent:1"]) == 1


def test_one_that_changes_the_patch_is_met_in_the_dry_run(shop: Shop, guard: Callable[..., Webhook]) -> None:
    names = names_of(begin(shop))
    mirror = {"op": "replace", "path": "/spec/containers/0/image", "value": "mirror/agent:2"}
    with guard(lambda request: changed(mirror) if is_update(request) else None, mutates=True):
        assert "the image of agent became mirror/agent:2" in pushed(shop, code=3).stderr
    assert updated(shop, names) == []


def test_what_it_adds_elsewhere_does_not_matter(shop: Shop, guard: Callable[..., Webhook]) -> None:
    names = names_of(begin(shop))
    label = {"op": "add", "path": "/metadata/labels/seen", "value": "yes"}
    with guard(lambda request: changed(label) if is_update(request) else None, mutates=True):
        pushed(shop)
    assert updated(shop, names) == names


def test_a_pod_unavailable_budget_is_awaited(shop: Shop, guard: Callable[..., Webhook]) -> None:
    """Kruise's webhook guards in-place updates of sidecars: its refusal means "not now"."""
    names = names_of(begin(shop))
    left = [3]

    def budget(request: Object) -> Object | None:
        if not is_update(request) or request.get("dryRun") or not left[0]:
            return None
        left[0] -= 1
        return refused(NO_ROOM)

    with guard(budget), Pushing(shop) as push:
        push.end()
    assert left == [0]
    assert push.until("Waiting")["why"].endswith("PodUnavailableBudget shop holds it back: it has no room")
    assert updated(shop, names) == names


def test_a_busy_server_is_awaited_and_asked_less(shop: Shop, guard: Callable[..., Webhook]) -> None:
    """It says for how long, in `Retry-After`."""
    names = names_of(begin(shop))
    codes = [503, 429]

    def answer(request: Object) -> Object | None:
        is_meant = is_update(request) and not request.get("dryRun")
        return busy(codes.pop(), 2) if is_meant and codes else None

    with guard(answer), Pushing(shop, "--max-parallel", "4") as push:
        push.until("Waiting")
        assert push.until("ParallelismChanged")["requests"] == 2
        push.end()
    assert codes == []
    assert max(event["seconds"] for event in push.events if event["event"] == "WaveDone") >= 2
    assert updated(shop, names) == names


def test_each_pod_is_patched_once_and_one_of_a_form_is_tried_before(
    shop: Shop, guard: Callable[..., Webhook]
) -> None:
    first, second = waves(begin(shop))
    with guard(lambda _: None) as webhook:
        pushed(shop)
    seen = sorted((item["name"], bool(item.get("dryRun"))) for item in webhook.asked)
    assert seen == sorted([(first[0], True), *((name, False) for name in (*first, *second))])
    assert {item["userInfo"]["username"] for item in webhook.asked} == {"admin"}
