"""What was done to a pod or to a SidecarSet gives exactly these states."""

import json
from collections.abc import Callable
from copy import deepcopy
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecarctl.engine.comparing.drift_states import DriftState
from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.sidecarset.pod_annotations import (
    HASH,
    HASH_WITHOUT_IMAGE,
    INJECTED_LIST,
    INPLACE_UPDATE_STATE,
)
from tests.effort import share
from tests.features.drift.drifting import drift_of, injected, only, revision_of, states, world

MISSING, CHANGED, ORPHAN, UNKNOWN, BEHIND, OUTDATED, UPDATING, IN_SYNC = DriftState


def sidecarset(image: str = "log:1", **changed: Any) -> Object:
    spec = {
        "selector": {"matchLabels": {"app": "web"}},
        "containers": [
            {
                "name": "log",
                "image": image,
                "env": [{"name": "LEVEL", "value": "info"}],
                "resources": {"limits": {"cpu": "0.5"}},
                "volumeMounts": [{"name": "logs", "mountPath": "/logs"}],
                "livenessProbe": {"httpGet": {"port": 80}},
                "shareVolumePolicy": {"type": "enabled"},
            }
        ],
        "volumes": [{"name": "logs", "emptyDir": {}}],
    }
    return {
        "apiVersion": "apps.kruise.io/v1beta1",
        "kind": "SidecarSet",
        "metadata": {"name": "logs"},
        "spec": spec | changed,
    }


def pod(apps: list[Object]) -> Object:
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "web-0", "namespace": "shop", "labels": {"app": "web"}},
        "spec": {"containers": deepcopy(apps), "volumes": [{"name": "data", "emptyDir": {}}]},
    }


def log_of(made: Object) -> Object:
    found: Object = next(item for item in made["spec"]["containers"] if item["name"] == "log")
    return found


class World(NamedTuple):
    """What a mutation changes: the pod, the SidecarSets, and the revisions at hand."""

    pod: Object
    sets: list[Object]
    revisions: list[Object]


def of_pod(change: Callable[[Object], None]) -> Callable[[World], None]:
    return lambda made: change(made.pod)


def of_log(change: Callable[[Object], None]) -> Callable[[World], None]:
    return lambda made: change(log_of(made.pod))


def of_annotations(change: Callable[[dict[str, str]], Any]) -> Callable[[World], None]:
    return lambda made: change(made.pod["metadata"]["annotations"])


def without_sidecar(made: Object) -> None:
    made["spec"]["containers"] = [item for item in made["spec"]["containers"] if item["name"] != "log"]
    made["status"]["containerStatuses"] = [
        item for item in made["status"]["containerStatuses"] if item["name"] != "log"
    ]


def never_injected(made: Object) -> None:
    without_sidecar(made)
    made["metadata"]["annotations"] = {}


def next_set(made: World, **changed: Any) -> None:
    made.revisions.append(revision_of(made.sets[0]))
    made.sets[0] = sidecarset(**changed)


def edited_behind(made: World) -> None:
    next_set(made, image="log:2")
    log_of(made.pod)["image"] = "log:9"


def edited_unknown(made: World) -> None:
    unknown_set(made)
    log_of(made.pod)["env"][0]["value"] = "x"


def unknown_set(made: World) -> None:
    made.sets[0] = sidecarset("log:2")


def two_sidecars(made: World) -> None:
    more = {"name": "trace", "image": "trace:1"}
    made.sets[0]["spec"]["containers"].append(more)
    made.pod.update(injected(made.pod, *made.sets))
    next_set(made)


def two_sidecars_asked_for(made: World) -> None:
    two_sidecars(made)
    name = made.revisions[0]["metadata"]["name"]
    made.sets[0] = sidecarset(injectionStrategy={"revision": {"revisionName": name}})


def in_flight(annotations: dict[str, str]) -> None:
    state = {"logs": {"revision": "", "updateTimestamp": None, "lastContainerStatuses": {"log": {"imageID": "old"}}}}
    annotations[INPLACE_UPDATE_STATE] = json.dumps(state)


def being_updated(made: World) -> None:
    in_flight(made.pod["metadata"]["annotations"])
    for item in made.pod["status"]["containerStatuses"]:
        item.update({"image": "log:0", "imageID": "old"} if item["name"] == "log" else {})


def rehashed(annotations: dict[str, str]) -> None:
    for key in (HASH, HASH_WITHOUT_IMAGE):
        annotations[key] = json.dumps({"logs": {"hash": "other", "sidecarSetName": "logs", "sidecarList": ["log"]}})


def another_app(made: Object) -> None:
    made["spec"]["containers"].append({"name": "debug", "image": "debug:1"})


