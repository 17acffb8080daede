"""`plugin install`: small programs where kubectl and kustomize look for them."""

import os
import subprocess
from pathlib import Path

import pytest

from tests.cli.running import run

LEGACY = "sidecarctl.dev/v1alpha1/sidecarinjection/SidecarInjection"


def test_the_legacy_plugin_goes_where_kustomize_looks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("KUSTOMIZE_PLUGIN_HOME", raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    done = run("plugin", "install", "--legacy")
    assert (done.code, done.stderr) == (0, "")
    assert done.stdout == f"{tmp_path}/config/kustomize/plugin/{LEGACY}\n"
    monkeypatch.setenv("KUSTOMIZE_PLUGIN_HOME", str(tmp_path / "home"))
    assert run("plugin", "install", "--legacy").stdout == f"{tmp_path}/home/{LEGACY}\n"


def test_the_plugin_of_kubectl_runs_sidecarctl(tmp_path: Path) -> None:
    done = run("plugin", "install", "--folder", tmp_path / "it's here")
    program = Path(done.stdout.removesuffix("\n"))
    assert program == tmp_path / "it's here" / "kubectl-sidecarctl"
    assert os.access(program, os.X_OK)
    told = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout
    assert told.startswith("sidecarctl ")


def test_without_a_folder_it_stands_beside_sidecarctl(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.executable", str(tmp_path / "python"))
    done = run("plugin", "install")
    assert (done.code, done.stdout) == (2, "")
    assert "not found" in done.stderr
    (tmp_path / "sidecarctl").touch()
    assert run("plugin", "install").stdout == f"{tmp_path}/kubectl-sidecarctl\n"


def test_a_folder_where_kubectl_does_not_look(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told = f"note: kubectl looks for plugins on PATH, but {tmp_path} is not on PATH [NotOnPath]\n"
    assert run("plugin", "install", "--folder", tmp_path).stderr == told
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    assert run("plugin", "install", "--folder", tmp_path).stderr == ""


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    done = run("plugin", "install", "--folder", tmp_path / "file" / "below")
    assert (done.code, done.stdout) == (3, "")
    assert "cannot be written: Not a directory" in done.stderr


def test_another_action() -> None:
    assert run("plugin", "remove").code == 2
