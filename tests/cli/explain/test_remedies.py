"""Each remedy that a command prints is applied to the input, and the command asked again: the answer is another."""

import json
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from sidecarctl.facts.values import Object
from sidecarctl.operations.explaining import remedies
from tests.cli.running import run
from tests.rollout.manifests import EMPTY, not_ready, pod, sidecarset, state_of

Inputs = dict[str, Any]
Edit = Callable[[Inputs], None]
BARE = {"kruise.io/sidecarset-injected-list": None}
NOT_YET = {"kruise.io/sidecarset-hash": None, "kruise.io/sidecarset-hash-without-image": None, **BARE}
UPDATED = {"agent": "agent:2", "app": "app:1"}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def inputs(
    *pods: Object,
    tag: str = "2",
    labels: Object | None = None,
    more: tuple[Object, ...] = (),
    options: tuple[str, ...] = (),
    **spec: Any,
) -> Inputs:
    namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop", "labels": labels or {}}}
    made = sidecarset(tag, **spec).manifest
    if "namespace" in spec:  # only v1alpha1 has it
        made = {
            **made,
            "apiVersion": "apps.kruise.io/v1alpha1",
            "spec": {**made["spec"], "namespace": spec["namespace"]},
        }
    own = {"set": made, "namespace": namespace, "pods": list(pods)}
    return {**own, "more": list(more), "options": list(options)}


def written(given: Inputs) -> list[str]:
    Path("set.json").write_text(json.dumps(given["set"]))
    Path("namespace.json").write_text(json.dumps(given["namespace"]))
    every = [*given["pods"], *given.get("workloads", ())]
    Path("pods.json").write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": every}))
    Path("more.json").write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": given["more"]}))
    more = ["-s", "more.json"] if given["more"] else []
    return ["-s", "set.json", "-s", "namespace.json", *more, "pods.json", *given["options"]]


def answer(given: Inputs, name: str = "p0") -> tuple[str, str, str]:
    """The state of the pod (why it is not injected, or its state in the rollout) and the remedies."""
    ended = run("explain", *written(given), name, "-o", "json")
    assert ended.stdout, ended.stderr
    said = json.loads(ended.stdout)["pods"][0]
    item = next(each for each in said["sidecarSets"] if each["name"] == "logs")
    rollout = item["rollout"] or {}
    is_decided = item["reason"] == "Injected"
    state = rollout.get("state", item["reason"]) if is_decided else item["reason"]
    return state, item["remedy"], rollout.get("remedy", "")


def spec(given: Inputs) -> Any:
    return given["set"]["spec"]


def unpause_injection(given: Inputs) -> None:
    spec(given)["injectionStrategy"]["paused"] = False


def label_pods(given: Inputs) -> None:
    for item in given["pods"]:
        item["metadata"]["labels"]["app"] = "web"


def label_namespace(given: Inputs) -> None:
    given["namespace"]["metadata"]["labels"] = {"team": "a"}


def remove_control_plane(given: Inputs) -> None:
    given["namespace"]["metadata"]["labels"] = {}


def strategy(**members: Any) -> Edit:
    def edit(given: Inputs) -> None:
        spec(given)["updateStrategy"] = {**spec(given).get("updateStrategy", {}), **members}

    return edit


def recreate(given: Inputs) -> None:
    """The first pod, as the webhook would create it now."""
    created = pod("p0", images={"agent": spec(given)["containers"][0]["image"], "app": "app:1"})
    given["pods"][0] = {**created, "status": {**created["status"], "phase": "Running"}}


def repair(given: Inputs) -> None:
    given["pods"] = [pod(item["metadata"]["name"]) | {"spec": item["spec"]} for item in given["pods"]]
    for item in given["pods"]:
        for status in item["status"]["containerStatuses"]:
            image = next(each["image"] for each in item["spec"]["containers"] if each["name"] == status["name"])
            status |= {"image": image, "imageID": f"sha256:{image}", "ready": True}


def both(*edits: Edit) -> Edit:
    def edit(given: Inputs) -> None:
        for each in edits:
            each(given)

    return edit


def move(namespace: str) -> Edit:
    """Create the first pod elsewhere."""

    def edit(given: Inputs) -> None:
        recreate(given)
        given["pods"][0]["metadata"]["namespace"] = namespace

    return edit


def label(**labels: str) -> Edit:
    def edit(given: Inputs) -> None:
        given["pods"][0]["metadata"]["labels"] |= labels

    return edit


