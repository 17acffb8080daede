"""The budget counts the pods of every namespace that a SidecarSet matches now, whichever the plan names."""

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecarctl.engine.facts.findings import Severity
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Object
from sidecarctl.features.push.cluster.scope import push_scope, roles_for
from sidecarctl.features.push.deciding.pod_limit import PodLimit
from sidecarctl.features.push.events import PodPatched, PushEvent, PushStarted, Waiting
from sidecarctl.features.push.plan import PushPlan, read_push_plan
from sidecarctl.features.push.pods import live_pod
from tests.effort import share
from tests.engine.rollout.manifests import pod, sidecarset
from tests.features.push.fake_cluster import FakeCluster, refusal
from tests.features.push.pushes import Log, Shop, document_of, refusals, shop
from tests.features.push.test_faults import unready

TEAM: Any = {"namespaceSelector": {"matchLabels": {"team": "a"}}}


def elsewhere(cluster: FakeCluster, name: str, *, namespace: str = "elsewhere", updated: bool = True) -> None:
    """A pod in another namespace; updated where its SidecarSet has nothing left to do."""
    made = pod(name, namespace=namespace)
    if updated:
        made = updated_pod(made)
    cluster.create(made)


def updated_pod(manifest: Object, **spec: Any) -> Object:
    """The pod as version 2 leaves it."""
    text = json.dumps(manifest).replace("agent:1", "agent:2")
    new, old = sidecarset("2", **spec), sidecarset("1")
    text = text.replace(old.hash, new.hash).replace(old.hash_without_image, new.hash_without_image)
    made: Object = json.loads(text)
    return made


def test_unavailable_pods_of_a_namespace_that_the_plan_does_not_name(tmp_path: Path) -> None:
    """They are updated, so no list of the plan names them; they became unready after it was made."""
    here = shop(tmp_path, 3, max_unavailable=2)
    for name in ("d0", "d1"):
        elsewhere(here.cluster, name)
        here.cluster.edit("elsewhere", name, unready)
    ended = here.push(timeout=0.3)
    assert (ended.exit_code, sum(here.cluster.patched.values())) == (1, 0)
    assert here.log.of(Waiting)[-1].why == "2 of at most 2 pods unavailable: elsewhere/d0, elsewhere/d1"


def test_percentages_count_the_pods_of_all_namespaces(tmp_path: Path) -> None:
    here = shop(tmp_path, 3, max_unavailable="34%")
    assert PodLimit(here.plan.targets["logs"], {}).allowed == 0
    for index in range(6):
        elsewhere(here.cluster, f"d{index}")
    counted = budget_of(here.plan, here.cluster)
    assert counted.allowed == 4  # of 9 pods, where the 3 of the plan alone allow 2
    assert here.push().exit_code == 0


def budget_of(plan: PushPlan, cluster: FakeCluster, namespaces: Any = None) -> PodLimit:
    budget = PodLimit(plan.targets["logs"], namespaces or {})
    for key, manifest in cluster.pods.items():
        budget.see(key, live_pod(manifest))
    return budget


def test_the_partition_holds_back_of_all_pods_that_there_are_now(tmp_path: Path) -> None:
    """The plan updates 2 of 4; with 4 more old pods 50% of 8 are held back, but the plan never grows."""
    here = shop(tmp_path, 4)
    strategy: Object = {"maxUnavailable": 4, "partition": 2}
    here.document = document_of([sidecarset("2", updateStrategy=strategy)], [*here.cluster.pods.values()])
    assert len(here.plan.steps) == 2
    patched = [step.pod[1] for step in here.plan.steps]
    here.cluster.delete("shop", next(f"p{index}" for index in range(4) if f"p{index}" not in patched))
    ended = here.push(timeout=0.3)
    assert (ended.exit_code, sum(here.cluster.patched.values())) == (1, 1)
    assert "partition 2 holds back 2 of 3 pods" in here.log.of(Waiting)[-1].why


def test_a_namespace_that_gets_the_label_in_the_meantime_counts(tmp_path: Path) -> None:
    cluster = FakeCluster(kruise="1.9.0")
    cluster.label("shop", team="a")
    cluster.label("elsewhere", team="b")
    here = shop(tmp_path, 3, cluster=cluster, **TEAM)
    here.document = plan_with_labels(here)
    elsewhere(cluster, "d0", updated=False)
    cluster.edit("elsewhere", "d0", unready)

    def relabel(event: PushEvent) -> None:
        if isinstance(event, PodPatched) and len(here.log.of(PodPatched)) == 1:
            cluster.label("elsewhere", team="a")
            cluster.await_watches()

    here.log = Log(on_event=relabel)
    ended = here.push(timeout=0.5, settle=0.1)
    assert (ended.exit_code, sum(cluster.patched.values())) == (1, 1)
    assert here.log.of(Waiting)[-1].why == "1 of at most 1 pods unavailable: elsewhere/d0"


