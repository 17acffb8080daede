"""`--live` against a real server: whole, large, forbidden, unknown, down and frozen."""

import json
import os
import resource
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from sidecarctl.engine.facts.values import Object
from tests.cli.running import Ended, run
from tests.cluster.api import Api
from tests.cluster.control_plane import ControlPlane
from tests.cluster.kubelet import image_id
from tests.cluster.shop import KINDS, SETS, Shop
from tests.engine.kubectl.stand_in import manager
from tests.engine.rollout.manifests import pod, sidecarset

RIGHTS: dict[str, tuple[str, str, str]] = {
    "sidecarsets": ("apps.kruise.io", "sidecarsets", "list"),
    "pods": ("", "pods", "list"),
    "namespaces": ("", "namespaces", "list"),
    "revisions": ("apps", "controllerrevisions", "list"),
    "cluster": ("", "namespaces", "get"),
    "kruise": ("apps", "deployments", "get"),
}
DEPLOYMENTS = "/apis/apps/v1/namespaces/kruise-system/deployments"


@pytest.fixture
def world(shop: Shop) -> Shop:
    shop.hold(sidecarset("2").manifest)
    shop.run_pods([pod("p0"), pod("p1")])
    return shop


@pytest.fixture
def kruise(api: Api) -> Iterator[None]:
    """Kruise's own Deployment, as far as anybody looks at it."""
    api.ask("POST", "/api/v1/namespaces", {"metadata": {"name": "kruise-system"}})
    template = manager("openkruise/kruise-manager:v1.9.0")["spec"]["template"]
    labels = {"control-plane": "controller-manager"}
    spec = {"selector": {"matchLabels": labels}, "template": {"metadata": {"labels": labels}, **template}}
    api.create(DEPLOYMENTS, {"metadata": {"name": "kruise-controller-manager"}, "spec": spec})
    yield
    api.delete(f"{DEPLOYMENTS}/kruise-controller-manager")


def allow(api: Api, user: str, *rights: str) -> None:
    """Bind the rights to a user; nothing else is allowed."""
    rules = [
        {"apiGroups": [group], "resources": [resource], "verbs": [verb]}
        for group, resource, verb in (RIGHTS[right] for right in rights)
    ]
    group = "rbac.authorization.k8s.io"
    api.create(f"/apis/{group}/v1/clusterroles", {"metadata": {"name": user}, "rules": rules})
    binding = {
        "metadata": {"name": user},
        "roleRef": {"apiGroup": group, "kind": "ClusterRole", "name": user},
        "subjects": [{"apiGroup": group, "kind": "User", "name": user}],
    }
    api.create(f"/apis/{group}/v1/clusterrolebindings", binding)
    api.await_rights(user, {"metadata": {}, "rules": rules})


def live(command: str, kubeconfig: Path, *options: str) -> Ended:
    return run(command, "--live", *options, env={"KUBECONFIG": str(kubeconfig)})


def refused(ended: Ended, *words: str) -> None:
    assert (ended.code, ended.stdout) == (2, "")
    for word in words:
        assert word in ended.stderr


@pytest.mark.usefixtures("kruise")
def test_everything_that_counts_is_read(world: Shop) -> None:
    ended = live("plan", world.kubeconfig, "-n", world.namespace, "-o", "json")
    document = json.loads(ended.stdout)
    uid = world.api.get("/api/v1/namespaces/kube-system")["metadata"]["uid"]
    versions = document["cluster"].pop("resourceVersions")
    assert document["cluster"] == {"uid": uid, "kruiseVersion": "1.9.0"}
    assert versions.keys() == {*KINDS}
    assert document["sidecarSets"][0]["counts"]["before"]["matchedPods"] == 2
    assert "resourceVersion" in document["sidecarSets"][0]["waves"][0]["pods"][0]


def test_namespaces_are_known(world: Shop) -> None:
    world.hold(sidecarset("2", namespaceSelector={"matchLabels": {"team": world.namespace}}).manifest)
    assert live("status", world.kubeconfig).stdout.startswith("logs: 0 of 2 pods updated")
    world.hold(sidecarset("2", namespaceSelector={"matchLabels": {"team": "another"}}).manifest)
    assert live("status", world.kubeconfig).stdout.startswith("logs: 0 of 0 pods updated")


