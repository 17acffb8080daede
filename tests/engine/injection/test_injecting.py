"""What is said about an injection, and what of the pod stays the same object."""

import pytest

from sidecarctl.engine.facts.errors import ImpossibleError
from sidecarctl.engine.facts.findings import Finding, Severity
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Object, Value
from sidecarctl.engine.injection.decisions import InjectionOptions
from sidecarctl.engine.injection.injecting import InjectedContainer
from sidecarctl.engine.releases.profiles import PROFILES
from tests.engine.injection.manifests import RECORDS, context, injected, pod, reasons, sidecar, sidecarset

MERGE = {"annotations": {"cfg": '{"b": 1, "a": null}'}, "patchPolicy": "MergePatchJson"}
HOT = {"upgradeType": "HotUpgrade", "hotUpgradeEmptyImage": "empty:1"}
POLICY = {"targetContainersMode": "sum", "resourcesExpr": {"limits": {"cpu": "cpu*50%"}}}


def said(findings: tuple[Finding, ...], reason: Reason) -> list[Finding]:
    return [finding for finding in findings if finding.reason is reason]


def test_a_pod_that_no_set_matches_is_the_same_object() -> None:
    manifest = pod(metadata={"labels": {}})
    injection = injected(manifest, context(sidecarset("logging", sidecar())))
    assert injection.pod is manifest
    assert not injection.changed


def test_what_is_injected_is_listed() -> None:
    world = context(sidecarset("logging", sidecar("web"), sidecar("agent"), initContainers=[sidecar("prepare")]))
    assert injected(pod(), world).containers == (
        InjectedContainer("logging", "initContainers", "prepare", replaces=False),
        InjectedContainer("logging", "containers", "agent", replaces=False),
        InjectedContainer("logging", "containers", "web", replaces=True),
    )


def test_containers_that_take_nothing_from_pods_are_shared_between_them() -> None:
    world = context(sidecarset("logging", sidecar()))
    item, other = injected(pod(), world).pod, injected(pod(metadata={"name": "web-1"}), world).pod
    assert item["spec"]["containers"][0] is other["spec"]["containers"][0]


@pytest.mark.parametrize("manifest", [{}, {"metadata": None, "spec": None}])
def test_a_pod_may_lack_everything(manifest: Object) -> None:
    none = {"matchExpressions": [{"key": "app", "operator": "DoesNotExist"}]}
    world = context(sidecarset("logging", sidecar(), selector=none))
    after = injected(manifest, world).pod
    assert list(after) == ["metadata", "spec"]
    assert set(after["metadata"]["annotations"]) == RECORDS
    assert [container["name"] for container in after["spec"]["containers"]] == ["agent"]


def test_lists_of_the_pod_may_hold_null() -> None:
    nulls: Object = {"env": [None], "volumeMounts": [None], "volumeDevices": [None]}
    share: Object = {"shareVolumePolicy": {"type": "enabled"}, "shareVolumeDevicePolicy": {"type": "enabled"}}
    transfer: Object = {"transferEnv": [{"sourceContainerName": "web", "envName": "A"}]}
    world = context(sidecarset("logging", sidecar(**(share | transfer)), imagePullSecrets=[{"name": "reg"}]))
    lists: Object = {"containers": [{"name": "web", **nulls}, None], "volumes": [None], "initContainers": [None]}
    manifest = pod(**lists, imagePullSecrets=[None])
    spec = injected(manifest, world).pod["spec"]
    assert spec["containers"][1:] == manifest["spec"]["containers"]
    assert spec["imagePullSecrets"] == [None, {"name": "reg"}]


@pytest.mark.parametrize(
    ("transfer", "said_about", "path"),
    [
        ({"sourceContainerName": "web", "envNames": ["A", "B"]}, ["A", "B"], ()),
        ({"sourceContainerName": "api", "envName": "A"}, ["container api"], ()),
        ({"envName": "A"}, ["without a name"], ()),
        (
            {"sourceContainerNameFrom": {"fieldRef": {"fieldPath": "metadata.name"}}, "envName": "A"},
            ["skipped"],
            ("sourceContainerNameFrom", "fieldRef", "fieldPath"),
        ),
    ],
)
def test_envs_that_are_not_found_are_warned_of(transfer: Object, said_about: list[str], path: Value) -> None:
    findings = injected(pod(), context(sidecarset("logging", sidecar(transferEnv=[transfer])))).findings
    assert [finding.severity for finding in findings] == [Severity.WARNING] * len(said_about)
    for finding, words in zip(findings, said_about, strict=True):
        assert finding.reason is Reason.TRANSFER_ENV_NOT_FOUND
        assert words in finding.message
        assert finding.path == ("spec", "containers", 0, "transferEnv", 0, *path)
        assert str(finding.subject) == "SidecarSet logging"


