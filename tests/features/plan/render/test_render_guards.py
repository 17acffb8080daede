"""`sidecarctl render`: what a patch must not overwrite, and what it must not be without."""

import json
from pathlib import Path

import pytest

from sidecarctl.engine.facts.values import Object, Value
from sidecarctl.engine.sidecarset.pod_annotations import (
    HASH,
    HASH_WITHOUT_IMAGE,
    INJECTED_LIST,
    HashEntry,
    write_hashes,
)
from tests.cli.running import Ended, run
from tests.engine.rollout.manifests import pod, sidecarset
from tests.features.plan.planning import dump
from tests.schemas import assert_valid

CONTAINERS = {"logs": "agent", "mesh": "proxy"}


def set_of(name: str, tag: str = "2", **spec: Value) -> Object:
    container = CONTAINERS[name]
    containers = [{"name": container, "image": f"{container}:{tag}"}]
    return sidecarset(tag, name=name, containers=containers, **spec).manifest


def shared_pod(name: str = "p0", **metadata: Value) -> Object:
    """A pod with version 1 of both sets."""
    sets = {
        container: sidecarset(name=container, containers=set_of(container, "1")["spec"]["containers"])
        for container in CONTAINERS
    }
    hashes = {item: HashEntry(None, each.hash, item, (CONTAINERS[item],), f"{item}-1") for item, each in sets.items()}
    bare = {item: HashEntry(None, each.hash_without_image, item, (CONTAINERS[item],)) for item, each in sets.items()}
    annotations = {
        HASH: write_hashes(hashes),
        HASH_WITHOUT_IMAGE: write_hashes(bare),
        INJECTED_LIST: "logs,mesh",
    }
    images = {"agent": "agent:1", "proxy": "proxy:1", "app": "app:1"}
    return pod(name, annotations=annotations, images=images, uid=f"uid-{name}", **metadata)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    prepared(tmp_path, [shared_pod("p0"), shared_pod("p1")], set_of("logs"), set_of("mesh"))
    return tmp_path


def prepared(folder: Path, pods: list[Object], *sets: Object) -> None:
    dump(folder / "pods.json", pods)
    dump(folder / "sets.json", list(sets))
    ended = run("plan", folder / "sets.json", folder / "pods.json", "-o", f"json={folder}/plan.json")
    assert ended.code == 0, ended.stderr


def render(folder: Path, *options: str | Path) -> Ended:
    return run("render", folder / "plan.json", folder / "pods.json", *options)


def rendered(folder: Path, *options: str | Path) -> list[Object]:
    ended = render(folder, *options)
    assert ended.code == 0, ended.stderr
    patches: list[Object] = json.loads(ended.stdout)
    assert_valid(patches, "rendered-patches.json")
    return patches


def refused(ended: Ended, *words: str) -> None:
    assert (ended.code, ended.stdout) == (3, "")
    for word in words:
        assert word in ended.stderr


@pytest.mark.parametrize("form", ["jsonpatch", "merge", "strategic", "kubectl", "pods"])
def test_a_set_whose_patches_build_on_those_of_another(folder: Path, form: str) -> None:
    ended = render(folder, "--only", "mesh", "-o", form)
    refused(ended, "Pod shop/p0", "the patch of mesh in wave 1 builds on that of logs in wave 1", "[LeftOutPatch]")
    assert "plan --only mesh" in ended.stderr


def test_the_set_whose_patches_come_first_needs_no_other(folder: Path) -> None:
    assert {item["sidecarSet"] for item in rendered(folder, "--only", "logs")} == {"logs"}


def test_waves_before_those_that_are_requested_count_as_done(folder: Path) -> None:
    assert len(rendered(folder, "--waves", "2")) == 2


