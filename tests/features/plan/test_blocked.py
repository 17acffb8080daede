"""Pods that a plan cannot update in place, and the fields that block them."""

import json
from pathlib import Path

from tests.cli.running import run
from tests.engine.rollout.manifests import pod
from tests.features.plan.planning import SET, dump, planned

BARE_POD = """\
apiVersion: v1
kind: Pod
metadata: {name: p0, namespace: shop, labels: {app: web}}
spec: {containers: [{name: app, image: "app:1"}]}
"""


def test_blocked_pods_and_the_fields_that_block_them(folder: Path) -> None:
    changed = SET.replace('image: "agent:2"', 'image: "agent:2", command: [run]').replace("agent:2", "agent:1")
    (folder / "set.yaml").write_text(changed)
    ended = run("plan", folder / "set.yaml", folder / "pods.json")
    assert ended.code == 1
    assert "  5 pods not updatable in place: recreate them" in ended.stdout
    assert 'spec.containers[0].command: is absent, would be ["run"]' in ended.stdout
    assert "Blocked: 0 of 5 pods updated after 0 waves; 5 pods cannot be updated in place" in ended.stdout
    blocked = planned(folder, code=1)["sidecarSets"][0]["blocked"]
    fields = {entry["field"]: (entry["now"], entry["new"]) for entry in blocked[0]["fields"]}
    assert fields["spec.containers[0].command"] == (None, ["run"])
    assert not [field for field in fields if "termination" in field or "PullPolicy" in field]
    assert blocked[0]["fields"][0]["pointer"].startswith("/spec/containers/0/")


def test_what_the_api_server_fills_in_blocks_no_pod(folder: Path) -> None:
    probe = (
        "startupProbe: {httpGet: {port: 1, path: /, scheme: HTTP}, successThreshold: 1}, ports: [{containerPort: 1}]"
    )
    (folder / "set.yaml").write_text(SET.replace('image: "agent:2"', f'image: "agent:2", command: [run], {probe}'))
    (folder / "bare.yaml").write_text(BARE_POD)
    injected = json.loads(run("inject", folder / "bare.yaml", "-s", folder / "set.yaml", "-o", "json").stdout)
    agent = injected["spec"]["containers"][0]
    agent["startupProbe"] = {
        "httpGet": {"port": 1, "path": "/", "scheme": "HTTP"},
        "timeoutSeconds": 1,
        "periodSeconds": 10,
        "successThreshold": 1,
        "failureThreshold": 3,
    }
    agent["command"] = ["stop"]
    injected["metadata"]["annotations"]["kruise.io/sidecarset-hash"] = '{"logs": {"hash": "old"}}'
    injected["metadata"]["annotations"]["kruise.io/sidecarset-hash-without-image"] = '{"logs": {"hash": "old"}}'
    dump(folder / "pods.json", [{**injected, "status": pod()["status"]}])
    [fields] = [item["fields"] for item in planned(folder, code=1)["sidecarSets"][0]["blocked"]]
    assert [(entry["field"], entry["now"], entry["new"]) for entry in fields] == [
        ("spec.containers[0].command", ["stop"], ["run"])
    ]


def test_a_blocked_pod_that_differs_only_in_what_it_records(folder: Path) -> None:
    (folder / "bare.yaml").write_text(BARE_POD)
    injected = run("inject", folder / "bare.yaml", "-s", folder / "set.yaml", "-o", "json")
    manifest = json.loads(injected.stdout)
    key = "kruise.io/sidecarset-hash-without-image"
    manifest["metadata"]["annotations"][key] = '{"logs": {"hash": "old"}}'
    manifest["metadata"]["annotations"]["kruise.io/sidecarset-hash"] = '{"logs": {"hash": "old"}}'
    manifest["spec"]["containers"][1]["volumeMounts"] = [
        {
            "name": "kube-api-access-x2f4",
            "mountPath": "/var/run/secrets/kubernetes.io/serviceaccount",
        }
    ]
    manifest["spec"]["volumes"] = [{"name": "kube-api-access-x2f4", "projected": {"sources": []}}]
    dump(folder / "pods.json", [{**manifest, "status": pod()["status"]}])
    [fields] = [item["fields"] for item in planned(folder, code=1)["sidecarSets"][0]["blocked"]]
    assert [(entry["field"], entry["now"]) for entry in fields] == [(f"metadata.annotations[{key}].logs", "old")]


