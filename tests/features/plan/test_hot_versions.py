"""The versions that a plan writes on hot containers."""

from pathlib import Path

import pytest

from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.sidecarset.pod_annotations import VERSION_PREFIX
from tests.cli.running import run
from tests.engine.rollout.manifests import pod, sidecarset
from tests.features.plan.planning import dump, planned


def written(document: Object) -> str:
    [patched] = document["sidecarSets"][0]["waves"][0]["pods"]
    texts: dict[str, str] = {annotation["key"]: annotation["after"] for annotation in patched["annotations"]}
    return texts[f"{VERSION_PREFIX}agent-2"]


@pytest.mark.parametrize(("own", "version"), [("12", "41"), ("50", "50"), ("", "41")])
def test_they_are_above_those_of_the_pod(tmp_path: Path, own: str, version: str) -> None:
    manifest = sidecarset("2", hot=True).manifest
    manifest["metadata"] = {**manifest["metadata"], **({"resourceVersion": own} if own else {})}
    (tmp_path / "set.yaml").symlink_to(dump(tmp_path / "set.json", [manifest]))
    dump(tmp_path / "pods.json", [pod(hot=True, annotations={f"{VERSION_PREFIX}agent-1": "40"})])
    assert written(planned(tmp_path)) == version
    ended = run("plan", tmp_path / "set.json", tmp_path / "pods.json", "--strict")
    assert ended.code == 0
    assert (
        "the version annotations of HotUpgrade containers differ from those that Kruise would write" in ended.stderr
    )
    assert "[HotVersionsOwn]" in ended.stderr


def test_a_cold_update_writes_none(tmp_path: Path) -> None:
    dump(tmp_path / "all.json", [pod(), sidecarset("2").manifest])
    assert "HotVersionsOwn" not in run("plan", tmp_path / "all.json").stderr
