"""What another image would do, before anyone edits a file: the same as the edited file does."""

import json
from pathlib import Path

import pytest

from sidecarctl.engine.facts.errors import SidecarctlError
from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.sidecarset.set_images import SetImage, set_image, with_images
from tests.cli.running import Ended, run
from tests.engine.inputs.worlds import world
from tests.engine.rollout.manifests import EMPTY, pod, sidecarset

HOT = sidecarset("1", name="mesh", hot=True, initContainers=[{"name": "setup", "image": "setup:1"}]).manifest
LOGS = sidecarset("1").manifest


def images(*texts: str) -> dict[str, list[str]]:
    made = with_images(world([LOGS, HOT]), [set_image(text) for text in texts])
    return {
        item.name: [each["image"] for field in ("containers", "initContainers") for each in item.spec.get(field, ())]
        for item in made.sidecarsets
    }


def test_without_a_sidecarset_every_container_of_the_name_gets_the_image() -> None:
    assert images("agent=agent:9") == {"logs": ["agent:9"], "mesh": ["agent:9", "setup:1"]}


def test_one_sidecarset_and_init_containers() -> None:
    found = images("mesh/agent=r.example.com:5000/agent@sha256:12", "setup=setup:2")
    assert found == {"logs": ["agent:1"], "mesh": ["r.example.com:5000/agent@sha256:12", "setup:2"]}


def test_the_sidecarset_is_as_if_its_manifest_had_the_image() -> None:
    edited = json.loads(json.dumps(HOT).replace("agent:1", "agent:2"))
    (made,) = with_images(world([HOT]), [SetImage("", "agent", "agent:2")]).sidecarsets
    (expected,) = world([edited]).sidecarsets
    assert made == expected
    (container,) = made.spec["containers"]
    assert container["upgradeStrategy"]["hotUpgradeEmptyImage"] == EMPTY


def test_what_is_not_changed_stays_the_same_object() -> None:
    before = world([LOGS, HOT])
    after = with_images(before, [SetImage("mesh", "agent", "agent:2")])
    assert after.by_name["logs"] is before.by_name["logs"]
    assert with_images(before, []) is before


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("agnt=agent:2", "--set-image agnt: container not found (did you mean agent?)"),
        ("mehs/agent=agent:2", "--set-image mehs: SidecarSet not found (did you mean mesh?)"),
        ("logs/setup=x:2", "--set-image logs/setup: SidecarSet logs has no such container (containers: agent)"),
        ("agent", "--set-image agent is not [SET/]CONTAINER=IMAGE (such as --set-image mesh/proxy=proxy:1.3)"),
        ("agent=", "--set-image agent= is not [SET/]CONTAINER=IMAGE (such as --set-image mesh/proxy=proxy:1.3)"),
        ("/agent=x", "--set-image /agent=x is not [SET/]CONTAINER=IMAGE (such as --set-image mesh/proxy=proxy:1.3)"),
    ],
)
def test_what_does_not_exist_is_an_error_that_helps(text: str, message: str) -> None:
    with pytest.raises(SidecarctlError) as caught:
        images(text)
    assert str(caught.value.findings[0]) == message


def files(folder: Path, name: str, *objects: Object) -> Path:
    path = folder / name
    path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": list(objects)}))
    return path


def document(ended: Ended, *names: Path) -> Object:
    """What a command says of SidecarSets, whatever the files are called."""
    assert ended.code == 0, ended.stderr
    text = ended.stdout
    for name in names:
        text = text.replace(str(name), "sets.json")
    made: Object = json.loads(text)
    return {"sidecarSets": made["sidecarSets"]}


def test_diff_and_plan_say_what_the_edited_file_does(tmp_path: Path) -> None:
    old, pods = files(tmp_path, "old.json", LOGS), files(tmp_path, "pods.json", pod(), pod("p1"))
    new = files(tmp_path, "new.json", sidecarset("2").manifest)
    asked = ("--set-image", "logs/agent=agent:2", "-o", "json")
    changed = document(run("diff", old, new, pods, "-o", "json"), new)
    assert document(run("diff", old, pods, *asked), old) == changed
    planned = document(run("plan", old, pods, *asked), old)
    assert planned == document(run("plan", new, pods, "-o", "json"), new)
    assert [len(item["waves"]) for item in planned["sidecarSets"]] == [2]


def test_plan_makes_the_pods_of_workloads_with_the_images_as_written(tmp_path: Path) -> None:
    workload = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "web", "namespace": "shop"},
        "spec": {
            "replicas": 3,
            "template": {
                "metadata": {"labels": {"app": "web"}},
                "spec": {"containers": [{"name": "app", "image": "app:1"}]},
            },
        },
    }
    both = files(tmp_path, "both.json", LOGS, workload)
    old, new = files(tmp_path, "old.json", LOGS), files(tmp_path, "new.json", sidecarset("2").manifest, workload)
    planned = document(run("plan", both, "--set-image", "agent=agent:2", "-o", "json"), both)
    assert planned == document(run("plan", new, "--from", old, "-o", "json"), new)


@pytest.mark.parametrize("more", [("--before", "x"), ("--kruise-from", "1.6", "--kruise-to", "1.9")])
def test_options_that_exclude_each_other(more: tuple[str, ...]) -> None:
    ended = run("diff", "--set-image", "a=b", *more)
    assert (ended.code, "--set-image" in ended.stderr) == (2, True)
