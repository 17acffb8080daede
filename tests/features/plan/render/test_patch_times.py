"""The times that rendered patches record."""

import json
import re
from pathlib import Path

import pytest

from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.plan_file.patch_times import with_times
from sidecarctl.engine.plan_file.reading import PlannedAnnotation, PlannedPatch
from sidecarctl.engine.sidecarset.pod_annotations import HASH, INPLACE_UPDATE_STATE
from tests.cli.running import run
from tests.engine.rollout.manifests import pod
from tests.features.plan.planning import SET
from tests.features.plan.render.test_render import executed, prepared, script_of

_TIME = re.compile(r"20[0-9]{2}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "set.yaml").write_text(SET)
    prepared(tmp_path, [pod("p0")])
    return tmp_path


def _written(folder: Path) -> dict[str, Object]:
    """The annotations that the script patches, by key."""
    [line] = [line for line in (folder / "log").read_text().splitlines() if line.startswith("patch ")]
    patch = json.loads(line.partition("--patch ")[2].rpartition(" -- ")[0])
    return {
        item["path"].rpartition("/")[2]: json.loads(item["value"]) for item in patch if "annotations" in item["path"]
    }


def test_the_script_writes_the_time_at_which_it_patches(folder: Path) -> None:
    assert executed(folder, script_of(folder)).returncode == 0
    times = {key: value["logs"]["updateTimestamp"] for key, value in _written(folder).items()}
    assert times
    assert all(_TIME.fullmatch(time or "") for time in times.values())


def test_the_script_keeps_the_time_that_the_plan_was_given(folder: Path) -> None:
    prepared(folder, [pod("p0")], "--timestamp", "2026-01-01T00:00:00Z")
    assert executed(folder, script_of(folder)).returncode == 0
    assert {value["logs"]["updateTimestamp"] for value in _written(folder).values()} == {"2026-01-01T00:00:00Z"}


@pytest.mark.parametrize("form", ["jsonpatch", "strategic", "merge", "pods"])
def test_other_forms_say_that_the_time_is_left_out_and_how_to_give_it(folder: Path, form: str) -> None:
    pods = [folder / "pods.json"] if form in ("merge", "pods") else []
    ended = run("render", folder / "plan.json", *pods, "-o", form)
    assert (ended.code, "[TimeLeftOut]" in ended.stderr, "plan --timestamp now" in ended.stderr) == (0, True, True)
    prepared(folder, [pod("p0")], "--timestamp", "2026-01-01T00:00:00Z")
    assert "TimeLeftOut" not in run("render", folder / "plan.json", *pods, "-o", form).stderr
    assert "TimeLeftOut" not in run("render", folder / "plan.json", "-o", "kubectl").stderr


def _patch(name: str, key: str, before: str | None, after: str) -> PlannedPatch:
    edit = PlannedAnnotation(key, before, after, invented=False)
    return PlannedPatch(name, 1, 1, "shop", "p0", "u0", "upgrade", (), (edit,), was_ready=True)


_NULL = '{{"updateTimestamp":null,"hash":"{}"}}'


def test_only_the_last_patch_of_an_annotation_has_the_times_of_all_that_the_plan_writes() -> None:
    """The next one tests the text before it, and the script can be run again: texts in between stay as planned."""
    old = f'{{"logs":{_NULL.format("1")},"mix":{_NULL.format("1")},"other":{_NULL.format("1")}}}'
    between = old.replace("1", "2", 1)
    last = f'{{"logs":{_NULL.format("2")},"mix":{_NULL.format("2")},"other":{_NULL.format("1")}}}'
    first, second = with_times([_patch("logs", HASH, old, between), _patch("mix", HASH, between, last)])
    assert first.annotations[0].after == between
    entries = json.loads(second.annotations[0].after)
    assert {name: bool(entry["updateTimestamp"]) for name, entry in entries.items()} == {
        "logs": True,
        "mix": True,
        "other": False,
    }


@pytest.mark.parametrize(("before", "is_timed"), [(None, True), ("{}", True), ('{"logs":{"revision":"1"}}', False)])
def test_a_state_of_an_earlier_update_keeps_its_time(before: str | None, *, is_timed: bool) -> None:
    after = '{"logs":{"revision":"2","updateTimestamp":null,"lastContainerStatuses":{}}}'
    [patch] = with_times([_patch("logs", INPLACE_UPDATE_STATE, before, after)])
    assert bool(json.loads(patch.annotations[0].after)["logs"]["updateTimestamp"]) == is_timed
