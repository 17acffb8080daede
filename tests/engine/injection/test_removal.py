"""Injected pods, with the injected parts removed again."""

import json

import pytest

from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Object, Value
from sidecarctl.engine.injection.injection_context import InjectionContext
from sidecarctl.engine.injection.removal import Removal, uninject
from sidecarctl.engine.injection.removal_scope import RemovalRequest
from sidecarctl.engine.injection.selection import Identity
from sidecarctl.engine.sidecarset.admission import admit
from sidecarctl.engine.sidecarset.pod_annotations import (
    HASH,
    INJECTED_LIST,
    INPLACE_UPDATE_STATE,
    WORKING_CONTAINERS,
)
from sidecarctl.engine.sidecarset.revisions.controller_revisions import new_revision
from tests.engine.injection.manifests import context, injected, pod, sidecar, sidecarset

NOTHING = InjectionContext([])
DATA = {"name": "data", "mountPath": "/data"}
LOGGING = sidecarset(
    "logging",
    sidecar("agent", volumeMounts=[DATA], upgradeStrategy={"upgradeType": "HotUpgrade"}),
    initContainers=[sidecar("prepare")],
    volumes=[{"name": "data", "emptyDir": {}}],
    imagePullSecrets=[{"name": "reg"}],
    patchPodMetadata=[{"annotations": {"owner": "logging"}}],
)
MESH = sidecarset("mesh", sidecar("proxy"), initContainers=[sidecar("certs", restartPolicy="Always")])
STATE = '{"logging":{"revision":"x","updateTimestamp":null,"lastContainerStatuses":{}}}'


def taken_out(manifest: Object, world: InjectionContext = NOTHING, **request: Value) -> Removal:
    return uninject(manifest, world, RemovalRequest(**request))


def messages(removal: Removal) -> list[str]:
    assert {finding.reason for finding in removal.findings} <= {Reason.NOT_REVERSIBLE}
    return [finding.message for finding in removal.findings]


def annotated(manifest: Object, **annotations: str) -> Object:
    metadata = manifest["metadata"]
    return manifest | {"metadata": metadata | {"annotations": metadata["annotations"] | annotations}}


def test_all_of_a_set_goes_and_nothing_else() -> None:
    world = context(LOGGING)
    once = injected(pod(), world).pod
    removal = taken_out(once, world)
    assert json.dumps(removal.pod) == json.dumps(pod())
    assert removal.sets == ("logging",)
    assert removal.containers == (
        ("initContainers", "prepare"),
        ("containers", "agent-1"),
        ("containers", "agent-2"),
    )
    assert not removal.findings


def test_a_pod_without_anything_injected_is_the_same_object() -> None:
    manifest = pod()
    assert taken_out(manifest, context(LOGGING)).pod is manifest
    assert taken_out(manifest).pod is manifest


@pytest.mark.parametrize("manifest", [{}, {"metadata": {"labels": {"app": "web"}}}])
def test_parents_that_injection_made_go_as_well(manifest: Object) -> None:
    world = context(
        sidecarset("logging", sidecar(), selector={"matchExpressions": [{"key": "x", "operator": "DoesNotExist"}]})
    )
    once = injected(manifest, world).pod
    assert taken_out(once, world).pod == manifest
    assert taken_out(once).pod == manifest


def test_one_of_two_sets_goes() -> None:
    both = context(LOGGING, MESH)
    once = injected(pod(), both).pod
    for gone, stays in (("logging", MESH), ("mesh", LOGGING)):
        removal = taken_out(once, both, only=frozenset({gone}))
        assert json.dumps(removal.pod) == json.dumps(injected(pod(), context(stays)).pod)
        assert not removal.findings


def test_one_set_that_is_not_available_goes_by_what_the_pod_records() -> None:
    both = context(LOGGING, MESH)
    once = injected(pod(), both).pod
    removal = taken_out(once, only=frozenset({"mesh"}))
    assert removal.pod == injected(pod(), context(LOGGING)).pod
    assert "SidecarSet mesh is not given" in messages(removal)[0]


