"""Resources computed from the pod's own containers."""

import pytest

from sidecarctl.engine.facts.errors import ImpossibleError
from sidecarctl.engine.facts.values import Object, Value
from sidecarctl.engine.sidecarset.resources_policy import computed_resources, policy_typos


def container(name: str, limits: Value = None, requests: Value = None, **members: Value) -> Object:
    return {"name": name, "resources": {"limits": limits, "requests": requests}} | members


def policy(mode: str = "sum", regex: str = ".*", **expressions: Value) -> Object:
    return {"targetContainersMode": mode, "targetContainersNameRegex": regex, "resourcesExpr": expressions}


POD = {
    "initContainers": [
        container("native", {"cpu": "1"}, restartPolicy="Always"),
        container("plain", {"cpu": "64"}),
        None,
    ],
    "containers": [
        container("app", {"cpu": "500m", "memory": "1Gi"}, {"cpu": 0.25}),
        container("web-1", {"cpu": "0500m", "memory": "2Gi"}, {"memory": "1.0Gi"}),
        container("sidecar", {"cpu": "100"}),
    ],
}  # a table, a case a line  # fmt: skip


def computed(given: Object, pod: Object = POD) -> Object:
    return computed_resources(given, pod, {"sidecar"}, ("resourcesPolicy",))


def refusal(given: Object, pod: Object = POD) -> str:
    with pytest.raises(ImpossibleError) as raised:
        computed(given, pod)
    return str(raised.value)


def test_sum_counts_native_sidecars_and_containers_but_no_other_sidecars() -> None:
    assert computed(policy(limits={"cpu": "cpu"})) == {"limits": {"cpu": "2"}}


def test_a_missing_limit_makes_the_aggregate_unlimited_and_the_expression_unread() -> None:
    assert computed(policy(limits={"memory": "memory +"})) == {}
    assert computed(policy(regex="app|web", limits={"memory": "memory"})) == {"limits": {"memory": "3Gi"}}


def test_a_missing_request_counts_as_nothing() -> None:
    assert computed(policy(requests={"cpu": "cpu*2", "memory": "memory"})) == {
        "requests": {"cpu": "500m", "memory": "1Gi"}
    }
    assert computed(policy(regex="native", requests={"cpu": "cpu"})) == {"requests": {"cpu": "0"}}


def test_max_takes_the_first_of_equal_ones_with_its_text() -> None:
    assert computed(policy("max", "app|web", limits={"cpu": "cpu"})) == {"limits": {"cpu": "500m"}}
    assert computed(policy("max", "web", limits={"cpu": "cpu"})) == {"limits": {"cpu": "0500m"}}


def test_empty_expressions_set_nothing() -> None:
    assert computed(policy(limits={"cpu": ""}, requests={})) == {}
    assert computed({"targetContainersMode": "sum", "targetContainersNameRegex": ""}) == {}


def test_errors_reject_the_pod() -> None:
    cpu = {"cpu": "cpu*cpu"}
    assert refusal(policy(limits=cpu)) == (
        'resourcesPolicy.resourcesExpr.limits.cpu: "cpu*cpu": cannot multiply two quantities'
    )
    assert refusal(policy(regex="^gateway$")) == (
        'resourcesPolicy: no container of the pod matches the pattern "^gateway$"'
    )
    assert refusal(policy(regex="sidecar")).endswith('matches the pattern "sidecar"')
    assert refusal(policy(), {"containers": None}).endswith('matches the pattern ".*"')
    assert refusal(policy(regex="(?=a)")) == (
        'resourcesPolicy.targetContainersNameRegex: invalid pattern "(?=a)": '
        "error parsing regexp: invalid or unsupported Perl syntax: `(?=`"
    )
    assert refusal(policy("avg", limits={"cpu": "cpu"})) == (
        'resourcesPolicy.targetContainersMode: unknown mode "avg": expected sum or max'
    )


def test_typos_of_all_expressions_are_found() -> None:
    given = policy(limits={"cpu": "0.5cpu"}, requests={"memory": "100K"})
    assert [finding.path for finding in policy_typos(given)] == [
        ("resourcesExpr", "limits", "cpu"),
        ("resourcesExpr", "requests", "memory"),
    ]
