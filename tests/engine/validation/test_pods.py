"""Findings that show only with the given pods, nodes and other objects."""

from sidecarctl.engine.facts.findings import Finding, Severity
from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.validation.checking import check
from tests.engine.validation.examples import given_by, sound_set
from tests.engine.validation.neighbors import messages


def pod(name: str, **spec: object) -> Object:
    container = {
        "name": "main",
        "image": "main:1",
        "resources": {"requests": {"cpu": "500m"}, "limits": {"cpu": "1"}},
    }
    metadata = {"name": name, "namespace": "shop", "labels": {"app": "web"}}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {"containers": [container], **spec}}


def test_a_computed_request_above_its_limit_is_reported_once() -> None:
    policy = {
        "targetContainersMode": "sum",
        "resourcesExpr": {"limits": {"cpu": "cpu*10%"}, "requests": {"cpu": "cpu"}},
    }
    with_policy = sound_set(containers=[{"name": "agent", "image": "a:1", "resourcesPolicy": policy}])
    assert messages("pod-invalid", with_policy, pod("one"), pod("two")) == [
        "the request 500m is above the limit 100m (in Pod shop/one and 1 more)"
    ]


def test_a_container_that_a_second_sidecar_set_brings_too() -> None:
    other = sound_set() | {"metadata": {"name": "other"}}
    told = messages("pod-invalid", sound_set(), other, pod("one"))
    assert set(told) == {'two containers are named "agent": SidecarSet agent injects it too (in Pod shop/one)'}


def test_percentages_of_few_pods() -> None:
    strategy = {"maxUnavailable": "90%", "partition": "1%"}
    pods = [pod(f"p{number}") for number in range(3)]
    assert messages("percentage-of-few", sound_set(updateStrategy=strategy), *pods) == [
        "90% of 3 pods are all of them"
    ]
    assert messages("percentage-of-few", sound_set(updateStrategy={"maxUnavailable": "100%"}), *pods) == []
    assert messages("percentage-of-few", sound_set(updateStrategy=strategy), pods[0]) == []


def test_missing_objects_are_reported_by_namespace() -> None:
    env = [{"name": "TOKEN", "valueFrom": {"secretKeyRef": {"name": "tokens", "key": "t"}}}]
    optional = [{"name": "T", "valueFrom": {"secretKeyRef": {"name": "tokens", "key": "t", "optional": True}}}]
    secret = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "other", "namespace": "shop"}}
    asking = sound_set(containers=[{"name": "agent", "image": "a:1", "env": env}])
    assert messages("object-missing", asking, secret, pod("one")) == ["Secret tokens not found in shop"]
    assert messages("object-missing", asking, pod("one")) == [], "no Secret at all was given"
    relaxed = sound_set(containers=[{"name": "agent", "image": "a:1", "env": optional}])
    assert messages("object-missing", relaxed, secret, pod("one")) == []


def test_secrets_that_a_volume_names() -> None:
    secret = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "other", "namespace": "shop"}}
    volumes = [
        {"name": "a", "csi": {"driver": "d.example.com", "nodePublishSecretRef": {"name": "csi"}}},
        {"name": "b", "azureFile": {"secretName": "azure", "shareName": "s"}},
        {"name": "c", "cephfs": {"monitors": ["m"], "secretRef": {"name": "other"}}},
    ]
    told = messages("object-missing", sound_set(volumes=volumes), secret, pod("one"))
    assert told == ["Secret csi not found in shop", "Secret azure not found in shop"]


def test_a_pod_that_cannot_be_computed_for() -> None:
    policy = {
        "targetContainersMode": "sum",
        "targetContainersNameRegex": "^app",
        "resourcesExpr": {"limits": {"cpu": "cpu"}},
    }
    with_policy = sound_set(containers=[{"name": "agent", "image": "a:1", "resourcesPolicy": policy}])
    assert messages("resources-policy-pod", with_policy, pod("one")) == [
        'no container of the pod matches the pattern "^app" (in Pod shop/one)'
    ]


