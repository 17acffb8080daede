"""The Pod Security Standards, field by field, and on pods as injected."""

import pytest

from sidecarctl.facts.paths import path_text
from sidecarctl.facts.values import Object
from sidecarctl.validation.checking import check
from sidecarctl.validation.practice.pod_security import (
    Level,
    PodContext,
    container_violations,
    enforced_level,
    volume_violations,
)
from tests.validation.examples import given_by, sound_set

RESTRICTED: Object = {
    "allowPrivilegeEscalation": False,
    "capabilities": {"drop": ["ALL"]},
    "runAsNonRoot": True,
    "seccompProfile": {"type": "RuntimeDefault"},
}


def violations(context: Object, level: Level, pod: Object | None = None) -> list[str]:
    found = container_violations({"securityContext": context}, level, PodContext.of(pod or {}))
    return [path_text(item.path).removeprefix("securityContext.") for item in found]


@pytest.mark.parametrize(
    ("context", "path"),
    [
        ({"privileged": True}, "privileged"),
        ({"capabilities": {"add": ["NET_RAW"]}}, "capabilities.add"),
        ({"capabilities": {"add": ["SYS_ADMIN"]}}, "capabilities.add"),
        ({"procMount": "Unmasked"}, "procMount"),
        ({"seLinuxOptions": {"type": "spc_t"}}, "seLinuxOptions.type"),
        ({"seLinuxOptions": {"user": "u"}}, "seLinuxOptions.user"),
        ({"seccompProfile": {"type": "Unconfined"}}, "seccompProfile.type"),
        ({"appArmorProfile": {"type": "Unconfined"}}, "appArmorProfile.type"),
        ({"windowsOptions": {"hostProcess": True}}, "windowsOptions.hostProcess"),
    ],
)
def test_what_baseline_forbids_restricted_forbids_too(context: Object, path: str) -> None:
    assert violations(context, "baseline") == [path]
    assert path in violations(RESTRICTED | context, "restricted")
    assert violations(context, "privileged") == []


@pytest.mark.parametrize("missing", RESTRICTED)
def test_restricted_asks_for_each_of_its_fields(missing: str) -> None:
    assert violations(RESTRICTED, "restricted") == []
    assert violations({key: RESTRICTED[key] for key in RESTRICTED if key != missing}, "baseline") == []
    found = violations({key: RESTRICTED[key] for key in RESTRICTED if key != missing}, "restricted")
    assert [item.partition(".")[0] for item in found] == [missing]


def test_what_the_pod_says_is_inherited() -> None:
    pod = {"securityContext": {"runAsNonRoot": True, "seccompProfile": {"type": "Localhost"}}}
    assert violations({"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}}, "restricted", pod) == []
    assert "runAsNonRoot" in violations(RESTRICTED | {"runAsNonRoot": False}, "restricted", pod)


def test_windows_pods_need_only_be_no_root() -> None:
    assert violations({"runAsNonRoot": True}, "restricted", {"os": {"name": "windows"}}) == []


@pytest.mark.parametrize(
    ("kind", "baseline", "restricted"), [("hostPath", 1, 1), ("nfs", 0, 1), ("emptyDir", 0, 0), ("image", 0, 1)]
)
def test_volumes(kind: str, baseline: int, restricted: int) -> None:
    volume: Object = {"name": "v", kind: {}}
    assert len(list(volume_violations(volume, "baseline"))) == baseline
    assert len(list(volume_violations(volume, "restricted"))) == restricted


def test_an_unknown_level_is_none() -> None:
    assert enforced_level({"pod-security.kubernetes.io/enforce": "baseline"}) == "baseline"
    assert enforced_level({"pod-security.kubernetes.io/enforce": "strict"}) == "privileged"
    assert enforced_level({"pod-security.kubernetes.io/warn": "restricted"}) == "privileged"


def injected_paths(level: str, **spec: object) -> list[str]:
    labels = {"pod-security.kubernetes.io/enforce": level}
    namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop", "labels": labels}}
    pods = [
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": name, "namespace": "shop", "labels": {"app": "web"}},
            "spec": {"containers": [{"name": "main", "image": "main:1", "securityContext": {"privileged": True}}]},
        }
        for name in ("one", "two")
    ]
    [checked] = check(given_by([sound_set(**spec), namespace, *pods]))
    found = [finding for finding in checked.findings if finding.rule == "pod-security"]
    assert all("(in Pod shop/one and 1 more)" in item.message for item in found)
    return [path_text(item.path) for item in found]


def test_only_what_the_sidecar_brings_is_told_once_for_all_pods() -> None:
    hot = {"upgradeType": "HotUpgrade", "hotUpgradeEmptyImage": "e:1"}
    sidecar = {"name": "agent", "image": "a:1", "upgradeStrategy": hot, "securityContext": {"privileged": True}}
    assert injected_paths("privileged", containers=[sidecar]) == []
    assert injected_paths("baseline", containers=[sidecar]) == ["spec.containers[0].securityContext.privileged"]
    volumes = [{"name": "logs", "hostPath": {"path": "/var/log"}}]
    mounting = {"name": "agent", "image": "a:1", "volumeMounts": [{"name": "logs", "mountPath": "/logs"}]}
    assert injected_paths("baseline", containers=[mounting], volumes=volumes) == ["spec.volumes[0].hostPath"]
