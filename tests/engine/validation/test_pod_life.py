"""Ports, users, hooks, resources and Jobs: how an injected pod runs, compared with the app alone."""

import pytest

from sidecarctl.engine.facts.values import Object, Value
from sidecarctl.engine.releases.profiles import PROFILES
from sidecarctl.engine.sidecarset.admission import admit
from tests.engine.validation.examples import given_by
from tests.engine.validation.neighbors import (
    agent,
    deployment,
    env,
    found,
    limit_range,
    messages,
    pod,
    scaler,
    service,
    share_of,
)


def listening(*ports: Object) -> Object:
    given = pod()
    given["spec"]["containers"][0]["ports"] = list(ports)
    return given


HTTP: Object = {"name": "http", "containerPort": 8080}
OTHER_HTTP: Object = {"name": "http", "containerPort": 9090}


class TestServices:
    def test_reach_the_sidecar_before_the_app(self) -> None:
        [told] = found("service-port", given_by([agent(ports=[OTHER_HTTP]), service("http"), listening(HTTP)]))
        assert (told.severity, told.path) == ("error", ("spec", "containers", 0, "ports", 0, "name"))
        assert told.message.startswith(
            "Service shop/web finds its targetPort http in agent (9090) instead of main (8080)"
        )

    def test_stay_at_an_app_that_comes_first_by_its_order_alone(self) -> None:
        last = agent(ports=[OTHER_HTTP], podInjectPolicy="AfterAppContainer")
        [told] = found("service-port", given_by([last, service("http"), listening(HTTP)]))
        assert told.severity == "warning"

    @pytest.mark.parametrize(
        ("port", "target", "app"),
        [
            (OTHER_HTTP, 8080, HTTP),
            (OTHER_HTTP, "http", {"containerPort": 8080}),  # the Service is for the sidecar
            ({**OTHER_HTTP, "protocol": "UDP"}, "http", HTTP),
            ({**OTHER_HTTP, "name": "admin"}, "http", HTTP),
            (HTTP, "http", HTTP),  # the number stays: port-clash
        ],
    )
    def test_are_not_led_astray(self, port: Object, target: Value, app: Object) -> None:
        assert messages("service-port", agent(ports=[port]), service(target), listening(app)) == []

    def test_of_other_pods_and_odd_ones_say_nothing(self) -> None:
        elsewhere = service("http")
        elsewhere["metadata"]["namespace"] = "other"
        of_all = service("http")
        of_all["spec"]["selector"] = {}
        odd = service("http") | {"spec": {"selector": ["app"], "ports": "http"}}
        documents = (agent(ports=[OTHER_HTTP]), listening(HTTP))
        assert messages("service-port", elsewhere, of_all, odd, *documents) == []


class TestPorts:
    def test_that_another_container_has(self) -> None:
        told = messages("port-clash", agent(ports=[{"containerPort": 8080}]), listening(HTTP))
        assert told == ["agent and main both have the port 8080/TCP (in Pod shop/one)"]

    def test_of_another_protocol_do_not_clash(self) -> None:
        assert (
            messages("port-clash", agent(ports=[{"containerPort": 8080, "protocol": "UDP"}]), listening(HTTP)) == []
        )

    def test_of_a_hot_pair_are_those_of_one_container(self) -> None:
        strategy = {"upgradeType": "HotUpgrade", "hotUpgradeEmptyImage": "empty:1"}
        assert messages("port-clash", agent(ports=[OTHER_HTTP], upgradeStrategy=strategy), pod()) == []

    def test_that_only_the_app_has_twice_are_its_own_affair(self) -> None:
        given = listening(HTTP)
        given["spec"]["containers"].append({"name": "second", "image": "s:1", "ports": [HTTP]})
        assert messages("port-clash", agent(), given) == []


