"""Which images pods have and what it takes to get the wanted ones, against what Kruise did and what status says."""

import json
from collections.abc import Sequence
from copy import deepcopy
from pathlib import Path

import pytest

from sidecarctl.engine.comparing.counted_pods import CountedPods, CountRequest
from sidecarctl.engine.comparing.images import ImagesFacts, ImageUse, Role, Way, images_report
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Object, Value
from sidecarctl.engine.inputs.pods import PodInputs
from sidecarctl.engine.inputs.trimmed_pods import trimmed_pod
from sidecarctl.engine.report import Report
from sidecarctl.engine.rollout.round.upgrades import upgrade
from sidecarctl.engine.sidecarset.pod_annotations import HASH_WITHOUT_IMAGE, INJECTED_LIST
from sidecarctl.features.counts.images_report import images_data, sentences
from tests.cli.running import run
from tests.conformance.cases import FOLDER, Case, cases_in
from tests.effort import sampled
from tests.engine.inputs.worlds import world
from tests.engine.rollout.manifests import EMPTY, pod, sidecarset, simulated, target
from tests.engine.rollout.patched_pods import patched
from tests.schemas import assert_valid

RECORDED = [case for case in cases_in(FOLDER / "rollout") if "withPods" not in case.params]


def report(objects: Sequence[Object], image: str = "", only: tuple[str, ...] = ()) -> Report[ImagesFacts]:
    pods = [trimmed_pod(deepcopy(item), "default") for item in objects if item["kind"] == "Pod"]
    inputs = PodInputs(world=world(item for item in objects if item["kind"] != "Pod"))
    return images_report(CountedPods(inputs, pods), CountRequest(only), image)


def uses(*objects: Object, image: str = "") -> list[ImageUse]:
    (item,) = report(objects, image).facts.sets
    return list(item.uses)


def ways(*objects: Object) -> list[tuple[Role, str, Way, dict[str, int]]]:
    return [(use.role, use.image, use.way, dict(use.states)) for use in uses(*objects)]


def with_init(manifest: Object, image: str, **more: Value) -> Object:
    found = deepcopy(manifest)
    found["spec"]["initContainers"] = [{"name": "setup", "image": image, **more}]
    return found


LOGS = sidecarset().manifest


@pytest.mark.parametrize("case", sampled(RECORDED, 10))
def test_kruise_patched_no_image_that_only_recreation_changes(case: Case) -> None:
    deciding = [item for item in case.objects if item["kind"] != "Pod"]
    name = case.params.get("set") or next(i["metadata"]["name"] for i in deciding if i["kind"] == "SidecarSet")
    updated: dict[str, dict[str, str]] = {}
    for done in case.expect["rounds"]:
        for patch in done.get("updated", ()):
            updated.setdefault(patch["pod"], {}).update(patch["images"])
    for manifest in (item for item in case.objects if item["kind"] == "Pod"):
        metadata = manifest["metadata"]
        images = updated.get(f"{metadata.get('namespace') or 'default'}/{metadata['name']}")
        if images is None:
            continue
        (item,) = report([*deciding, manifest], only=(name,)).facts.sets
        for use in item.uses:
            if use.role is Role.CONTAINER and use.container in images:
                assert (use.way is not Way.RECREATE, images[use.container]) == (True, use.wanted)


def test_pods_of_one_image_are_parted_by_what_it_takes() -> None:
    immutable = pod("p1", annotations={HASH_WITHOUT_IMAGE: '{"logs":{"hash":"other","sidecarSetName":"logs"}}'})
    found = uses(LOGS, pod("p0"), immutable, pod("p2"))
    assert [(use.way, use.pods) for use in found] == [(Way.RECREATE, 1), (Way.IN_PLACE, 2)]
    assert list(sentences(found)) == [
        "3 pods still run agent:1: 2 in place (2 Waiting), 1 only by recreation (1 NotUpgradable)"
    ]


def test_a_pod_that_records_the_current_hash_and_has_another_image_is_not_updated() -> None:
    current = patched(pod(), upgrade(target(), simulated(pod())).apply("upgrade", was_ready=True))
    current["spec"]["containers"][0]["image"] = "agent:debug"
    ((_, image, way, _),) = ways(LOGS, current)
    assert (image, way) == ("agent:debug", Way.RECREATE)


def test_an_image_that_the_status_does_not_show_yet_is_pending() -> None:
    before = pod(status={"containerStatuses": [
        {"name": name, "image": image, "imageID": f"sha256:{image}", "ready": True}
        for name, image in (("agent", "agent:1"), ("app", "app:1"))
    ]})  # fmt: skip
    after = patched(before, upgrade(target(), simulated(before)).apply("upgrade", was_ready=True))
    assert [(image, way) for _, image, way, _ in ways(LOGS, after)] == [("agent:2", Way.PENDING)]


def test_both_halves_of_a_hot_pair() -> None:
    hot = sidecarset(hot=True).manifest
    assert [(role, image, way) for role, image, way, _ in ways(hot, pod(hot=True))] == [
        (Role.WORKING, "agent:1", Way.IN_PLACE),
        (Role.IDLE, EMPTY, Way.CURRENT),
    ]