def test_typos_in_expressions_are_warned_of() -> None:
    policy = POLICY | {"resourcesExpr": {"requests": {"cpu": "0.5cpu"}}}
    (finding,) = injected(pod(), context(sidecarset("logging", sidecar(resourcesPolicy=policy)))).findings
    assert finding.reason is Reason.NOT_A_NUMBER
    assert finding.path == ("spec", "containers", 0, "resourcesPolicy", "resourcesExpr", "requests", "cpu")


def test_a_wrong_expression_of_an_unlimited_resource_is_never_looked_at() -> None:
    policy = POLICY | {"resourcesExpr": {"limits": {"cpu": "cpu +"}}}
    assert not injected(pod(), context(sidecarset("logging", sidecar(resourcesPolicy=policy)))).findings


def test_a_policy_that_cannot_be_computed_rejects_the_pod_and_names_the_set() -> None:
    policy = POLICY | {"targetContainersNameRegex": "^api$"}
    with pytest.raises(ImpossibleError) as rejected:
        injected(pod(), context(sidecarset("logging", sidecar(resourcesPolicy=policy))))
    (finding,) = rejected.value.findings
    assert finding.reason is Reason.NO_TARGET_CONTAINER
    assert str(finding.subject) == "SidecarSet logging"
    assert finding.path == ("spec", "containers", 0, "resourcesPolicy")


@pytest.mark.parametrize(("fills", "memory"), [(True, "512Mi"), (False, "0")])
def test_requests_are_taken_from_limits_as_the_api_server_does(fills: bool, memory: str) -> None:  # noqa: FBT001 - by pytest
    policy = POLICY | {"resourcesExpr": {"requests": {"memory": "memory/2"}}}
    sets = sidecarset("logging", sidecar(resourcesPolicy=policy))
    manifest = pod({"name": "web", "resources": {"limits": {"memory": "1Gi"}}})
    after = injected(manifest, context(sets, options=InjectionOptions(fills_requests=fills))).pod
    assert after["spec"]["containers"][0]["resources"] == {"requests": {"memory": memory}}


@pytest.mark.parametrize(
    ("sets", "manifest"),
    [
        ([sidecarset("logging", sidecar(), patchPodMetadata=[MERGE])], pod()),
        (
            [
                sidecarset("a", sidecar("a", env=[{"name": "X", "value": "1"}])),
                sidecarset("b", sidecar("b", transferEnv=[{"sourceContainerName": "a", "envName": "X"}])),
            ],
            pod(),
        ),
        (
            [sidecarset("a", sidecar("a", upgradeStrategy=HOT), sidecar("b", resourcesPolicy=POLICY))],
            pod({"name": "web", "resources": {"limits": {"cpu": "1"}}}),
        ),
        (
            [
                sidecarset("a", sidecar("x", tty=True, podInjectPolicy="AfterAppContainer")),
                sidecarset("b", sidecar("x")),
            ],
            pod(),
        ),
        (
            [sidecarset("a", sidecar("web"), sidecar("b", shareVolumePolicy={"type": "enabled"}))],
            pod({"name": "web", "volumeMounts": [{"name": "data", "mountPath": "/data"}]}),
        ),
        (
            [
                sidecarset(
                    "a",
                    sidecar(
                        "a",
                        env=[{"name": "IS_INJECTED", "value": "no"}],
                        volumeMounts=[{"name": "d", "mountPath": "/d"}],
                    ),
                    sidecar("b", shareVolumePolicy={"type": "enabled"}),
                )
            ],
            pod(),
        ),
    ],
    ids=["merge patch", "transfer from a sidecar", "halves as targets", "same name", "replaced source", "false mark"],
)
def test_a_second_injection_that_differs_is_reported(sets: list[Object], manifest: Object) -> None:
    world = context(*sets)
    once = injected(manifest, world)
    assert Reason.NOT_IDEMPOTENT in reasons(once)
    assert injected(once.pod, world).pod is not once.pod


