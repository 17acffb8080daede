"""Pods and a SidecarSet, what explain says of them, and edits that do what its remedies say."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sidecarctl.engine.facts.values import Object
from tests.cli.running import run
from tests.engine.rollout.manifests import pod, sidecarset, state_of

Inputs = dict[str, Any]
Edit = Callable[[Inputs], None]


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


def update(given: Inputs) -> None:
    """The first pod as the SidecarSet is injected now."""
    given["pods"][0] = recreated_as(given, "p0")
