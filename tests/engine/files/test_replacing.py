"""Files replaced whole: never torn, never lost, whatever happens in between."""

import os
import random
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from sidecarctl.engine.files.replacing import NewFile
from tests.cli.manifests import DEPLOYMENT, SET
from tests.cli.running import run_process

KILLS = 50


def test_takes_the_place_with_mode_and_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").write_text("old")
    (tmp_path / "real").chmod(0o604)
    (tmp_path / "link").symlink_to("real")
    new = NewFile(tmp_path / "link")
    new.write(b"new")
    new.finish()
    assert (tmp_path / "real").read_text() == "old"
    new.replace()
    new.discard()
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == "new"
    assert (tmp_path / "real").stat().st_mode & 0o777 == 0o604
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link", "real"]


def test_a_new_file_has_the_mode_that_the_user_wants(tmp_path: Path) -> None:
    mask = os.umask(0o027)
    try:
        new = NewFile(tmp_path / "fresh")
        new.finish()
        new.replace()
    finally:
        os.umask(mask)
    assert (tmp_path / "fresh").stat().st_mode & 0o777 == 0o640


def test_discarded_nothing_is_left(tmp_path: Path) -> None:
    (tmp_path / "real").write_text("old")
    NewFile(tmp_path / "real").discard()
    assert [path.name for path in tmp_path.iterdir()] == ["real"]
    assert (tmp_path / "real").read_text() == "old"


def _folder_of(tmp_path: Path, files: int) -> tuple[Path, dict[str, set[str]]]:
    """Many files to inject, and the two contents that each of them may ever have."""
    (tmp_path / "set.yaml").write_text(SET)
    apps = tmp_path / "apps"
    apps.mkdir()
    for number in range(files):
        (apps / f"{number}.yaml").write_text(DEPLOYMENT.replace("name: web", f"name: web-{number}"))
    before = {path.name: path.read_text() for path in apps.iterdir()}
    assert run_process("inject", "-s", "set.yaml", "-d", "after", "apps", cwd=tmp_path).code == 0
    allowed = {name: {text, (tmp_path / "after" / name).read_text()} for name, text in before.items()}
    return apps, allowed


@pytest.mark.slow
def test_killed_at_any_moment_no_file_is_torn_or_lost(tmp_path: Path) -> None:
    apps, allowed = _folder_of(tmp_path, 40)
    originals = {path.name: path.read_bytes() for path in apps.iterdir()}
    words = [sys.executable, "-m", "sidecarctl", "inject", "-s", "set.yaml", "-i", "apps"]
    started = time.perf_counter()
    subprocess.run(words, cwd=tmp_path, check=True, capture_output=True)
    whole = time.perf_counter() - started
    chance = random.Random(1)  # noqa: S311 - moments to kill at, not secrets
    killed = while_writing = tries = 0
    while killed < KILLS:
        for name, content in originals.items():
            (apps / name).write_bytes(content)
        process = subprocess.Popen(words, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        tries += 1
        if tries % 2:
            time.sleep(chance.uniform(0.1, 1.0) * whole)
        else:  # however fast the machine is now, while files are written
            while process.poll() is None and not any(apps.glob(".*.tmp")):
                time.sleep(0.001)
            time.sleep(chance.uniform(0.0, 0.1) * whole)
        process.send_signal(signal.SIGKILL)
        killed += process.wait() == -signal.SIGKILL
        for name, contents in allowed.items():
            assert (apps / name).read_text() in contents
        while_writing += any(apps.glob(".*.tmp"))
        for left in apps.glob(".*.tmp"):
            left.unlink()
    assert while_writing


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "told"),
    [(["-i"], "web.yaml: "), (["-d", "out"], "out/web.yaml: "), ([], "stdout: ")],
    ids=["in place", "folder", "stdout"],
)
def test_a_full_disk_leaves_the_old_files(tmp_path: Path, options: list[str], told: str) -> None:
    """A limit on the size of files stands for the disk."""
    (tmp_path / "set.yaml").write_text(SET)
    text = "---\n".join(DEPLOYMENT.replace("name: web", f"name: web-{number}") for number in range(400))
    (tmp_path / "web.yaml").write_text(text)
    (tmp_path / "small.yaml").write_text(DEPLOYMENT)
    words = [sys.executable, "-m", "sidecarctl", "inject", "-s", "set.yaml", *options, "small.yaml", "web.yaml"]

    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (64 * 1024, 64 * 1024))

    ended = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, preexec_fn=limit, check=False)
    assert (ended.returncode, ended.stdout) == (3, "")
    assert f"{told}cannot be written: File too large" in ended.stderr
    assert (tmp_path / "web.yaml").read_text() == text
    assert (tmp_path / "small.yaml").read_text() == DEPLOYMENT
    assert not [path for path in tmp_path.rglob("*") if path.suffix == ".tmp"]
    assert not list((tmp_path / "out").glob("*"))