@pytest.mark.parametrize(
    ("sidecar", "of_pod", "severity"),
    [
        ({"runAsUser": 0}, {"runAsNonRoot": True}, "error"),
        ({"runAsUser": 0, "runAsNonRoot": False}, {"runAsNonRoot": True}, None),
        ({"runAsUser": 0, "runAsNonRoot": True}, {}, "error"),
        ({"runAsUser": 0}, {}, None),
        ({"runAsUser": 7}, {"runAsNonRoot": True}, None),
        ({}, {"runAsNonRoot": True}, "note"),
        ({}, {"runAsNonRoot": True, "runAsUser": 1000}, None),
        ({}, {"runAsNonRoot": True, "runAsUser": 0}, None),  # the app does not start either
    ],
)
def test_a_sidecar_that_must_not_run_as_root(sidecar: Object, of_pod: Object, severity: str | None) -> None:
    told = found("run-as-root", given_by([agent(securityContext=sidecar), pod(securityContext=of_pod)]))
    assert [item.severity for item in told] == ([severity] if severity else [])


@pytest.mark.parametrize(
    ("command", "seconds"),
    [
        (["sleep", "40"], 40),
        (["/bin/sleep", "1m"], 60),
        (["sh", "-c", "sleep 40"], 40),
        (["/bin/sh", "-c", "drain && sleep 31; sleep 9"], 40),
        (["sh", "-c", "exec sleep 40"], 40),
        (["sh", "-c", "drain || sleep 40"], 0),
        (["sh", "-c", "if busy; then sleep 40; fi"], 0),
        (["sh", "-c", "echo sleep 40"], 0),
        (["sleeper", "40"], 0),
        (["sleep", "30"], 0),
        ([], 0),
    ],
)
def test_a_hook_that_sleeps_beyond_the_grace_period(command: list[str], seconds: int) -> None:
    told = messages("grace-period", agent(lifecycle={"preStop": {"exec": {"command": command}}}), pod())
    assert [item.partition(" (in")[0] for item in told] == (
        [f"agent sleeps {seconds} s in preStop, and is killed after 30 s"] if seconds else []
    )


def test_a_sleep_beyond_the_grace_period_is_rejected() -> None:
    sleeping = agent(lifecycle={"preStop": {"sleep": {"seconds": 20}}})
    [told] = found("grace-period", given_by([sleeping, pod(terminationGracePeriodSeconds=10)]))
    assert (told.severity, told.path[-3:]) == ("error", ("preStop", "sleep", "seconds"))
    assert messages("grace-period", sleeping, pod()) == []


BOTH: Object = {"cpu": "1", "memory": "1Gi"}


@pytest.mark.parametrize(
    ("app", "sidecar", "is_told"),
    [
        ({"limits": BOTH}, {}, True),
        ({"limits": BOTH}, {"limits": BOTH}, False),
        ({"limits": BOTH}, {"limits": BOTH, "requests": {"cpu": "1"}}, False),
        ({"limits": BOTH}, {"limits": BOTH, "requests": {"cpu": "10m"}}, True),
        ({"limits": BOTH}, {"limits": {"cpu": "1", "memory": "0"}}, True),
        ({"requests": BOTH}, {}, False),
        ({}, {}, False),
    ],
)
def test_a_pod_that_is_no_longer_guaranteed(app: Object, sidecar: Object, *, is_told: bool) -> None:
    assert bool(messages("qos-changed", agent(resources=sidecar), deployment(app))) == is_told


def test_a_limit_range_gives_the_sidecar_what_keeps_the_pod_guaranteed() -> None:
    for item, count in (({"default": BOTH}, 0), ({"max": BOTH}, 0), ({"default": {"cpu": "1"}}, 1)):
        assert len(messages("qos-changed", agent(), deployment({"limits": BOTH}), limit_range(**item))) == count


def of_beta(**target: Value) -> Object:
    return {"type": "Resource", "resource": {"name": "cpu", **target}}


@pytest.mark.parametrize(
    ("scaling", "sidecar", "is_told"),
    [
        (scaler(share_of("cpu")), {}, True),
        (scaler(share_of("cpu")), {"limits": {"cpu": "1"}}, False),
        (scaler(share_of("memory")), {"requests": {"cpu": "1"}}, True),
        (scaler(share_of("cpu", "main")), {}, False),
        (scaler(share_of("cpu", "agent")), {}, True),
        (scaler(share_of("cpu", kind="AverageValue")), {}, False),
        (scaler(share_of("cpu"), kind="StatefulSet"), {}, False),
        (scaler({"type": "External"}), {}, False),
        (scaler(), {}, True),
        (scaler(version="v1"), {}, True),
        (scaler(of_beta(targetAverageUtilization=50), version="v2beta1"), {}, True),
        (scaler(of_beta(targetAverageValue="100m"), version="v2beta1"), {}, False),
    ],
)
def test_an_autoscaler_without_a_metric(scaling: Object, sidecar: Object, *, is_told: bool) -> None:
    told = messages("hpa-request", agent(resources=sidecar), deployment({"requests": BOTH}), scaling)
    assert bool(told) == is_told


