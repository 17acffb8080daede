"""samples/fleet: the scripts of its Jobs and of its workflow do together what one run over all clusters does."""

import shutil
from pathlib import Path

import pytest
import yaml

from sidecarctl.engine.facts.values import Object
from tests.tools.running import ROOT, run

SAMPLE = ROOT / "samples" / "fleet"
WORKFLOW = SAMPLE / ".github" / "workflows" / "fleet.yml"


def job(name: str) -> Object:
    """The manifest of a Job."""
    manifest: Object = yaml.safe_load((SAMPLE / name).read_text())
    return manifest


def container_of(name: str) -> Object:
    container: Object = job(name)["spec"]["template"]["spec"]["containers"][0]
    return container


def expected(folder: Path) -> bytes:
    """The document of one run over all clusters."""
    assert run("sidecarctl", "status", "-o", "json=expected.out", cwd=folder).code == 0
    return (folder / "expected.out").read_bytes()


@pytest.mark.slow
def test_the_jobs_give_what_one_run_gives(tmp_path: Path) -> None:
    folder = shutil.copytree(SAMPLE, tmp_path / "fleet")
    first, (merging, flag, script) = container_of("job.yaml"), container_of("merge.yaml")["command"]
    [clusters] = [item["value"] for item in first["env"]]
    assert clusters.split() == sorted(path.name for path in (SAMPLE / "clusters").iterdir())
    assert job("job.yaml")["spec"]["completions"] == len(clusters.split())
    for index, _ in enumerate(clusters.split()):
        ended = run(*first["command"], cwd=folder, CLUSTERS=clusters, JOB_COMPLETION_INDEX=str(index))
        assert ended.code == 0, ended.stderr
    assert run(merging, flag, script, cwd=folder).code == 0
    assert (folder / "fleet.json").read_bytes() == expected(folder)


@pytest.mark.slow
def test_the_workflow_gives_what_one_run_gives(tmp_path: Path) -> None:
    folder = shutil.copytree(SAMPLE, tmp_path / "fleet")
    jobs = yaml.safe_load(WORKFLOW.read_text())["jobs"]
    (folder / "out").mkdir()
    [status] = [step["run"] for step in jobs["status"]["steps"] if "sidecarctl status" in step.get("run", "")]
    for cluster in jobs["status"]["strategy"]["matrix"]["cluster"]:
        assert run("sh", "-ec", status, cwd=folder, CLUSTER=cluster).code == 0
        (folder / f"{cluster}.json").rename(folder / "out" / f"{cluster}.json")
    [merge] = [step["run"] for step in jobs["merge"]["steps"] if "sidecarctl merge" in step.get("run", "")]
    script = merge.replace("html=fleet.html", "json=fleet.json")
    assert run("sh", "-ec", script, cwd=folder, GITHUB_STEP_SUMMARY="summary.md").code == 0
    assert (folder / "summary.md").read_text().startswith("### status of 3 clusters")
    assert (folder / "fleet.json").read_bytes() == expected(folder)


@pytest.mark.slow
def test_the_workflow_is_valid_by_its_schema() -> None:
    ended = run("check-jsonschema", "--builtin-schema", "vendor.github-workflows", WORKFLOW)
    assert ended.code == 0, ended.stdout + ended.stderr
    ended = run("actionlint", WORKFLOW)
    assert (ended.code, ended.stdout) == (0, "")