def test_without_sets_containers_go_by_their_mark() -> None:
    once = injected(pod(), context(LOGGING, MESH)).pod
    removal = taken_out(once)
    spec = removal.pod["spec"]
    assert spec == pod()["spec"] | {"imagePullSecrets": [{"name": "reg"}]}
    assert removal.pod["metadata"]["annotations"] == {"owner": "logging"}
    assert "SidecarSets logging, mesh are not given" in messages(removal)[0]


def test_a_set_that_is_not_available_stays_beside_others_unless_forced() -> None:
    once = injected(pod(), context(LOGGING, MESH)).pod
    removal = taken_out(once, context(MESH))
    assert removal.pod == injected(pod(), context(LOGGING)).pod
    assert "SidecarSet logging is not given" in messages(removal)[0]
    assert taken_out(once, context(MESH), force=True).pod["spec"].keys() == {"containers", "imagePullSecrets"}


def test_a_volume_that_an_app_container_mounts_stays() -> None:
    manifest = pod({"name": "web", "volumeMounts": [DATA]}, volumes=[{"name": "data", "emptyDir": {}}])
    removal = taken_out(injected(manifest, context(LOGGING)).pod, context(LOGGING))
    assert removal.pod == manifest
    assert messages(removal) == ["volume data is kept: a container that is kept mounts it"]


@pytest.mark.parametrize(("force", "stays"), [(False, True), (True, False)])
def test_a_volume_that_is_not_the_set_s_stays_unless_forced(force: bool, stays: bool) -> None:  # noqa: FBT001 - by pytest
    manifest = pod(volumes=[{"name": "data", "hostPath": {"path": "/x"}}])
    removal = taken_out(injected(manifest, context(LOGGING)).pod, context(LOGGING), force=force)
    assert ("volumes" in removal.pod["spec"]) is stays
    assert messages(removal) == (
        ["volume data is kept: it differs from what the SidecarSet declares"] if stays else []
    )


def test_a_volume_that_another_set_brings_as_well_stays_with_it() -> None:
    other = sidecarset("mesh", sidecar("proxy", volumeMounts=[DATA]), volumes=[{"name": "data"}])
    both = context(LOGGING, other)
    once = injected(pod(), both).pod
    removal = taken_out(once, both, only=frozenset({"logging"}))
    assert removal.pod == injected(pod(), context(other)).pod
    assert not removal.findings


@pytest.mark.parametrize(("force", "left"), [(False, ["reg", "own"]), (True, ["own"])])
def test_a_pull_secret_before_the_pod_s_own_stays_unless_forced(force: bool, left: list[str]) -> None:  # noqa: FBT001 - by pytest
    manifest = pod(imagePullSecrets=[{"name": "reg"}, {"name": "own"}])
    removal = taken_out(injected(manifest, context(LOGGING)).pod, context(LOGGING), force=force)
    assert [secret["name"] for secret in removal.pod["spec"]["imagePullSecrets"]] == left
    assert messages(removal) == (
        [] if force else ["pull secret reg is kept: it is listed before the pod's own secrets"]
    )


def test_containers_that_are_not_marked_always_stay() -> None:
    once = injected(pod(), context(LOGGING)).pod
    unmarked = [{"name": "agent-1", "image": "own"}, {"name": "web"}]
    changed = once | {"spec": once["spec"] | {"containers": unmarked}}
    assert taken_out(changed, context(LOGGING), force=True).pod["spec"]["containers"] is unmarked


def test_a_container_that_two_sets_inject_stays_with_the_one_that_stays() -> None:
    both = context(sidecarset("a", sidecar("x")), sidecarset("b", sidecar("x")))
    once = injected(pod(), both).pod
    removal = taken_out(once, both, only=frozenset({"b"}))
    assert removal.pod["spec"] == once["spec"]
    assert "a SidecarSet that is kept also injects a container of that name" in messages(removal)[0]
    assert len(taken_out(once, both, only=frozenset({"b"}), force=True).pod["spec"]["containers"]) == 1


