"""The plugin of kubectl, as the real krew installs it from the files of a release."""

import os
import stat
import subprocess
from pathlib import Path

import pytest
import yaml

from sidecarctl import __version__
from tests.tools.running import PATH, ROOT, need

REPOSITORY = "https://github.com/example/sidecarctl"


@pytest.fixture(scope="module")
def released() -> Path:
    subprocess.run([ROOT / "ci" / "krew" / "build", REPOSITORY], check=True)
    return ROOT / "build" / "krew"


def test_the_manifest_names_the_archive_of_the_release(released: Path) -> None:
    spec = yaml.safe_load((released / "sidecarctl.yaml").read_text())["spec"]
    assert (spec["version"], spec["homepage"]) == (f"v{__version__}", REPOSITORY)
    [platform] = spec["platforms"]
    assert platform["uri"] == f"{REPOSITORY}/releases/download/v{__version__}/kubectl-sidecarctl.tar.gz"


def test_the_same_commit_gives_the_same_archive(released: Path) -> None:
    archive = released / "kubectl-sidecarctl.tar.gz"
    first = archive.read_bytes()
    subprocess.run([ROOT / "ci" / "krew" / "build", REPOSITORY], check=True)
    assert archive.read_bytes() == first


@pytest.mark.parametrize(
    ("runner", "words"),
    [("uvx", f"--quiet sidecarctl@{__version__}"), ("pipx", f"run --quiet sidecarctl=={__version__}"), ("", "")],
)
def test_krew_installs_it_and_kubectl_runs_it(tmp_path: Path, released: Path, runner: str, words: str) -> None:
    for tool in ("krew", "kubectl", "git"):
        need(tool)
    programs = tmp_path / "programs"
    programs.mkdir()
    if runner:
        program = programs / runner
        program.write_text('#!/bin/sh\necho "$@"\n')
        program.chmod(stat.S_IRWXU)
    environ = {"HOME": str(tmp_path), "KREW_ROOT": str(tmp_path / "krew")}
    source = [f"--manifest={released}/sidecarctl.yaml", f"--archive={released}/kubectl-sidecarctl.tar.gz"]
    subprocess.run(["krew", "install", *source], check=True, capture_output=True, env={**environ, "PATH": PATH})
    folders = [str(programs), f"{tmp_path}/krew/bin", *_without("uvx", "pipx")]
    call = ["kubectl", "sidecarctl", "explain", "--all"]
    ended = subprocess.run(
        call, check=False, capture_output=True, text=True, env={**environ, "PATH": os.pathsep.join(folders)}
    )
    if runner:
        assert (ended.returncode, ended.stdout) == (0, f"{words} explain --all\n")
    else:
        assert ended.returncode == 1
        assert "needs uv (https://docs.astral.sh/uv) or pipx" in ended.stderr


def _without(*names: str) -> list[str]:
    """The folders of PATH that have none of these programs."""
    folders = PATH.split(os.pathsep)
    return [folder for folder in folders if not any(Path(folder, name).exists() for name in names)]