def write(**members: Any) -> Edit:
    """Write fields of the SidecarSet's spec."""

    def edit(given: Inputs) -> None:
        spec(given).update(members)

    return edit


def more(*objects: Object) -> Edit:
    def edit(given: Inputs) -> None:
        given["more"] = list(objects)

    return edit


def options(*words: str) -> Edit:
    def edit(given: Inputs) -> None:
        given["options"] = list(words)

    return edit


def webhook(**members: Any) -> Object:
    entry = {"name": "mpod.kb.io", **members}
    metadata = {"name": "kruise-mutating-webhook-configuration"}
    kind = {"apiVersion": "admissionregistration.k8s.io/v1", "kind": "MutatingWebhookConfiguration"}
    return {**kind, "metadata": metadata, "webhooks": [entry] if members.get("on", True) else []}


def canary(labels: Object) -> Object:
    made: Object = sidecarset("3").manifest
    annotations = {
        "apps.kruise.io/sidecarset-canary": "true",
        "apps.kruise.io/sidecarset-base": "logs",
    }
    return {
        **made,
        "metadata": {"name": "logs-canary", "annotations": annotations},
        "spec": {**made["spec"], "selector": {"matchLabels": labels}},
    }


def stored(name: str) -> Object:
    metadata = {"name": name, "namespace": "kruise-system", "labels": {"kruise.io/sidecarset-name": "logs"}}
    data = {"spec": {"$patch": "replace", "containers": [{"name": "agent", "image": "agent:0"}]}}
    return {"apiVersion": "apps/v1", "kind": "ControllerRevision", "metadata": metadata, "revision": 1, "data": data}


def named(item: Object, name: str, namespace: str) -> Object:
    return {**item, "metadata": {**item["metadata"], "name": name, "namespace": namespace}}


def ended(item: Object, *, is_owned: bool = True) -> Object:
    owner = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "r", "uid": "u", "controller": True}
    owners = {"ownerReferences": [owner]} if is_owned else {}
    return {**item, "metadata": {**item["metadata"], **owners, "deletionTimestamp": "2026-01-01T00:00:00Z"}}


def shows(image: str, item: Object) -> Object:
    """The pod with an update in flight: the status of its sidecar still shows this image."""
    state = state_of({"agent": f"sha256:{image}"})
    annotations = {**item["metadata"]["annotations"], "kruise.io/sidecarset-inplace-update-state": state}
    statuses = [
        {**status, "image": image, "imageID": f"sha256:{image}"} if status["name"] == "agent" else status
        for status in item["status"]["containerStatuses"]
    ]
    status = {**item["status"], "containerStatuses": statuses}
    return {**item, "metadata": {**item["metadata"], "annotations": annotations}, "status": status}


def go_on(given: Inputs) -> None:
    del given["pods"][0]["metadata"]["deletionTimestamp"]