MUTATIONS: dict[str, tuple[Callable[[World], Any], list[DriftState]]] = {
    "nothing": (lambda _: None, [IN_SYNC]),
    "image edited by hand": (of_log(lambda log: log.update(image="log:9")), [CHANGED]),
    "env changed": (of_log(lambda log: log["env"][0].update(value="debug")), [CHANGED]),
    "env added by another tool": (of_log(lambda log: log["env"].append({"name": "X", "value": "1"})), [CHANGED]),
    "env removed": (of_log(lambda log: log["env"].pop(0)), [CHANGED]),
    "command added": (of_log(lambda log: log.update(command=["sh"])), [CHANGED]),
    "resources changed": (of_log(lambda log: log["resources"]["limits"].update(cpu="1")), [CHANGED]),
    "resources added": (of_log(lambda log: log["resources"]["limits"].update(memory="1Gi")), [CHANGED]),
    "mount removed": (of_log(lambda log: log["volumeMounts"].pop(0)), [CHANGED]),
    "probe removed": (of_log(lambda log: log.pop("livenessProbe")), [CHANGED]),
    "security context added": (of_log(lambda log: log.update(securityContext={"runAsUser": 0})), [CHANGED]),
    "an app container added": (of_pod(another_app), [IN_SYNC]),
    "container removed": (of_pod(without_sidecar), [MISSING]),
    "never injected": (of_pod(never_injected), [MISSING]),
    "label removed": (of_pod(lambda made: made["metadata"].update(labels={})), [ORPHAN]),
    "set removed": (lambda made: made.sets[0]["metadata"].update(name="other"), [ORPHAN]),
    "set selects others": (
        lambda made: made.sets[0]["spec"].update(selector={"matchLabels": {"app": "db"}}),
        [ORPHAN],
    ),
    "hash annotation damaged": (of_annotations(lambda texts: texts.update({HASH: "{"})), [UNKNOWN]),
    "hash annotation mixed": (of_annotations(lambda texts: texts.update({HASH: '{"a": {}, "b": "c"}'})), [UNKNOWN]),
    "hash annotation removed": (of_annotations(lambda texts: texts.pop(HASH)), [UNKNOWN]),
    "hash of nothing known": (of_annotations(rehashed), [UNKNOWN]),
    "injected-list removed": (of_annotations(lambda texts: texts.pop(INJECTED_LIST)), [UNKNOWN]),
    "update state damaged": (of_annotations(lambda texts: texts.update({INPLACE_UPDATE_STATE: "?"})), [UNKNOWN]),
    "update in flight": (being_updated, [UPDATING]),
    "update done": (of_annotations(in_flight), [IN_SYNC]),
    "set changed": (lambda made: next_set(made, image="log:2"), [BEHIND]),
    "set changed, and paused": (
        lambda made: next_set(made, image="log:2", updateStrategy={"paused": True}),
        [BEHIND],
    ),
    "set changed, earlier one lost": (unknown_set, [UNKNOWN]),
    "set changed, and the image edited by hand": (edited_behind, [CHANGED, BEHIND]),
    "set changed, earlier one lost, and env edited": (edited_unknown, [CHANGED, UNKNOWN]),
    "a container of the set removed": (two_sidecars, [ORPHAN, BEHIND]),
    "a container of the set removed, new pods get it still": (two_sidecars_asked_for, [BEHIND]),
}

APPS = st.lists(
    st.builds(
        lambda name, mounts, env: {"name": name, "image": "app:1", "volumeMounts": mounts, "env": env},
        st.sampled_from(["web", "worker", "cache"]),
        st.lists(
            st.sampled_from([{"name": "data", "mountPath": "/data"}, {"name": "data", "mountPath": "/srv"}]),
            unique_by=lambda mount: mount["mountPath"],
        ),
        st.lists(
            st.sampled_from([{"name": "TZ", "value": "UTC"}, {"name": "LEVEL", "value": "x"}]),
            unique_by=lambda env: env["name"],
        ),
    ),
    min_size=1,
    max_size=3,
    unique_by=lambda app: app["name"],
)


@pytest.mark.parametrize("name", MUTATIONS)
@given(apps=APPS)
@share(40)
def test_a_mutation_gives_exactly_these_states(name: str, apps: list[Object]) -> None:
    mutate, expected = MUTATIONS[name]
    made = World(injected(pod(apps), sidecarset()), [sidecarset()], [])
    mutate(made)
    facts = drift_of(world([*made.sets, *made.revisions]), [made.pod])
    assert [state for item in facts.sets for each in item.pods if item.name == "logs" for state in states(each)] == (
        expected
    )


def token(name: str) -> Object:
    return {"name": name, "mountPath": "/var/run/secrets/kubernetes.io/serviceaccount", "readOnly": True}


