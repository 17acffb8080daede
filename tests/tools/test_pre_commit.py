"""The hooks, run by the real pre-commit in a scratch repository, from a copy of this one."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from tests.cli.manifests import SET
from tests.engine.inputs.repositories import make_repository
from tests.tools.running import ROOT, Ended, need, run

CONFIG = """\
repos:
- repo: {repo}
  rev: {rev}
  hooks:
  - id: sidecarctl-validate
  - id: sidecarctl-check
"""


def git(folder: Path, *words: str) -> str:
    named = ["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "core.hooksPath=/dev/null"]
    return subprocess.run(
        ["git", *named, *words], cwd=folder, check=True, capture_output=True, text=True
    ).stdout.strip()


def test_the_manifest_of_the_hooks_is_valid() -> None:
    ended = run("pre-commit", "validate-manifest", ROOT / ".pre-commit-hooks.yaml")
    assert ended.code == 0, ended.stdout


def test_the_page_names_hooks_that_exist() -> None:
    page = (ROOT / "docs" / "ci.md").read_text()
    named = re.findall(r"- id: (sidecarctl-\S+)", page)
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    assert named == [hook["id"] for hook in hooks]
    assert all(hook["require_serial"] and hook["pass_filenames"] is False for hook in hooks)


@pytest.fixture(scope="module")
def hooks(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A repository with this tree as it is now, which pre-commit can clone, and a home for pre-commit."""
    need("pre-commit")
    folder = tmp_path_factory.mktemp("hooks")
    shutil.copytree(ROOT / "sidecarctl", folder / "sidecarctl", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(ROOT / "schemas", folder / "schemas")
    for name in ("pyproject.toml", "README.md", "LICENSE", ".pre-commit-hooks.yaml"):
        shutil.copy(ROOT / name, folder)
    git(folder, "init", "-q")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "all")
    return folder, tmp_path_factory.mktemp("home")


@pytest.mark.slow
def test_the_hooks_find_what_several_files_make_together(hooks: tuple[Path, Path], tmp_path: Path) -> None:
    repo, home = hooks
    make_repository(tmp_path)
    sets = tmp_path / "infra/k8s/platform/sidecarsets"
    (tmp_path / ".sidecarctl.yaml").write_text("sidecarsets: [infra/k8s/platform]\npaths: [infra/k8s]\n")
    (tmp_path / ".pre-commit-config.yaml").write_text(CONFIG.format(repo=repo, rev=git(repo, "rev-parse", "HEAD")))
    git(tmp_path, "add", ".")

    def committed(*words: str) -> Ended:
        return run("pre-commit", "run", "--all-files", *words, cwd=tmp_path, stdin="", PRE_COMMIT_HOME=str(home))

    first = committed()
    assert "validate SidecarSets" in first.stdout
    assert first.stdout.count("Passed") == 1  # the check fails: the Deployment is not injected
    assert "+      - name: log-agent" in first.stdout
    run("sidecarctl", "inject", "-i", "-R", "infra", cwd=tmp_path)
    git(tmp_path, "add", ".")
    assert committed("sidecarctl-check").code == 0

    other = SET.replace("name: logs", "name: logs-too")  # the same container in two SidecarSets: two files conflict
    (sets / "other.yaml").write_text(other)
    git(tmp_path, "add", ".")
    second = committed("sidecarctl-validate")
    assert second.code == 1
    assert "[conflict]" in second.stdout
