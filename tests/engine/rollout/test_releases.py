"""What each release does with PodUnavailableBudgets: docs/behavior/pod-unavailable-budget.md, "Releases"."""

import json
from collections.abc import Mapping, Sequence

import pytest

from sidecarctl.engine.facts.errors import InputError
from sidecarctl.engine.facts.values import Object, Value
from sidecarctl.engine.releases.profiles import PROFILES, release_named
from sidecarctl.engine.releases.release import MASTER, Release
from sidecarctl.engine.rollout.budgets import Budgets
from sidecarctl.engine.rollout.covered_pods import Workloads
from sidecarctl.engine.rollout.simulated_pods import SimulatedPod
from sidecarctl.engine.sidecarset.budget_spec import budget_spec
from tests.engine.rollout.manifests import pod, simulated

OWNER = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web", "uid": "r", "controller": True}
NAMES = [name for name in PROFILES if name != "1.7.0"]
"""The releases, newest first."""


def workload(kind: str = "ReplicaSet", replicas: int | None = 4, uid: str = "r") -> Object:
    spec = {} if replicas is None else {"replicas": replicas}
    metadata = {"name": "web", "namespace": "shop", "uid": uid}
    return {"apiVersion": "apps/v1", "kind": kind, "metadata": metadata, "spec": spec}


def budget(annotations: Mapping[str, str] | None = None, version: str = "v1alpha1", **spec: Value) -> Object:
    by = {} if "targetRef" in spec else {"selector": {"matchLabels": {"app": "web"}}}
    return {
        "apiVersion": f"policy.kruise.io/{version}",
        "kind": "PodUnavailableBudget",
        "metadata": {
            "name": "web",
            "namespace": spec.pop("namespace", "shop"),
            "annotations": dict(annotations or {}),
        },
        "spec": {**by, **spec},
    }


def four(**metadata: Value) -> list[Object]:
    """Ready pods of the ReplicaSet."""
    given: Object = {"ownerReferences": [OWNER]} | metadata
    return [pod(f"p{number}", **given) for number in range(4)]


def over(release: Release, manifest: Object, pods: Sequence[Object], *workloads: Object) -> Budgets:
    """Budgets over pods, counted once."""
    read = [simulated(item, index) for index, item in enumerate(pods)]
    made = Budgets([budget_spec(manifest, release)], Workloads(workloads or [workload()]), read, release=release)
    made.reconcile(0)
    return made


def guarded(release: Release, manifest: Object, asked: Object, *workloads: Object) -> bool:
    """Whether the budget is asked before the first of four pods is updated."""
    budgets = over(release, manifest, [asked, *four()[1:]], *workloads)
    return budgets.guard(SimulatedPod(0, asked), "UPDATE") is not None


def since(name: str) -> list[bool]:
    """What is true from a release on, for each release."""
    return [NAMES.index(item) <= NAMES.index(name) for item in NAMES]


def each(manifest: Object, asked: Object, *workloads: Object) -> list[bool]:
    return [guarded(release_named(name), manifest, asked, *workloads) for name in NAMES]


def test_every_release_guards_a_pod_of_a_budget() -> None:
    assert all(each(budget(maxUnavailable=1), four()[0]))


def test_no_protect_takes_every_spelling_of_true_on_master() -> None:
    exempt = four(annotations={"pub.kruise.io/no-protect": "true"})[0]
    assert not any(each(budget(maxUnavailable=1), exempt))
    exempt["metadata"]["annotations"]["pub.kruise.io/no-protect"] = "T"
    assert each(budget(maxUnavailable=1), exempt) == [name != "master" for name in NAMES]


def test_labels_take_a_pod_out_from_1_3_on() -> None:
    labeled = pod("p0", labels={"unavailable-pod.kruise.io/x": ""}, ownerReferences=[OWNER])
    assert each(budget(maxUnavailable=1), labeled) == [not new for new in since("1.3")]


@pytest.mark.parametrize("namespace", ["kube-system", "kube-public"])
def test_the_namespaces_of_the_system_are_protected_from_1_4_on(namespace: str) -> None:
    asked = four(namespace=namespace)[0]
    there = {**workload(), "metadata": {**workload()["metadata"], "namespace": namespace}}
    assert each(budget(namespace=namespace, minAvailable=1), asked, there) == since("1.4")


def test_a_pod_without_its_workload_is_protected_from_1_4_on() -> None:
    alone = pod("p0", annotations={"kruise.io/related-pub": "web"})
    assert each(budget(minAvailable=1), alone) == since("1.4")
    orphan = pod("p0", ownerReferences=[{**OWNER, "name": "gone"}])
    assert each(budget(minAvailable=1), orphan) == since("1.4")


def test_a_rollout_whose_inputs_lack_the_workload_takes_it_to_exist() -> None:
    release = release_named("1.3")
    pods = [simulated(item, index) for index, item in enumerate(four())]
    recorded = {**budget(maxUnavailable=1), "status": {"totalReplicas": 4}}
    budgets = Budgets([budget_spec(recorded, release)], Workloads(), pods, release=release, fills_totals=True)
    budgets.reconcile(0)
    assert budgets.guard(pods[0], "UPDATE") is not None


def test_the_annotation_of_a_pod_decides_from_1_2_on_and_the_new_one_on_master() -> None:
    for key, known in (("kruise.io/related-pub", since("1.2")), ("pub.kruise.io/related-pub", since("master"))):
        elsewhere = pod("p0", annotations={key: "other"}, ownerReferences=[OWNER])
        assert each(budget(maxUnavailable=1), elsewhere) == [not it for it in known]
    stranger = pod(
        "p0", labels={"app": "cart"}, annotations={"kruise.io/related-pub": "web"}, ownerReferences=[OWNER]
    )
    assert each(budget(maxUnavailable=1), stranger) == since("1.2")


