"""What ships: a source archive without strays, and a wheel made of it that works in an environment of its own."""

import os
import re
import subprocess
import sys
import tarfile
import tomllib
import venv
from email import message_from_bytes
from email.message import Message
from pathlib import Path, PurePosixPath
from zipfile import ZipFile

import pytest

from sidecarctl import __version__
from tests.cli.manifests import DEPLOYMENT, SET

ROOT = Path(__file__).parents[1]
FOLDERS = {"sidecarctl", "schemas", "docs", "samples", "man"}
SHIPPED = FOLDERS | {"README.md", "CHANGELOG.md", "LICENSE", "pyproject.toml"}
ADDED_BY_THE_BUILD = {"PKG-INFO", ".gitignore"}


def test_recipes_name_the_tag_of_this_version() -> None:
    """People copy them: a branch would change what runs in their pipelines."""
    for page in (
        "README.md",
        "README.zh-CN.md",
        "docs/ci.md",
        "docs/zh/ci.md",
        "ci/gitlab.yml",
        "samples/ci/.github/workflows/sidecarsets.yml",
    ):
        text = (ROOT / page).read_text()
        tags = re.findall(
            r"sidecarctl/(?:sidecarctl@|archive/(?:refs/tags/)?|raw/)([^/\s]+?)(?:\.tar\.gz|/|\s)", text
        )
        tags += re.findall(r"rev: (\S+)", text)
        assert set(tags) == {f"v{__version__}"}, page


def call(*words: str | Path, cwd: Path) -> str:
    clean = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "COV_"))}
    return subprocess.run(words, check=True, capture_output=True, text=True, cwd=cwd, env=clean).stdout


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The source archive, and the wheel that is built of it alone."""
    folder = tmp_path_factory.mktemp("dist")
    call(sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, ROOT, cwd=folder)
    return folder


@pytest.fixture(scope="module")
def wheel(dist: Path) -> Path:
    [wheel] = dist.glob("*.whl")
    return wheel


def test_the_source_archive_holds_what_is_listed_and_no_strays(dist: Path) -> None:
    [archive] = dist.glob("*.tar.gz")
    with tarfile.open(archive) as opened:
        paths = [PurePosixPath(*PurePosixPath(name).parts[1:]) for name in opened.getnames()]
    assert {path.parts[0] for path in paths} == SHIPPED | ADDED_BY_THE_BUILD
    for folder in ("sidecarctl", "schemas", "man"):
        shipped = {str(path) for path in paths if path.parts[0] == folder}
        assert shipped == {str(path.relative_to(ROOT)) for path in _files_below(ROOT / folder)}


def test_the_wheel_holds_the_package_its_types_its_schemas_and_its_man_pages(wheel: Path) -> None:
    with ZipFile(wheel) as opened:
        shipped = {name for name in opened.namelist() if not name.partition("/")[0].endswith(".dist-info")}
    package = {str(path.relative_to(ROOT)) for path in _files_below(ROOT / "sidecarctl")}
    schemas = {f"sidecarctl/{path.relative_to(ROOT)}" for path in _files_below(ROOT / "schemas")}
    manual = {f"sidecarctl-{__version__}.data/data/share/man/man1/{path.name}" for path in _files_below(ROOT / "man")}
    assert "sidecarctl/py.typed" in package
    assert shipped == package | schemas | manual


def test_the_wheel_claims_what_is_tested_and_no_more(wheel: Path) -> None:
    metadata = _metadata(wheel)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert metadata["License-Expression"] == "Apache-2.0"
    assert metadata["Requires-Python"] == project["requires-python"]
    assert metadata.get_all("Classifier") == project["classifiers"]
    assert metadata.get_all("Project-URL") is None


def _metadata(wheel: Path) -> Message:
    with ZipFile(wheel) as opened:
        [name] = [name for name in opened.namelist() if name.endswith(".dist-info/METADATA")]
        return message_from_bytes(opened.read(name))


def _files_below(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts]


@pytest.mark.slow
def test_the_wheel_runs_and_is_typed_in_a_clean_environment(wheel: Path, tmp_path: Path) -> None:
    venv.create(tmp_path / "env", with_pip=True)
    python = tmp_path / "env" / "bin" / "python"
    constraints = ROOT / "constraints.txt"
    call(python, "-m", "pip", "install", "--quiet", "--constraint", constraints, wheel, cwd=tmp_path)
    (tmp_path / "set.yaml").write_text(SET)
    (tmp_path / "web.yaml").write_text(DEPLOYMENT)
    (tmp_path / "config.yaml").write_text("apiVersion: v1\nkind: ConfigMap\n")
    (tmp_path / "user.py").write_text(
        "from sidecarctl.engine.facts.values import path_text\n\nwords: str = path_text((1,))\n"
    )
    assert (tmp_path / "env" / "share" / "man" / "man1" / "sidecarctl-plan.1").is_file()
    program, function = tmp_path / "env" / "bin" / "sidecarctl", tmp_path / "env" / "bin" / "sidecarctl-fn"
    assert call(program, "--version", cwd=tmp_path).startswith("sidecarctl ")
    assert "name: log-agent" in call(program, "inject", "-s", "set.yaml", "web.yaml", cwd=tmp_path)
    assert "name: log-agent" in call(function, "config.yaml", "set.yaml", "web.yaml", cwd=tmp_path)
    strict = ("--strict", "--python-executable", python, "user.py")
    assert call(sys.executable, "-m", "mypy", *strict, cwd=tmp_path).startswith("Success")
