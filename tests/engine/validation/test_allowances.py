"""Violations of LimitRanges and ResourceQuotas by a pod with its sidecars, but not by the app alone."""

import pytest

from sidecarctl.engine.facts.findings import Finding
from sidecarctl.engine.facts.values import Object, Value
from tests.engine.validation.examples import given_by, sound_set
from tests.engine.validation.neighbors import agent, deployment, found, limit_range, messages, pod

MAIN: Object = {"limits": {"cpu": "500m", "memory": "1Gi"}}


def quota(hard: Object, **spec: Value) -> Object:
    metadata = {"name": "quota", "namespace": "shop"}
    return {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": metadata, "spec": {"hard": hard, **spec}}


def web(replicas: int = 1, **spec: Value) -> Object:
    given = deployment(MAIN, **spec)
    given["spec"]["replicas"] = replicas
    return given


class TestLimitRanges:
    @pytest.mark.parametrize(
        ("item", "sidecar", "said"),
        [
            ({"max": {"cpu": "1"}}, {"limits": {"cpu": "2"}}, "agent has a cpu limit of 2, above 1 (max of"),
            ({"max": {"cpu": "1"}}, {"limits": {"cpu": "1"}}, ""),
            ({"max": {"cpu": "1"}}, {}, ""),  # the maximum is the default
            ({"min": {"cpu": "1"}}, {"requests": {"cpu": "1m"}}, "agent has a cpu request of 1m, below 1 (min of"),
            ({"min": {"memory": "1Gi"}}, {}, ""),
            (
                {"min": {"memory": "64Mi"}},
                {"limits": {"memory": "32Mi"}},
                "agent has a memory request of 32Mi, below 64Mi (min of",
            ),
            (
                {"maxLimitRequestRatio": {"cpu": "2"}},
                {"limits": {"cpu": "5"}, "requests": {"cpu": "2"}},
                "agent has a cpu limit 2.5 times its request, above 2 (maxLimitRequestRatio of",
            ),
            ({"maxLimitRequestRatio": {"cpu": "2"}}, {"limits": {"cpu": "2"}, "requests": {"cpu": "1"}}, ""),
            ({"maxLimitRequestRatio": {"cpu": "2"}}, {"requests": {"cpu": "1"}}, "agent has no cpu limit (max"),
        ],
    )
    def test_of_containers(self, item: Object, sidecar: Object, said: str) -> None:
        told = messages("limit-range", agent(resources=sidecar), deployment(MAIN), limit_range(**item))
        assert [text.startswith(f"the API server rejects the pod: {said}") for text in told] == [True] * bool(said)

    def test_of_pods_reject_what_the_app_alone_kept_to(self) -> None:
        for most, count in (("600m", 1), ("700m", 0), ("400m", 0)):
            ranges = limit_range(type="Pod", max={"cpu": most})
            told = messages("limit-range", agent(resources={"limits": {"cpu": "200m"}}), deployment(MAIN), ranges)
            assert len(told) == count, most

    def test_of_the_app_alone_are_not_for_the_sidecar(self) -> None:
        ranges = limit_range(max={"cpu": "100m"})
        assert messages("limit-range", agent(resources={"limits": {"cpu": "50m"}}), deployment(MAIN), ranges) == []

    def test_of_another_shape_say_nothing(self) -> None:
        odd = limit_range() | {"spec": {"limits": [{"type": "Container", "max": ["cpu"]}, 5, {"max": {"cpu": "x"}}]}}
        assert messages("limit-range", agent(), deployment(MAIN), odd) == []


class TestQuotas:
    @pytest.mark.parametrize(
        ("hard", "sidecar", "said"),
        [
            ({"limits.cpu": "9"}, {"limits": {"memory": "1Mi"}}, "agent has no cpu limit, as"),
            ({"cpu": "9", "requests.memory": "9Gi"}, {}, "agent has no cpu request and memory request, as"),
            ({"limits.cpu": "9"}, {"limits": {"cpu": "1m"}}, ""),
            ({"requests.cpu": "9"}, {"limits": {"cpu": "1m"}}, ""),
            ({"requests.ephemeral-storage": "9"}, {}, ""),
            ({"pods": "9"}, {}, ""),
        ],
    )
    def test_require_what_they_count(self, hard: Object, sidecar: Object, said: str) -> None:
        told = messages("limits-required", agent(resources=sidecar), web(), quota(hard))
        assert [text.startswith(f"the API server rejects the pod: {said}") for text in told] == [True] * bool(said)

    def test_require_nothing_that_a_limit_range_fills_in(self) -> None:
        ranges = limit_range(default={"cpu": "10m"})
        assert messages("limits-required", agent(), web(), quota({"limits.cpu": "9"}), ranges) == []

    @pytest.mark.parametrize(
        ("most", "is_told"), [("1499m", False), ("1500m", True), ("1799m", True), ("1800m", False)]
    )
    def test_are_exceeded_by_all_pods_of_a_workload(self, most: str, *, is_told: bool) -> None:
        sidecar = agent(resources={"limits": {"cpu": "100m"}})
        told = messages("quota-exceeded", sidecar, web(3), quota({"limits.cpu": most}))
        assert bool(told) == is_told
        if is_told:
            assert "3 pods would need 1800m with sidecars, 1500m without" in told[0]

    @pytest.mark.parametrize(
        ("scopes", "spec", "is_told"),
        [
            ({"scopes": ["BestEffort"]}, {}, False),
            ({"scopes": ["NotBestEffort"]}, {}, True),
            ({"scopes": ["Terminating"]}, {}, False),
            ({"scopes": ["Terminating"]}, {"activeDeadlineSeconds": 9}, True),
            ({"scopes": ["NotTerminating"]}, {}, True),
            ({"scopes": ["CrossNamespacePodAffinity"]}, {}, False),
            ({"scopes": ["PriorityClass"]}, {"priorityClassName": "high"}, True),
            ({"scopes": ["PriorityClass"]}, {}, False),
        ],
    )
    def test_count_the_pods_of_their_scopes(self, scopes: Object, spec: Object, *, is_told: bool) -> None:
        sidecar = agent(resources={"limits": {"cpu": "100m"}})
        told = messages("quota-exceeded", sidecar, web(**spec), quota({"limits.cpu": "500m"}, **scopes))
        assert bool(told) == is_told

    @pytest.mark.parametrize(
        ("operator", "values", "is_told"),
        [
            ("In", ["high"], True),
            ("In", ["low"], False),
            ("NotIn", ["high"], False),
            ("Exists", [], True),
            ("DoesNotExist", [], False),
            ("Like", [], False),
        ],
    )
    def test_select_by_priority_class(self, operator: str, values: list[str], *, is_told: bool) -> None:
        expression = {"scopeName": "PriorityClass", "operator": operator, "values": values}
        selecting = quota({"limits.cpu": "500m"}, scopeSelector={"matchExpressions": [expression]})
        sidecar = agent(resources={"limits": {"cpu": "100m"}})
        assert bool(messages("quota-exceeded", sidecar, web(priorityClassName="high"), selecting)) == is_told


def test_an_init_container_counts_only_if_it_needs_more_than_all_others_together() -> None:
    def bringing(cpu: str, **fields: Value) -> Object:
        item = {"name": "setup", "image": "s:1", "resources": {"limits": {"cpu": cpu}}, **fields}
        return sound_set(initContainers=[item], containers=[], updateStrategy={"type": "NotUpdate"})

    hard = quota({"limits.cpu": "600m"})
    assert messages("quota-exceeded", bringing("500m"), web(), hard) == []
    assert len(messages("quota-exceeded", bringing("601m"), web(), hard)) == 1
    assert len(messages("quota-exceeded", bringing("101m", restartPolicy="Always"), web(), hard)) == 1


def test_a_pod_without_resources_exceeds_nothing() -> None:
    assert messages("quota-exceeded", agent(), pod(), quota({"limits.cpu": "1m", "pods": "0", "secrets": "0"})) == []


def test_a_quota_of_a_resource_with_a_domain() -> None:
    sidecar = agent(resources={"limits": {"example.com/gpu": "1"}})
    [told] = messages("quota-exceeded", sidecar, web(2), quota({"requests.example.com/gpu": "1"}))
    assert "allows 1 of requests.example.com/gpu: 2 pods would need 2 with sidecars, 0 without" in told


class TestWhatIsLeftOfAQuota:
    SIDECAR = agent(resources={"limits": {"cpu": "100m"}})

    def left(self, used: str, *documents: Object) -> list[Finding]:
        counting = quota({"limits.cpu": "1"}) | {
            "status": {"hard": {"limits.cpu": "1"}, "used": {"limits.cpu": used}}
        }
        return found("quota-exceeded", given_by([self.SIDECAR, counting, *documents]))

    @pytest.mark.parametrize(("used", "is_told"), [("400m", False), ("401m", True), ("500m", True), ("501m", False)])
    def test_a_new_pod_has_to_fit(self, used: str, *, is_told: bool) -> None:
        single = pod()
        single["spec"]["containers"][0]["resources"] = MAIN
        told = self.left(used, single)
        assert [item.severity for item in told] == ["error"] * is_told
        if used == "500m":
            assert told[0].message.startswith(
                "ResourceQuota shop/quota has 500m of limits.cpu left: the pod would need 600m with sidecars, "
                "500m without"
            )

    def test_a_pod_that_runs_is_counted_already(self) -> None:
        running = pod()
        running["metadata"]["uid"] = "1"
        assert self.left("950m", running) == []

    def test_the_pods_of_a_workload_may_be_counted_already(self) -> None:
        assert self.left("900m", web()) == []
        [told] = self.left("901m", web())
        assert told.severity == "warning"
        assert "has 99m of limits.cpu left: the sidecars of its pod add 100m, unless they run already" in told.message


def test_a_quota_that_counts_the_pod_only_because_of_its_sidecar() -> None:
    requiring = quota({"requests.cpu": "9"}, scopes=["NotBestEffort"])
    [told] = messages("limits-required", agent(resources={"requests": {"cpu": "1m"}}), pod(), requiring)
    assert "main has no cpu request, as" in told
    assert "which counts the pod only because of its sidecars" in told
    assert messages("limits-required", agent(), pod(), requiring) == []


def test_overhead_adds_to_limits_that_there_are_and_not_to_a_limit_range() -> None:
    overhead = {"cpu": "1"}
    sidecar = agent(resources={"limits": {"cpu": "100m"}})
    told = messages("quota-exceeded", sidecar, web(overhead=overhead), quota({"limits.cpu": "1500m"}))
    assert "would need 1600m with sidecars, 1500m without" in told[0]
    ranges = limit_range(type="Pod", max={"cpu": "600m"})
    assert messages("limit-range", sidecar, web(overhead=overhead), ranges) == []


def test_a_quota_of_limits_that_nobody_counts() -> None:
    sidecar = agent(resources={"limits": {"example.com/gpu": "1"}})
    assert messages("quota-exceeded", sidecar, web(), quota({"limits.example.com/gpu": "0"})) == []


def test_in_one_limit_range_the_last_default_decides() -> None:
    ranges = limit_range(default={"cpu": "1"})
    ranges["spec"]["limits"].append({"type": "Container", "default": {"cpu": "100m"}})
    asking = agent(resources={"requests": {"cpu": "200m"}})
    assert len(messages("pod-invalid", asking, pod(), ranges)) == 1


def named(name: str, replicas: int, app: str = "web") -> Object:
    given = web(replicas)
    given["metadata"] = {**given["metadata"], "name": name}
    given["spec"]["template"]["metadata"] = {"labels": {"app": app}}
    return given


@pytest.mark.parametrize(
    ("most", "said"),
    [
        ("2200m", ""),
        ("2199m", "the 4 pods of 3 workloads would need 2200m with sidecars, 2 without"),
        ("2", "the 4 pods of 3 workloads would need 2200m with sidecars, 2 without"),
        ("1999m", ""),
    ],
)
def test_the_workloads_of_a_namespace_count_together(most: str, said: str) -> None:
    workloads = (named("a", 1), named("b", 1), named("c", 2, app="other"))
    told = messages(
        "quota-exceeded", agent(resources={"limits": {"cpu": "100m"}}), *workloads, quota({"limits.cpu": most})
    )
    assert [text.partition(": ")[2] for text in told] == [said] * bool(said)


def test_what_a_workload_exceeds_alone_is_reported_only_for_it() -> None:
    workloads = (named("a", 3), named("c", 1, app="other"))
    [told] = messages(
        "quota-exceeded", agent(resources={"limits": {"cpu": "600m"}}), *workloads, quota({"limits.cpu": "2"})
    )
    assert "3 pods would need 3300m with sidecars, 1500m without" in told