def completed(made: Object) -> None:
    """The pod as the API server completes it."""
    for item in made["spec"]["containers"]:
        item["volumeMounts"] = [*item.get("volumeMounts", ()), token("kube-api-access-x7k2p")]
        item |= {"terminationMessagePath": "/dev/termination-log", "terminationMessagePolicy": "File"}
        item.setdefault("imagePullPolicy", "IfNotPresent")
        if item["name"] == "log":
            item["resources"]["requests"] = {"cpu": "500m"}
            item["livenessProbe"] |= {"periodSeconds": 10, "timeoutSeconds": 1, "successThreshold": 1}
            item["livenessProbe"] |= {"failureThreshold": 3}
            item["livenessProbe"]["httpGet"] |= {"scheme": "HTTP", "path": "/"}


def limited(made: Object) -> None:
    """What a LimitRange fills in."""
    log = log_of(made)
    log["resources"] = {"limits": {"cpu": "500m", "memory": "1Gi"}, "requests": {"cpu": "500m", "memory": "256Mi"}}
    said = "LimitRanger plugin set: memory request for container log; memory limit for container log"
    made["metadata"]["annotations"]["kubernetes.io/limit-ranger"] = said


def meshed(made: Object) -> None:
    """What istio adds: its own containers, and probes through its proxy."""
    log = log_of(made)
    log["livenessProbe"] = {"httpGet": {"path": "/app-health/log/livez", "port": 15020}}
    proxy = {"name": "istio-proxy", "image": "istio:1", "volumeMounts": [{"name": "x", "mountPath": "/etc/istio"}]}
    made["spec"]["containers"].insert(0, proxy)


def linked(made: Object) -> None:
    proxy = {"name": "linkerd-proxy", "image": "l5d:2", "volumeMounts": [{"name": "x", "mountPath": "/var/linkerd"}]}
    made["spec"]["containers"].append(proxy)


def launched(made: Object) -> None:
    """What Kruise's container launch priority adds."""
    barrier = {"configMapKeyRef": {"name": "web-0-barrier", "key": "p_0"}}
    log_of(made)["env"].append({"name": "KRUISE_CONTAINER_BARRIER", "valueFrom": barrier})


@pytest.mark.parametrize("change", [completed, limited, meshed, linked, launched])
def test_what_the_api_server_and_known_webhooks_add_is_not_drift(change: Callable[[Object], None]) -> None:
    made = injected(pod([{"name": "web", "image": "app:1"}]), sidecarset())
    change(made)
    assert only(drift_of(world([sidecarset()]), [made])).drifts[0].state is IN_SYNC


def test_a_limit_that_no_limit_range_filled_in_is_drift() -> None:
    made = injected(pod([{"name": "web", "image": "app:1"}]), sidecarset())
    limited(made)
    log_of(made)["resources"]["limits"]["ephemeral-storage"] = "1Gi"
    (drift,) = only(drift_of(world([sidecarset()]), [made])).drifts
    assert {entry.text.rpartition(".")[2] for entry in drift.fields} == {"ephemeral-storage"}


@pytest.mark.parametrize("field", ["image", "spec.containers[log].image", "ima*", "spec.containers[*].image"])
def test_an_ignored_field_is_counted_and_not_drift(field: str) -> None:
    made = injected(pod([{"name": "web", "image": "app:1"}]), sidecarset())
    log_of(made)["image"] = "mirror/log:1"
    facts = drift_of(world([sidecarset()]), [made], ignore=[field, "env"])
    assert only(facts).state is IN_SYNC
    assert facts.ignored == {field: 1, "env": 0}


def test_a_field_that_only_begins_alike_is_not_ignored() -> None:
    made = injected(pod([{"name": "web", "image": "app:1"}]), sidecarset())
    log_of(made)["imagePullPolicy"] = "Always"
    assert only(drift_of(world([sidecarset()]), [made], ignore=["image"])).state is CHANGED


def test_both_values_are_reported() -> None:
    made = injected(pod([{"name": "web", "image": "app:1"}]), sidecarset())
    log_of(made)["image"] = "log:9"
    (drift,) = only(drift_of(world([sidecarset()]), [made])).drifts
    assert [(entry.text, entry.now, entry.new) for entry in drift.fields] == [
        ("spec.containers[log].image", "log:9", "log:1")
    ]


def test_a_pod_behind_says_which_revision_since_when_and_why() -> None:
    made = World(injected(pod([{"name": "web", "image": "app:1"}]), sidecarset()), [sidecarset()], [])
    next_set(made, image="log:2", updateStrategy={"paused": True})
    found = only(drift_of(world([*made.sets, *made.revisions]), [made.pod]))
    assert found.revision == made.revisions[0]["metadata"]["name"]
    assert found.since == "2026-01-01T00:00:00Z"
    assert found.drifts[0].why == "Paused"
    assert (found.runs, found.wanted) == ({"log": "log:1"}, {"log": "log:2"})