@pytest.mark.parametrize("earlier", [1, 2, 3])
def test_a_wave_left_out_between(folder: Path, earlier: int) -> None:
    plan = json.loads((folder / "plan.json").read_text())
    logs = plan["sidecarSets"][0]
    logs["waves"][0]["pods"] = []  # so that only wave 2 of mesh builds on one of logs, in another wave
    logs["waves"] = [logs["waves"][0]] * (earlier - 1) + [logs["waves"][1]]
    (folder / "plan.json").write_text(json.dumps(plan))
    if earlier == 1:  # the wave before those that are asked for
        assert len(rendered(folder, "--waves", "2")) == 1
    elif earlier == 2:
        assert len(rendered(folder, "--waves", "2")) == 2
    else:
        refused(
            render(folder, "--waves", "2"), "Pod shop/p1", "the patch of mesh in wave 2", "logs in wave 3", "--waves"
        )


def operations(patch: Object, name: str) -> dict[str, Value]:
    return {item["path"]: item["value"] for item in patch["patch"] if item["op"] == name}


def test_every_annotation_that_is_replaced_is_tested(folder: Path) -> None:
    for patch in rendered(folder):
        before = operations(patch, "test")
        replaced = [path for path in operations(patch, "replace") if "annotations" in path]
        assert replaced
        assert set(replaced) <= set(before)


def test_an_annotation_that_is_absent_makes_the_version_count(folder: Path) -> None:
    pods = [shared_pod("p0", resourceVersion="7"), shared_pod("p1", resourceVersion="8")]
    prepared(folder, pods, set_of("logs"), set_of("mesh"))
    first, *_, last = rendered(folder)
    state = "/metadata/annotations/kruise.io~1sidecarset-inplace-update-state"
    assert state in operations(first, "add")
    assert operations(first, "test")["/metadata/resourceVersion"] == "7"
    assert state in operations(last, "replace")
    assert "/metadata/resourceVersion" not in operations(last, "test")  # an earlier patch has changed it


def test_a_version_is_not_tested_where_texts_can_be(folder: Path) -> None:
    recorded = shared_pod("p0", resourceVersion="7")
    recorded["metadata"]["annotations"]["kruise.io/sidecarset-inplace-update-state"] = "{}"
    prepared(folder, [recorded], set_of("logs"))
    [patch] = rendered(folder)
    assert not operations(patch, "add")
    assert "/metadata/resourceVersion" not in operations(patch, "test")


@pytest.mark.parametrize("form", ["merge", "strategic"])
def test_the_first_patch_of_a_pod_holds_its_version(folder: Path, form: str) -> None:
    prepared(folder, [shared_pod("p0", resourceVersion="7")], set_of("logs"))
    [patch] = rendered(folder, "-o", form)
    assert patch["patch"]["metadata"]["resourceVersion"] == "7"
    assert patch["patch"]["metadata"]["uid"] == "uid-p0"


def test_later_strategic_patches_of_a_pod_have_no_version(folder: Path) -> None:
    prepared(folder, [shared_pod("p0", resourceVersion="7")], set_of("logs"), set_of("mesh"))
    versions = [item["patch"]["metadata"].get("resourceVersion") for item in rendered(folder, "-o", "strategic")]
    assert versions == ["7", None]


def test_a_later_merge_patch_of_a_pod_is_refused(folder: Path) -> None:
    words = (
        "Pod shop/p0",
        "an earlier patch of the plan changes its resourceVersion",
        "[UncheckedPatch]",
        "-o jsonpatch",
    )
    refused(render(folder, "-o", "merge"), *words)
    assert len(rendered(folder, "-o", "merge", "--only", "logs")) == 2
    assert render(folder, "-o", "pods").code == 0


def test_a_merge_patch_needs_pods_with_the_annotations_of_the_plan(folder: Path) -> None:
    changed = shared_pod("p0")
    changed["metadata"]["annotations"]["kruise.io/sidecarset-inplace-update-state"] = "{}"
    dump(folder / "pods.json", [changed, shared_pod("p1")])
    ended = render(folder, "-o", "merge", "--only", "logs")
    refused(ended, "Pod shop/p0", "the annotation kruise.io/sidecarset-inplace-update-state", "[StalePlan]")
