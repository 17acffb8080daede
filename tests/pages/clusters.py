"""Dumps of clusters whose pods are in every state."""

from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.sidecarset.pod_annotations import (
    HASH,
    HASH_WITHOUT_IMAGE,
    INJECTED_LIST,
    HashEntry,
    write_hashes,
)
from tests.engine.rollout.manifests import not_ready, pod, sidecarset

_KINDS = ("old",) * 5 + ("updated",) * 4 + ("unready", "updating", "blocked", "never injected", "updated, unready")


def dump(pods: int) -> Object:
    """A List of a SidecarSet and this many pods; a third of them in each of three zones."""
    spec = sidecarset("2", updateStrategy={"partition": "30%", "maxUnavailable": "5%"}).spec
    manifest = {
        "apiVersion": "apps.kruise.io/v1beta1",
        "kind": "SidecarSet",
        "metadata": {"name": "logs"},
        "spec": spec,
    }
    items = [a_pod(f"web-{index:05}", _KINDS[index % len(_KINDS)], f"zone-{index % 3}") for index in range(pods)]
    return {"apiVersion": "v1", "kind": "List", "items": [manifest, *items]}


def a_pod(name: str, kind: str, zone: str) -> Object:
    """A pod of a kind."""
    labels = {"zone": zone}
    if kind in ("old", "unready"):
        made = pod(name, labels=labels)
        return made if kind == "old" else not_ready(made)
    if kind == "never injected":
        nothing = dict.fromkeys((INJECTED_LIST, HASH, HASH_WITHOUT_IMAGE))
        return pod(name, labels=labels, annotations=nothing)
    if kind == "blocked":
        other = HashEntry(None, "other", "logs", ("agent",))
        return pod(name, labels=labels, annotations={HASH_WITHOUT_IMAGE: write_hashes({"logs": other})})
    return _updated(name, kind, labels)


def _updated(name: str, kind: str, labels: dict[str, str]) -> Object:
    new = sidecarset("2")
    hashes = {
        HASH: write_hashes({"logs": HashEntry(None, new.hash, "logs", ("agent",), "logs-2")}),
        HASH_WITHOUT_IMAGE: write_hashes({"logs": HashEntry(None, new.hash_without_image, "logs", ("agent",))}),
    }
    made = pod(name, labels=labels, annotations=hashes, images={"agent": "agent:2", "app": "app:1"})
    if kind == "updating":
        made["status"]["containerStatuses"][0]["image"] = "agent:1"
    return not_ready(made) if kind == "updated, unready" else made