def plan_with_labels(here: Shop) -> Object:
    return document_of([sidecarset("2", **TEAM)], [*here.cluster.pods.values()], namespaces={"shop": {"team": "a"}})


def test_without_the_right_to_read_them_it_refuses(tmp_path: Path) -> None:
    here = shop(tmp_path, 3)
    here.cluster.refuses["/api/v1/pods"] = refusal(403, "pods is forbidden at the cluster scope")
    [found] = [item for item in refusals(here) if item.severity is Severity.ERROR]
    assert found.reason is Reason.PARTIAL_VIEW
    assert "--accept-partial-view" in found.hint
    ended = here.push(accept_partial_view=True)
    assert (ended.exit_code, [item.reason for item in ended.findings]) == (0, [Reason.PARTIAL_VIEW])
    assert "WATCH /api/v1/namespaces/shop/pods" in here.cluster.asked


def test_a_plan_from_a_partial_view_is_refused(tmp_path: Path) -> None:
    here = shop(tmp_path, 3)
    why = "only pods in namespace shop were read"
    here.document = document_of([sidecarset("2")], [*here.cluster.pods.values()], partial_view=why)
    [found] = [item for item in refusals(here) if item.severity is Severity.ERROR]
    assert (found.reason, why in found.message) == (Reason.PARTIAL_VIEW, True)
    assert here.push(accept_partial_view=True).exit_code == 0


def test_missing_rights_are_known_before_the_first_patch(tmp_path: Path) -> None:
    """All of them, also those of namespaces that come in later waves."""
    here = shop(tmp_path, 1)
    here.cluster.create(pod("q0", namespace="pay"))
    here.document = document_of([sidecarset("2")], [*here.cluster.pods.values()])
    here.cluster.denied = {("patch", "pods", "pay"), ("watch", "pods", ""), ("get", "pods", "shop")}
    found = refusals(here)
    assert {item.reason for item in found} == {Reason.FORBIDDEN}
    assert [(item.severity, item.message.partition(" in API")[0]) for item in found] == [
        (Severity.ERROR, 'you cannot watch resource "pods"'),
        (Severity.ERROR, 'you cannot patch resource "pods"'),
        (Severity.WARNING, 'you cannot get resource "pods"'),
    ]
    assert not [asked for asked in here.cluster.asked if asked.startswith("PATCH")]


def test_missing_rights_are_reported_with_what_else_is_wrong(tmp_path: Path) -> None:
    here = shop(tmp_path, 1)
    here.cluster.hold(sidecarset("2").manifest)  # not paused
    here.cluster.denied = {("patch", "pods", "shop")}
    assert {item.reason for item in refusals(here)} == {Reason.FORBIDDEN, Reason.CONTROLLER_ACTIVE}


def test_rights_that_the_server_cannot_tell_are_refused_and_the_others_reported(tmp_path: Path) -> None:
    here = shop(tmp_path, 1)
    here.cluster.denied = {("patch", "pods", "shop")}
    here.cluster.untold = {("watch", "pods", "")}
    unknown, missing = refusals(here)
    assert (unknown.reason, unknown.severity) == (Reason.CLUSTER_UNREACHABLE, Severity.ERROR)
    assert unknown.message.startswith('whether you may watch resource "pods"')
    assert (missing.reason, missing.severity) == (Reason.FORBIDDEN, Severity.ERROR)


def test_one_patch_of_each_namespace_is_tried_before_the_first(tmp_path: Path) -> None:
    here = shop(tmp_path, 2)
    here.cluster.create(pod("q0", namespace="pay"))
    here.document = document_of([sidecarset("2")], [*here.cluster.pods.values()])
    said = refusal(403, 'admission webhook "policy" denied the request: no')
    here.cluster.before = lambda _cluster, path, _body, is_dry: said if is_dry and "/pay/" in path else None
    [found] = refusals(here)
    assert (found.reason, str(found.subject)) == (Reason.PATCH_REFUSED, "Pod pay/q0")


_NAMES = {"key": "kubernetes.io/metadata.name", "operator": "In", "values": ["pay", "shop"]}
BOUND: Any = {"namespaceSelector": {"matchExpressions": [_NAMES]}}


