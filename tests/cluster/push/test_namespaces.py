"""The budget over all namespaces, and refusals if they cannot be read."""

from collections.abc import Iterator

import pytest

from sidecarctl.engine.facts.values import Object
from tests.cluster.kubelet import Kubelet
from tests.cluster.push.pushing import Pushing, begin, pushed, updated
from tests.cluster.shop import KINDS, Shop, is_ready
from tests.engine.rollout.manifests import pod

LOST = {"status": {"conditions": [{"type": "Ready", "status": "False"}]}}
BACK = {"status": {"conditions": [{"type": "Ready", "status": "True"}]}}


@pytest.fixture
def other(shop: Shop) -> Iterator[Shop]:
    """A second namespace with pods of the same SidecarSet."""
    name = f"{shop.namespace}-d"
    shop.api.create("/api/v1/namespaces", {"metadata": {"name": name}})
    with Kubelet(shop.api, name) as kubelet:
        yield Shop(shop.api, name, kubelet, shop.kubeconfig, shop.folder)
    shop.api.delete(f"/api/v1/namespaces/{name}/pods")


def set_ready(shop: Shop, names: list[str], status: Object) -> None:
    for name in names:
        assert shop.api.patch(f"{shop.path(name)}/status", status).code == 200


def test_unready_pods_of_a_namespace_that_the_plan_does_not_name(shop: Shop, other: Shop) -> None:
    other.run_pods([pod("d0"), pod("d1")])
    begin(shop, 0)
    pushed(shop)
    assert updated(other, ["d0", "d1"]) == ["d0", "d1"]
    (shop.folder / "plan.json.journal").unlink()
    shop.run_pods([pod("c0"), pod("c1")])
    assert {item["namespace"] for item in patched(shop.plan("--no-paused"))} == {shop.namespace}
    set_ready(other, ["d0", "d1"], LOST)
    with Pushing(shop) as push:
        why = push.until("Waiting")["why"]
        assert updated(shop, ["c0", "c1"]) == []
        set_ready(other, ["d0", "d1"], BACK)
        push.end()
    assert why.startswith("2 of at most 2 pods unavailable: ")
    assert updated(shop, ["c0", "c1"]) == ["c0", "c1"]


def test_each_kind_is_read_at_one_resource_version(shop: Shop, other: Shop) -> None:
    """That of pods is one for both namespaces, and their state at it is what the plan has."""
    names = {"key": "kubernetes.io/metadata.name", "operator": "In", "values": [shop.namespace, other.namespace]}
    other.run_pods([pod("d0")])
    plan = begin(shop, 2, namespaceSelector={"matchExpressions": [names]})
    versions = plan["cluster"]["resourceVersions"]
    assert versions.keys() == {*KINDS}
    newest = max(int(made.pod(name)["metadata"]["resourceVersion"]) for made, name in ((shop, "p00"), (other, "d0")))
    assert newest <= int(versions["pods"])
    push = pushed(shop)
    read = push.events[0]["resourceVersions"]
    assert read.keys() == {"sidecarsets", "mutatingwebhookconfigurations", "pods"}
    assert all(version.isdigit() for version in read.values())
    assert updated(shop, ["p00", "p01"]) == ["p00", "p01"]
    assert updated(other, ["d0"]) == ["d0"]


def patched(plan: Object) -> list[Object]:
    return [item for wave in plan["sidecarSets"][0]["waves"] for item in wave["pods"]]


def test_a_plan_of_one_namespace_is_refused(shop: Shop, other: Shop) -> None:
    other.run_pods([pod("d0")])
    begin(shop, 2)
    shop.plan("--no-paused", "-n", shop.namespace)
    push = pushed(shop, code=3)
    assert "made from a partial view" in push.stderr
    assert "--accept-partial-view" in push.stderr
    assert updated(shop, ["p00", "p01"]) == []
    pushed(shop, "--accept-partial-view")
    assert updated(shop, ["p00", "p01"]) == ["p00", "p01"]
    assert is_ready(other.pod("d0"))
