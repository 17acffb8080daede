"""Names of files: any bytes, in any locale; in a diff they are quoted as GNU diff quotes them, and patch takes it."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from sidecarctl.render.unified_diff import quoted_name
from tests.cli.manifests import DEPLOYMENT, SET
from tests.cli.running import Ended

NAMES = [
    b"plain.yaml",
    b"with blank.yaml",
    "wé.yaml".encode(),
    b"not utf\xff8.yaml",
    b"line\n+++ b.yaml",
    b"\x1b[31mred.yaml",
    b'quote".yaml',
    b"back\\slash.yaml",
    "right\N{RIGHT-TO-LEFT OVERRIDE}left.yaml".encode(),
    b"tab\there.yaml",
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "set.yaml").write_text(SET)
    (tmp_path / "d").mkdir()
    for name in NAMES:
        Path(os.fsdecode(os.fsencode(tmp_path / "d") + b"/" + name)).write_text(DEPLOYMENT)
    return tmp_path


def _run(folder: Path, *words: str, **env: str) -> Ended:
    ended = subprocess.run(
        [sys.executable, "-m", "sidecarctl", *words],
        cwd=folder,
        capture_output=True,
        check=False,
        env={**os.environ, **env},
    )
    return Ended(ended.returncode, ended.stdout.decode(), ended.stderr.decode(errors="replace"))


LOCALES = [{"LC_ALL": "C.UTF-8"}, {"LC_ALL": "C"}, {"LC_ALL": "C", "PYTHONUTF8": "0"}]


@pytest.mark.slow
@pytest.mark.parametrize("locale", LOCALES, ids=str)
def test_any_name_in_any_locale(folder: Path, locale: dict[str, str]) -> None:
    ended = _run(folder, "inject", "-s", "set.yaml", "d", "--diff", **locale)
    assert ended.code == 0, ended.stderr
    assert ended.stdout.count("\n--- ") + 1 == len(NAMES)
    assert "\x1b" not in ended.stdout
    ended = _run(folder, "plan", "-s", "set.yaml", "d", "--from", "set.yaml", "-o", "json", **locale)
    assert "InternalFault" not in ended.stderr
    assert "d/wé.yaml" in [item["file"] for item in json.loads(ended.stdout)["inputs"]]


@pytest.mark.slow
@pytest.mark.parametrize("locale", LOCALES[1:], ids=str)
def test_every_command_in_the_poorest_locale(folder: Path, locale: dict[str, str]) -> None:
    for words in (
        ["status", "set.yaml", "d", "-o", "json"],
        ["diff", "set.yaml", "set.yaml", "d", "-o", "yaml"],
        ["inject", "-s", "set.yaml", "d", "-o", "jsonpatch"],
        ["inject", "-s", "set.yaml", "d", "-v", "-o", "name"],
    ):
        ended = _run(folder, *words, **locale)
        assert "InternalFault" not in ended.stderr
        assert ended.code == 0


@pytest.mark.slow
def test_patch_takes_what_the_diff_says(folder: Path) -> None:
    for name in ("line\n+++ b.yaml", "back\\slash.yaml"):  # patch itself refuses to write such names
        (folder / "d" / name).unlink()
    diff = _run(folder, "inject", "-s", "set.yaml", "d", "--diff").stdout
    assert _run(folder, "inject", "-q", "-s", "set.yaml", "d", "-d", "after").code == 0
    subprocess.run(["patch", "-s", "-p1"], cwd=folder, input=diff.encode(), check=True)
    assert sorted(path.name for path in folder.iterdir()) == ["after", "d", "set.yaml"]
    (folder / "after" / ".sidecarctl-output").unlink()
    for path in (folder / "after").iterdir():
        assert (folder / "d" / path.name).read_bytes() == path.read_bytes()


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("a/x.yaml", "a/x.yaml"),
        ("a/x y.yaml", '"a/x y.yaml"'),
        ("a/é.yaml", "a/é.yaml"),
        ('a/"', '"a/\\""'),
        ("a/\n", '"a/\\n"'),
        ("a/\x1b", '"a/\\033"'),
        ("a/\udcff", '"a/\\377"'),
        ("a/\udcc3\udca9", "a/é"),
        ("a/\u202e", '"a/\\342\\200\\256"'),
    ],
)
def test_quoted_names(name: str, expected: str) -> None:
    assert quoted_name(name) == expected


@pytest.mark.slow
def test_a_folder_with_yaml_and_json_has_one_diff_a_file(tmp_path: Path) -> None:
    (tmp_path / "set.yaml").write_text(SET)
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / "a.yaml").write_text(DEPLOYMENT)
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "p", "labels": {"app": "web"}},
        "spec": {"containers": [{"name": "a", "image": "a"}]},
    }
    (tmp_path / "d" / "b.json").write_text(json.dumps(pod))
    ended = _run(tmp_path, "inject", "-s", "set.yaml", "d", "--diff")
    assert ended.code == 0
    assert "+++ b/d/a.yaml\n" in ended.stdout
    assert "+++ b/d/b.json\n" in ended.stdout
    assert _run(tmp_path, "inject", "-s", "set.yaml", "d").code == 2
