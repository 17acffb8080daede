"""Targets of rollouts, and the pods that take part."""

import pytest

from sidecarctl.engine.facts.errors import ImpossibleError
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Object, Value
from sidecarctl.engine.rollout.targets import Membership, membership_of, target_of
from sidecarctl.engine.sidecarset.admission import admit
from sidecarctl.engine.sidecarset.pod_annotations import INJECTED_LIST, WORKING_CONTAINERS
from tests.engine.rollout.manifests import NOW, pod, sidecarset, simulated, target


def test_hot_containers_have_the_names_of_their_halves_in_pods() -> None:
    held = sidecarset(
        containers=[
            {"name": "mesh", "image": "mesh:1", "upgradeStrategy": {"upgradeType": "HotUpgrade"}},
            {"name": "agent", "image": "agent:1"},
        ]
    )
    target = target_of(held, "logs-1")
    assert target.names == {"mesh-1", "mesh-2", "agent"}
    assert [container.name for container in target.hot] == ["mesh"]
    assert target.hot[0].empty_image == ""


def test_the_entry_to_record_names_containers_and_native_sidecars() -> None:
    native = {"name": "init", "image": "init:1", "restartPolicy": "Always"}
    held = sidecarset(initContainers=[native, {"name": "plain", "image": "init:1"}])
    entry = target_of(held, "logs-1", now=NOW).hash_entry
    assert entry.sidecar_list == ("agent", "init")
    assert entry == (NOW, held.hash, "logs", ("agent", "init"), "logs-1")


def test_the_resource_version_of_the_manifest_counts_first() -> None:
    held = sidecarset()
    assert target_of(held, "r").resource_version == ""
    assert target_of(held, "r", resource_version="7").resource_version == "7"
    held.metadata["resourceVersion"] = "9"
    assert target_of(held, "r", resource_version="7").resource_version == "9"


def test_a_set_without_containers() -> None:
    target = target_of(sidecarset(containers=[]), "r")
    assert target.containers == ()
    assert target.names == frozenset()


def _members(manifests: list[Object], **spec: Value) -> Membership:
    pods = [simulated(manifest, index) for index, manifest in enumerate(manifests)]
    return membership_of(target(**spec), pods, {"shop": {"team": "a"}, "bank": {"team": "a"}, "lab": {}})


def _names(membership: Membership) -> list[str]:
    return [str(member.name) for member in membership.pods]


def test_pods_that_no_selector_picks_are_not_even_left_out() -> None:
    found = _members([pod("a"), pod("b", labels={"app": "db"})])
    assert _names(found) == ["shop/a"]
    assert found.left_out == []


@pytest.mark.parametrize("selector", [None, {}, {"matchLabels": {}}])
def test_an_empty_selector_picks_nothing(selector: Value) -> None:
    assert _members([pod("a")], selector=selector).pods == []


def test_namespaces_by_name_and_input_order_within() -> None:
    manifests = [
        pod("a"),
        pod("b", namespace="bank"),
        pod("c"),
        pod("d", namespace="lab"),
        pod("e", namespace="no"),
    ]
    found = _members(manifests, namespaceSelector={"matchLabels": {"team": "a"}})
    assert _names(found) == ["bank/b", "shop/a", "shop/c"]
    assert _names(_members(manifests)) == ["shop/a", "bank/b", "shop/c", "lab/d", "no/e"]


def test_every_namespace_has_its_name_as_a_label() -> None:
    found = _members(
        [pod("a"), pod("e", namespace="no")],
        namespaceSelector={"matchLabels": {"kubernetes.io/metadata.name": "no"}},
    )
    assert _names(found) == ["no/e"]


def test_the_namespace_of_a_v1alpha1_set() -> None:
    held = sidecarset()
    manifest = {**held.manifest, "apiVersion": "apps.kruise.io/v1alpha1"}
    manifest = {**manifest, "spec": {**held.spec, "namespace": "lab"}}
    pods = [simulated(pod("a")), simulated(pod("b", namespace="lab"), 1)]
    assert _names(membership_of(target_of(admit(manifest), "r"), pods, {})) == ["lab/b"]


