"""The pace of updates, hot upgrades, and ports that probes name."""

import pytest

from sidecarctl.engine.facts.values import Object, Value
from tests.engine.validation.examples import given_by, sound_set
from tests.engine.validation.neighbors import agent, found, messages


@pytest.mark.parametrize(
    ("strategy", "said"),
    [
        ({"maxUnavailable": 0}, "with 0, no ready pod is ever updated"),
        ({"maxUnavailable": "0%"}, "with 0%, no ready pod is ever updated"),
        ({"maxUnavailable": "100%"}, "with 100%, the sidecars of all pods are restarted at once"),
        ({"maxUnavailable": "99%"}, ""),
        ({"maxUnavailable": 1}, ""),
        ({}, ""),
        ({"maxUnavailable": 0, "paused": True}, ""),
        ({"maxUnavailable": 0, "type": "NotUpdate"}, ""),
    ],
)
def test_a_pace_of_none_or_all(strategy: Object, said: str) -> None:
    assert messages("max-unavailable", sound_set(updateStrategy=strategy)) == ([said] if said else [])


def hot(empty: str = "empty:1", **fields: Value) -> Object:
    strategy = {"upgradeType": "HotUpgrade", "hotUpgradeEmptyImage": empty}
    hook = {"postStart": {"exec": {"command": ["/migrate.sh"]}}}
    return agent(**{"upgradeStrategy": strategy, "lifecycle": hook, **fields})


def test_hot_upgrades_that_may_fail() -> None:
    probe = {"tcpSocket": {"port": 80}}
    paths = {
        item.path[3:]
        for given in (hot("agent:1.2"), hot(readinessProbe=probe), hot(lifecycle={}))
        for item in found("hot-upgrade", given_by([given]))
    }
    assert paths == {("upgradeStrategy", "hotUpgradeEmptyImage"), ("readinessProbe",), ()}
    assert messages("hot-upgrade", hot()) == []
    assert messages("hot-upgrade", agent(readinessProbe=probe)) == []


@pytest.mark.parametrize(("port", "is_told"), [("http", False), ("metrics", True), (80, False)])
def test_a_probe_that_names_a_port_of_its_container(port: Value, *, is_told: bool) -> None:
    ports = [{"name": "http", "containerPort": 8080}]
    for fields in (
        {"livenessProbe": {"httpGet": {"port": port, "path": "/"}}},
        {"readinessProbe": {"tcpSocket": {"port": port}}},
        {"lifecycle": {"preStop": {"httpGet": {"port": port, "path": "/"}}}},
    ):
        told = found("probe-port-undeclared", given_by([agent(ports=ports, **fields)]))
        assert len(told) == is_told
