"""The examples of Kruise's manuals under the releases that the manuals describe, and where the manuals are wrong.

B describes about 1.0, C the releases up to 1.5, D up to 1.7, E up to 1.8; A is a post about 0.8, not recorded.
"""

from pathlib import Path

import pytest
import yaml

from sidecarctl.engine.facts.errors import InputError
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.injection.injection_context import InjectionContext
from sidecarctl.engine.releases.profiles import R1_0, R1_2, R1_3, R1_4, R1_5, R1_6, R1_7, R1_8
from sidecarctl.engine.releases.release import MASTER, Release
from sidecarctl.engine.rollout.kubelet import image_id
from sidecarctl.engine.rollout.round.scatter import Scatter
from sidecarctl.engine.rollout.round.update_order import OrderedPod, WaitingPods, update_priority
from sidecarctl.engine.rollout.round.window import window_of
from sidecarctl.engine.rollout.simulated_pods import SimulatedPod
from sidecarctl.engine.rollout.simulated_rollout import Simulation
from sidecarctl.engine.rollout.targets import target_of
from sidecarctl.engine.sidecarset.admission import admit
from sidecarctl.engine.sidecarset.pod_annotations import WORKING_CONTAINERS
from sidecarctl.engine.sidecarset.release_gaps import gaps
from sidecarctl.engine.sidecarset.webhook_scope import KUSTOMIZATION, WebhookScope
from tests.conformance.order import CANDIDATE
from tests.engine.injection.manifests import injected, reasons

FOLDER = Path(__file__).parent / "manuals"
B, C, D, E = R1_0, R1_5, R1_7, R1_8
MANUALS = pytest.mark.parametrize("release", [B, C, D, E], ids="BCDE")
FROM_C = pytest.mark.parametrize("release", [C, D, E], ids="CDE")


def example(name: str) -> Object:
    manifest: Object = yaml.safe_load((FOLDER / f"{name}.yaml").read_text())
    return manifest


def with_spec(manifest: Object, **spec: object) -> Object:
    return manifest | {"spec": manifest["spec"] | spec}


def pod(labels: Object, namespace: str = "shop", **spec: object) -> Object:
    containers = [{"name": "main", "image": "main:1", "env": [{"name": "PROXY_IP", "value": "10.0.0.1"}]}]
    metadata = {"name": "p", "namespace": namespace, "labels": labels}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": metadata,
        "spec": {"containers": containers} | spec,
    }


def names(injected_pod: Object, field: str = "containers") -> list[str]:
    return [container["name"] for container in injected_pod["spec"].get(field) or ()]


def running(manifest: Object) -> Object:
    images = {container["name"]: container["image"] for container in manifest["spec"]["containers"]}
    statuses = [
        {"name": name, "image": image, "imageID": image_id(image), "ready": True} for name, image in images.items()
    ]
    ready = [{"type": "Ready", "status": "True"}]
    return manifest | {"status": {"phase": "Running", "conditions": ready, "containerStatuses": statuses}}


@FROM_C
def test_the_first_example_is_injected_and_updated_in_place(release: Release) -> None:
    old = admit(example("first"), release)
    once = injected(example("pod"), InjectionContext([old])).pod
    assert names(once) == ["sidecar1", "app"]
    new = with_spec(example("first"), containers=[example("first")["spec"]["containers"][0] | {"image": "centos:7"}])
    simulation = Simulation([target_of(admit(new, release), "r", now=None)], [running(once)])
    first, *_ = simulation.rounds()
    assert [(change.before, change.after) for patch in first.patches for change in patch.images] == [
        ("centos:6.7", "centos:7")
    ]
    [outcome] = simulation.outcomes()
    assert (outcome.status.matched, outcome.status.updated, outcome.status.ready) == (1, 1, 1)


@MANUALS
def test_the_simple_example_injects_into_its_namespace_alone(release: Release) -> None:
    world = InjectionContext([admit(example("simple"), release)])
    inside, outside = (pod({"app": "sample"}, namespace) for namespace in ("ns-1", "ns-2"))
    assert names(injected(inside, world).pod, "initContainers") == ["init-container"]
    assert injected(outside, world).pod is outside


@MANUALS
def test_the_example_of_fields_shares_envs_and_mounts(release: Release) -> None:
    world = InjectionContext([admit(example("fields"), release)])
    mounts = [{"name": "data", "mountPath": "/data"}]
    main = pod({})["spec"]["containers"][0] | {"volumeMounts": mounts}
    [sidecar, _] = injected(pod({"app": "sample"}, containers=[main]), world).pod["spec"]["containers"]
    assert [mount["mountPath"] for mount in sidecar["volumeMounts"]] == ["/nginx/conf", "/data"]
    assert {env["name"] for env in sidecar["env"]} == {"IS_INJECTED", "PROXY_IP"}


