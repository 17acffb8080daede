"""Pods that do not show which version they have: a state with its reason, never a guess."""

import json
from collections.abc import Callable

import pytest

from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.sidecarset.pod_annotations import (
    HASH,
    HASH_WITHOUT_IMAGE,
    INJECTED_LIST,
    INPLACE_UPDATE_STATE,
)
from tests.features.drift.drifting import drift_of, only, revision_of, states, world
from tests.features.drift.test_outdated import (
    BEHIND,
    IN_SYNC,
    OUTDATED,
    UNKNOWN,
    app,
    created,
    fields_that_differ,
    named,
    sidecarset,
    updated,
)

OLD = sidecarset()
NEW = sidecarset("log:2", volumes=[{"name": "buf", "configMap": {"name": "v2"}}, {"name": "extra", "emptyDir": {}}])


def changed(pod: Object, change: Callable[[dict[str, str]], object]) -> Object:
    """The pod with its annotations changed."""
    made: Object = json.loads(json.dumps(pod))
    change(made["metadata"]["annotations"])
    return made


def why(pod: Object, *, history: bool = True) -> str:
    """The reason why the drift of a pod is not known; every state of it is Unknown."""
    found = only(drift_of(world([NEW, *([revision_of(OLD)] if history else [])]), [pod]))
    assert states(found) == [UNKNOWN], found.drifts
    return "; ".join(each.why for each in found.drifts)


@pytest.mark.parametrize(
    ("pod", "reason"),
    [
        (created(app(), OLD), "is not among the inputs, so its images cannot be compared: --revision-from takes"),
        (updated(created(app(), OLD), NEW), "whether spec.volumes[buf] is the pod's own or of an earlier version"),
    ],
)
def test_without_the_history_of_revisions(pod: Object, reason: str) -> None:
    assert reason in why(pod, history=False)
    assert named(OLD, NEW, pod)[0] in ([BEHIND], [OUTDATED])


def by_hand(annotations: dict[str, str]) -> None:
    for key in (HASH, HASH_WITHOUT_IMAGE, INJECTED_LIST):
        annotations.pop(key)


def test_of_pods_that_were_injected_by_hand() -> None:
    assert "but its injected-list does not name the SidecarSet" in why(changed(created(app(), NEW), by_hand))
    listed = changed(changed(created(app(), NEW), by_hand), lambda own: own.update({INJECTED_LIST: "logs"}))
    assert f"the annotation {HASH} has no hash of the SidecarSet" in why(listed)


@pytest.mark.parametrize(
    "text", ["{", "[]", '"logs"', '{"logs": 1}', '{"logs": "a", "mix": {"hash": "b"}}', "null", ""]
)
def test_of_damaged_hashes(text: str) -> None:
    assert f"the annotation {HASH}" in why(changed(created(app(), NEW), lambda own: own.update({HASH: text})))


@pytest.mark.parametrize("text", ["{", "[]", '{"logs": 1}'])
def test_of_damaged_states_of_an_update(text: str) -> None:
    pod = changed(created(app(), NEW), lambda own: own.update({INPLACE_UPDATE_STATE: text}))
    assert f"{INPLACE_UPDATE_STATE} cannot be read" in why(pod)


def test_of_a_hash_that_no_revision_has() -> None:
    entry = {"logs": {"hash": "0" * 64, "sidecarSetName": "logs", "controllerRevision": "logs-gone"}}
    pod = changed(created(app(), NEW), lambda own: own.update({HASH: json.dumps(entry)}))
    assert "revision logs-gone (hash 000000000000) is not among the inputs" in why(pod)


def newer(pod: Object) -> Object:
    """The pod with fields of a newer Kubernetes beside its sidecars."""
    made: Object = json.loads(json.dumps(pod))
    made["spec"]["futureField"] = {"a": 1}
    made["status"]["futureStatus"] = "x"
    next(item for item in made["spec"]["containers"] if item["name"] == "web")["futureOfContainers"] = ["y"]
    return made


def test_fields_of_a_newer_kubernetes_are_no_drift_and_hide_none() -> None:
    current, older = created(app(), NEW), updated(created(app(), OLD), NEW)
    assert named(OLD, NEW, newer(older)) == ([OUTDATED], fields_that_differ(older, current))
    assert named(OLD, NEW, newer(current)) == ([IN_SYNC], set())


def test_an_unknown_field_of_a_sidecar_may_be_a_default_of_a_newer_kubernetes() -> None:
    pod: Object = json.loads(json.dumps(created(app(), NEW)))
    next(item for item in pod["spec"]["containers"] if item["name"] == "log")["futureOfContainers"] = ["y"]
    assert "spec.containers[log].futureOfContainers: a field that the API here does not know" in why(pod)
