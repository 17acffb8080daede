"""The commands of `plan --recreate` on a real server: it evicts, and takes the annotations of a restart.

No controller runs there, so a test replaces the pods, and writes the status that the commands wait for.
"""

from collections.abc import Iterator

from sidecarctl.engine.facts.values import Object
from tests.cluster.shop import Shop
from tests.engine.rollout.manifests import pod, sidecarset

RESTARTED = "kubectl.kubernetes.io/restartedAt"
CHANGED: list[Object] = [{"name": "agent", "image": "agent:2", "command": ["run"]}]


def create_workload(shop: Shop, kind: str, **spec: object) -> Object:
    template = {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "app", "image": "app:1"}]}}
    whole = {"selector": {"matchLabels": {"app": "web"}}, "template": template, **spec}
    body = {"metadata": {"name": "web"}, "spec": whole}
    return shop.api.create(_path(shop, kind).rpartition("/")[0], body)


def _path(shop: Shop, kind: str) -> str:
    return f"/apis/apps/v1/namespaces/{shop.namespace}/{kind.lower()}s/web"


def run_pods_of(shop: Shop, workload: Object, kind: str, number: int) -> None:
    owner = {"apiVersion": "apps/v1", "kind": kind, "name": "web", "uid": workload["metadata"]["uid"]}
    shop.run_pods(pod(f"web-{index}", ownerReferences=[{**owner, "controller": True}]) for index in range(number))


def commands(shop: Shop) -> Iterator[str]:
    found = shop.plan("--recreate", "--kruise", "1.9", code=1)["recreation"]
    for wave in found["waves"]:
        for step in wave["steps"]:
            yield from step["commands"]


def ready(shop: Shop, kind: str, number: int) -> None:
    status = {"status": {"replicas": number, "readyReplicas": number}}
    assert shop.api.patch(f"{_path(shop, kind)}/status", status).code == 200


def test_pods_are_evicted_one_after_another(shop: Shop) -> None:
    shop.hold(sidecarset("2", containers=CHANGED).manifest)
    made = create_workload(shop, "StatefulSet", serviceName="web", updateStrategy={"type": "OnDelete"})
    run_pods_of(shop, made, "StatefulSet", 2)
    ready(shop, "StatefulSet", 2)
    script = list(commands(shop))
    assert [line.partition(" ")[0] for line in script] == ["echo", "kubectl", "kubectl"] * 2
    shop.sh("set -e\n" + "\n".join(script))
    assert shop.api.get(f"/api/v1/namespaces/{shop.namespace}/pods")["items"] == []


def test_a_restart_is_what_kubectl_writes(shop: Shop) -> None:
    shop.hold(sidecarset("2", containers=CHANGED).manifest)
    made = create_workload(shop, "StatefulSet", serviceName="web")
    run_pods_of(shop, made, "StatefulSet", 2)
    restart, waits = commands(shop)
    shop.sh(restart)
    assert waits.startswith("kubectl rollout status statefulset/web")
    annotations = shop.api.get(_path(shop, "StatefulSet"))["spec"]["template"]["metadata"]["annotations"]
    assert RESTARTED in annotations


def test_a_budget_of_the_server_is_asked(shop: Shop) -> None:
    shop.hold(sidecarset("2", containers=CHANGED).manifest)
    made = create_workload(shop, "ReplicaSet", replicas=2)
    run_pods_of(shop, made, "ReplicaSet", 2)
    eviction = next(commands(shop))
    budgets = f"/apis/policy/v1/namespaces/{shop.namespace}/poddisruptionbudgets"
    spec = {"maxUnavailable": 0, "selector": {"matchLabels": {"app": "web"}}}
    shop.api.create(budgets, {"metadata": {"name": "web"}, "spec": spec})
    refused = shop.sh(eviction, code=1)
    assert "disruption budget" in refused.stderr
    assert list(commands(shop)) == []
