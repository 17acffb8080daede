"""Pods that are deleted, recreated or changed by others, before and after their patch.

The kubelet holds the patched pod back until the test has acted, so that the push waits for it.
"""

from collections.abc import Iterator
from itertools import count

import pytest

from sidecarctl.engine.facts.values import Object
from tests.cluster.kubelet import Fault
from tests.cluster.push.pushing import Pushing, begin, held, pushed, repeating, updated, waves
from tests.cluster.shop import Shop, images, is_ready
from tests.engine.rollout.manifests import pod

SETTLES = ("--settle", "30")  # not waited for: what is to happen meanwhile ends the push


def recreate(shop: Shop, name: str) -> str:
    """Delete a pod, and create it once more; the new uid."""
    shop.api.delete(shop.path(name))
    shop.create(pod(name))
    shop.await_pod(name, is_ready)
    uid: str = shop.pod(name)["metadata"]["uid"]
    return uid


def change(shop: Shop, name: str, body: Object) -> None:
    assert shop.api.patch(shop.path(name), body).code == 200


def test_a_pod_that_is_deleted_before_its_patch(shop: Shop) -> None:
    first, second = waves(begin(shop))
    with held(shop) as push:
        push.until("PodPatched")
        shop.api.delete(shop.path(second[0]))
        shop.kubelet.held.clear()
        last = push.end()
    assert (last["result"], last["done"], last["skipped"]) == ("Completed", 3, 1)
    assert push.pods("PodSkipped") == [second[0]]
    assert updated(shop, [*first, second[1]]) == [*first, second[1]]


def test_a_pod_that_is_deleted_after_its_patch(shop: Shop) -> None:
    first, second = waves(begin(shop))
    with held(shop) as push:
        push.until("PodPatched")
        shop.api.delete(shop.path(first[0]))
        shop.kubelet.held.clear()
        last = push.end()
    assert (last["result"], push.pods("PodSkipped")) == ("Completed", [first[0]])
    assert updated(shop, [first[1], *second]) == [first[1], *second]


@pytest.mark.parametrize("wave", [0, 1])
def test_a_pod_that_is_recreated_is_left_alone(shop: Shop, wave: int) -> None:
    name = waves(begin(shop))[wave][0]
    with held(shop) as push:
        push.until("PodPatched")
        uid = recreate(shop, name)
        shop.kubelet.held.clear()
        push.end()
    assert push.pods("PodSkipped") == [name]
    assert shop.pod(name)["metadata"]["uid"] == uid
    assert images(shop.pod(name))["agent"] == "agent:1"


def test_pods_that_are_gone_before_it_begins(shop: Shop) -> None:
    first, second = waves(begin(shop))
    shop.api.delete(shop.path(first[0]))
    uid = recreate(shop, second[0])
    push = pushed(shop)
    assert sorted(push.pods("PodSkipped")) == sorted([first[0], second[0]])
    assert "it was created again, and has agent with agent:1: the plan does not cover it" in push.stderr
    assert shop.pod(second[0])["metadata"]["uid"] == uid


def test_an_image_that_is_changed_in_the_meantime_stops_it(shop: Shop) -> None:
    """Whoever did that would be overruled."""
    first, second = waves(begin(shop))
    with held(shop) as push:
        push.until("PodPatched")
        change(shop, second[0], {"spec": {"containers": [{"name": "agent", "image": "agent:9"}]}})
        shop.kubelet.held.clear()
        push.end(code=1)
    assert push.until("Stopping")["reason"] == "StalePlan"
    assert "the image of agent is agent:9, the plan expects agent:1" in push.until("Stopping")["why"]
    assert images(shop.pod(second[0]))["agent"] == "agent:9"
    assert updated(shop, first) == first


def test_an_image_that_is_changed_after_the_patch_stops_it(shop: Shop) -> None:
    first, second = waves(begin(shop))
    with held(shop) as push:
        name = push.until("PodPatched")["pod"].partition("/")[2]
        change(shop, name, {"spec": {"containers": [{"name": "agent", "image": "agent:9"}]}})
        push.end(code=1)
    assert push.pods("PodFailed") == [name]
    assert updated(shop, [*first, *second]) == []


def test_an_image_of_the_app_is_no_business_of_the_push(shop: Shop) -> None:
    _, second = waves(begin(shop))
    with held(shop) as push:
        push.until("PodPatched")
        change(shop, second[0], {"spec": {"containers": [{"name": "app", "image": "app:2"}]}})
        shop.kubelet.held.clear()
        push.end()
    assert images(shop.pod(second[0])) == {"agent": "agent:2", "app": "app:2"}


