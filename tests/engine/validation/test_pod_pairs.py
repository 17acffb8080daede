"""Names, volumes, variables and mounts that a sidecar takes from the app."""

from collections.abc import Sequence

import pytest

from sidecarctl.engine.facts.findings import Place, Severity
from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.sidecarset.world import GivenPod
from tests.engine.validation.examples import given_by, pods_of, sound_set
from tests.engine.validation.neighbors import agent, deployment, env, found, messages, pod

MARKED: Object = {"name": "agent", "image": "agent:1.1", "env": [{"name": "IS_INJECTED", "value": "true"}]}
OWN: Object = {"name": "agent", "image": "other:1"}


class TestContainers:
    def test_of_the_app_that_are_replaced(self) -> None:
        [told] = found("container-replaced", given_by([agent(), pod(OWN)]))
        assert told.path == ("spec", "containers", 0, "name")
        assert told.message == '"agent" takes the place of the app\'s own container of that name (in Pod shop/one)'

    def test_that_were_injected_before_are_not_the_apps(self) -> None:
        assert messages("container-replaced", agent(), pod(MARKED)) == []

    def test_that_are_replaced_in_many_pods_are_reported_once_with_both_places(self) -> None:
        given = given_by([agent(), *(pod(OWN, name=f"p{number}") for number in range(1200))])
        placed = [item._replace(place=lambda path: Place("web.yaml", len(path))) for item in given.pods]
        [told] = found("container-replaced", given._replace(pods=placed))
        assert told.message.endswith("(in Pod shop/p0 and 1,199 more)")
        assert told.hint == "rename the sidecar, or the app's container; see web.yaml:4"

    def test_of_init_containers_count_too(self) -> None:
        native = {"name": "setup", "image": "s:1", "restartPolicy": "Always"}
        bringing = sound_set(initContainers=[native], updateStrategy={"type": "NotUpdate"})
        own = pod(initContainers=[{"name": "setup", "image": "mine:1"}])
        [told] = found("container-replaced", given_by([bringing, own]))
        assert told.path == ("spec", "initContainers", 0, "name")


@pytest.mark.parametrize("field", ["containers", "initContainers"])
def test_a_name_that_two_sets_inject_is_reported_with_the_other_set(field: str) -> None:
    container = {"name": "agent", "image": "a:1", **({"restartPolicy": "Always"} if field != "containers" else {})}
    other = sound_set(containers=[], updateStrategy={"type": "NotUpdate"}) | {"metadata": {"name": "zeta"}}
    other["spec"][field] = [container]
    [told] = found("pod-invalid", given_by([agent(), other, pod()]))
    names = {agent()["metadata"]["name"], "zeta"}
    assert told.subject
    [left] = names - {told.subject.name}
    assert told.message == f'two containers are named "agent": SidecarSet {left} injects it too (in Pod shop/one)'
    assert messages("container-replaced", agent(), other, pod()) == []


SPOOL: Object = {"name": "spool", "mountPath": "/spool"}


@pytest.mark.parametrize(
    ("volume", "is_told"),
    [
        ({"name": "spool", "emptyDir": {}}, False),
        ({"name": "spool"}, False),
        ({"name": "spool", "emptyDir": {"medium": "Memory"}}, True),
        ({"name": "spool", "secret": {"secretName": "a", "defaultMode": 420}}, True),
        ({"name": "other", "emptyDir": {"medium": "Memory"}}, False),
        ({"name": "disk", "emptyDir": {}}, False),  # which no sidecar mounts
    ],
)
def test_a_volume_of_the_pod_is_kept(volume: Object, *, is_told: bool) -> None:
    assert bool(messages("volume-kept", agent(volumeMounts=[SPOOL]), pod(volumes=[volume]))) == is_told


def test_a_kept_volume_with_written_defaults_is_the_same() -> None:
    volumes = [{"name": "spool", "secret": {"secretName": "a"}}]
    asking = sound_set(volumes=volumes, containers=[{"name": "agent", "image": "a:1", "volumeMounts": [SPOOL]}])
    written = [{"name": "spool", "secret": {"secretName": "a", "defaultMode": 420}}]
    assert messages("volume-kept", asking, pod(volumes=written)) == []


