"""Sets and pods that rollout tests begin with: pods run version 1 of the sidecar, the sets bring another."""

import json
from collections.abc import Mapping

from sidecarctl.engine.facts.values import Object, Value
from sidecarctl.engine.rollout.simulated_pods import SimulatedPod
from sidecarctl.engine.rollout.targets import Target, target_of
from sidecarctl.engine.sidecarset.admission import admit
from sidecarctl.engine.sidecarset.pod_annotations import (
    HASH,
    HASH_WITHOUT_IMAGE,
    INJECTED_LIST,
    WORKING_CONTAINERS,
    HashEntry,
    write_hashes,
)
from sidecarctl.engine.sidecarset.sets import SidecarSet

NOW = "2026-01-01T00:00:00Z"
EMPTY = "empty:1"


def sidecarset(tag: str = "2", *, name: str = "logs", hot: bool = False, **spec: Value) -> SidecarSet:
    """A set with one sidecar `agent`; members of `spec` replace those that it has."""
    container: Object = {"name": "agent", "image": f"agent:{tag}"}
    if hot:
        container["upgradeStrategy"] = {"upgradeType": "HotUpgrade", "hotUpgradeEmptyImage": EMPTY}
    manifest = {
        "apiVersion": "apps.kruise.io/v1beta1",
        "kind": "SidecarSet",
        "metadata": {"name": name},
        "spec": {"selector": {"matchLabels": {"app": "web"}}, "containers": [container], **spec},
    }
    return admit(manifest)


def target(tag: str = "2", *, name: str = "logs", hot: bool = False, **spec: Value) -> Target:
    """The target that such a set is."""
    return target_of(sidecarset(tag, name=name, hot=hot, **spec), f"{name}-{tag}", now=NOW)


def pod(
    name: str = "p0",
    *,
    hot: bool = False,
    labels: Mapping[str, str] | None = None,
    annotations: Mapping[str, str | None] | None = None,
    images: Mapping[str, str] | None = None,
    status: Mapping[str, Value] | None = None,
    **metadata: Value,
) -> Object:
    """A pod with version 1 of the set `logs`, all of it ready; None removes an annotation."""
    recorded = sidecarset("1", hot=hot)
    held = images or (
        {"agent-1": "agent:1", "agent-2": EMPTY, "app": "app:1"} if hot else {"agent": "agent:1", "app": "app:1"}
    )
    written: dict[str, str | None] = {
        HASH: write_hashes({"logs": HashEntry(None, recorded.hash, "logs", ("agent",), "logs-1")}),
        HASH_WITHOUT_IMAGE: write_hashes({"logs": HashEntry(None, recorded.hash_without_image, "logs", ("agent",))}),
        INJECTED_LIST: "logs",
    }
    if hot:
        written[WORKING_CONTAINERS] = json.dumps({"agent": "agent-1"})
    written |= annotations or {}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": name,
            "namespace": "shop",
            "labels": {"app": "web", **(labels or {})},
            "annotations": {key: value for key, value in written.items() if value is not None},
            **metadata,
        },
        "spec": {
            "containers": [{"name": key, "image": image} for key, image in held.items()],
            "nodeName": "n",
        },
        "status": {
            "phase": "Running",
            "conditions": [{"type": "Ready", "status": "True"}],
            "containerStatuses": [
                {"name": key, "image": image, "imageID": f"sha256:{image}", "ready": True}
                for key, image in held.items()
            ],
            **(status or {}),
        },
    }


def not_ready(manifest: Object) -> Object:
    """The same pod, neither it nor its containers ready."""
    status = manifest["status"]
    statuses = [{**item, "ready": False} for item in status["containerStatuses"]]
    lost = {**status, "conditions": [{"type": "Ready", "status": "False"}], "containerStatuses": statuses}
    return {**manifest, "status": lost}


def simulated(manifest: Object, index: int = 0) -> SimulatedPod:
    """The pod as the simulation sees it."""
    return SimulatedPod(index, manifest)


def state_of(image_ids: Mapping[str, str], *, name: str = "logs") -> str:
    """An in-place update state in which these containers had these imageIDs."""
    statuses = {container: {"imageID": image_id} for container, image_id in image_ids.items()}
    return json.dumps({name: {"revision": "r", "lastContainerStatuses": statuses}})