def test_an_autoscaler_that_has_no_metric_of_the_app_either() -> None:
    assert messages("hpa-request", agent(), deployment({}), scaler(share_of("cpu"))) == []


def test_a_limit_range_gives_the_sidecar_its_request() -> None:
    documents = (agent(), deployment({"requests": BOTH}), scaler(share_of("cpu")))
    assert messages("hpa-request", *documents, limit_range(defaultRequest={"cpu": "10m"})) == []
    assert messages("hpa-request", *documents, limit_range(min={"cpu": "10m"})) == []
    assert len(messages("hpa-request", *documents, limit_range(min={"memory": "10Mi"}, odd=[]))) == 1


TERMINATE = "KRUISE_TERMINATE_SIDECAR_WHEN_JOB_EXIT"


class TestJobs:
    @pytest.mark.parametrize(("policy", "is_told"), [("Never", True), ("OnFailure", True), ("Always", False)])
    def test_are_all_pods_that_are_to_complete(self, policy: str, *, is_told: bool) -> None:
        assert bool(messages("job-never-completes", agent(), pod(restartPolicy=policy))) == is_told

    @pytest.mark.parametrize(
        ("variable", "gates", "is_told"),
        [
            ((TERMINATE, "true"), {"SidecarTerminator"}, False),
            ((TERMINATE, "True"), {"SidecarTerminator"}, False),
            ((f"{TERMINATE}_WITH_IMAGE", "exit:1"), {"SidecarTerminator"}, False),
            ((TERMINATE, "false"), {"SidecarTerminator"}, True),
            ((TERMINATE, "true"), set(), True),
        ],
    )
    def test_are_ended_by_kruise_while_its_gate_is_on(
        self, variable: tuple[str, str], gates: set[str], *, is_told: bool
    ) -> None:
        given = given_by([agent(env=env(variable)), pod(restartPolicy="Never")])
        told = found("job-never-completes", given._replace(gates=frozenset(gates)))
        assert bool(told) == is_told
        if is_told and not gates:
            assert "only while the feature gate SidecarTerminator is on" in told[0].message
            assert "--feature-gates SidecarTerminator=true" in told[0].hint

    def test_are_not_told_to_use_what_the_release_lacks(self) -> None:
        given = given_by([agent(), pod(restartPolicy="Never")])
        for name, gives, is_native in (
            ("1.3", False, False),
            ("1.4", True, False),
            ("1.6", True, False),
            ("1.7", True, True),
        ):
            admitted = admit(agent(), PROFILES[name])
            (told,) = found("job-never-completes", given._replace(sidecarsets=[admitted]))
            assert (f"{TERMINATE}: 'true', with the feature gate SidecarTerminator on" in told.hint) is gives
            assert ("restartPolicy: Always" in told.hint) is is_native
            assert "operator: DoesNotExist" in told.hint or gives

    def test_are_not_ended_by_a_variable_that_the_release_ignores(self) -> None:
        old = admit(agent(env=env((TERMINATE, "true"))), PROFILES["1.3"])
        given = given_by([agent(), pod(restartPolicy="Never")])._replace(sidecarsets=[old])
        (told,) = found("job-never-completes", given)
        assert "Kruise ends it" not in told.message
        assert TERMINATE not in told.hint


def test_pods_that_have_ended_are_left_alone() -> None:
    ended = pod(restartPolicy="Never") | {"status": {"phase": "Succeeded"}}
    assert messages("job-never-completes", agent(), ended) == []


def test_what_both_containers_of_a_hot_pair_have_is_reported_once() -> None:
    strategy = {"upgradeType": "HotUpgrade", "hotUpgradeEmptyImage": "empty:1"}
    hook = {"preStop": {"exec": {"command": ["sleep", "40"]}}}
    told = messages("grace-period", agent(upgradeStrategy=strategy, lifecycle=hook), pod())
    assert told == ["agent sleeps 40 s in preStop, and is killed after 30 s (in Pod shop/one)"]
