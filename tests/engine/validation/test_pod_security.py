"""The Pod Security Standards, field by field, and on pods as injected."""

import pytest

from sidecarctl.engine.facts.findings import Finding
from sidecarctl.engine.facts.values import Object, path_text
from sidecarctl.engine.validation.checking import check
from sidecarctl.engine.validation.pods.pod_security import (
    Level,
    PodContext,
    container_violations,
    level_of,
    pod_violations,
    version_of,
    volume_violations,
)
from tests.engine.validation.examples import given_by, sound_set

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
    pod: Object = {"hostUsers": False}  # without it procMount means nothing
    assert violations(context, "baseline", pod) == [path]
    assert path in violations(RESTRICTED | context, "restricted", pod)
    assert violations(context, "privileged", pod) == []


def test_a_proc_mount_that_the_api_server_drops_or_refuses_at_every_level_is_not_a_violation() -> None:
    assert violations({"procMount": "Unmasked"}, "baseline") == []
    assert violations({"procMount": "Unmasked"}, "baseline", {"hostUsers": True}) == []


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
    assert level_of({"pod-security.kubernetes.io/enforce": "baseline"}) == "baseline"
    assert level_of({"pod-security.kubernetes.io/enforce": "strict"}) == "privileged"
    assert level_of({"pod-security.kubernetes.io/warn": "restricted"}) == "privileged"
    assert level_of({"pod-security.kubernetes.io/warn": "restricted"}, "warn") == "restricted"


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


def test_only_what_the_sidecar_brings_is_reported_once_for_all_pods() -> None:
    hot = {"upgradeType": "HotUpgrade", "hotUpgradeEmptyImage": "e:1"}
    sidecar = {"name": "agent", "image": "a:1", "upgradeStrategy": hot, "securityContext": {"privileged": True}}
    assert injected_paths("privileged", containers=[sidecar]) == []
    assert injected_paths("baseline", containers=[sidecar]) == ["spec.containers[0].securityContext.privileged"]
    volumes = [{"name": "logs", "hostPath": {"path": "/var/log"}}]
    mounting = {"name": "agent", "image": "a:1", "volumeMounts": [{"name": "logs", "mountPath": "/logs"}]}
    assert injected_paths("baseline", containers=[mounting], volumes=volumes) == ["spec.volumes[0].hostPath"]


def told_of(labels: Object, context: Object, **spec: object) -> list[tuple[str, str]]:
    """The severity and the beginning of each message about a privileged sidecar."""
    labels = {f"pod-security.kubernetes.io/{mode}": level for mode, level in labels.items()}
    namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop", "labels": labels}}
    container = {"name": "main", "image": "main:1", "securityContext": context}
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "one", "namespace": "shop", "labels": {"app": "web"}},
        "spec": {"containers": [container], **spec},
    }
    sidecar = {"name": "agent", "image": "a:1", "securityContext": RESTRICTED | {"privileged": True}}
    [checked] = check(given_by([sound_set(containers=[sidecar]), namespace, pod]))
    found = [finding for finding in checked.findings if finding.rule == "pod-security"]
    return [(str(item.severity), item.message.partition(" (in ")[0]) for item in found]


NOT_ALLOWED = "privileged: true is not allowed"
TOO = "and the app alone violates the level too"


@pytest.mark.parametrize(
    ("labels", "told"),
    [
        ({"enforce": "baseline"}, [("error", f"baseline: {NOT_ALLOWED}")]),
        ({"warn": "baseline"}, [("warning", f"baseline (warn): {NOT_ALLOWED}")]),
        ({"audit": "baseline", "warn": "baseline"}, [("warning", f"baseline (audit): {NOT_ALLOWED}")]),
        (
            {"enforce": "baseline", "warn": "restricted"},
            [("error", f"baseline: {NOT_ALLOWED}"), ("warning", f"restricted (warn): {NOT_ALLOWED}")],
        ),
        ({"enforce": "privileged"}, []),
    ],
)
def test_modes_of_a_level(labels: Object, told: list[tuple[str, str]]) -> None:
    assert told_of(labels, RESTRICTED) == told


@pytest.mark.parametrize(
    ("context", "spec"),
    [({"privileged": True}, {}), ({}, {"hostPID": True}), ({}, {"securityContext": {"sysctls": [{"name": "a"}]}})],
)
def test_an_app_that_violates_the_level_alone_is_to_blame_too(context: Object, spec: Object) -> None:
    assert told_of({"enforce": "baseline"}, context, **spec) == [("warning", f"baseline: {NOT_ALLOWED}, {TOO}")]


@pytest.mark.parametrize(
    ("label", "kubernetes", "minor"),
    [("", None, None), ("latest", None, None), ("latest", 27, 27), ("v1.24", None, 24), ("v1.32", 30, 30)],
)
def test_the_version_of_a_standard(label: str, kubernetes: int | None, minor: int | None) -> None:
    labels = {"pod-security.kubernetes.io/enforce-version": label} if label else {}
    found = version_of(labels, "enforce", kubernetes)
    assert found == minor if minor else found > 1000


@pytest.mark.parametrize(
    ("context", "level", "first"),
    [
        ({**RESTRICTED, "runAsUser": 0}, "restricted", 23),
        (
            {"runAsNonRoot": True, "allowPrivilegeEscalation": False},
            "restricted",
            19,
        ),  # seccomp; capabilities from 22
        ({"runAsNonRoot": True}, "restricted", 8),
        ({"seccompProfile": {"type": "Unconfined"}}, "baseline", 19),
    ],
)
def test_what_a_standard_asks_for_from_a_version_on(context: Object, level: Level, first: int) -> None:
    def found(minor: int) -> list[Finding]:
        return [*container_violations({"securityContext": context}, level, PodContext.of({}, minor))]

    assert found(first)
    assert not found(first - 1)


def test_what_a_standard_allows_from_a_version_on() -> None:
    labeled: Object = {"seLinuxOptions": {"type": "container_engine_t"}, "sysctls": [{"name": "net.ipv4.tcp_rmem"}]}
    found = {
        minor: len(list(pod_violations({"securityContext": labeled}, "baseline", minor))) for minor in (30, 31, 32)
    }
    assert found == {30: 2, 31: 1, 32: 0}


def test_windows_is_known_from_1_25_on() -> None:
    windows = {"os": {"name": "windows"}}
    for minor, count in ((24, 3), (25, 0)):
        context = PodContext.of(windows, minor)
        found = container_violations({"securityContext": {"runAsNonRoot": True}}, "restricted", context)
        assert len(list(found)) == count


def test_the_version_label_of_the_namespace_decides() -> None:
    labels = {"enforce": "restricted", "enforce-version": "v1.22"}
    [(severity, told)] = told_of(labels, RESTRICTED)
    assert (severity, told) == ("error", f"restricted of 1.22: {NOT_ALLOWED}")