def test_the_volumes_of_a_pod_that_was_injected_before_may_be_older() -> None:
    dumped = pod(MARKED, volumes=[{"name": "spool", "emptyDir": {"medium": "Memory"}}])
    dumped["metadata"]["annotations"] = {"kruise.io/sidecarset-injected-list": "agent"}
    assert messages("volume-kept", agent(volumeMounts=[SPOOL]), dumped) == []


@pytest.mark.parametrize(
    ("own", "is_told"), [([], False), ([("A", "1")], False), ([("A", "2")], True), ([("B", "2")], False)]
)
def test_a_variable_that_the_sidecar_has_itself_is_not_transferred(
    own: Sequence[tuple[str, str]], *, is_told: bool
) -> None:
    transfer = [{"sourceContainerName": "main", "envName": "A"}]
    source = pod()
    source["spec"]["containers"][0]["env"] = env(("A", "1"))
    assert bool(messages("env-duplicate", agent(env=env(*own), transferEnv=transfer), source)) == is_told


def test_a_variable_that_a_sidecar_has_twice() -> None:
    for others in ([], [pod()]):
        twice = env(("A", "1"), ("A", "1"), ("A", "2"))
        same, other = found("env-duplicate", given_by([agent(env=twice), *others]))
        assert (same.severity, same.path[-1]) == (Severity.NOTE, 1)
        assert (other.severity, other.path[-1]) == (Severity.WARNING, 2)
        assert other.message == "A is in the env of agent twice, with different values: the last wins"


@pytest.mark.parametrize(
    ("mount", "is_told"),
    [
        ({"name": "data", "mountPath": "/spool"}, True),
        ({"name": "data", "mountPath": "/spool/"}, True),
        ({"name": "spool", "mountPath": "/spool"}, False),
        ({"name": "data", "mountPath": "/data"}, False),
    ],
)
def test_a_mount_of_the_app_is_shadowed(mount: Object, *, is_told: bool) -> None:
    mounting = pod(volumes=[{"name": "data", "emptyDir": {}}, {"name": "spool", "emptyDir": {}}])
    mounting["spec"]["containers"][0]["volumeMounts"] = [mount]
    for policy, expected in (("enabled", is_told), ("disabled", False)):
        sharing = agent(volumeMounts=[SPOOL], shareVolumePolicy={"type": policy})
        assert bool(messages("mount-shadowed", sharing, mounting)) == expected


@pytest.mark.parametrize(
    ("own", "shared", "said"),
    [
        ("/data", "/data/sub", "what spool has at /data/sub is not seen: data of the app is mounted there"),
        ("/data/sub", "/data", "what data of the app has at /data/sub is not seen: spool is mounted there"),
        ("/data", "/database", ""),
    ],
)
def test_of_a_mount_in_another_the_inner_is_seen(own: str, shared: str, said: str) -> None:
    mounting = pod(volumes=[{"name": "data", "emptyDir": {}}])
    mounting["spec"]["containers"][0]["volumeMounts"] = [{"name": "data", "mountPath": shared}]
    sharing = agent(volumeMounts=[{"name": "spool", "mountPath": own}], shareVolumePolicy={"type": "enabled"})
    assert messages("mount-shadowed", sharing, mounting) == ([f"{said} (in Pod shop/one)"] if said else [])


def test_a_claim_template_keeps_its_volume() -> None:
    workload: Object = deployment({"limits": {"cpu": "1"}}) | {"kind": "StatefulSet"}
    workload["spec"]["volumeClaimTemplates"] = [{"metadata": {"name": "spool"}, "spec": {}}]
    given = given_by([agent(volumeMounts=[SPOOL])])
    [told] = found("volume-kept", given._replace(pods=list(pods_of(workload))))
    assert told.message.startswith("the pod's own volume spool (persistentVolumeClaim) is mounted instead of it")


def test_pods_without_sidecars_are_left_alone() -> None:
    stranger = GivenPod(pod(OWN) | {"metadata": {"name": "x", "namespace": "shop", "labels": {"app": "other"}}})
    given = given_by([agent()])._replace(pods=[stranger])
    assert found("container-replaced", given) == []
