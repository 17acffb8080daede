"""Keys that are longer than YAML takes in one line."""

import json
from pathlib import Path

import pytest
import yaml

from tests.cli.manifests import DEPLOYMENT, SET
from tests.cli.running import run

HELD = SET.replace("name: logs\n", "name: logs\n  uid: 0a1b\n", 1)
KEY = "k" * 1100
PATCHING = f"""\
{HELD}  patchPodMetadata:
  - annotations:
      ? {KEY}
      : v
    patchPolicy: Overwrite
"""
BLOCK = DEPLOYMENT.replace("labels: {app: web}", "labels: {app: web}\n      annotations:\n        a: b")
FLOW = DEPLOYMENT.replace("labels: {app: web}", "labels: {app: web}\n      annotations: {a: b}")


@pytest.fixture
def sets(tmp_path: Path) -> Path:
    (tmp_path / "set.yaml").write_text(PATCHING)
    return tmp_path / "set.yaml"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("no annotations", DEPLOYMENT),
        ("some", BLOCK),
        ("json", json.dumps(yaml.safe_load(DEPLOYMENT))),
        ("indented json", json.dumps(yaml.safe_load(DEPLOYMENT), indent=2)),
    ],
)
def test_a_long_key_is_written_and_removed_again(sets: Path, tmp_path: Path, name: str, text: str) -> None:
    path = tmp_path / ("app.json" if "json" in name else "app.yaml")
    path.write_text(text)
    ended = run("inject", "-s", sets, path)
    assert ended.code == 0, ended.stderr
    written = json.loads(ended.stdout) if "json" in name else yaml.safe_load(ended.stdout)
    assert written["spec"]["template"]["metadata"]["annotations"][KEY] == "v"
    path.write_text(ended.stdout)
    assert run("uninject", "-s", sets, path).stdout == text


def test_where_yaml_has_no_place_for_it_it_is_refused(sets: Path, tmp_path: Path) -> None:
    (tmp_path / "app.yaml").write_text(FLOW)
    ended = run("inject", "-s", sets, tmp_path / "app.yaml")
    assert (ended.code, ended.stdout) == (3, "")
    assert "a key of 1,100 characters is too long for a YAML flow mapping" in ended.stderr
