"""The GitHub action, the workflow that uses it, the GitLab template: by their schemas, by actionlint, and run."""

import json
import subprocess
from pathlib import Path

import pytest
import yaml

from sidecarctl.facts.values import Object
from tests.cli.manifests import DEPLOYMENT, SET
from tests.tools.running import ROOT, clean_environment, run

ACTION = ROOT / "action.yml"
WORKFLOW = ROOT / "samples" / "ci" / ".github" / "workflows" / "sidecarsets.yml"
TEMPLATE = ROOT / "ci" / "gitlab.yml"


@pytest.mark.parametrize(
    ("schema", "file"), [("github-actions", ACTION), ("github-workflows", WORKFLOW), ("gitlab-ci", TEMPLATE)]
)
def test_a_file_is_valid_by_its_schema(schema: str, file: Path) -> None:
    transform = ["--data-transform", "gitlab-ci"] if schema == "gitlab-ci" else []
    ended = run("check-jsonschema", "--builtin-schema", f"vendor.{schema}", *transform, file)
    assert ended.code == 0, ended.stdout + ended.stderr


def test_actionlint_finds_nothing_in_the_workflow() -> None:
    ended = run("actionlint", WORKFLOW)
    assert (ended.code, ended.stdout) == (0, "")


def test_the_workflow_gives_the_action_what_it_takes() -> None:
    action, workflow = yaml.safe_load(ACTION.read_text()), yaml.safe_load(WORKFLOW.read_text())
    [use] = [item for item in workflow["jobs"]["sidecarsets"]["steps"] if item.get("id") == "sidecarctl"]
    assert use["with"].keys() <= action["inputs"].keys()
    for output in action["outputs"]:
        assert f"steps.sidecarctl.outputs.{output}" in WORKFLOW.read_text()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "repository"
    (folder / "sidecarsets").mkdir(parents=True)
    (folder / "apps").mkdir()
    (folder / "sidecarsets" / "logs.yaml").write_text(SET)
    (folder / "apps" / "web.yaml").write_text(DEPLOYMENT)
    git(folder, "init", "-q")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "first")
    (folder / "sidecarsets" / "logs.yaml").write_text(SET.replace("2.4.1", "latest"))
    return folder


def git(folder: Path, *words: str) -> str:
    named = ["-c", "user.name=a", "-c", "user.email=a@example.com"]
    return subprocess.run(
        ["git", *named, *words], cwd=folder, check=True, capture_output=True, text=True
    ).stdout.strip()


def step(name: str, folder: Path, temporary: Path, **environ: str) -> tuple[int, str]:
    """A step of the action as the runner runs it: its exit code, and what it said."""
    [entry] = [item for item in yaml.safe_load(ACTION.read_text())["runs"]["steps"] if item["name"] == name]
    temporary.mkdir(exist_ok=True)
    files = {key: str(temporary / key) for key in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY", "GITHUB_PATH")}
    ended = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", entry["run"]],
        cwd=folder,
        env={**clean_environment(), "RUNNER_TEMP": str(temporary), **files, **environ},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return ended.returncode, ended.stdout


def test_the_action_validates(repository: Path, tmp_path: Path) -> None:
    inputs = {"SIDECARSETS": "sidecarsets", "MANIFESTS": "apps .", "SIDECARCTL_STRICT": "false"}
    code, said = step("Validate", repository, tmp_path / "temp", **inputs)
    assert code == 0, said
    assert "::warning file=sidecarsets/logs.yaml,line=11," in said
    sarif = json.loads((tmp_path / "temp" / "sidecarctl.sarif").read_text())
    assert [result["ruleId"] for result in sarif["runs"][0]["results"]].count("image-without-tag") == 1
    assert (tmp_path / "temp" / "GITHUB_OUTPUT").read_text().startswith("sarif=")
    assert step("Validate", repository, tmp_path / "temp", **inputs | {"SIDECARCTL_STRICT": "true"})[0] == 1


def test_the_action_compares_with_the_base_revision(repository: Path, tmp_path: Path) -> None:
    code, said = step("Compare", repository, tmp_path / "temp", BEFORE=f"git:{git(repository, 'rev-parse', 'HEAD')}")
    assert code == 1, said  # pods have to be recreated
    assert "Recreate" in (tmp_path / "temp" / "sidecarctl.md").read_text()
    assert "Recreate" in (tmp_path / "temp" / "GITHUB_STEP_SUMMARY").read_text()


def test_an_unreadable_base_leaves_no_comment(repository: Path, tmp_path: Path) -> None:
    code, said = step("Compare", repository, tmp_path / "temp", BEFORE="git:nowhere")
    assert code == 2
    assert "git knows no revision nowhere" in said
    assert not (tmp_path / "temp" / "sidecarctl.md").exists()


@pytest.mark.slow
def test_the_action_installs_the_program_of_its_own_revision(repository: Path, tmp_path: Path) -> None:
    code, said = step("Install", repository, tmp_path / "temp", PACKAGE="", GITHUB_ACTION_PATH=str(ROOT))
    assert code == 0, said
    program = (tmp_path / "temp" / "GITHUB_PATH").read_text().strip()
    assert subprocess.run([f"{program}/sidecarctl", "--version"], check=True, capture_output=True).stdout


def job(name: str) -> Object:
    jobs = yaml.safe_load(TEMPLATE.read_text())
    found: Object = jobs[name]
    return found


def test_the_gitlab_jobs_write_the_artifacts_that_they_name(repository: Path) -> None:
    variables = {"SIDECARSETS": "sidecarsets", "MANIFESTS": "apps"}
    validate = job("sidecarsets:validate")
    script(repository, validate["script"][0], **variables)
    quality = json.loads((repository / validate["artifacts"]["reports"]["codequality"]).read_text())
    assert [item["check_name"] for item in quality].count("image-without-tag") == 1
    assert "<testsuite" in (repository / validate["artifacts"]["reports"]["junit"]).read_text()
    diff = job("sidecarsets:diff")
    script(repository, diff["script"][-1], CI_MERGE_REQUEST_DIFF_BASE_SHA=git(repository, "rev-parse", "HEAD"))
    assert "Recreate" in (repository / diff["artifacts"]["paths"][0]).read_text()


def script(folder: Path, line: str, **environ: str) -> None:
    subprocess.run(["sh", "-c", line], cwd=folder, env={**clean_environment(), **environ}, check=False)