@pytest.mark.parametrize(
    ("words", "protecting"),
    [
        ("UPDATE", [True] * len(NAMES)),
        ("DELETE", [name in ("1.1", "1.0") for name in NAMES]),
        ("", [name != "1.2" for name in NAMES]),
        (",", [name in ("master", "1.1", "1.0") for name in NAMES]),
        ("DELETE, UPDATE", [name in ("master", "1.1", "1.0") for name in NAMES]),
    ],
)
def test_the_annotation_of_operations_is_split_as_it_is_below_master(words: str, protecting: list[bool]) -> None:
    manifest = budget({"kruise.io/pub-protect-operations": words}, maxUnavailable=1)
    assert each(manifest, four()[0]) == protecting


def test_an_unknown_word_makes_a_budget_unusable_on_master_alone() -> None:
    manifest = budget({"kruise.io/pub-protect-operations": "UPDATE,update"}, maxUnavailable=1)
    with pytest.raises(InputError, match='unknown operation "update"'):
        budget_spec(manifest, MASTER)
    assert budget_spec(manifest, release_named("1.9")).protects == {"UPDATE", "update"}
    manifest["apiVersion"] = "policy.kruise.io/v1beta1"
    assert budget_spec(manifest, MASTER).protects == {"UPDATE", "update"}


@pytest.mark.parametrize(
    ("by", "workloads", "totals"),
    [
        ({}, [workload()], {"master": 9, "1.9": 9, "1.8": 9, "1.7": 4, "1.4": 4, "1.3": 4, "1.0": 4}),
        ({}, [workload("Job", uid="x")], {"1.8": 9, "1.7": 9, "1.4": 9, "1.3": 0, "1.0": 0}),
        (
            {"targetRef": {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web"}},
            [workload("Job", uid="x")],
            {"1.8": 9, "1.7": 0, "1.4": 0, "1.3": 0},
        ),
    ],
)
def test_protect_total_replicas_counts_as_each_release_has_it(
    by: Object, workloads: list[Object], totals: Mapping[str, int]
) -> None:
    manifest = budget({"pub.kruise.io/protect-total-replicas": "9"}, maxUnavailable=1, **by)
    for name, total in totals.items():
        assert over(release_named(name), manifest, four(), *workloads).numbers()[0].total == total


def test_the_new_fields_are_those_of_v1beta1_on_master() -> None:
    fields: Object = {
        "protectTotalReplicas": 9,
        "protectOperations": ["DELETE"],
        "ignoredPodSelector": {"matchLabels": {}},
    }
    for version, name in (("v1beta1", "1.9"), ("v1alpha1", "1.9"), ("v1alpha1", "master")):
        spec = budget_spec(budget(version=version, maxUnavailable=1, **fields), release_named(name))
        assert (spec.total, "UPDATE" in spec.protects, spec.ignored) == (None, True, None)
    spec = budget_spec(budget(version="v1beta1", maxUnavailable=1, **fields), MASTER)
    assert (spec.total, spec.protects) == (9, frozenset({"DELETE"}))


def test_a_daemonset_counts_minus_one_from_1_8_on_and_before_that_has_no_pods_as_a_target() -> None:
    daemon = {"kind": "DaemonSet", "apiVersion": "apps/v1", "name": "web"}
    pods = four(ownerReferences=[{**OWNER, "kind": "DaemonSet"}])
    for name, total, current in (("1.8", -1, 4), ("1.7", 0, 0)):
        budgets = over(
            release_named(name), budget(targetRef=daemon, minAvailable=4), pods, workload("DaemonSet", None)
        )
        assert budgets.numbers()[0][1:4] == (total, 4, current)
        selecting = over(release_named(name), budget(minAvailable=4), pods, workload("DaemonSet", None))
        assert selecting.numbers()[0][1:4] == (total, 4, 4)


def test_who_is_given_a_budget_at_creation() -> None:
    alone = SimulatedPod(0, pod("p0"))
    daemon = SimulatedPod(0, pod("p0", ownerReferences=[{**OWNER, "kind": "DaemonSet"}]))
    owned = SimulatedPod(0, four()[0])
    for name, any_pod in (("1.8", True), ("1.7", False)):
        budgets = over(release_named(name), budget(maxUnavailable=1), [], workload(), workload("DaemonSet", None))
        assert [bool(budgets.create(item)) for item in (alone, daemon, owned)] == [any_pod, any_pod, True]


def test_percentages_round_up_from_1_3_on() -> None:
    rooms = [over(release_named(name), budget(maxUnavailable="30%"), four()).numbers()[0].allowed for name in NAMES]
    assert rooms == [2 if new else 1 for new in since("1.3")]


def test_a_budget_for_nothing_is_not_an_exemption_below_1_4() -> None:
    assert each(budget(maxUnavailable="100%"), four()[0]) == [not new for new in since("1.4")]


def test_a_pod_whose_sidecar_restarts_is_free_from_1_6_on() -> None:
    states = {"logs": {"lastContainerStatuses": {"agent": {"imageID": "sha256:agent:1"}}}}
    updating = pod("p0", annotations={"kruise.io/sidecarset-inplace-update-state": json.dumps(states)})
    updating["metadata"]["ownerReferences"] = [OWNER]
    updating["spec"]["containers"][0] |= {"image": "agent:2", "env": [{"name": "IS_INJECTED", "value": "true"}]}
    assert each(budget(maxUnavailable=1), updating) == [not new for new in since("1.6")]