def test_pods_that_kruise_would_reject_now_are_blocked_by_their_hash(folder: Path) -> None:
    policy = (
        """{targetContainersMode: sum, targetContainersNameRegex: "^none$", resourcesExpr: {limits: {cpu: cpu}}}"""
    )
    rejecting = SET.replace('image: "agent:2"', f'image: "agent:2", resourcesPolicy: {policy}')
    (folder / "set.yaml").write_text(rejecting)
    blocked = planned(folder, code=1)["sidecarSets"][0]["blocked"]
    assert [entry["field"].rpartition("/")[2] for entry in blocked[0]["fields"]] == [
        "sidecarset-hash-without-image].logs"
    ]


def test_what_injection_takes_from_metadata_is_looked_at_in_each_pod(folder: Path) -> None:
    source = "{sourceContainerNameFrom: {fieldRef: {fieldPath: \"metadata.labels['main']\"}}, envName: A}"
    (folder / "set.yaml").write_text(SET.replace('image: "agent:2"', f'image: "agent:2", transferEnv: [{source}]'))
    pods = [pod(f"p{index}", labels={"main": "app"} if index else {}) for index in range(2)]
    for item in pods:
        item["spec"]["containers"][1]["env"] = [{"name": "A", "value": "1"}]
    dump(folder / "pods.json", pods)
    first, second = planned(folder, code=1)["sidecarSets"][0]["blocked"]
    assert "spec.containers[0].env" in str(second["fields"])
    assert first["fields"] != second["fields"]


def test_pods_of_a_canary_are_distinguished(folder: Path) -> None:
    names = {"sidecarset-canary": "true", "sidecarset-base": "logs"}
    annotations = {f"apps.kruise.io/{key}": value for key, value in names.items()}
    canary = {
        "apiVersion": "apps.kruise.io/v1beta1",
        "kind": "SidecarSet",
        "metadata": {"name": "logs-canary", "annotations": annotations},
        "spec": {
            "selector": {"matchLabels": {"canary": "yes"}},
            "containers": [{"name": "agent", "image": "agent:3"}],
            "updateStrategy": {"type": "NotUpdate"},
        },
    }
    (folder / "canary.json").write_text(json.dumps(canary))
    injected: dict[str, str | None] = {"kruise.io/sidecarset-injected-list": "logs-canary"}
    dump(folder / "pods.json", [pod("p0"), pod("p1", labels={"canary": "yes"}, annotations=injected)])
    paths = [folder / name for name in ("set.yaml", "canary.json", "pods.json")]
    for command in ("plan", "status"):
        ended = run(command, *paths, "--kruise", "master")
        assert "InjectedByCanary" in ended.stdout
        assert "injected by the canary logs-canary" in ended.stdout
        assert "recreate the pod" not in ended.stdout


def test_a_pull_policy_that_flips_by_default_is_reported_as_diff_tells_it(folder: Path) -> None:
    (folder / "old.yaml").write_text(SET.replace("agent:2", "agent:1"))
    (folder / "new.yaml").write_text(SET.replace("agent:2", "agent:latest"))
    (folder / "bare.yaml").write_text(BARE_POD)
    planned_text = run("plan", folder / "new.yaml", "--from", folder / "old.yaml", folder / "bare.yaml").stderr
    compared = run("diff", folder / "old.yaml", folder / "new.yaml").stderr
    [said] = [line for line in planned_text.splitlines() if "[DefaultFlipped]" in line]
    assert said in compared.splitlines()
    assert "counts for kubectl apply and Helm, while kubectl edit and kubectl patch keep the stored value" in said
    written = (folder / "new.yaml").read_text().replace('agent:latest"', 'agent:latest", imagePullPolicy: Always')
    (folder / "new.yaml").write_text(written)
    assert (
        "[DefaultFlipped]"
        not in run("plan", folder / "new.yaml", "--from", folder / "old.yaml", folder / "bare.yaml").stderr
    )