def test_a_pod_of_a_canary_is_not_to_be_recreated() -> None:
    of_canary = pod("b", annotations={INJECTED_LIST: "logs-canary"})
    held = target_of(sidecarset(), "r", canaries=("logs-canary",))
    pods = [simulated(pod("a")), simulated(of_canary, 1), simulated(pod("c", annotations={INJECTED_LIST: "x"}), 2)]
    assert [(item.reason, item.message) for item in membership_of(held, pods, {}).left_out] == [
        (Reason.INJECTED_BY_CANARY, "injected by the canary logs-canary, whose rollout it is part of"),
        (Reason.NEVER_INJECTED, "older than the SidecarSet, or the webhook was down: recreate it"),
    ]


@pytest.mark.parametrize(
    ("manifest", "reason", "message"),
    [
        (pod(status={"phase": "Failed"}), Reason.POD_NOT_ACTIVE, "it has ended, or is being deleted"),
        (
            pod(annotations={INJECTED_LIST: None}),
            Reason.NEVER_INJECTED,
            "older than the SidecarSet, or the webhook was down: recreate it",
        ),
        (
            pod(annotations={INJECTED_LIST: "other, logs"}),
            Reason.NEVER_INJECTED,
            "older than the SidecarSet, or the webhook was down: recreate it",
        ),
        (pod(images={"app": "app:1"}), Reason.SIDECAR_MISSING, "sidecar agent is missing"),
    ],
)
def test_left_out(manifest: Object, reason: Reason, message: str) -> None:
    found = _members([pod("a"), manifest])
    assert _names(found) == ["shop/a"]
    assert [(item.pod_index, item.reason, item.message) for item in found.left_out] == [(1, reason, message)]


@pytest.mark.parametrize(
    ("manifest", "message"),
    [
        (
            pod(hot=True, annotations={WORKING_CONTAINERS: None}),
            "the working container of sidecar agent is missing",
        ),
        (pod(hot=True, images={"agent-1": "a", "app": "b"}), "sidecar agent-2 is missing"),
        (pod(hot=True, images={"agent-2": "a", "app": "b"}), "sidecar agent-1 is missing"),
    ],
)
def test_left_out_of_a_hot_rollout(manifest: Object, message: str) -> None:
    assert [item.message for item in _members([manifest], hot=True).left_out] == [message]


def test_the_working_container_may_be_anything() -> None:
    manifest = pod(hot=True, annotations={WORKING_CONTAINERS: '{"agent":5}'})
    assert len(_members([manifest], hot=True).pods) == 1


def test_a_sidecar_among_the_init_containers_counts() -> None:
    manifest = pod(images={"app": "app:1"})
    manifest["spec"]["initContainers"] = [{"name": "agent", "image": "agent:1"}]
    assert len(_members([manifest]).pods) == 1


def test_a_selector_with_an_unknown_operator_cannot_be_evaluated() -> None:
    with pytest.raises(ImpossibleError) as raised:
        _members([pod()], selector={"matchExpressions": [{"key": "a", "operator": "Like"}]})
    assert raised.value.findings[0].reason is Reason.MALFORMED_SELECTOR


@pytest.mark.parametrize("text", ["{", "[]", '"agent-1"', "null"])
def test_a_record_of_working_containers_that_cannot_be_read_is_reported_as_such(text: str) -> None:
    [left_out] = _members([pod(hot=True, annotations={WORKING_CONTAINERS: text})], hot=True).left_out
    assert left_out.reason is Reason.ANNOTATION_UNREADABLE
    assert left_out.message.startswith(f"{WORKING_CONTAINERS} is malformed")
    [empty] = _members([pod(hot=True, annotations={WORKING_CONTAINERS: "{}"})], hot=True).left_out
    assert empty.reason is Reason.SIDECAR_MISSING