def test_pods_of_several_namespaces_are_read_at_one_resource_version(tmp_path: Path) -> None:
    """The namespaces that come second are asked for as they were when the first was read; the start names it."""
    here = shop(tmp_path, 1)
    here.cluster.create(pod("q0", namespace="pay"))
    here.document = document_of([sidecarset("2", **BOUND)], [*here.cluster.pods.values()])
    here.cluster.hold(sidecarset("2", **BOUND, updateStrategy={"paused": True}).manifest)
    ended = here.push()
    lists = [item for item in here.cluster.queries if item[0].endswith("/pods") and item[1].get("limit") == "500"]
    assert sorted(path for path, _ in lists) == ["/api/v1/namespaces/pay/pods", "/api/v1/namespaces/shop/pods"]
    version = ended.report.read_at["pods"]
    assert [query.get("resourceVersion") for _, query in lists] == [None, version]
    assert here.log.of(PushStarted)[0].resource_versions == ended.report.read_at
    assert ended.report.read_at.keys() == {"sidecarsets", "pods"}


@pytest.mark.parametrize(
    ("spec", "namespaces", "by_labels"),
    [
        ({}, (), False),
        (TEAM, (), True),
        ({"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "x"}}}, ("shop", "x"), False),
    ],
)
def test_what_is_watched_and_the_rights_for_it(
    tmp_path: Path,
    spec: Any,
    namespaces: tuple[str, ...],
    by_labels: bool,  # noqa: FBT001 - drawn
) -> None:
    here = shop(tmp_path, 1)
    document = document_of(
        [sidecarset("2", **spec)], [*here.cluster.pods.values()], namespaces={"shop": {"team": "a"}}
    )
    plan = read_push_plan(document)
    if "kubernetes.io/metadata.name" in json.dumps(spec):
        plan = plan._replace(named=frozenset({("shop", "p0")}))
    scope = push_scope(plan)
    assert (scope.namespaces, scope.by_labels, scope.selector) == (namespaces, by_labels, "app=web")
    told = json.dumps(next(roles_for(plan, conditions=False, budgets=False))["rules"])
    assert ('"namespaces"], "verbs": ["list", "watch"]' in told) is by_labels
    assert ('"pods"], "verbs": ["list", "watch"]' in told) is (not namespaces)


@share(200)
@given(st.integers(0, 2**32).map(Random))
def test_allowed_and_actual_unavailability_are_those_of_a_model(chance: Random) -> None:
    """A random cluster of several namespaces; the labels of some match."""
    budgets: list[int | str] = [1, 2, 3, "10%", "50%", "100%"]
    partitions: list[int | str] = [0, 1, "30%", "100%"]
    most, partition = chance.choice(budgets), chance.choice(partitions)
    spec: Any = {"updateStrategy": {"maxUnavailable": most, "partition": partition}}
    if labeled := chance.random() < 0.5:
        spec |= TEAM
    labels = {name: {"team": chance.choice("ab")} for name in "vwxyz"}
    pods = []
    for index in range(chance.randrange(1, 15)):
        made = pod(f"p{index}", namespace=chance.choice("vwxyz"))
        is_new = chance.random() < 0.5
        made = updated_pod(made, **spec) if is_new else made
        if chance.random() < 0.3:
            unready(made)
        pods.append((made, is_new))
    cluster = FakeCluster()
    for made, _ in pods:
        cluster.create(made)
    plan = read_push_plan(document_of([sidecarset("2", **spec)], [made for made, _ in pods], namespaces=labels))
    budget = budget_of(plan, cluster, labels)
    counted = [entry for entry in pods if not labeled or labels[entry[0]["metadata"]["namespace"]]["team"] == "a"]
    down = [made for made, _ in counted if made["status"]["conditions"][0]["status"] == "False"]
    assert {name for _, name in budget.unavailable(set())} == {made["metadata"]["name"] for made in down}
    assert budget.allowed == counted_share(most, len(counted))
    waiting = sum(not is_new for _, is_new in counted)
    held = min(counted_share(partition, len(counted)), len(counted))
    held -= partition != "100%" and isinstance(partition, str) and held == len(counted) > 1
    assert bool(budget.held_back(set())) is (0 < held >= waiting)


def counted_share(written: int | str, of: int) -> int:
    """A number of pods, or a percentage of them, rounded up."""
    return written if isinstance(written, int) else -(-int(written.removesuffix("%")) * of // 100)