def test_labels_and_annotations_that_change_in_the_meantime_are_kept(shop: Shop) -> None:
    first, second = waves(begin(shop))
    with held(shop) as push:
        push.until("PodPatched")
        for name in (*first, *second):
            change(shop, name, {"metadata": {"labels": {"ring": "a"}, "annotations": {"owner": "team-b"}}})
        shop.kubelet.held.clear()
        push.end()
    for name in (*first, *second):
        metadata = shop.pod(name)["metadata"]
        assert (metadata["labels"]["ring"], metadata["annotations"]["owner"]) == ("a", "team-b")
    assert updated(shop, [*first, *second]) == [*first, *second]


def test_an_entry_of_another_set_that_comes_in_the_meantime_is_kept(shop: Shop) -> None:
    """The texts that a patch replaces are made again from the pod, and tested: the first try meets a conflict."""
    _, second = waves(begin(shop))
    key = "kruise.io/sidecarset-inplace-update-state"
    state = '{"mesh":{"revision":"r","updateTimestamp":null,"lastContainerStatuses":{}}}'
    with held(shop) as push:
        push.until("PodPatched")
        change(shop, second[0], {"metadata": {"annotations": {key: state}}})
        shop.kubelet.held.clear()
        push.end()
    assert '"mesh":{"revision":"r"' in shop.pod(second[0])["metadata"]["annotations"][key]


def test_conflicts_all_the_time(shop: Shop) -> None:
    """Somebody else writes to each pod again and again: every resourceVersion is stale at once."""
    first, second = waves(begin(shop))
    names = [*first, *second]

    def writing() -> Iterator[None]:
        for number in count():
            for name in names:
                shop.api.patch(shop.path(name), {"metadata": {"annotations": {"counter": str(number)}}})
            yield

    with repeating(writing()), Pushing(shop) as push:
        push.end()
    assert updated(shop, names) == names


@pytest.mark.parametrize(
    ("fault", "why"),
    [
        (Fault.IMAGE_NEVER_PULLED, "container agent: ImagePullBackOff"),
        (Fault.CRASH_LOOP, "container agent: CrashLoopBackOff"),
        (Fault.RESTART, "container agent has restarted 2 times, once for the update"),
    ],
)
def test_a_pod_that_fails_stops_it(shop: Shop, fault: Fault, why: str) -> None:
    """A crash loop and a restart come after the pod was ready, but before it has settled."""
    first, second = waves(begin(shop))
    shop.kubelet.faults["agent:2"] = fault
    push = pushed(shop, *SETTLES, code=1)
    assert push.until("PodFailed")["why"] == why
    assert push.until("Stopping")["reason"] == "PodsFailed"
    assert len(updated(shop, [*first, *second])) == 1  # the first pod goes alone
    last = push.events[-1]
    assert (last["result"], last["failed"], last["notReached"]) == ("Stopped", 1, 3)
    assert "--resume" in last["howToGoOn"]


def test_a_pod_that_never_becomes_ready(shop: Shop) -> None:
    first, second = waves(begin(shop))
    shop.kubelet.faults["agent:2"] = Fault.NEVER_READY
    push = pushed(shop, "--timeout", "10", code=1)
    assert push.until("Stopping")["reason"] in ("PushTimeout", "PodsFailed")
    assert "after 10 s" in push.until("PodFailed")["why"]
    assert len(updated(shop, [*first, *second])) == 1


def test_failures_that_are_allowed(shop: Shop) -> None:
    """A failed pod never counts as ready: it keeps its place of maxUnavailable."""
    names = [name for wave in waves(begin(shop, 5)) for name in wave]
    shop.kubelet.faults[names[0]] = Fault.IMAGE_NEVER_PULLED
    push = pushed(shop, "--max-failures", "1", "--no-first-pod", code=1)
    assert push.pods("PodFailed") == [names[0]]
    assert sorted(push.pods("PodDone")) == sorted(names[1:])


def test_a_node_that_is_lost_between_waves(shop: Shop) -> None:
    """Its pods count, although no patch is why they are not ready: nothing is sent while too many are down."""
    first, *others = waves(begin(shop, 5))
    second = [name for wave in others for name in wave]
    lost = {"status": {"conditions": [{"type": "Ready", "status": "False"}]}}
    back = {"status": {"conditions": [{"type": "Ready", "status": "True"}]}}
    with held(shop, first[1]) as push:
        push.until("PodPatched", 2)
        for name in second:
            assert shop.api.patch(f"{shop.path(name)}/status", lost).code == 200
        shop.kubelet.held.clear()
        why = push.until("Waiting")["why"]
        assert updated(shop, second) == []
        for name in second:
            assert shop.api.patch(f"{shop.path(name)}/status", back).code == 200
        push.end()
    assert why.startswith("3 of at most 2 pods unavailable: ")
    assert updated(shop, [*first, *second]) == [*first, *second]