PAUSED: dict[str, Any] = {"injectionStrategy": {"paused": True}}
TEAM: dict[str, Any] = {"namespaceSelector": {"matchLabels": {"team": "a"}}}
TIERS: Object = {"matchLabels": {"app": "web", "tier": "front"}}
ELSEWHERE = webhook(namespaceSelector={"matchLabels": {"team": "a"}})
FEW = webhook(objectSelector={"matchLabels": {"inject": "yes"}})
OFF = webhook(on=False)
ASKS: Object = {"injectionStrategy": {"revision": {"revisionName": "logs-9"}}}
PERCENT: Object = {
    "injectionStrategy": {"revision": {"revisionName": "logs-1", "policy": "Partial"}},
    "updateStrategy": {"partition": "x"},
}
ZONE = "topology.kubernetes.io/zone"
UNRECORDED = {"kruise.io/sidecarset-hash-without-image": None}
INCOMPLETE = {"kruise.io/sidecarset-injected-list": "logs"}
CASES: list[tuple[str, Inputs, str, Edit, set[str]]] = [
    (
        "InjectionPaused",
        inputs(pod("p0", annotations=NOT_YET), tag="1", **PAUSED),
        "set spec.injectionStrategy.paused to false; then recreate the pod",
        both(unpause_injection, recreate),
        {"Updated"},
    ),
    (
        "InjectionPaused",
        inputs(pod("p0", labels={"app": "api"}, annotations=NOT_YET), tag="1", **PAUSED),
        "set spec.injectionStrategy.paused to false; change the label app of the pod",
        both(unpause_injection, label_pods, recreate),
        {"Updated"},
    ),
    (
        "InjectionPaused",
        inputs(pod("p0", labels={"app": "api"}, annotations=NOT_YET), tag="1", **PAUSED, **TEAM),
        "false; create the pod in a selected namespace, label its Namespace, or change spec.namespaceSelector",
        both(unpause_injection, label_namespace, label_pods, recreate),
        {"Updated"},
    ),
    (
        "NamespaceNotSelected",
        inputs(pod("p0", annotations=NOT_YET), tag="1", **TEAM),
        "label its Namespace",
        both(label_namespace, recreate),
        {"Updated"},
    ),
    (
        "PodNotSelected",
        inputs(pod("p0", labels={"app": "api"}, annotations=NOT_YET), tag="1"),
        "change the label app of the pod",
        both(label_pods, recreate),
        {"Updated"},
    ),
    (
        "NamespaceControlPlaneLabel",
        inputs(pod("p0", annotations=NOT_YET), tag="1", labels={"control-plane": "openkruise"}),
        "remove the label control-plane from the Namespace; then recreate the pod",
        both(remove_control_plane, recreate),
        {"Updated"},
    ),
    ("NeverInjected", inputs(pod("p0", annotations=NOT_YET), tag="1"), "recreate the pod", recreate, {"Updated"}),
    (
        "SidecarMissing",
        inputs(pod("p0", images={"app": "app:1"}), tag="1"),
        "recreate the pod",
        recreate,
        {"Updated"},
    ),
    (
        "HeldByPartition",
        inputs(pod("p0"), updateStrategy={"partition": 1}),
        "lower spec.updateStrategy.partition",
        strategy(partition=0),
        {"Waiting"},
    ),
    (
        "HeldBySelector",
        inputs(pod("p0"), updateStrategy={"selector": {"matchLabels": {"canary": "yes"}}}),
        "make spec.updateStrategy.selector match the pod's labels",
        strategy(selector={"matchLabels": {"app": "web"}}),
        {"Waiting"},
    ),
    (
        "Paused",
        inputs(pod("p0"), updateStrategy={"paused": True}),
        "paused to false",
        strategy(paused=False),
        {"Waiting"},
    ),
    (
        "NotUpdate",
        inputs(pod("p0"), updateStrategy={"type": "NotUpdate"}),
        "set spec.updateStrategy.type to RollingUpdate",
        strategy(type="RollingUpdate"),
        {"Waiting"},
    ),
    (
        "NotUpgradable",
        inputs(pod("p0"), containers=[{"name": "agent", "image": "agent:2", "command": ["x"]}]),
        "revert the changed fields",
        lambda given: spec(given)["containers"][0].pop("command"),
        {"Waiting"},
    ),
    # what the decision is about, alternative by alternative
    (
        "PodNotSelected",
        inputs(pod("p0", annotations=NOT_YET), tag="1", selector=TIERS),
        "change the label tier of the pod or pod template, or spec.selector.matchLabels.tier; then recreate the pod",
        both(recreate, label(tier="front")),
        {"Updated"},
    ),
    (
        "PodNotSelected",
        inputs(pod("p0", labels={"app": "api"}, annotations=NOT_YET), tag="1", selector=TIERS),
        "change the labels app, tier of the pod or pod template, or spec.selector;",
        both(write(selector={"matchLabels": {"app": "web"}}), recreate),
        {"Updated"},
    ),
    (
        "PodNotSelected",
        inputs(pod("p0", annotations=NOT_YET), tag="1", selector={}),
        "write spec.selector: an empty one matches no pod",
        both(write(selector={"matchLabels": {"app": "web"}}), recreate),
        {"Updated"},
    ),
    (
        "PodNotSelected",
        inputs(pod("p0", annotations=NOT_YET), tag="1", selector={"matchLabels": {"app": "web", ZONE: "z"}}),
        f"select the pods by labels that they are created with, not by {ZONE}",
        both(write(selector={"matchLabels": {"app": "web"}}), recreate),
        {"Updated"},
    ),
    (
        "InjectionPaused",
        inputs(pod("p0", annotations=NOT_YET), tag="1", selector={"matchLabels": {ZONE: "z"}}, **PAUSED),
        f"paused to false; select the pods by labels that they are created with, not by {ZONE}",
        both(unpause_injection, write(selector={"matchLabels": {"app": "web"}}), recreate),
        {"Updated"},
    ),
    (
        "NamespaceNotSelected",
        inputs(pod("p0", annotations=NOT_YET), tag="1", namespace="other"),
        "create the pod in namespace other, or change spec.namespace",
        move("other"),
        {"Updated"},
    ),
    (
        "NamespaceNotSelected",
        inputs(pod("p0", annotations=NOT_YET), tag="1", namespace="other"),
        "change spec.namespace",
        both(write(namespace="shop"), recreate),
        {"Updated"},
    ),
    (
        "NamespaceNotSelected",
        inputs(
            pod("p0", annotations=NOT_YET),
            tag="1",
            namespaceSelector={"matchLabels": {"kubernetes.io/metadata.name": "other"}},
        ),
        "create the pod in a selected namespace, or change spec.namespaceSelector.matchLabels",
        move("other"),
        {"Updated"},
    ),
    (
        "NamespaceNotSelected",
        inputs(named(pod("p0", annotations=NOT_YET), "p0", "lab"), tag="1", **TEAM),
        "add its Namespace to the inputs: if it lacks the label team, label it, or change spec.namespaceSelector",
        both(
            recreate,
            move("lab"),
            more({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "lab", "labels": {"team": "a"}}}),
        ),
        {"Updated"},
    ),
    (
        "NamespaceNotSelected",
        inputs(pod("p0", annotations=NOT_YET), tag="1", **TEAM),
        "or change spec.namespaceSelector.matchLabels.team",
        both(write(namespaceSelector=None), recreate),
        {"Updated"},
    ),
    (
        "SystemNamespace",
        inputs(named(pod("p0", annotations=NOT_YET), "p0", "kube-public"), tag="1", options=("--kruise", "1.2")),
        "create the pod in another namespace",
        move("shop"),
        {"Updated"},
    ),
    (
        "SystemNamespace",
        inputs(named(pod("p0", annotations=NOT_YET), "p0", "kube-public"), tag="1", options=("--kruise", "1.2")),
        "upgrade Kruise to 1.3",
        both(options("--kruise", "1.3"), move("kube-public")),
        {"Updated"},
    ),
    (
        "NotSeenByWebhook",
        inputs(pod("p0", annotations=NOT_YET), tag="1", more=(ELSEWHERE,)),
        "change the MutatingWebhookConfiguration of Kruise",
        both(more(webhook()), recreate),
        {"Updated"},
    ),
    (
        "NotSeenByWebhook",
        inputs(named(pod("p0", annotations=NOT_YET), "p0", "kube-system"), tag="1"),
        "or use another namespace; then recreate the pod",
        move("shop"),
        {"Updated"},
    ),
    (
        "NotSeenByWebhook",
        inputs(pod("p0", annotations=NOT_YET), tag="1", more=(FEW,)),
        "change label inject of the pod, or the",
        both(recreate, label(inject="yes")),
        {"Updated"},
    ),
    (
        "NotSeenByWebhook",
        inputs(pod("p0", annotations=NOT_YET), tag="1", more=(FEW,)),
        "change label inject of the pod, or the MutatingWebhookConfiguration of Kruise; then recreate",
        both(more(webhook()), recreate),
        {"Updated"},
    ),
    (
        "NotSeenByWebhook",
        inputs(pod("p0", annotations=NOT_YET), tag="1", more=(OFF,)),
        "turn on Kruise's webhook for pods: the feature gate PodWebhook, mpod.kb.io in its configuration",
        both(more(webhook()), recreate),
        {"Updated"},
    ),
    (
        "NotSeenByWebhook",
        inputs(pod("p0", annotations=NOT_YET), tag="1", options=("--feature-gates", "PodWebhook=false")),
        "turn on Kruise's webhook for pods: the feature gate PodWebhook",
        both(options(), recreate),
        {"Updated"},
    ),
    (
        "ReplacedByCanary",
        inputs(pod("p0"), tag="1", more=(canary({"app": "web"}),), options=("--kruise", "master")),
        "remove the canary",
        more(),
        {"Updated"},
    ),
    (
        "ReplacedByCanary",
        inputs(pod("p0"), tag="1", more=(canary({"app": "web"}),), options=("--kruise", "master")),
        "change its selector to exclude the pod",
        more(canary({"app": "web", "canary": "yes"})),
        {"Updated"},
    ),
    (
        "RevisionNotFound",
        inputs(pod("p0"), tag="1", **ASKS),
        "add the ControllerRevision of kruise-system to the inputs",
        more(stored("logs-9")),
        {"Updated"},
    ),
    (
        "RevisionNotFound",
        inputs(pod("p0"), tag="1", more=(stored("logs-1"),), **ASKS),
        "request a stored one",
        write(injectionStrategy={"revision": {"revisionName": "logs-1"}}),
        {"Updated"},
    ),
    (
        "NotAPercentage",
        inputs(pod("p0"), tag="1", more=(stored("logs-1"),), options=("--kruise", "master"), **PERCENT),
        "write spec.updateStrategy.partition as a number or a percentage",
        strategy(partition="50%"),
        {"Updated"},
    ),
    (
        "IncompletePod",
        inputs(pod("p0", images={"app": "app:1"}, annotations=INCOMPLETE), tag="1", options=("--kruise", "1.0")),
        "recreate the pod",
        recreate,
        {"Updated"},
    ),
    (
        "MalformedSelector",
        inputs(
            pod("p0"),
            tag="1",
            selector={"matchExpressions": [{"key": "app", "operator": "Is", "values": ["web"]}]},
        ),
        "correct spec.selector.matchExpressions[0].operator",
        write(selector={"matchExpressions": [{"key": "app", "operator": "In", "values": ["web"]}]}),
        {"Updated"},
    ),
    (
        "PodNotActive",
        inputs(ended(pod("p0"), is_owned=False), tag="1"),
        "nothing: it has ended or is being deleted, and nothing replaces it",
        go_on,
        {"Updated"},
    ),
    (
        "PodNotActive",
        inputs(ended(pod("p0")), tag="1"),
        "nothing: a pod that replaces it has the current version",
        both(recreate),
        {"Updated"},
    ),
    (
        "PodNotSelected",
        inputs(ended(pod("p0", labels={"app": "api"}, annotations=NOT_YET)), tag="1"),
        "change the label app of the pod or pod template, or spec.selector.matchLabels.app",
        both(recreate, label_pods),
        {"Updated"},
    ),
    (
        "AnnotationUnreadable",
        inputs(
            pod("p0", annotations={"kruise.io/sidecarset-working-hotupgrade-container": "["}),
            tag="1",
            containers=[
                {
                    "name": "agent",
                    "image": "agent:1",
                    "upgradeStrategy": {"upgradeType": "HotUpgrade", "hotUpgradeEmptyImage": "empty:1"},
                }
            ],
        ),
        "recreate the pod: the annotations that Kruise wrote are damaged",
        lambda given: given.update(pods=[recreated_as(given, "p0")]),
        {"Updated"},
    ),
    # what the rollout is about, alternative by alternative, and what remains behind it
    (
        "NotUpdate",
        inputs(pod("p0"), updateStrategy={"type": "NotUpdate"}),
        "or recreate the pod",
        lambda given: given.update(pods=[recreated_as(given, "p0")]),
        {"Updated"},
    ),
    (
        "NotUpdate",
        inputs(pod("p0"), updateStrategy={"type": "NotUpdate", "paused": True, "partition": 1}),
        "type to RollingUpdate, or recreate the pod; set spec.updateStrategy.paused to false; lower spec.",
        strategy(type="RollingUpdate", paused=False, partition=0),
        {"Waiting"},
    ),
    (
        "Paused",
        inputs(pod("p0"), updateStrategy={"paused": True, "selector": {"matchLabels": {"canary": "yes"}}}),
        "set spec.updateStrategy.paused to false; make spec.updateStrategy.selector match the pod's labels",
        strategy(paused=False, selector={"matchLabels": {"app": "web"}}),
        {"Waiting"},
    ),
    (
        "NotUpgradable",
        inputs(pod("p0"), containers=[{"name": "agent", "image": "agent:2", "command": ["x"]}]),
        "recreate the pod, or ",
        lambda given: given.update(pods=[recreated_as(given, "p0")]),
        {"Updated"},
    ),
    (
        "NotUpgradable",
        inputs(pod("p0", annotations=UNRECORDED)),
        "recreate the pod",
        lambda given: given.update(pods=[recreated_as(given, "p0")]),
        {"Updated"},
    ),
    (
        "Busy",
        inputs(shows("agent:0", pod("p0"))),
        "the status of the sidecar must show the image of its spec",
        repair,
        {"Waiting"},
    ),
]