def test_a_patch_that_cannot_be_merged_into_itself_is_not_idempotent() -> None:
    patch = {"annotations": {"cfg": "plain text"}, "patchPolicy": "MergePatchJson"}
    once = injected(pod(), context(sidecarset("logging", sidecar(), patchPodMetadata=[patch])))
    (finding,) = said(once.findings, Reason.NOT_IDEMPOTENT)
    assert "patch" in finding.message


def test_suspicions_that_come_to_nothing_are_not_said() -> None:
    patch = {"annotations": {"cfg": '{"a":1}'}, "patchPolicy": "MergePatchJson"}
    assert not injected(pod(), context(sidecarset("logging", sidecar(), patchPodMetadata=[patch]))).findings


@pytest.mark.parametrize(
    "moved",
    [
        {"kruise.io/sidecarset-working-hotupgrade-container": '{"agent":"agent-2"}'},
        {"version.sidecarset.kruise.io/agent-2": "8123"},
    ],
)
def test_resetting_an_upgraded_hot_pair_gets_a_warning(moved: Object) -> None:
    world = context(sidecarset("logging", sidecar(upgradeStrategy=HOT)))
    once = injected(pod(), world).pod
    annotations = once["metadata"]["annotations"] | moved
    again = injected(once | {"metadata": once["metadata"] | {"annotations": annotations}}, world)
    (finding,) = said(again.findings, Reason.NOT_IDEMPOTENT)
    assert "hot container agent" in finding.message
    assert again.pod == once


def test_a_container_of_the_pod_that_is_replaced_gets_a_warning() -> None:
    injection = injected(pod(), context(sidecarset("logging", sidecar("web"))))
    (finding,) = injection.findings
    assert (finding.reason, finding.severity) == (Reason.CONTAINER_REPLACED, Severity.WARNING)
    assert finding.path == ("spec", "containers", 0)


def test_what_removing_cannot_restore_is_noted() -> None:
    patch = {"annotations": {"owner": "logging", "note": "x"}, "patchPolicy": "Overwrite"}
    mount = [{"name": "data", "mountPath": "/data"}]
    world = context(
        sidecarset(
            "logging",
            sidecar(volumeMounts=mount),
            initContainers=[sidecar("prepare")],
            volumes=[{"name": "data"}],
            imagePullSecrets=[{"name": "reg"}],
            patchPodMetadata=[patch],
        )
    )
    annotations = {"owner": "shop", "kruise.io/sidecarset-injected-list": "audit"}
    manifest = pod(
        metadata={"annotations": annotations},
        initContainers=[],
        volumes=[{"name": "data", "emptyDir": {}}],
        imagePullSecrets=[{"name": "reg"}],
    )
    findings = said(injected(manifest, world).findings, Reason.NOT_REVERSIBLE)
    assert {finding.severity for finding in findings} == {Severity.NOTE}
    assert [finding.path for finding in findings] == [
        ("spec", "initContainers"),
        ("metadata", "annotations", "owner"),
        ("metadata", "annotations"),
        ("spec", "volumes", 0),
        ("spec", "imagePullSecrets", 0),
    ]


@pytest.mark.parametrize(
    ("manifest", "path"),
    [
        ({"metadata": {}, "spec": {}}, ("metadata",)),
        ({"metadata": {"annotations": None}, "spec": {}}, ("metadata", "annotations")),
    ],
)
def test_empty_branches_are_noted(manifest: Object, path: Value) -> None:
    none = {"matchExpressions": [{"key": "app", "operator": "DoesNotExist"}]}
    injection = injected(manifest, context(sidecarset("logging", sidecar(), selector=none)))
    assert path in [finding.path for finding in said(injection.findings, Reason.NOT_REVERSIBLE)]


@pytest.mark.parametrize(("release", "changes"), [("1.0", True), ("1.2", False)])
def test_kruise_1_0_takes_a_pod_with_two_hot_containers_for_incomplete(release: str, changes: bool) -> None:  # noqa: FBT001 - by pytest
    hot = sidecarset("proxy", sidecar("a", upgradeStrategy=HOT), sidecar("b", upgradeStrategy=HOT))
    world = context(sidecarset("logging", sidecar()), hot, release=PROFILES[release])
    once = injected(pod(), world)
    assert (injected(once.pod, world).pod is not once.pod) is changes
    assert (Reason.NOT_IDEMPOTENT in reasons(once)) is changes