@MANUALS
def test_the_hot_example_injects_a_working_and_an_empty_container(release: Release) -> None:
    once = injected(pod({"app": "hotupgrade"}), InjectionContext([admit(example("hot"), release)])).pod
    assert names(once) == ["sidecar-1", "sidecar-2", "main"]
    assert once["metadata"]["annotations"][WORKING_CONTAINERS] == '{"sidecar":"sidecar-1"}'


@pytest.mark.parametrize("release", [D, E], ids="DE")
def test_the_native_sidecar_runs_beside_the_pod(release: Release) -> None:
    once = injected(pod({"app": "sample"}), InjectionContext([admit(example("native"), release)])).pod
    assert once["spec"]["initContainers"][0]["restartPolicy"] == "Always"


@FROM_C
def test_three_of_ten_scattered_pods_are_first_sixth_and_tenth(release: Release) -> None:
    pods = [SimulatedPod(index, pod({"foo": "bar"} if index < 3 else {})) for index in range(10)]
    waiting = WaitingPods(Scatter([{"key": "foo", "value": "bar"}], pods), update_priority(None), release)
    for rank, item in enumerate(pods):
        waiting.add(OrderedPod(item, rank, CANDIDATE, selected=True))
    places = [place for place, member in enumerate(waiting.in_order(), 1) if member.labels]
    assert places == [1, 6, 10]


@FROM_C
def test_a_paused_update_still_injects_and_a_paused_injection_does_not(release: Release) -> None:
    for spec, expected in (
        ({"updateStrategy": {"paused": True}}, ["sidecar1", "app"]),
        ({"injectionStrategy": {"paused": True}}, ["app"]),
    ):
        world = InjectionContext([admit(with_spec(example("first"), **spec), release)])
        assert names(injected(example("pod"), world).pod) == expected


# Where the manuals are wrong, or in need of a word.


@pytest.mark.parametrize(
    "spec",
    [
        {"containers": [{"name": "a", "image": "a", "shareVolumePolicy": "enabled"}]},
        {"updateStrategy": {"selector": {"matchLabels": [{"canary.release": True}]}}},
        {"updateStrategy": {"selector": {"matchLabels": {"canary.release": True}}}},
    ],
)
@pytest.mark.parametrize("release", [R1_0, MASTER], ids=["oldest", "master"])
def test_what_post_a_writes_never_decodes(spec: Object, release: Release) -> None:
    with pytest.raises(InputError):
        admit(with_spec(example("first"), **spec), release)


@pytest.mark.parametrize(("release", "held", "taken"), [(B, 4, 2), (C, 4, 2), (D, 4, 2), (E, 5, 3), (MASTER, 5, 3)])
def test_a_percentage_is_rounded_down_up_to_1_7_and_then_up(release: Release, held: int, taken: int) -> None:
    assert window_of({"partition": "50%"}, 9, release).partition_pods == held
    assert window_of({"maxUnavailable": "25%"}, 10, release).max_unavailable_pods == taken


def test_a_percentage_can_come_to_no_pod_at_all_and_that_is_reported() -> None:
    sidecarset = admit(with_spec(example("first"), updateStrategy={"maxUnavailable": "10%"}), D)
    once = running(injected(example("pod"), InjectionContext([admit(example("first"), D)])).pod)
    [rollout] = Simulation([target_of(sidecarset, "r")], [once]).rollouts.values()
    assert rollout.window.max_unavailable_pods == 0
    assert Reason.NOTHING_ALLOWED in {remark.reason for remark in rollout.remarks}


@pytest.mark.parametrize(("release", "number"), [(R1_0, 1), (R1_2, 1), (R1_3, 2), (E, 2)])
def test_kube_system_is_left_out_up_to_1_2_only(release: Release, number: int) -> None:
    """The rule of the sets themselves, behind a webhook that sees the namespace (the newer charts leave it out)."""
    system = pod({"app": "nginx"}, "kube-system")
    context = InjectionContext([admit(example("first"), release)], webhook=WebhookScope(KUSTOMIZATION, release))
    assert len(names(injected(system, context).pod)) == number