@pytest.mark.parametrize("case", CASES, ids=[f"{index}-{case[0]}" for index, case in enumerate(CASES)])
def test_a_remedy_changes_the_answer(case: tuple[str, Inputs, str, Edit, set[str]]) -> None:
    state, given, said, edit, afterward = case
    given = deepcopy(given)
    before, remedy, of_rollout = answer(given)
    assert before == state
    assert said in f"{remedy}\n{of_rollout}"
    edit(given)
    after, *_ = answer(given)
    assert after in afterward


def _stalled() -> Inputs:
    """p1 is updated and broken, which uses up maxUnavailable; p0 waits."""
    given = inputs(pod("p0"), pod("p1"))
    updated = recreated_as(given, "p1")
    given["pods"][1] = not_ready(updated)
    return given


def recreated_as(given: Inputs, name: str) -> Object:
    Path("bare.json").write_text(
        json.dumps(
            {
                "apiVersion": "v1",
                "kind": "Pod",
                "metadata": {"name": name, "namespace": "shop", "labels": {"app": "web"}},
                "spec": {"containers": [{"name": "app", "image": "app:1"}], "nodeName": "n"},
            }
        )
    )
    Path("set.json").write_text(json.dumps(given["set"]))
    made: Object = json.loads(run("inject", "-s", "set.json", "bare.json").stdout)
    statuses = [
        {"name": item["name"], "image": item["image"], "imageID": item["image"], "ready": True}
        for item in made["spec"]["containers"]
    ]
    ready = [{"type": "Ready", "status": "True"}]
    return {**made, "status": {"phase": "Running", "conditions": ready, "containerStatuses": statuses}}


