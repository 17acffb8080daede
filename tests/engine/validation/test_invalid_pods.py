"""Pods that the API server refuses only with their sidecars; tests/cluster/admission asks the server itself."""

import pytest

from sidecarctl.engine.facts.values import Object, Value
from tests.engine.validation.examples import given_by, sound_set
from tests.engine.validation.neighbors import agent, found, limit_range, messages, pod

EMPTY: Object = {"name": "spool", "emptyDir": {}}


def with_main(**fields: Value) -> Object:
    given = pod()
    given["spec"]["containers"][0] |= fields
    return given


@pytest.mark.parametrize(
    ("sidecar", "given", "said"),
    [
        (
            {"ports": [{"containerPort": 80, "hostPort": 80}]},
            with_main(ports=[{"containerPort": 81, "hostPort": 80}]),
            "the hostPort 80 is already used",
        ),
        (
            {"ports": [{"containerPort": 80, "hostPort": 80, "hostIP": "10.0.0.1"}]},
            with_main(ports=[{"containerPort": 81, "hostPort": 80}]),
            "",
        ),
        ({"ports": [{"containerPort": 80}]}, with_main(ports=[{"containerPort": 80}]), ""),
        (
            {"securityContext": {"runAsUser": 0}},
            pod(os={"name": "windows"}),
            "runAsUser cannot be set in a pod whose",
        ),
        ({"securityContext": {"windowsOptions": {}}}, pod(os={"name": "linux"}), "windowsOptions cannot be set"),
        ({"securityContext": {"runAsUser": 0}}, pod(os={"name": "linux"}), ""),
    ],
)
def test_a_field_that_the_pod_does_not_go_with(sidecar: Object, given: Object, said: str) -> None:
    told = messages("pod-invalid", agent(**sidecar), given)
    assert [text.startswith(said) for text in told] == [True] * bool(said)


def test_ports_in_the_network_of_the_node() -> None:
    given = pod(hostNetwork=True)
    given["spec"]["containers"][0]["ports"] = [{"containerPort": 80}]
    assert messages("pod-invalid", agent(ports=[{"containerPort": 80}]), given) == [
        "the hostPort 80 is already used (in Pod shop/one)"
    ]
    [told] = messages("pod-invalid", agent(ports=[{"containerPort": 81, "hostPort": 82}]), given)
    assert told.startswith("with hostNetwork, the hostPort 82 must be the containerPort")


def test_the_field_that_the_api_server_names_may_be_the_apps() -> None:
    ports = [{"containerPort": 80, "hostPort": 80}]
    [told] = found("pod-invalid", given_by([agent(ports=ports), with_main(ports=ports)]))
    assert told.path == ("spec", "containers", 0, "ports", 0, "hostPort")
    assert told.hint.endswith("; the API server names spec.containers[1].ports[0].hostPort")


def test_a_kept_volume_that_cannot_be_a_device() -> None:
    claim = {"name": "spool", "persistentVolumeClaim": {"claimName": "disk"}}
    devices = [{"name": "spool", "devicePath": "/dev/spool"}]
    bringing = sound_set(volumes=[claim], containers=[{"name": "agent", "image": "a:1", "volumeDevices": devices}])
    assert messages("pod-invalid", bringing, pod(volumes=[claim])) == []
    [told] = messages("pod-invalid", bringing, pod(volumes=[EMPTY]))
    assert told.startswith('the source of the volume "spool" is not persistentVolumeClaim or ephemeral')


def test_a_default_limit_below_the_request() -> None:
    asking = agent(resources={"requests": {"cpu": "200m"}})
    [told] = found("pod-invalid", given_by([asking, pod(), limit_range(default={"cpu": "100m"})]))
    assert told.message.startswith("the request 200m is above the limit 100m")
    assert told.hint.endswith("the API server names spec.containers[0].resources.requests")
    assert messages("pod-invalid", asking, pod(), limit_range(default={"cpu": "1"})) == []


def test_host_processes_of_windows() -> None:
    windows = {"windowsOptions": {"hostProcess": True}}
    given = pod(os={"name": "windows"}, hostNetwork=True)
    given["spec"]["containers"][0]["securityContext"] = windows
    [told] = messages("pod-invalid", agent(), given)
    assert told.startswith("some containers are HostProcess containers, and not all")
    whole = pod(os={"name": "windows"}, hostNetwork=True, securityContext=windows)
    assert messages("pod-invalid", agent(), whole) == []
    [told] = messages("pod-invalid", agent(securityContext={"windowsOptions": {"hostProcess": False}}), whole)[:1]
    assert told.startswith("hostProcess is false, and true of the pod")


def test_what_the_app_alone_has_is_not_reported() -> None:
    twice = pod({"name": "main", "image": "main:2"})
    assert messages("pod-invalid", agent(), twice) == []