def test_a_namespace_selector_before_1_4_lets_the_set_apply_everywhere() -> None:
    manifest = with_spec(example("first"), namespaceSelector={"matchLabels": {"environment": "production"}})
    assert names(injected(example("pod"), InjectionContext([admit(manifest, R1_3)])).pod) == ["sidecar1", "app"]
    assert names(injected(example("pod"), InjectionContext([admit(manifest, R1_4)])).pod) == ["app"]
    assert gaps(manifest, R1_3)
    assert not gaps(manifest, R1_4)


def test_init_containers_are_sorted_among_the_injected_alone_and_up_to_1_6_after_the_pods_own() -> None:
    own = [{"name": "zz", "image": "z:1"}, {"name": "init-container", "image": "own:1"}]
    drawn = pod({"app": "sample"}, "ns-1", initContainers=own)
    old = injected(drawn, InjectionContext([admit(example("simple"), R1_6)]))
    assert names(old.pod, "initContainers") == ["zz", "init-container", "init-container"]
    assert Reason.NOT_IDEMPOTENT in reasons(old)
    new = injected(drawn, InjectionContext([admit(example("simple"), R1_7)])).pod
    assert names(new, "initContainers") == ["zz", "init-container"]
    assert new["spec"]["initContainers"][1]["image"] == "busybox:latest"


def test_init_containers_take_part_in_sharing_from_1_5_on() -> None:
    fields = example("fields")["spec"]
    manifest = with_spec(example("fields"), containers=[], initContainers=fields["containers"])
    main = pod({})["spec"]["containers"][0] | {"volumeMounts": [{"name": "data", "mountPath": "/data"}]}
    found = {}
    for release in (R1_0, R1_4, R1_5):
        once = injected(pod({"app": "sample"}, containers=[main]), InjectionContext([admit(manifest, release)])).pod
        [container] = once["spec"]["initContainers"]
        envs, mounts = {env["name"] for env in container["env"]}, len(container["volumeMounts"])
        found[release.name] = ("PROXY_IP" in envs, mounts, len(once["spec"].get("volumes") or ()))
    assert found == {"1.0": (False, 1, 0), "1.4": (True, 1, 1), "1.5": (True, 2, 1)}


def test_a_native_sidecar_before_1_7_is_a_plain_init_container_that_blocks_the_pod() -> None:
    once = injected(pod({"app": "sample"}), InjectionContext([admit(example("native"), R1_6)])).pod
    assert "restartPolicy" not in once["spec"]["initContainers"][0]
    [gap] = gaps(example("native"), R1_6)
    assert "blocks every pod" in gap.message


def test_priorities_exist_since_1_5() -> None:
    strategy = {"priorityStrategy": {"orderPriority": [{"orderedKey": "some-label-key"}]}}
    manifest = with_spec(example("first"), updateStrategy=strategy)
    assert "priorityStrategy" not in admit(manifest, R1_4).spec["updateStrategy"]
    assert admit(manifest, R1_5).spec["updateStrategy"]["priorityStrategy"]
    assert gaps(manifest, R1_4)


@pytest.mark.parametrize(("release", "hot"), [(R1_3, ["b"]), (R1_4, ["a", "b"])])
def test_two_hot_containers_work_from_1_4_on(release: Release, hot: list[str]) -> None:
    [container] = example("hot")["spec"]["containers"]
    manifest = with_spec(example("hot"), containers=[container | {"name": name} for name in "ab"])
    once = injected(pod({"app": "hotupgrade"}), InjectionContext([admit(manifest, release)])).pod
    assert list(yaml.safe_load(once["metadata"]["annotations"][WORKING_CONTAINERS])) == hot


def test_partial_needs_1_8() -> None:
    revision = {"policy": "Partial", "revisionName": "sidecarset-1"}
    manifest = with_spec(example("first"), injectionStrategy={"revision": revision})
    assert gaps(manifest, D)
    assert not gaps(manifest, E)


@pytest.mark.parametrize("release", [R1_3, C, D, E, MASTER], ids=lambda release: release.name)
def test_retain_adds_a_key_that_the_pod_lacks_at_an_update_in_place(release: Release) -> None:
    once = running(injected(example("pod"), InjectionContext([admit(example("first"), release)])).pod)
    patched = [{"annotations": {"oom-score": "{}"}, "patchPolicy": "Retain"}]
    containers = [example("first")["spec"]["containers"][0] | {"image": "centos:7"}]
    new = admit(with_spec(example("first"), patchPodMetadata=patched, containers=containers), release)
    simulation = Simulation([target_of(new, "r")], [once])
    list(simulation.rounds())
    assert simulation.pods[0].annotations["oom-score"] == "{}"