def test_a_pod_that_waits_behind_a_broken_one_says_so() -> None:
    given = _stalled()
    state, _, remedy = answer(given)
    assert state == "Waiting"
    assert remedy.startswith("make shop/p1 ready, or raise spec.updateStrategy.maxUnavailable (1)")
    planned = run("plan", *written(given), "--in-flight", "stuck")
    assert "Stalls" in planned.stdout
    for edit in (strategy(maxUnavailable=2), lambda each: each["pods"].__setitem__(1, recreated_as(each, "p1"))):
        tried = deepcopy(given)
        edit(tried)
        assert "nothing in these files blocks it" in answer(tried)[2]


HOT: Object = {
    "name": "agent",
    "image": "agent:2",
    "upgradeStrategy": {"upgradeType": "HotUpgrade", "hotUpgradeEmptyImage": EMPTY},
}
GATE = ("--feature-gates", "PodUnavailableBudgetUpdateGate=true")


def update(given: Inputs) -> None:
    """The first pod as the SidecarSet is injected now."""
    given["pods"][0] = recreated_as(given, "p0")


def leave(given: Inputs) -> None:
    """Nothing is to be prepared."""
    del given


def resets(given: Inputs) -> None:
    """The first pod with both halves of its hot container at the new image, and not ready."""
    update(given)
    for item in (*given["pods"][0]["spec"]["containers"], *given["pods"][0]["status"]["containerStatuses"]):
        item["image"] = item["image"].replace(EMPTY, "agent:1")
    given["pods"][0] = not_ready(given["pods"][0])