def test_no_pods_given_tells_nothing_about_pods() -> None:
    assert messages("selector-matches-nothing", sound_set()) == []
    stranger = pod("one") | {"metadata": {"name": "one", "labels": {"app": "other"}}}
    assert messages("selector-matches-nothing", sound_set(), stranger) == ["no pod among the inputs is selected"]


def findings_about(rule: str, *documents: Object) -> list[Finding]:
    found = (finding for checked in check(given_by(documents)) for finding in checked.findings)
    return [finding for finding in found if finding.rule == rule]


def test_pods_that_cannot_be_created_are_errors() -> None:
    other = sound_set() | {"metadata": {"name": "other"}}
    refused = findings_about("pod-invalid", sound_set(), other, pod("a"))
    assert {item.severity for item in refused} == {Severity.ERROR}
    expressions = {"limits": {"cpu": "cpu"}}
    policy = {"targetContainersMode": "sum", "targetContainersNameRegex": "^no", "resourcesExpr": expressions}
    unmatched = sound_set(containers=[{"name": "agent", "image": "a:1", "resourcesPolicy": policy}])
    assert [item.severity for item in findings_about("resources-policy-pod", unmatched, pod("a"))] == [Severity.ERROR]


def test_a_pull_secret_cannot_be_optional() -> None:
    secret = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "other", "namespace": "shop"}}
    [found] = findings_about("object-missing", sound_set(imagePullSecrets=[{"name": "registry"}]), secret, pod("one"))
    assert found.hint == "create it in each of these namespaces, or narrow the namespaceSelector"


def test_pods_of_a_broadcast_job_are_excluded_by_their_own_label() -> None:
    of_job = pod("one")
    of_job["metadata"]["labels"]["broadcastjob-name"] = "report"
    [found] = findings_about("job-never-completes", sound_set(), of_job)
    assert "{key: broadcastjob-name, operator: DoesNotExist}" in found.hint


def test_sets_that_share_a_side_are_one_group() -> None:
    named = [sound_set(containers=[{"name": name, "image": "a:1"}]) | {"metadata": {"name": name}} for name in "abcd"]
    assert messages("order-between-sidecarsets", *named, pod("one"), pod("two")) == [
        "the order of a, b, c and d is not defined (in Pod shop/one)"
    ]
    assert messages("order-between-sidecarsets", *named[:2], pod("one")) == [
        "whether a or b comes first is not defined (in Pod shop/one)"
    ]


def test_the_empty_image_of_a_hot_upgrade_needs_a_tag_too() -> None:
    strategy = {"upgradeType": "HotUpgrade", "hotUpgradeEmptyImage": "empty"}
    hot = sound_set(containers=[{"name": "agent", "image": "a:1", "upgradeStrategy": strategy}])
    [found] = findings_about("image-without-tag", hot)
    assert found.path == ("spec", "containers", 0, "upgradeStrategy", "hotUpgradeEmptyImage")


def workload(name: str, replicas: int, **labels: str) -> Object:
    template = {
        "metadata": {"labels": {"app": "web", **labels}},
        "spec": {"containers": [{"name": "main", "image": "main:1"}]},
    }
    spec = {"replicas": replicas, "selector": {"matchLabels": {"app": "web"}}, "template": template}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name, "namespace": "shop"},
        "spec": spec,
    }


def test_a_selector_whose_pods_all_go_down_at_once() -> None:
    workloads = workload("canary", 4, canary="yes"), workload("single", 1, canary="yes"), workload("web", 35)
    strategy = {"maxUnavailable": "20%", "selector": {"matchLabels": {"canary": "yes"}}}
    told = messages("workload-goes-at-once", sound_set(updateStrategy=strategy), *workloads)
    assert told == ["20% of 40 pods is 8: all 4 pods of Deployment shop/canary go down at once"]
    for harmless in ({"maxUnavailable": 4}, {"paused": True}, {"partition": "50%"}, {"selector": None}):
        changed = sound_set(updateStrategy={**strategy, **harmless})
        assert messages("workload-goes-at-once", changed, *workloads) == []
