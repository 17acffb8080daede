"""`pytest --sidecartest` collects files of expectations, each case as a test."""

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.cli.manifests import DEPLOYMENT, SET

ROOT = Path(__file__).parents[3]
TESTS = """\
apiVersion: sidecarctl.dev/v1alpha1
kind: SidecarTest
inputs: {sidecarsets: [set.yaml], manifests: [web.yaml]}
cases:
- {name: web has logs, select: {name: web}, expect: {injected: [logs]}}
- {name: nothing has logs, select: {}, expect: {injected: []}}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "set.yaml").write_text(SET)
    (tmp_path / "web.yaml").write_text(DEPLOYMENT)
    (tmp_path / "a.sidecartest.yaml").write_text(TESTS)
    (tmp_path / "test_own.py").write_text("def test_own():\n    pass\n")
    return tmp_path


OPT_IN = ("-p", "sidecarctl.pytest_plugin")


def pytest_in(folder: Path, *words: str, opt_in: tuple[str, ...] = OPT_IN) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", *opt_in, "-p", "no:cacheprovider", *words]
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("PYTEST", "COV"))}
    environment = {**kept, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONPATH": str(ROOT)}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def test_cases_are_tests(folder: Path) -> None:
    ended = pytest_in(folder, "--sidecartest", "-v")
    assert ended.returncode == 1, ended.stderr
    assert "a.sidecartest.yaml::web has logs PASSED" in ended.stdout
    assert "a.sidecartest.yaml::nothing has logs FAILED" in ended.stdout
    assert "test_own.py::test_own PASSED" in ended.stdout
    assert "injected: expected nothing" in ended.stdout
    assert "web.yaml:10:5" in ended.stdout
    assert "Traceback" not in ended.stdout


def test_without_the_option_nothing_is_collected(folder: Path) -> None:
    ended = pytest_in(folder)
    assert ended.returncode == 0
    assert "1 passed" in ended.stdout


def test_chosen_by_name(folder: Path) -> None:
    ended = pytest_in(folder, "--sidecartest", "-k", "web")
    assert ended.returncode == 0
    assert "1 passed, 2 deselected" in ended.stdout


def test_it_obeys_the_settings_of_the_repository(folder: Path) -> None:
    (folder / "web.yaml").write_text(
        DEPLOYMENT.replace("kind: Deployment", "kind: Site").replace("apps/v1", "a.b/v1")
    )
    (folder / ".sidecarctl.yaml").write_text("templatePaths: {Site.a.b: spec.template}\n")
    command = [sys.executable, "-m", "sidecarctl", "test", "-k", "web has logs"]
    assert subprocess.run(command, cwd=folder, check=False).returncode == 0
    ended = pytest_in(folder, "--sidecartest", "-k", "web")
    assert ended.returncode == 0, ended.stdout
    (folder / ".sidecarctl.yaml").write_text("templatPaths: {}\n")
    ended = pytest_in(folder, "--sidecartest", "-k", "web")
    assert ended.returncode == 1
    assert "unknown field templatPaths (did you mean templatePaths?)" in ended.stdout


def test_a_wrong_file_says_so(folder: Path) -> None:
    (folder / "a.sidecartest.yaml").write_text(TESTS.replace("injected", "injcted", 1))
    ended = pytest_in(folder, "--sidecartest")
    assert ended.returncode == 2
    assert "unknown field injcted (did you mean injected?)" in ended.stdout
    assert "Traceback" not in ended.stdout


def test_one_line_in_conftest_is_enough(folder: Path) -> None:
    (folder / "conftest.py").write_text('pytest_plugins = ["sidecarctl.pytest_plugin"]\n')
    ended = pytest_in(folder, "--sidecartest", "-k", "web", opt_in=())
    assert ended.returncode == 0, ended.stderr
    assert "1 passed" in ended.stdout


def test_no_run_of_pytest_loads_it_unasked() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert "entry-points" not in project
    assert not [name for name in project["dependencies"] if name.startswith("pytest")]
