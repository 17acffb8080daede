"""What is wrong with a file of tests is said with its line, and what would be right."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.cli.manifests import DEPLOYMENT, SET
from tests.cli.running import run

HEAD = """\
apiVersion: sidecarctl.dev/v1alpha1
kind: SidecarTest
inputs: {sidecarsets: [set.yaml], manifests: [web.yaml]}
cases:
"""

WRONG = yaml.safe_load(Path(__file__).with_name("wrong.yaml").read_text())


@pytest.mark.parametrize("row", WRONG, ids=lambda row: row["message"])
def test_a_wrong_file(row: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("set.yaml").write_text(SET)
    Path("web.yaml").write_text(DEPLOYMENT)
    Path("a.sidecartest.yaml").write_text(f"{HEAD}{row['case']}\n")
    ended = run("test")
    assert ended.code == 2
    assert not ended.stdout
    assert f"error: a.sidecartest.yaml:{row['line']}:" in ended.stderr
    assert row["message"] in ended.stderr


def test_a_file_of_another_kind(tmp_path: Path) -> None:
    (tmp_path / "set.yaml").write_text(SET)
    ended = run("test", tmp_path / "set.yaml")
    assert ended.code == 2
    assert "set.yaml:2:7: kind: expected an object of kind SidecarTest, not SidecarSet" in ended.stderr


def test_a_dump_that_cannot_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("set.yaml").write_text(SET)
    Path("web.yaml").write_text(DEPLOYMENT)
    rollout = "- {name: a, rollout: {sidecarset: logs, pods: none.json}, expect: {waves: 1}}"
    Path("a.sidecartest.yaml").write_text(f"{HEAD}{rollout}\n")
    ended = run("test")
    assert ended.code == 2
    assert "error: none.json: cannot be read" in ended.stderr
    assert "(named in a.sidecartest.yaml:5:47)" in ended.stderr
