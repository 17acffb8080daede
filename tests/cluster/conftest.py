"""One server for the session; a new namespace for each test, because a deleted one stays Terminating forever."""

import os
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest
import yaml

from sidecarctl.engine.facts.values import Object
from tests.cluster.api import Api, until
from tests.cluster.control_plane import ControlPlane, running_control_plane
from tests.cluster.kubelet import Kubelet
from tests.cluster.shop import SETS, Shop

_NUMBERS = count(1)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what needs the server, so that `make test` goes without."""
    for item in items:
        if "control_plane" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.cluster)


@pytest.fixture(scope="session")
def control_plane(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ControlPlane]:
    with running_control_plane(tmp_path_factory.mktemp("control-plane")) as started:
        with started.api() as api:
            define_sidecarsets(api)
        yield started


@pytest.fixture
def api(control_plane: ControlPlane) -> Iterator[Api]:
    with control_plane.api() as api:
        yield api


@pytest.fixture
def namespace(api: Api) -> Iterator[str]:
    name = f"shop-{next(_NUMBERS)}"
    api.create("/api/v1/namespaces", {"metadata": {"name": name, "labels": {"team": name}}})
    yield name
    api.delete(f"/api/v1/namespaces/{name}/pods")  # no test finds pods of another one
    for item in api.get(SETS)["items"]:
        api.delete(f"{SETS}/{item['metadata']['name']}")


@pytest.fixture
def kubelet(api: Api, namespace: str) -> Iterator[Kubelet]:
    with Kubelet(api, namespace) as running:
        yield running


@pytest.fixture
def kubeconfig(control_plane: ControlPlane, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = control_plane.kubeconfig(tmp_path / "kubeconfig")
    monkeypatch.setenv("KUBECONFIG", str(path))
    monkeypatch.setenv("HOME", os.fspath(tmp_path))  # kubectl keeps what it learns of a server there
    return path


@pytest.fixture
def shop(api: Api, namespace: str, kubelet: Kubelet, kubeconfig: Path, tmp_path: Path) -> Shop:
    return Shop(api, namespace, kubelet, kubeconfig, tmp_path)


def define_sidecarsets(api: Api) -> None:
    """Let the server have SidecarSets."""
    definition: Object = yaml.safe_load((Path(__file__).parent / "sidecarsets-crd.yaml").read_text())
    api.create("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition)
    until(lambda: api.ask("GET", SETS).code == 200)
