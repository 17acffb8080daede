"""The rights of a push: those that it needs are enough, and without one of them nothing is patched."""

from collections.abc import Iterable, Iterator

import pytest

from sidecarctl.engine.facts.values import Object
from tests.cluster.api import Api
from tests.cluster.control_plane import ControlPlane
from tests.cluster.push.pushing import begin, pushed, updated, waves
from tests.cluster.shop import Shop

RBAC = "/apis/rbac.authorization.k8s.io/v1"
ACROSS = [("sidecarsets", verb) for verb in ("list", "watch")]
ACROSS += [("pods", verb) for verb in ("list", "watch")]
INSIDE = [("pods", verb) for verb in ("get", "patch")]
SYSTEM = ("namespaces", "get")


def may(shop: Shop, control_plane: ControlPlane, rights: Iterable[tuple[str, str]]) -> None:
    """Let the user of the kubeconfig do this, and nothing else."""
    rights = list(rights)
    of_cluster = [_rule(*right) for right in rights if right in ACROSS or right == SYSTEM]
    of_namespace = [_rule(*right) for right in rights if right in INSIDE]
    name = shop.namespace
    user = f"pusher-{name}"  # another one for each test: what is taken away counts for a moment
    subjects = [{"kind": "User", "name": user, "apiGroup": "rbac.authorization.k8s.io"}]
    space = f"{RBAC}/namespaces/{name}"
    for where, kind, rules in (
        (RBAC, "ClusterRole", of_cluster),
        (space, "Role", of_namespace),
    ):
        shop.api.create(f"{where}/{kind.lower()}s", {"metadata": {"name": name}, "rules": rules})
        shop.api.create(
            f"{where}/{kind.lower()}bindings",
            {
                "metadata": {"name": name},
                "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": kind, "name": name},
                "subjects": subjects,
            },
        )
        shop.api.await_rights(user, {"metadata": {"namespace": name if kind == "Role" else ""}, "rules": rules})
    control_plane.kubeconfig(shop.kubeconfig, user=user)


@pytest.fixture(autouse=True)
def forgotten(api: Api, namespace: str) -> Iterator[None]:
    """Take the rights away after each test."""
    yield
    for what in ("clusterrolebindings", "clusterroles"):
        api.delete(f"{RBAC}/{what}/{namespace}")


def _rule(resource: str, verb: str) -> Object:
    group = "apps.kruise.io" if resource == "sidecarsets" else ""
    names = {"resourceNames": ["kube-system"]} if resource == "namespaces" else {}
    return {"apiGroups": [group], "resources": [resource], "verbs": [verb], **names}


def test_these_rights_are_enough(shop: Shop, control_plane: ControlPlane) -> None:
    names = [name for wave in waves(begin(shop)) for name in wave]
    may(shop, control_plane, [*ACROSS, *INSIDE, SYSTEM])
    pushed(shop)
    assert updated(shop, names) == names


@pytest.mark.parametrize(
    ("resource", "verb", "code"),
    [
        ("sidecarsets", "list", 3),
        ("sidecarsets", "watch", 3),
        ("pods", "list", 3),
        ("pods", "watch", 3),
        ("pods", "patch", 3),
        ("namespaces", "get", 3),
    ],
)
def test_a_right_that_is_missing(
    shop: Shop, control_plane: ControlPlane, resource: str, verb: str, code: int
) -> None:
    """Known before the first patch, and named."""
    names = [name for wave in waves(begin(shop)) for name in wave]
    may(shop, control_plane, [item for item in [*ACROSS, *INSIDE, SYSTEM] if item != (resource, verb)])
    push = pushed(shop, code=code)
    assert f'cannot {verb} resource "{resource}"' in push.stderr
    assert updated(shop, names) == []


def test_pods_that_may_not_be_read_one_by_one(shop: Shop, control_plane: ControlPlane) -> None:
    """Only needed where a patch was not answered clearly: nothing else asks for one pod."""
    names = [name for wave in waves(begin(shop)) for name in wave]
    may(shop, control_plane, [item for item in [*ACROSS, *INSIDE, SYSTEM] if item != ("pods", "get")])
    pushed(shop)
    assert updated(shop, names) == names
