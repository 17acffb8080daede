"""What sidecars request: sums over random pods against the scheduler's own formula, and whose containers they are."""

import json
from collections.abc import Sequence
from copy import deepcopy

import pytest

from sidecarctl.engine.api.pod_resources import Resources, amounts
from sidecarctl.engine.comparing.costs import CostFacts, cost_report
from sidecarctl.engine.comparing.counted_pods import CountedPods, CountRequest
from sidecarctl.engine.facts.values import Object, Value
from sidecarctl.engine.injection.injecting import inject
from sidecarctl.engine.injection.injection_context import InjectionContext
from sidecarctl.engine.injection.selection import select
from sidecarctl.engine.inputs.pods import PodInputs
from sidecarctl.engine.inputs.trimmed_pods import trimmed_pod
from sidecarctl.engine.report import Report
from sidecarctl.engine.sidecarset.admission import admit
from sidecarctl.engine.sidecarset.pod_annotations import INJECTED_LIST
from sidecarctl.features.counts.costs_report import cost_blocks, cost_data, headline
from sidecarctl.render.blocks import Table
from sidecarctl.render.output import Page
from tests.engine.api.test_pod_resources import RECORDED, recorded
from tests.engine.inputs.worlds import world
from tests.schemas import assert_valid

MARK = [{"name": "IS_INJECTED", "value": "true"}]


def report(pods: Sequence[Object], *sidecarsets: Object, only: tuple[str, ...] = ()) -> Report[CostFacts]:
    inputs = PodInputs(world=world(sidecarsets))
    trimmed = [trimmed_pod(deepcopy(pod), "default", whole_containers=True) for pod in pods]
    return cost_report(CountedPods(inputs, trimmed), CountRequest(only))


def sidecarset(name: str, spec: Object, **selector: str) -> Object:
    return {
        "apiVersion": "apps.kruise.io/v1beta1",
        "kind": "SidecarSet",
        "metadata": {"name": name},
        "spec": {"selector": {"matchLabels": {"app": "web", **selector}}, **spec},
    }


def container(name: str, *, limits: Object | None = None, **requests: Value) -> Object:
    resources = {"requests": requests} | ({"limits": limits} if limits else {})
    return {"name": name, "image": f"{name}:1", "resources": resources}


def bare(name: str, *containers: Object, namespace: str = "shop", phase: str = "Running", **spec: Value) -> Object:
    metadata = {"name": name, "namespace": namespace, "labels": {"app": "web"}}
    own = {"containers": list(containers or [container("app", cpu="1", memory="1Gi")]), **spec}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": own, "status": {"phase": phase}}


def injected(pod: Object, *sidecarsets: Object) -> Object:
    context = InjectionContext(map(admit, sidecarsets))
    made: Object = inject(pod, select(pod, context), context).pod
    return made


def cpu(resources: Resources) -> float:
    return resources.requests.get("cpu", 0) / 10**9


LOGS = sidecarset("logs", {"containers": [container("agent", limits={"memory": "256Mi"}, cpu="100m")]})
MESH = sidecarset(
    "mesh",
    {
        "initContainers": [{**container("proxy", cpu="200m", memory="64Mi"), "restartPolicy": "Always"}],
        "updateStrategy": {"type": "NotUpdate"},  # Kruise rejects changes of native sidecars under RollingUpdate
    },
)


def test_the_sums_over_random_pods_are_those_of_the_scheduler() -> None:
    pods = []
    for index, case in enumerate(RECORDED):
        spec = deepcopy(case["spec"])
        for item in (*(spec.get("initContainers") or ()), *spec["containers"]):
            item["env"] = MARK if item["name"] in case["sidecars"] else []
        pods.append({**bare(f"p{index}"), "spec": spec})
    total = report(pods).facts.total
    every = sum((recorded(case["all"]) for case in RECORDED), Resources())
    assert (total.pods, total.injected) == (len(RECORDED), sum(bool(case["sidecars"]) for case in RECORDED))
    assert (total.all, total.all - total.sidecars) == (
        every,
        sum((recorded(case["without"]) for case in RECORDED), Resources()) + every.times(0),
    )


def test_each_sidecarset_by_namespace_and_the_share_of_all() -> None:
    pods = [injected(bare(f"p{index}", namespace=ns), LOGS, MESH) for index, ns in enumerate(("a", "a", "b"))]
    facts = report([*pods, bare("alone", namespace="b")], LOGS, MESH).facts
    found = {(item.name, item.namespace): (item.pods, cpu(item.added)) for item in facts.sets}
    assert found == {
        ("logs", "a"): (2, 0.2),
        ("logs", "b"): (1, 0.1),
        ("mesh", "a"): (2, 0.4),
        ("mesh", "b"): (1, 0.2),
    }
    total = facts.total
    assert (total.pods, total.injected, round(cpu(total.sidecars), 3), round(cpu(total.all), 3)) == (4, 3, 0.9, 4.9)
    assert total.sidecars.limits == amounts({"memory": "768Mi"})
    assert headline(facts).startswith("3 of 4 pods have sidecars, which request 0.9 cores (18.4 % of all) and ")