def test_a_hot_pair_whose_idle_half_is_not_empty_yet() -> None:
    hot = sidecarset(hot=True).manifest
    before = pod(hot=True)
    after = patched(before, upgrade(target(hot=True), simulated(before)).apply("upgrade", was_ready=True))
    found = {use.role: use for use in uses(hot, after)}
    assert (found[Role.WORKING].image, found[Role.IDLE].image) == ("agent:2", "agent:1")
    assert (found[Role.IDLE].wanted, found[Role.IDLE].way) == (EMPTY, Way.IN_PLACE)


@pytest.mark.parametrize(("policy", "role"), [({}, Role.INIT), ({"restartPolicy": "Always"}, Role.NATIVE)])
def test_init_containers_are_never_updated_in_place(policy: Object, role: Role) -> None:
    wants = sidecarset(initContainers=[{"name": "setup", "image": "setup:2", **policy}]).manifest
    found = {use.role: use for use in uses(wants, with_init(pod(), "setup:1", **policy))}
    assert (found[role].way, found[role].image, found[role].wanted) == (Way.RECREATE, "setup:1", "setup:2")
    found = {use.role: use for use in uses(wants, with_init(pod(), "setup:2", **policy))}
    assert found[role].way is Way.CURRENT


def test_a_pod_that_was_never_injected_lacks_the_container() -> None:
    bare = pod(annotations={INJECTED_LIST: None}, images={"app": "app:1"})
    (use,) = uses(LOGS, bare)
    assert (use.image, use.way, use.states) == ("", Way.RECREATE, {"NeverInjected": 1})
    assert list(sentences([use])) == ["1 pod lacks it: 1 only by recreation (1 NeverInjected)"]


def test_an_ended_pod_is_counted_as_left_out() -> None:
    (item,) = report([LOGS, pod(status={"phase": "Succeeded"})]).facts.sets
    assert (item.uses, item.left_out) == ([], {"PodNotActive": 1})


def test_a_tag_that_moved_shows_as_two_digests() -> None:
    images = {"agent": "agent:2", "app": "app:1"}
    pods = [
        pod(name, images=images, status={"containerStatuses": [
            {"name": "agent", "image": "agent:2", "imageID": f"docker://agent@sha256:{digest}", "ready": True},
            {"name": "app", "image": "app:1", "imageID": "app", "ready": True},
        ]})
        for name, digest in (("p0", "aa"), ("p1", "bb"), ("p2", "aa"))
    ]  # fmt: skip
    found = uses(LOGS, *pods)
    assert [use.digests for use in found] == [{"sha256:aa": 2, "sha256:bb": 1}]
    assert list(sentences(found)) == ["3 pods run it; 2 digests: sha256:aa in 2, sha256:bb in 1"]
    assert len(uses(LOGS, *pods, image="sha256:bb")) == 1


@pytest.mark.parametrize(("pattern", "number"), [("agent:*", 1), ("*:2", 1), ("agent:3", 0), ("app:*", 0)])
def test_the_pattern_selects_images_that_pods_have_or_should_have(pattern: str, number: int) -> None:
    assert len(uses(LOGS, pod(), image=pattern)) == number


def test_other_containers_with_such_an_image_are_reported() -> None:
    said = [item for item in report([LOGS, pod(), pod("p1")], "app:*").findings if item.reason is Reason.IMAGE_RUNS]
    assert [item.message for item in said] == ["other containers of 2 pods have such an image: shop/p0, shop/p1"]


def test_where_injection_is_paused_a_new_pod_is_no_way_either() -> None:
    paused = sidecarset(injectionStrategy={"paused": True}).manifest
    immutable = pod(annotations={HASH_WITHOUT_IMAGE: '{"logs":{"hash":"other","sidecarSetName":"logs"}}'})
    said = [item.reason for item in report([paused, immutable]).findings]
    assert Reason.INJECTION_PAUSED in said
    assert Reason.INJECTION_PAUSED not in [item.reason for item in report([paused, pod()]).findings]


def test_the_document_keeps_its_schema() -> None:
    made = report([LOGS, pod(), pod("p1", status={"phase": "Failed"})], "agent:*")
    assert_valid(images_data(made), "image-report.json")


def test_a_default_that_flips_with_the_tag_is_named(tmp_path: Path) -> None:
    unlike = '{"logs":{"hash":"other","sidecarSetName":"logs"}}'
    running = pod(annotations={HASH_WITHOUT_IMAGE: unlike})
    agent = next(item for item in running["spec"]["containers"] if item["name"] == "agent")
    agent |= {"image": "agent", "imagePullPolicy": "Always", "terminationMessagePolicy": "File"}
    agent |= {"terminationMessagePath": "/dev/termination-log", "env": [{"name": "IS_INJECTED", "value": "true"}]}
    (tmp_path / "pod.json").write_text(json.dumps(running))
    for policy, is_said in (({}, True), ({"imagePullPolicy": "Always"}, False)):
        containers = [{"name": "agent", "image": "agent:2", **policy}]
        written = {**LOGS, "spec": {"selector": LOGS["spec"]["selector"], "containers": containers}}
        (tmp_path / "set.json").write_text(json.dumps(written))
        for command in ("images", "drift"):
            text = run(command, tmp_path / "set.json", tmp_path / "pod.json").stderr
            assert ("[DefaultFlipped]" in text) is is_said
            assert ("write imagePullPolicy: Always to keep the update in place" in text) is is_said
