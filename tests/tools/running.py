"""The real tools, with the function on PATH. In CI a missing one is a failure, elsewhere its tests are skipped."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
import yaml

from sidecarctl.engine.facts.values import Object

ROOT = Path(__file__).parents[2]
SHOP = ROOT / "samples" / "shop"
_CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
TOOLS = Path(os.environ.get("SIDECARCTL_TOOLS") or _CACHE / "sidecarctl-tools") / "bin"
PATH = os.pathsep.join([str(Path(sys.executable).parent), str(TOOLS), os.environ.get("PATH", "")])


class Ended(NamedTuple):
    """How a tool ended."""

    code: int
    stdout: str
    stderr: str

    @property
    def objects(self) -> list[Object]:
        """The objects on stdout."""
        return list(yaml.safe_load_all(self.stdout))


def need(tool: str) -> None:
    """Skip the test, or fail it in CI, where a tool is missing."""
    if shutil.which(tool, path=PATH) is None:
        missing = f"{tool} is missing: run tests/tools/install"
        (pytest.fail if os.environ.get("CI") else pytest.skip)(missing)


def run(*words: str | Path, cwd: Path | None = None, stdin: str = "", **environ: str) -> Ended:
    """Run a tool by its name."""
    need(str(words[0]))
    ended = subprocess.run(
        [str(word) for word in words],
        input=stdin,
        capture_output=True,
        text=True,
        cwd=cwd,
        env=clean_environment() | environ,
        check=False,
    )
    return Ended(ended.returncode, ended.stdout, ended.stderr)


def clean_environment() -> dict[str, str]:
    """The environment without what would change the tools' ways."""
    kept = {
        key: value for key, value in os.environ.items() if not key.startswith(("KUSTOMIZE_", "COV_", "SIDECARCTL_"))
    }
    kept.pop("SOURCE_DATE_EPOCH", None)
    return kept | {"PATH": PATH, "NO_COLOR": "1"}


def build(folder: Path) -> Ended:
    """`kustomize build` with the function allowed."""
    return run("kustomize", "build", "--enable-alpha-plugins", "--enable-exec", folder)


def kustomization(folder: Path, text: str, **files: str) -> Path:
    """A kustomization with other files; `web_yaml` is the content of web.yaml."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "kustomization.yaml").write_text(text)
    for name, content in files.items():
        (folder / name.replace("_", ".")).write_text(content)
    return folder


def by_name(objects: list[Object]) -> dict[tuple[str, str], Object]:
    """Objects by kind and name."""
    return {(item["kind"], item["metadata"]["name"]): item for item in objects}


def texts_below(folder: Path) -> Iterator[tuple[str, str]]:
    """The files below a folder."""
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            yield str(path.relative_to(folder)), path.read_text()