def test_a_marked_container_of_no_known_set_stays_unless_forced() -> None:
    marked = sidecar("old", env=[{"name": "IS_INJECTED", "value": "true"}])
    manifest = pod({"name": "web"}, marked)
    removal = taken_out(injected(manifest, context(MESH)).pod, context(MESH))
    assert removal.pod == manifest
    assert messages(removal) == [
        "container old is kept: it is marked as injected, but none of the given SidecarSets injects it"
    ]
    assert taken_out(manifest, context(MESH), force=True).containers == (("containers", "old"),)


def test_a_container_that_was_renamed_since_goes_by_the_record() -> None:
    once = injected(pod(), context(sidecarset("mesh", sidecar("old")))).pod
    assert taken_out(once, context(MESH)).pod == pod()


def test_a_sidecar_with_a_mark_of_its_own_is_known_by_the_second() -> None:
    world = context(sidecarset("mesh", sidecar("proxy", env=[{"name": "IS_INJECTED", "value": "no"}])))
    assert taken_out(injected(pod(), world).pod, world).pod == pod()


def test_the_state_of_updates_goes_with_its_set() -> None:
    once = injected(pod(), context(LOGGING)).pod
    assert taken_out(annotated(once, **{INPLACE_UPDATE_STATE: STATE}), context(LOGGING)).pod == pod()
    two = STATE[:-1] + ',"mesh":{"revision":"y","updateTimestamp":null,"lastContainerStatuses":null}}'
    left = taken_out(annotated(once, **{INPLACE_UPDATE_STATE: two}), context(LOGGING)).pod["metadata"]["annotations"]
    assert json.loads(left[INPLACE_UPDATE_STATE]).keys() == {"mesh"}


@pytest.mark.parametrize("key", [HASH, INPLACE_UPDATE_STATE])
def test_what_cannot_be_read_stays_unless_forced(key: str) -> None:
    once = annotated(injected(pod(), context(LOGGING)).pod, **{key: "oops"})
    assert taken_out(once, context(LOGGING)).pod["metadata"]["annotations"] == {key: "oops"}
    assert taken_out(once, context(LOGGING), force=True).pod == pod()


def test_working_containers_of_other_sets_stay() -> None:
    once = annotated(injected(pod(), context(LOGGING)).pod, **{WORKING_CONTAINERS: '{"agent":"agent-2","x":"x-1"}'})
    removal = taken_out(once, context(LOGGING))
    assert removal.pod["metadata"]["annotations"] == {WORKING_CONTAINERS: '{"x":"x-1"}'}


def test_other_sets_stay_in_the_records() -> None:
    manifest = pod(metadata={"annotations": {INJECTED_LIST: "audit", HASH: '{"audit":{"hash":"x"}}'}})
    annotations = taken_out(injected(manifest, context(LOGGING)).pod, context(LOGGING)).pod["metadata"]["annotations"]
    assert annotations[INJECTED_LIST] == "audit"
    assert json.loads(annotations[HASH])["audit"]["hash"] == "x"


def patching(policy: str, value: str = '{"b":1}', name: str = "logging") -> Object:
    return sidecarset(name, sidecar(name), patchPodMetadata=[{"annotations": {"cfg": value}, "patchPolicy": policy}])


@pytest.mark.parametrize("policy", ["Retain", "Overwrite", "MergePatchJson"])
def test_patched_metadata_go(policy: str) -> None:
    world = context(patching(policy))
    assert taken_out(injected(pod(), world).pod, world).pod == pod()


def test_what_retain_left_alone_is_the_pod_s_own() -> None:
    manifest = pod(metadata={"annotations": {"cfg": "own"}})
    world = context(patching("Retain"))
    removal = taken_out(injected(manifest, world).pod, world, force=True)
    assert removal.pod == manifest
    assert not removal.findings


