"""Changes that only new pods get, alone and together with new images."""

import json
from pathlib import Path

import pytest

from sidecarctl.engine.comparing.new_pods_only import changes_only_new_pods
from sidecarctl.engine.facts.values import Object
from sidecarctl.library import load
from tests.cli.running import run
from tests.engine.rollout.manifests import sidecarset
from tests.features.diff.test_diff_verdicts import PODS, change, diff


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


_VOLUME: Object = {"name": "buf", "emptyDir": {}}
_CONFIG: Object = {"name": "buf", "configMap": {"name": "log-v2"}}
_INIT: Object = {"name": "init", "image": "init:1"}
_PATCH: Object = {"patchPolicy": "Overwrite", "annotations": {"rules": "v1"}}
_PINNED: Object = {"revision": {"revisionName": "logs-1", "policy": "Always"}}

_CASES: list[tuple[Object, Object, str]] = [
    ({}, {"volumes": [_VOLUME]}, "only new pods get buf"),
    ({"volumes": [_VOLUME]}, {}, "new pods do not get buf"),
    ({"volumes": [_VOLUME]}, {"volumes": [_CONFIG]}, "buf is emptyDir, new pods get configMap log-v2"),
    (
        {"volumes": [_VOLUME]},
        {"volumes": [{**_VOLUME, "emptyDir": {"medium": "Memory"}}]},
        "new pods get another buf",
    ),
    ({}, {"initContainers": [_INIT]}, "only new pods get init"),
    ({"initContainers": [_INIT]}, {"initContainers": [{**_INIT, "image": "init:2"}]}, "init is init:1, new pods get"),
    ({}, {"imagePullSecrets": [{"name": "pull"}]}, "only new pods get pull"),
    (
        {"imagePullSecrets": [{"name": "a"}, {"name": "b"}]},
        {"imagePullSecrets": [{"name": "b"}, {"name": "a"}]},
        "new pods get the imagePullSecrets in another order",
    ),
    (
        {"patchPodMetadata": [_PATCH]},
        {"patchPodMetadata": [{**_PATCH, "annotations": {"rules": "v2"}}]},
        "new pods get other labels or annotations",
    ),
]


@pytest.mark.parametrize(("before", "after", "said"), _CASES)
def test_what_no_hash_covers_reaches_only_new_pods(before: Object, after: Object, said: str) -> None:
    old = sidecarset("1", **before).manifest
    assert change(old, sidecarset("1", **after).manifest, PODS)["verdicts"] == ["NewPodsOnly"]
    newer = sidecarset("2", **after).manifest
    assert change(old, newer, PODS)["verdicts"] == ["InPlace", "NewPodsOnly"]
    warned = diff(old, newer, PODS).stderr
    assert said in warned
    assert "of the old version" in warned
    assert warned.count("[MixedUpdate]") == 1


def test_the_warning_counts_the_pods_that_are_updated() -> None:
    old, new = sidecarset("1", volumes=[_VOLUME]), sidecarset("2", volumes=[_CONFIG])
    updated = change(old.manifest, new.manifest, PODS)["rollout"]["updatedNow"]
    assert f"{updated} pods will run" in diff(old.manifest, new.manifest, PODS).stderr
    assert "pods updated in place run" in diff(old.manifest, new.manifest).stderr


def test_pods_that_keep_the_whole_old_version_mix_nothing() -> None:
    old = sidecarset("1").manifest
    new = sidecarset("1", volumes=[_VOLUME]).manifest
    new["spec"]["containers"][0]["env"] = [{"name": "A", "value": "1"}]
    assert change(old, new, PODS)["verdicts"] == ["Recreate", "NewPodsOnly"]
    assert "MixedUpdate" not in diff(old, new, PODS).stderr


def test_a_version_that_is_not_rolled_out_reaches_only_new_pods() -> None:
    kept: Object = {"updateStrategy": {"type": "NotUpdate"}}
    assert change(sidecarset("1", **kept).manifest, sidecarset("2", **kept).manifest)["verdicts"] == ["NewPodsOnly"]


def test_pods_that_get_the_same_older_revision_do_not_change() -> None:
    old, new = (sidecarset("1", injectionStrategy=_PINNED, volumes=volumes) for volumes in ([], [_VOLUME]))
    assert not changes_only_new_pods(old, new)
    assert changes_only_new_pods(old, sidecarset("1"))


