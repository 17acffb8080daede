"""Two clusters with pods of the same names: a plan is pushed only to the one that it was made for."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cluster.conftest import define_sidecarsets
from tests.cluster.control_plane import ControlPlane
from tests.cluster.kubelet import Kubelet
from tests.cluster.push.pushing import begin, pushed, updated, waves
from tests.cluster.shop import Shop


@pytest.fixture
def twin(shop: Shop, tmp_path: Path) -> Iterator[Shop]:
    """Another cluster, whose namespace has the name of the shop's."""
    folder = tmp_path / "twin"
    folder.mkdir()
    other = ControlPlane(folder)
    try:
        other.start()
        with other.api() as api:
            define_sidecarsets(api)
            api.create("/api/v1/namespaces", {"metadata": {"name": shop.namespace}})
            with Kubelet(api, shop.namespace) as kubelet:
                yield Shop(api, shop.namespace, kubelet, other.kubeconfig(folder / "kubeconfig"), folder)
    finally:
        other.stop()


def test_a_plan_of_another_cluster_is_refused(shop: Shop, twin: Shop) -> None:
    names = [name for wave in waves(begin(shop)) for name in wave]
    begin(twin)
    for options in ((), ("--force", "controller"), ("--adopt",), ("--replan",), ("--context", "test")):
        push = pushed(shop, *options, code=3, env={"KUBECONFIG": str(twin.kubeconfig)})
        assert "the plan is for the cluster " in push.stderr
        assert "[OtherCluster]" in push.stderr
    assert updated(twin, names) == []
    pushed(shop)
    assert updated(shop, names) == names
    assert updated(twin, names) == []