def test_a_patched_annotation_may_be_gone_already() -> None:
    world = context(patching("Overwrite"))
    once = injected(pod(), world).pod
    annotations = {key: text for key, text in once["metadata"]["annotations"].items() if key != "cfg"}
    without = once | {"metadata": once["metadata"] | {"annotations": annotations}}
    assert taken_out(without, world).pod == pod()


def test_what_was_merged_stays_unless_forced() -> None:
    manifest = pod(metadata={"annotations": {"cfg": '{"a":1}'}})
    world = context(patching("MergePatchJson"))
    once = injected(manifest, world).pod
    removal = taken_out(once, world)
    assert removal.pod["metadata"]["annotations"] == {"cfg": '{"a":1,"b":1}'}
    assert "annotation cfg is kept" in messages(removal)[0]
    assert "annotations" not in taken_out(once, world, force=True).pod["metadata"]


def test_one_of_two_patches_goes() -> None:
    both = context(patching("Retain", '{"a":1}'), patching("MergePatchJson", '{"b":2}', "mesh"))
    once = injected(pod(), both).pod
    assert once["metadata"]["annotations"]["cfg"] == '{"a":1,"b":2}'
    left = taken_out(once, both, only=frozenset({"mesh"})).pod["metadata"]["annotations"]
    assert left["cfg"] == '{"a":1}'


def test_patches_that_do_not_merge_with_each_other_leave_the_annotation() -> None:
    item, other = patching("Overwrite", "text"), patching("MergePatchJson", '{"b":2}', "mesh")
    once = injected(pod(), context(item)).pod
    listed = annotated(once, **{INJECTED_LIST: "logging,mesh"})
    assert "annotation cfg is kept" in messages(taken_out(listed, context(item, other)))[0]


def test_a_set_that_only_patches_is_taken_to_have_patched() -> None:
    secrets = [{"name": "own"}]
    world = context(sidecarset("logging", patchPodMetadata=[{"annotations": {"a": "b"}}], imagePullSecrets=secrets))
    manifest = pod(imagePullSecrets=secrets)
    assert taken_out(injected(manifest, world).pod, world).pod == manifest


def revised() -> tuple[InjectionContext, Object]:
    """A set injected at an older revision with another volume, whose manifest names no revision anymore."""
    older = admit(sidecarset("logging", sidecar("agent", volumeMounts=[DATA]), volumes=[{"name": "data"}]))
    revision = new_revision(older, 1)._replace(name="logging-1")
    asking = sidecarset("logging", sidecar("other"), injectionStrategy={"revision": {"revisionName": "logging-1"}})
    once = injected(pod(), InjectionContext([admit(asking)], revisions=[revision])).pod
    return InjectionContext([admit(sidecarset("logging", sidecar("other")))], revisions=[revision]), once


def test_a_set_goes_as_the_revision_has_it_that_the_pod_records() -> None:
    world, once = revised()
    assert taken_out(once, world).pod == pod()
    without_revision = taken_out(once, InjectionContext([rule.sidecarset for rule in world.rules.values()])).pod
    assert without_revision["spec"]["volumes"] == [{"name": "data", "emptyDir": {}}]


def test_a_pod_that_no_set_can_be_asked_about_is_judged_by_its_records() -> None:
    world = context(LOGGING)
    once = injected(pod(), world).pod
    unknown = sidecarset("a", selector={"matchExpressions": [{"key": "x", "operator": "Near"}]})
    assert taken_out(once, context(LOGGING, unknown)).pod == pod()