@pytest.mark.parametrize("missing", ["sidecarsets", "pods"])
@pytest.mark.parametrize("command", ["plan", "status"])
def test_without_the_right_to_read_sets_or_pods(
    world: Shop, control_plane: ControlPlane, command: str, missing: str
) -> None:
    user = f"no-{missing}-{command}"
    allow(world.api, user, *(right for right in RIGHTS if right != missing))
    kubeconfig = control_plane.kubeconfig(world.folder / user, user=user)
    group = ".apps.kruise.io" if missing == "sidecarsets" else ""
    refused(live(command, kubeconfig), "[Forbidden]", f"{missing}{group} is forbidden", f'User "{user}"')


@pytest.mark.usefixtures("kruise")
@pytest.mark.parametrize(
    ("missing", "words"),
    [
        ("namespaces", "namespace labels are unknown: Error from server (Forbidden): namespaces is forbidden"),
        ("revisions", "revisions and their custom versions are unknown: Error from server (Forbidden)"),
        ("cluster", "the plan does not record its cluster: Error from server (Forbidden)"),
        ("kruise", "the Kruise version is unknown: Error from server (Forbidden): deployments.apps"),
    ],
)
def test_without_another_right_it_says_so(world: Shop, control_plane: ControlPlane, missing: str, words: str) -> None:
    user = f"no-{missing}"
    allow(world.api, user, *(right for right in RIGHTS if right != missing))
    ended = live("plan", control_plane.kubeconfig(world.folder / user, user=user), "-o", "json")
    assert ended.code == 0, ended.stderr
    assert words in ended.stderr
    known = {"uid", "kruiseVersion", "resourceVersions"}
    known -= {{"cluster": "uid", "kruise": "kruiseVersion"}.get(missing, "")}
    assert set(json.loads(ended.stdout)["cluster"]) == known


def test_a_wrong_context(world: Shop) -> None:
    refused(live("plan", world.kubeconfig, "--context", "nope"), "[ContextNotFound]", '"nope"')


def test_a_kubeconfig_that_is_not_there(world: Shop) -> None:
    refused(live("plan", world.kubeconfig, "--kubeconfig", "/no/where"), "[KubeconfigUnreadable]")


def test_a_bad_token(world: Shop, control_plane: ControlPlane) -> None:
    refused(live("plan", control_plane.kubeconfig(world.folder / "bad", token="x")), "[NotLoggedIn]")  # noqa: S106 - bad


def test_a_server_that_is_down(kubeconfig: Path, control_plane: ControlPlane) -> None:
    control_plane.stop_apiserver()
    try:
        refused(live("plan", kubeconfig), "[ClusterUnreachable]", "connection refused")
    finally:
        control_plane.start_apiserver()


def test_a_server_that_is_frozen(kubeconfig: Path, control_plane: ControlPlane) -> None:
    control_plane.freeze()
    try:
        refused(live("plan", kubeconfig, "--request-timeout", "2"), "[KubectlTimeout]", "did not answer within 2 s")
    finally:
        control_plane.thaw()


def test_a_cluster_without_sidecarsets(world: Shop) -> None:
    world.api.delete(f"{SETS}/logs")
    refused(live("plan", world.kubeconfig), "[NoSidecarSet]")


COUNT = 2000


def test_two_thousand_pods(api: Api, namespace: str, kubeconfig: Path) -> None:
    api.create(SETS, {**sidecarset("2", updateStrategy={"maxUnavailable": "10%"}).manifest})
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda number: create_ready(api, namespace, f"p{number:04}"), range(COUNT)))
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    words = [sys.executable, "-m", "sidecarctl", "plan", "--live", "-o", f"json={kubeconfig.parent}/plan.json"]
    ended = subprocess.run(words, capture_output=True, text=True, check=False, env={**os.environ})
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert ended.returncode == 0, ended.stderr
    document = json.loads((kubeconfig.parent / "plan.json").read_text())
    assert document["sidecarSets"][0]["counts"]["after"]["updatedPods"] == COUNT
    assert [item["pods"] for item in document["inputs"] if item["file"].endswith("/pods")] == [500] * 4
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < 20  # seconds; 4 on a quiet machine


def create_ready(api: Api, namespace: str, name: str) -> None:
    """A pod that is ready, without waiting for a kubelet."""
    manifest = pod(name)
    statuses = [
        {
            "name": container["name"],
            "image": container["image"],
            "imageID": image_id(container["image"]),
            "ready": True,
            "restartCount": 0,
        }
        for container in manifest["spec"]["containers"]
    ]
    status: Object = {**manifest.pop("status"), "containerStatuses": statuses}
    manifest["metadata"] = {**manifest["metadata"], "namespace": namespace}
    path = f"/api/v1/namespaces/{namespace}/pods"
    api.create(path, manifest)
    answer = api.patch(f"{path}/{name}/status", {"status": status})
    assert answer.code == 200, answer
