"""What a killed run left is removed by the next one, never what a living one still needs."""

import os
import stat
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from sidecarctl.engine.files import replacing
from sidecarctl.engine.files.replacing import NewFile
from tests.cli.manifests import DEPLOYMENT, SET
from tests.cli.running import run

LEFT = ".sidecarctl-0123456789abcdef.tmp"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "set.yaml").write_text(SET)
    (tmp_path / "apps").mkdir()
    (tmp_path / "apps" / "web.yaml").write_text(DEPLOYMENT)
    return tmp_path


@pytest.mark.parametrize("options", [["-i", "apps"], ["web.yaml", "-d", "apps"]], ids=["in place", "folder"])
def test_strays_are_removed_and_reported(options: list[str]) -> None:
    Path("web.yaml").write_text(DEPLOYMENT)
    Path("apps", LEFT).write_text("half of a fi")
    others = [".web.yaml.swp", ".sidecarctl-mine.tmp", f"{LEFT}x", ".sidecarctl-0123456789abcdef"]
    for name in others:
        Path("apps", name).write_text("somebody's")
    ended = run("inject", "-s", "set.yaml", *options)
    assert ended.code == 0
    assert "apps: removed temporary files of a killed run: 1 [LeftBehind]" in ended.stderr
    found = {path.name for path in Path("apps").iterdir()} - {".sidecarctl-output"}
    assert found == {*others, "web.yaml"}


def test_the_files_of_a_living_run_stay() -> None:
    holder = (
        "import sys; from pathlib import Path; from sidecarctl.engine.files.replacing import NewFile\n"
        "new = NewFile(Path('apps/web.yaml')); new.write(b'x'); new.finish(); print(new.path, flush=True)\n"
        "sys.stdin.read()"
    )
    words = [sys.executable, "-c", holder]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        held = Path(process.stdout.readline().strip())
        ended = run("inject", "-s", "set.yaml", "-i", "apps")
        assert (ended.code, held.exists()) == (0, True)
        assert "LeftBehind" not in ended.stderr
        process.kill()
    assert "[LeftBehind]" in run("uninject", "-s", "set.yaml", "-i", "apps").stderr
    assert not held.exists()


def test_no_descriptor_is_kept_of_a_finished_file(folder: Path) -> None:
    files = [NewFile(folder / "apps" / f"{number}.yaml") for number in range(50)]
    for file in files:
        file.finish()
    assert len(_descriptors(folder)) == 1  # the folder's lock
    for file in files:
        file.discard()
    replacing.release_folders()
    assert _descriptors(folder) == []


def _descriptors(folder: Path) -> list[str]:
    """What this process has open in a folder; other tests leave threads that open and close other things."""
    found = []
    for descriptor in Path("/proc/self/fd").iterdir():
        with suppress(FileNotFoundError):
            found.append(str(descriptor.readlink()))
    return [path for path in found if path.startswith(str(folder))]


def test_the_longest_name_can_be_replaced() -> None:
    path = Path("apps", "x" * 250 + ".yaml")
    path.write_text(DEPLOYMENT)
    assert run("inject", "-s", "set.yaml", "-i", path).code == 0
    assert "log-agent" in path.read_text()


def test_a_hard_link_gets_a_warning() -> None:
    Path("apps", "other").hardlink_to("apps/web.yaml")
    ended = run("inject", "-s", "set.yaml", "-i", "apps")
    assert "warning: apps/web.yaml: it has other hard links (1), which keep the old content" in ended.stderr
    assert "1 warning" in ended.stderr
    assert Path("apps", "other").read_text() == DEPLOYMENT
    assert ended.code == 0
    Path("apps", "web.yaml").unlink()
    Path("apps", "web.yaml").hardlink_to("apps/other")
    assert run("inject", "--strict", "-s", "set.yaml", "-i", "apps").code == 1


def test_setuid_bits_stay() -> None:
    Path("apps", "web.yaml").chmod(0o6755)
    if os.geteuid() == 0:
        os.chown("apps/web.yaml", 1234, 1234)
        Path("apps", "web.yaml").chmod(0o6755)
    assert run("inject", "-s", "set.yaml", "-i", "apps").code == 0
    assert stat.S_IMODE(Path("apps", "web.yaml").stat().st_mode) == 0o6755
