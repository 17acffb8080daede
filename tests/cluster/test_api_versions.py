"""Clusters whose API server serves other API versions than a release has: an older Kruise, a newer one, or none."""

import json
from collections.abc import Iterator

import pytest

from sidecarctl.engine.facts.values import Object
from tests.cli.running import Ended, run
from tests.cluster.api import Api, until
from tests.cluster.shop import SETS, Shop
from tests.engine.kubectl.stand_in import NOT_SERVED
from tests.engine.rollout.manifests import pod, sidecarset

DEFINITION = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/sidecarsets.apps.kruise.io"
ALPHA_SETS = SETS.replace("v1beta1", "v1alpha1")


@pytest.fixture
def alone(shop: Shop) -> Iterator[Shop]:
    """A shop whose SidecarSets are served as v1alpha1 alone."""
    shop.hold(sidecarset("2", updateStrategy={"paused": True, "maxUnavailable": "100%"}).manifest)
    shop.run_pods([pod("p0"), pod("p1")])
    serve(shop.api, beta=False)
    yield shop
    serve(shop.api, beta=True)


@pytest.fixture
def without(shop: Shop) -> Iterator[Shop]:
    """A shop whose cluster serves no SidecarSets, in no version: none of them is Kruise's."""
    shop.run_pods([pod("p0"), pod("p1")])
    definition = shop.api.get(DEFINITION)
    shop.api.delete(DEFINITION)
    until(lambda: shop.api.ask("GET", ALPHA_SETS).code == 404 or None)
    yield shop
    restored = {key: definition[key] for key in ("apiVersion", "kind", "spec")}
    restored["metadata"] = {"name": definition["metadata"]["name"]}
    until(lambda: shop.api.ask("POST", DEFINITION.rpartition("/")[0], restored).code == 201 or None)
    until(lambda: shop.api.ask("GET", SETS).code == 200 or None)


def serve(api: Api, *, beta: bool) -> None:
    """Let the server have v1beta1 of SidecarSet, or not."""
    patch = [{"op": "replace", "path": "/spec/versions/0/served", "value": beta}]
    assert api.patch(DEFINITION, patch, "json").code == 200
    until(lambda: api.ask("GET", SETS).code == (200 if beta else 404) or None)


def live(shop: Shop, command: str, *options: str) -> Ended:
    return run(command, "--live", *options, env={"KUBECONFIG": str(shop.kubeconfig)})


def push(shop: Shop, *options: str) -> Ended:
    words = (f"{shop.folder}/plan.json", "--settle", "0", "--timeout", "60", *options)
    return run("push", *words, env={"KUBECONFIG": str(shop.kubeconfig)})


def test_a_resource_that_is_not_served_is_answered_in_plain_text(alone: Shop) -> None:
    """The stand-ins answer so, too."""
    assert alone.api.ask("GET", SETS)[:2] == (404, {"message": NOT_SERVED})


def test_sidecarsets_are_read_as_v1alpha1(alone: Shop) -> None:
    ended = live(alone, "status")
    assert (ended.code, ended.stdout.partition(",")[0]) == (0, "logs: 0 of 2 pods updated"), ended.stderr
    assert live(alone, "drift").code == 0
    assert "1 SidecarSet of " in live(alone, "validate").stderr


def test_a_plan_is_pushed_and_rolled_back(alone: Shop) -> None:
    alone.plan("--no-paused")
    ended = push(alone)
    assert (ended.code, ended.stdout.splitlines()[-1]) == (0, "Completed: 2 patched"), ended.stderr
    plan = alone.folder / "plan.json"
    ended = live(alone, "rollback", str(plan), "-o", f"json={plan}")
    assert ended.code == 0, ended.stderr
    ended = push(alone, "--journal", str(alone.folder / "back"))
    assert (ended.code, ended.stdout.splitlines()[-1]) == (0, "Completed: 2 patched"), ended.stderr


