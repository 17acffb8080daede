"""`merge`: documents of clusters, and files that are none."""

import json
from pathlib import Path

import pytest

from tests.cli.running import run
from tests.features.merge.clusters import RECORDED, write_clusters


@pytest.fixture(autouse=True)
def documents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The documents c1.json and c2.json, and other.json, which is none."""
    write_clusters(tmp_path, RECORDED[:2])
    monkeypatch.chdir(tmp_path)
    for name in ("c1", "c2"):
        assert run("status", name, "-o", f"json={name}.json", "-o", f"yaml={name}.yaml").code == 0
    Path("other.json").write_text("{}")


def test_clusters_are_named_after_their_files_or_as_requested() -> None:
    ended = run("merge", "eu=c1.json", "c2.yaml", "-o", "json")
    assert [item["name"] for item in json.loads(ended.stdout)["clusters"]] == ["c2", "eu"]


def test_a_folder_of_documents() -> None:
    Path("out").mkdir()
    for name in ("c1", "c2"):
        Path(f"{name}.json").rename(f"out/{name}.json")
    assert run("merge", "out").code == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("", "merge needs documents"),
        ("c1.json nowhere.json", "nowhere.json"),
        ("c1.json other.json", "other.json:1:1: not the document of a cluster"),
        ("c1.json c1.yaml", "c1.yaml: cluster c1 is also in c1.json (name it: NAME=FILE)"),
        ("c1.json c2.json -o wide", "-o wide"),
    ],
)
def test_what_cannot_be_merged(words: str, said: str) -> None:
    ended = run("merge", *words.split())
    assert (ended.code, ended.stdout) == (2, "")
    assert said in ended.stderr


@pytest.mark.parametrize(
    ("member", "value", "said"),
    [
        ("apiVersion", "sidecarctl.dev/v2", "c1.json:2:17: apiVersion: unknown version sidecarctl.dev/v2"),
        ("sidecarSets", [{"name": 5}], "sidecarSets[0].name"),
        ("featureGates", None, "featureGates"),
    ],
)
def test_a_document_that_was_changed(member: str, value: object, said: str) -> None:
    document = {**json.loads(Path("c1.json").read_text()), member: value}
    Path("c1.json").write_text(json.dumps(document, indent=2))
    ended = run("merge", "c1.json", "c2.json")
    assert ended.code == 2
    assert said in ended.stderr


def test_a_report_without_clusters() -> None:
    empty = {"apiVersion": "sidecarctl.dev/v1alpha1", "kind": "FleetReport", "command": "status"}
    Path("c1.json").write_text(json.dumps({**empty, "sidecarSets": [], "clusters": []}))
    ended = run("merge", "c1.json")
    assert ended.code == 2
    assert "not a document of a cluster" in ended.stderr