def test_an_init_container_that_needs_more_takes_the_cost_away() -> None:
    pod = bare("p", initContainers=[container("setup", cpu="2")])
    (item,) = report([injected(pod, LOGS)], LOGS).facts.sets
    assert (item.pods, cpu(item.added)) == (1, 0)


def test_a_native_sidecar_counts_beside_the_init_containers_behind_it() -> None:
    pod = injected(bare("p", initContainers=[container("setup", cpu="2")]), MESH)
    names = [item["name"] for item in pod["spec"]["initContainers"]]
    expected = 0.2 if names == ["proxy", "setup"] else 0
    (item,) = report([pod], MESH).facts.sets
    assert cpu(item.added) == expected


def test_overhead_counts_among_all_and_not_among_sidecars() -> None:
    pod = injected(bare("p", overhead={"cpu": "250m"}), LOGS)
    total = report([pod], LOGS).facts.total
    assert (cpu(total.all), cpu(total.sidecars)) == (1.35, 0.1)


def test_resources_of_the_pod_as_a_whole_count_in_place_of_its_containers() -> None:
    pod = injected(bare("p", resources={"requests": {"cpu": "4"}}), LOGS)
    total = report([pod], LOGS).facts.total
    assert (cpu(total.all), cpu(total.sidecars)) == (4, 0)


def test_requests_that_are_absent_are_those_of_the_limits() -> None:
    limited = sidecarset(
        "logs", {"containers": [{"name": "agent", "image": "a:1", "resources": {"limits": {"cpu": "1"}}}]}
    )
    total = report([injected(bare("p"), limited)], limited).facts.total
    assert cpu(total.sidecars) == 1


def test_a_hot_pair_costs_both_halves() -> None:
    hot = deepcopy(LOGS)
    strategy = {"upgradeType": "HotUpgrade", "hotUpgradeEmptyImage": "empty:1"}
    hot["spec"]["containers"][0]["upgradeStrategy"] = strategy
    (item,) = report([injected(bare("p"), hot)], hot).facts.sets
    assert (item.name, cpu(item.added)) == ("logs", 0.2)
    (item,) = report(
        [injected(bare("p"), hot)]
    ).facts.sets  # the SidecarSet is not at hand: the pod's records name it
    assert (item.name, cpu(item.added)) == ("logs", 0.2)


def test_an_older_container_is_known_by_the_records_and_one_without_by_its_mark() -> None:
    older = deepcopy(LOGS)
    older["spec"]["containers"][0]["name"] = "tail"
    pod = injected(bare("p"), older)
    (item,) = report([pod], LOGS).facts.sets
    assert (item.name, cpu(item.added)) == ("logs", 0.1)
    pod["metadata"]["annotations"] = {}
    (item,) = report([pod], LOGS).facts.sets
    assert (item.name, cpu(item.added)) == ("", 0.1)


def test_ended_pods_count_nothing() -> None:
    facts = report([bare("p", phase="Succeeded"), bare("q", phase="Failed"), bare("r")], LOGS).facts
    assert (facts.ended, facts.total.pods) == (2, 1)


def test_only_one_sidecarset() -> None:
    facts = report([injected(bare("p"), LOGS, MESH)], LOGS, MESH, only=("mesh",)).facts
    assert ([item.name for item in facts.sets], cpu(facts.total.sidecars)) == (["mesh"], 0.2)


@pytest.mark.parametrize("pods", [[], [injected(bare("p"), LOGS, MESH), bare("q", phase="Failed")]])
def test_the_document_keeps_its_schema(pods: list[Object]) -> None:
    made = cost_data(report(pods, LOGS, MESH))
    assert_valid(json.loads(json.dumps(made)), "cost-report.json")


def test_the_annotations_alone_do_not_make_a_sidecar() -> None:
    pod = bare("p")
    pod["metadata"]["annotations"] = {INJECTED_LIST: "logs"}
    assert not report([pod], LOGS).facts.sets


def test_nothing_is_said_of_sidecars_that_no_pod_has() -> None:
    found = report([bare("p"), bare("q")])
    assert headline(found.facts) == "0 of 2 pods have sidecars"
    tables = [block for block in cost_blocks(found, Page()).blocks if isinstance(block, Table)]
    assert [table.name for table in tables] == ["namespaces"]