def test_a_cluster_without_sidecarsets_is_no_obstacle_to_a_push(without: Shop) -> None:
    sets = without.folder / "sets.json"
    sets.write_text(json.dumps(sidecarset("2").manifest))
    plan = without.folder / "plan.json"
    ended = run("plan", sets, without.dump(), "-o", f"json={plan}")
    assert ended.code == 0, ended.stderr
    ended = push(without, "--context", "test")
    assert (ended.code, ended.stdout.splitlines()[-1]) == (0, "Completed: 2 patched"), ended.stderr
    assert "note" in ended.stderr


def test_to_look_at_sidecarsets_that_are_not_served_is_an_error(without: Shop) -> None:
    ended = live(without, "status")
    assert (ended.code, ended.stdout) == (2, "")
    assert "is Kruise installed?" in ended.stderr
    assert "[ResourceNotFound]" in ended.stderr


PLURAL = "podunavailablebudgets"
NEWER = f"/apis/policy.kruise.io/v1beta1/{PLURAL}"
GATE = "PodUnavailableBudgetUpdateGate"


def define_budgets(api: Api, *served: str) -> None:
    """Let the server have PodUnavailableBudgets, in these of their versions."""
    anything: Object = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    schema: Object = {"openAPIV3Schema": {"type": "object", "properties": {"spec": anything, "status": anything}}}
    versions = [
        {"name": name, "served": name in served, "storage": name == "v1beta1", "schema": schema}
        for name in ("v1beta1", "v1alpha1")
    ]
    kind = "PodUnavailableBudget"
    names = {"kind": kind, "listKind": f"{kind}List", "plural": PLURAL, "singular": kind.lower()}
    spec = {"group": "policy.kruise.io", "scope": "Namespaced", "names": names, "versions": versions}
    path, name = DEFINITION.rpartition("/")[0], f"{PLURAL}.policy.kruise.io"
    api.create(path, {"metadata": {"name": name}, "spec": spec})
    until(lambda: api.ask("GET", NEWER).code == 200 or None)


@pytest.fixture
def budgets(shop: Shop, request: pytest.FixtureRequest) -> Iterator[Shop]:
    """A shop with a PodUnavailableBudget, in the API versions of a test, that has room for no pod."""
    define_budgets(shop.api, *request.param)
    spec: Object = {"minAvailable": 2, "selector": {"matchLabels": {"app": "web"}}}
    made: Object = {"apiVersion": "policy.kruise.io/v1beta1", "kind": "PodUnavailableBudget"}
    made |= {"metadata": {"name": "web"}, "spec": spec, "status": {"totalReplicas": 2}}
    shop.api.create(NEWER.replace(PLURAL, f"namespaces/{shop.namespace}/{PLURAL}"), made)
    shop.hold(sidecarset("2").manifest)
    shop.run_pods([pod("p0"), pod("p1")])
    yield shop
    shop.api.delete(f"{DEFINITION.rpartition('/')[0]}/{PLURAL}.policy.kruise.io")
    until(lambda: shop.api.ask("GET", NEWER).code == 404 or None)


@pytest.mark.parametrize("command", ["plan", "status"])
@pytest.mark.parametrize(
    ("budgets", "has_note"), [(("v1beta1", "v1alpha1"), False), (("v1beta1",), True)], indirect=["budgets"]
)
def test_budgets_of_a_newer_kruise_are_not_called_rejected(budgets: Shop, command: str, *, has_note: bool) -> None:
    """The release is unknown here: nothing says which Kruise runs."""
    ended = live(budgets, command, "--feature-gates", f"{GATE}=true")
    assert ended.code != 2, ended.stderr
    assert command == "status" or f"PUB {budgets.namespace}/web" in ended.stdout
    assert ("Kruise 1.9 does not know policy.kruise.io/v1beta1, which the cluster serves" in ended.stderr) is has_note
    assert "error" not in ended.stderr
    assert "rejects" not in ended.stderr
