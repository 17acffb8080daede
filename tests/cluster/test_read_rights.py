"""The roles for `--live`, on the page and printed, are enough on a real server, and let nothing be changed."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from sidecarctl.engine.facts.values import Object
from tests.cli.running import run
from tests.cluster.api import Api
from tests.cluster.control_plane import ControlPlane
from tests.cluster.shop import Shop
from tests.engine.kubectl.test_rights import printed, roles
from tests.engine.rollout.manifests import pod, sidecarset

RBAC = "/apis/rbac.authorization.k8s.io/v1"
OF_USERS = "rbac.authorization.k8s.io"


@pytest.fixture
def reader(shop: Shop, api: Api, control_plane: ControlPlane) -> Iterator[Path]:
    """The kubeconfig of a user with the roles of the page and no others."""
    with granted(roles(), shop, api, control_plane) as kubeconfig:
        yield kubeconfig


@contextmanager
def granted(given: Iterable[Object], shop: Shop, api: Api, control_plane: ControlPlane) -> Iterator[Path]:
    """The kubeconfig of a user with these roles and no others."""
    user = shop.namespace  # another one for each test: what is taken away counts for a moment
    api.ask("POST", "/api/v1/namespaces", {"metadata": {"name": "kruise-system"}})  # unless another test has
    made: list[Object] = [{**role, "metadata": {**role["metadata"], "name": user}} for role in given]
    try:
        for role in made:
            _grant(api, role, user)
        control_plane.kubeconfig(shop.folder / "reader", user=user)
        yield shop.folder / "reader"
    finally:
        for role in made:
            for what in ("bindings", "s"):
                api.delete(f"{_where(role)}/{role['kind'].lower()}{what}/{user}")


def _where(role: Object) -> str:
    namespace = role["metadata"].get("namespace", "")
    return f"{RBAC}/namespaces/{namespace}" if namespace else RBAC


def _grant(api: Api, role: Object, user: str) -> None:
    kind, name = role["kind"], role["metadata"]["name"]
    binding: Object = {
        "metadata": {"name": name},
        "roleRef": {"apiGroup": OF_USERS, "kind": kind, "name": name},
        "subjects": [{"kind": "User", "name": user, "apiGroup": OF_USERS}],
    }
    api.create(f"{_where(role)}/{kind.lower()}s", role)
    api.create(f"{_where(role)}/{kind.lower()}bindings", binding)
    of_objects = [rule for rule in role["rules"] if "resources" in rule]
    api.await_rights(user, {"metadata": {"namespace": role["metadata"].get("namespace", "")}, "rules": of_objects})


@pytest.mark.parametrize(
    "command", ["status", "plan", "plan --recreate", "drift", "images", "cost", "explain", "validate"]
)
def test_the_roles_of_the_page_are_enough(command: str, shop: Shop, reader: Path) -> None:
    shop.hold(sidecarset("1").manifest)
    shop.run_pods([pod("p0")])
    about = (f"{shop.namespace}/p0",) if command == "explain" else ()
    ended = run(*command.split(), "--live", *about, "--kruise", "1.9", env={"KUBECONFIG": str(reader)})
    assert ended.code in (0, 1), ended.stderr
    assert "forbidden" not in ended.stderr
    assert "cannot be read" not in ended.stderr


@pytest.mark.parametrize("option", ["", "--recreate", "-n"])
def test_the_printed_roles_are_enough_for_a_plan(
    option: str, shop: Shop, api: Api, control_plane: ControlPlane
) -> None:
    shop.hold(sidecarset("1").manifest)
    shop.run_pods([pod("p0")])
    options = ["-n", shop.namespace] if option == "-n" else [option] if option else []
    with granted(printed(*options), shop, api, control_plane) as kubeconfig:
        ended = run("plan", "--live", *options, "--kruise", "1.9", env={"KUBECONFIG": str(kubeconfig)})
    assert ended.code in (0, 1), ended.stderr
    assert "forbidden" not in ended.stderr
    assert "cannot be read" not in ended.stderr