_V1, _V2 = {"customVersion": "v1"}, {"customVersion": "v2"}
_TO_V1: Object = {"injectionStrategy": {"revision": {"customVersion": "v1"}}}
_TO_V2: Object = {"injectionStrategy": {"revision": {"customVersion": "v2", "policy": "Always"}}}
_PART: Object = {"injectionStrategy": {"revision": {"customVersion": "v1", "policy": "Partial"}}}
_SELECTS: Object = {"updateStrategy": {"selector": {"matchLabels": {"canary": "yes"}}}}


@pytest.mark.parametrize(
    ("before", "after", "is_reported"),
    [
        (_V1, {**_V1, **_TO_V1}, False),
        (_V1, {**_V1, "injectionStrategy": {"revision": {"policy": "Always"}}}, False),
        ({**_V1, **_TO_V1}, _V1, False),
        ({**_V1, **_TO_V1}, {**_V1, **_PART}, False),
        (_V1, {**_V2, **_TO_V1, "volumes": [_VOLUME]}, False),
        (_V1, {**_V2, **_TO_V2}, False),
        (_V1, {**_V2, **_PART}, False),
        (_V1, {**_V2, **_PART, **_SELECTS, "volumes": [_VOLUME]}, True),
        (_V1, {**_V2, **_TO_V2, "volumes": [_VOLUME]}, True),
        ({**_V2, **_TO_V1}, _V2, True),
        (_V2, {**_V2, **_TO_V1}, True),
    ],
)
def test_a_pin_is_reported_only_if_new_pods_get_something_else(
    before: Object, after: Object, *, is_reported: bool
) -> None:
    old, new = sidecarset("1", **before), sidecarset("1", **after)
    assert changes_only_new_pods(old, new) is is_reported


def test_it_can_make_the_command_fail() -> None:
    old, new = sidecarset("1").manifest, sidecarset("1", volumes=[_VOLUME]).manifest
    assert diff(old, new, PODS).code == 0
    assert diff(old, new, PODS, "--fail-on", "NewPodsOnly").code == 1
    assert diff(old, old, PODS, "--fail-on", "NewPodsOnly").code == 0


_SET_CHANGE = """\
apiVersion: sidecarctl.dev/v1alpha1
kind: SidecarTest
inputs: {sidecarsets: [old.json], manifests: [pods.json]}
cases:
- name: a secret
  change: {sidecarset: logs, set: {spec.imagePullSecrets: [{name: x}]}}
  expect: {verdicts: [V]}
"""


@pytest.fixture
def versions() -> tuple[Object, Object]:
    """A SidecarSet, and one with another image and another volume, in files beside pods."""
    old = sidecarset("1", volumes=[_VOLUME]).manifest
    new = sidecarset("2", volumes=[_CONFIG]).manifest
    diff(old, new, PODS)
    return old, new


_MIXED = "buf is emptyDir, new pods get configMap log-v2"


@pytest.mark.usefixtures("versions")
@pytest.mark.parametrize("form", ["text", "markdown", "html"])
def test_every_report_has_the_second_verdict(form: str) -> None:
    one = run("diff", "old.json", "new.json", "pods.json", "-o", form)
    assert "NewPodsOnly" in one.stdout
    assert _MIXED in one.stdout + one.stderr
    clusters = ("--cluster", "eu=pods.json", "--cluster", "us=pods.json")
    several = run("diff", "old.json", "new.json", *clusters, "-o", form)
    assert _MIXED in several.stdout + several.stderr
    assert form == "html" or "InPlace, NewPodsOnly in both clusters" in several.stdout.replace("`", "")


def test_the_diff_of_trees_has_it(versions: tuple[Object, Object]) -> None:
    for folder, manifest in zip(("before", "after"), versions, strict=True):
        Path(folder).mkdir()
        Path(folder, "set.json").write_text(json.dumps(manifest))
    ended = run("diff", "--before", "before", "--after", "after", "--fail-on", "NewPodsOnly")
    assert ended.code == 1
    assert "InPlace + NewPodsOnly" in ended.stdout
    assert "pods updated in place run" in ended.stderr
    assert _MIXED in ended.stderr


@pytest.mark.usefixtures("versions")
@pytest.mark.parametrize(("verdict", "code"), [("NewPodsOnly", 0), ("NoEffect", 1)])
def test_expectations_have_it(verdict: str, code: int) -> None:
    Path("a.sidecartest.yaml").write_text(_SET_CHANGE.replace("[V]", f"[{verdict}]"))
    assert run("test", "a.sidecartest.yaml").code == code


def test_the_python_api_has_it(versions: tuple[Object, Object]) -> None:
    inputs = load(["old.json", "pods.json"])
    (change,) = inputs.with_sidecarset(versions[1]).diff(inputs)
    assert change.verdicts == ("InPlace", "NewPodsOnly")
