"""The container image: built and run where Docker works; elsewhere its steps are run in a scratch root, in order."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.manifests import DEPLOYMENT, SET
from tests.tools.running import ROOT, clean_environment

DOCKERFILE = (ROOT / "Dockerfile").read_text()
INSTRUCTIONS = re.findall(r"^([A-Z]+) (.+)$", DOCKERFILE, re.MULTILINE)
RESOURCE_LIST = """\
apiVersion: config.kubernetes.io/v1
kind: ResourceList
functionConfig:
{config}
items:
{items}
"""


def test_the_image_is_slim_and_its_user_is_not_root() -> None:
    assert [item for name, item in INSTRUCTIONS if name == "FROM"] == [
        "python:${PYTHON}-slim AS wheels",
        "python:${PYTHON}-slim",
    ]
    assert ("USER", "65532:65532") in INSTRUCTIONS
    assert INSTRUCTIONS[-1] == ("ENTRYPOINT", '["sidecarctl-fn"]')


def docker_works() -> bool:
    return bool(shutil.which("docker")) and _quiet("docker", "info") == 0


def _quiet(*words: str) -> int:
    return subprocess.run(words, capture_output=True, check=False).returncode


@pytest.mark.slow
def test_the_image_answers_kpt_and_the_command_line(tmp_path: Path) -> None:
    (tmp_path / "set.yaml").write_text(SET)
    (tmp_path / "web.yaml").write_text(DEPLOYMENT)
    words = _built_by_docker(tmp_path) if docker_works() else _built_in_scratch(tmp_path / "root")
    function, command_line = words
    listed = RESOURCE_LIST.format(config=_indented(SET, "  "), items=_indented(DEPLOYMENT, "  ", "- "))
    answered = subprocess.run(function, input=listed, capture_output=True, text=True, check=True, cwd=tmp_path)
    assert "name: log-agent" in answered.stdout.partition("items:")[2]
    shown = [*command_line, "inject", "-s", "set.yaml", "web.yaml", "-o", "name"]
    assert (
        subprocess.run(shown, capture_output=True, text=True, check=True, cwd=tmp_path).stdout
        == "deployment.apps/web\n"
    )


def _built_by_docker(folder: Path) -> tuple[list[str], list[str]]:
    subprocess.run(["docker", "build", "--quiet", "--tag", "sidecarctl-test", str(ROOT)], check=True)
    run = ["docker", "run", "--rm", "--interactive", "--volume", f"{folder}:/work"]
    return [*run, "sidecarctl-test"], [*run, "--entrypoint", "sidecarctl", "sidecarctl-test"]


def _built_in_scratch(root: Path) -> tuple[list[str], list[str]]:
    """What COPY and RUN say, with `root` for / and a Python of its own for each stage."""
    stage, here = "", root
    for name, words in INSTRUCTIONS:
        if name == "FROM":
            stage = words.partition(" AS ")[2] or "last"
            subprocess.run([sys.executable, "-m", "venv", root / f"python-{stage}"], check=True)
        elif name == "WORKDIR":
            here = root / words.lstrip("/")
            here.mkdir(parents=True, exist_ok=True)
        elif name == "COPY":
            _copy(words, here)
        elif name == "RUN":
            _run(words, root, here, stage)
    programs = root / "python-last" / "bin"
    return [str(programs / "sidecarctl-fn")], [str(programs / "sidecarctl")]


def _copy(words: str, here: Path) -> None:
    *sources, target = shlex.split(words)
    for source in (
        sources if not sources[0].startswith("--from=") else ()
    ):  # what another stage made is in the same root
        path = ROOT / source
        if path.is_dir():
            shutil.copytree(path, here / target, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(path, here / target)


def _run(words: str, root: Path, here: Path, stage: str) -> None:
    line = words.replace("/wheels", str(root / "wheels"))
    path = f"{root / f'python-{stage}' / 'bin'}{os.pathsep}{os.environ['PATH']}"
    subprocess.run(["sh", "-ec", line], cwd=here, env={**clean_environment(), "PATH": path}, check=True)


def _indented(text: str, indent: str, first: str = "") -> str:
    lines = text.rstrip("\n").split("\n")
    return "\n".join(f"{first if first and not number else indent}{line}" for number, line in enumerate(lines))