def guarded(**members: Any) -> Inputs:
    """Five pods whose PodUnavailableBudget has no room."""
    owner = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web", "uid": "d", "controller": True}
    template = {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "app", "image": "app:1"}]}}
    web = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "web", "namespace": "shop", "uid": "d"},
        "spec": {"replicas": 5, "selector": {"matchLabels": {"app": "web"}}, "template": template},
    }
    budget = {
        "apiVersion": "policy.kruise.io/v1alpha1",
        "kind": "PodUnavailableBudget",
        "metadata": {"name": "web", "namespace": "shop"},
        "spec": {"selector": {"matchLabels": {"app": "web"}}, **members},
    }
    pods = [pod(f"p{number}", ownerReferences=[owner]) for number in range(5)]
    return inputs(*pods, more=(budget,), options=GATE) | {"workloads": [web]}


def raise_budget(given: Inputs) -> None:
    given["more"][0]["spec"]["maxUnavailable"] = 5


def exempt(given: Inputs) -> None:
    given["pods"][0]["metadata"]["annotations"]["pub.kruise.io/no-protect"] = "true"


def ready_again(given: Inputs) -> None:
    given["pods"][1:] = [{**item, "status": given["pods"][0]["status"]} for item in given["pods"][1:]]


def one_down(given: Inputs) -> None:
    given["pods"][1:3] = map(not_ready, given["pods"][1:3])