def test_a_template_is_taken_to_be_in_its_workload_s_namespace() -> None:
    bound = sidecarset(
        "logging",
        patchPodMetadata=[{"annotations": {"a": "b"}}],
        namespaceSelector={"matchLabels": {"kubernetes.io/metadata.name": "billing"}},
    )
    template = pod(metadata={"annotations": {"a": "b"}, "namespace": None})
    world = context(bound)
    assert uninject(template, world, RemovalRequest()).pod is template
    assert (
        "annotations" not in uninject(template, world, RemovalRequest(), Identity("billing", "web")).pod["metadata"]
    )


@pytest.mark.parametrize("policy", ["BeforeAppContainer", "AfterAppContainer"])
def test_a_container_that_had_been_replaced_is_recognized_by_its_place(policy: str) -> None:
    world = context(sidecarset("logging", sidecar("agent", podInjectPolicy=policy)))
    own = {"name": "agent", "image": "own:1"}
    app = pod()["spec"]["containers"]
    replaced = [*app, own] if policy == "BeforeAppContainer" else [own, *app]
    manifest = pod() | {"spec": pod()["spec"] | {"containers": replaced}}
    assert messages(taken_out(injected(manifest, world).pod, world)) == [
        "container agent replaced an app container, which cannot be restored"
    ]
    assert not taken_out(injected(pod(), world).pod, world).findings
    alone = pod() | {"spec": pod()["spec"] | {"containers": [own]}}
    assert messages(taken_out(injected(alone, world).pod, world)) == [
        "the pod has no other container; if one of that name was replaced, it cannot be restored"
    ]


def test_a_container_that_had_been_replaced_behind_all_others_is_recognized_by_the_order_of_the_sidecars() -> None:
    world = context(sidecarset("logging", *(sidecar(name, podInjectPolicy="AfterAppContainer") for name in "ba")))
    own = {"name": "a", "image": "own:1"}
    manifest = pod() | {"spec": pod()["spec"] | {"containers": [*pod()["spec"]["containers"], own]}}
    assert messages(taken_out(injected(manifest, world).pod, world)) == [
        "container a replaced an app container, which cannot be restored"
    ]
    assert not taken_out(injected(pod(), world).pod, world).findings


def test_init_containers_come_by_name_whatever_the_order_of_the_sidecar_set() -> None:
    world = context(sidecarset("logging", initContainers=[sidecar("b"), sidecar("a")]))
    own = {"name": "prepare", "image": "own:1"}
    manifest = pod() | {"spec": pod()["spec"] | {"initContainers": [own]}}
    back = taken_out(injected(manifest, world).pod, world)
    assert (back.pod, back.findings) == (manifest, ())
    replaced = manifest | {"spec": manifest["spec"] | {"initContainers": [own, {"name": "b", "image": "own:1"}]}}
    assert messages(taken_out(injected(replaced, world).pod, world)) == [
        "container b replaced an app container, which cannot be restored"
    ]


def test_containers_of_one_name_on_either_side_had_replaced_nothing() -> None:
    sides = {"alpha": "BeforeAppContainer", "gamma": "AfterAppContainer"}
    world = context(*(sidecarset(name, sidecar("proxy", podInjectPolicy=side)) for name, side in sides.items()))
    back = taken_out(injected(pod(), world).pod, world)
    assert back.pod == pod()
    assert not back.findings


def test_a_value_that_had_been_overwritten_is_recognized_by_its_place() -> None:
    world = context(patching("Overwrite"))
    own = pod(metadata={"annotations": {"cfg": "own", "after": "it"}})
    assert messages(taken_out(injected(own, world).pod, world)) == [
        "annotation cfg replaced the pod's own value, which cannot be restored"
    ]
    sorted_ones = pod(metadata={"annotations": {"cfg": "own", "zone": "a"}})
    once = injected(sorted_ones, world).pod
    annotations = dict(sorted(once["metadata"]["annotations"].items()))
    read = once | {"metadata": once["metadata"] | {"annotations": annotations}}
    assert messages(taken_out(read, world)) == [
        "annotation cfg is removed; if the pod had a value of its own, it cannot be restored"
    ]