MADE: list[tuple[str, Inputs, Edit, str, Edit, str]] = [
    (
        "Updating",
        inputs(pod("p0")),
        lambda given: given.update(pods=[shows("agent:1", recreated_as(given, "p0"))]),
        "the pod's status must show the new image",
        update,
        "Updated",
    ),
    (
        "NotReady",
        inputs(pod("p0")),
        lambda given: given.update(pods=[not_ready(recreated_as(given, "p0"))]),
        "the pod must become ready",
        update,
        "Updated",
    ),
    (
        "Resetting",
        inputs(pod("p0"), containers=[HOT]),
        resets,
        "the idle container is emptied once the working one is ready",
        update,
        "Updated",
    ),
    (
        "Waiting",
        inputs(pod("p1"), pod("p0")),
        leave,
        "nothing: it is updated in turn; a larger maxUnavailable speeds this up",
        strategy(maxUnavailable=2),
        "next",
    ),
    (
        "WaitingForBudget",
        guarded(maxUnavailable=0),
        leave,
        "raise maxUnavailable or lower minAvailable of the PodUnavailableBudget",
        raise_budget,
        "next",
    ),
    (
        "WaitingForBudget",
        guarded(maxUnavailable=0),
        leave,
        'annotate the pod with pub.kruise.io/no-protect: "true"',
        exempt,
        "next",
    ),
    (
        "WaitingForBudget",
        guarded(maxUnavailable=2),
        both(one_down, strategy(maxUnavailable=5)),
        "make more pods of the PodUnavailableBudget ready",
        ready_again,
        "next",
    ),
]


@pytest.mark.parametrize("case", MADE, ids=[f"{index}-{case[0]}" for index, case in enumerate(MADE)])
def test_so_does_one_for_a_pod_that_has_its_place_in_the_rollout(
    case: tuple[str, Inputs, Edit, str, Edit, str],
) -> None:
    state, given, prepare, said, edit, afterward = case
    given = deepcopy(given)
    prepare(given)
    before, _, remedy = answer(given)
    assert before == state
    assert said in remedy
    edit(given)
    after, _, remedy = answer(given)
    assert "nothing in these files blocks it" in remedy if afterward == "next" else after == afterward


@pytest.mark.parametrize("most", [1, 2, 0])
def test_a_pod_waits_forever_wherever_plan_says_so(most: int) -> None:
    """p3 is old and not ready: it is updated first, stays so, and uses up a maxUnavailable of 1."""
    broken = not_ready(pod("p3"))
    statuses = [{**each, "ready": each["name"] == "agent"} for each in broken["status"]["containerStatuses"]]
    broken["status"]["containerStatuses"] = statuses
    given = inputs(*(pod(f"p{number}") for number in range(3)), broken, updateStrategy={"maxUnavailable": most})
    [planned] = json.loads(run("plan", *written(given), "-o", "json").stdout)["sidecarSets"]
    waiting = {each["name"] for each in planned["waiting"]}
    assert bool(waiting) is (most < 2)
    remedy = ""
    for name in ("p0", "p1", "p2"):
        state, _, remedy = answer(given, name)
        assert state == "Waiting"
        assert remedy.startswith("nothing") is (name not in waiting)
    if most == 1:
        assert (
            remedy
            == "make shop/p3 ready, or raise spec.updateStrategy.maxUnavailable (1) above the 1 pod that is not"
        )
        for edit in (strategy(maxUnavailable=2), repair):
            tried = deepcopy(given)
            edit(tried)
            assert answer(tried)[2].startswith("nothing")
    if most == 0:
        strategy(maxUnavailable=1)(given)
        assert remedy == "raise spec.updateStrategy.maxUnavailable: it lets no ready pod be updated"


def test_every_alternative_of_every_remedy_is_tried() -> None:
    """One that nobody tried may be useless."""
    tried = [case[2] for case in CASES] + [case[3] for case in MADE]
    for table in (remedies.OF_DECISIONS, remedies.OF_STATES, remedies.OF_LEFT_OUT):
        for reason, alternatives in table.items():
            for alternative in alternatives:
                assert any(each and (each in alternative or alternative in each) for each in tried), (
                    reason,
                    alternative,
                )
