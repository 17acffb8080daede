"""Places in reports for machines: files from the top of the repository, wherever the command ran."""

import json
import re
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from sidecarctl.engine.facts.values import Object
from tests.cli.manifests import DEPLOYMENT, SET
from tests.cli.running import run
from tests.engine.inputs.repositories import git, make_repository

SETS = "infra/k8s/platform/sidecarsets/logs.yaml"
FORMS = ("json", "sarif", "junit", "github", "gitlab")
BAD = SET.replace("    image: registry.example.com/log-agent:2.4.1\n", "    image: registry.example.com/log-agent\n")


@pytest.fixture(autouse=True)
def k8s(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = make_repository(tmp_path / "shop") / "infra" / "k8s"
    monkeypatch.chdir(folder)
    return folder


def reports(*words: str) -> dict[str, str]:
    run(*words, *(word for form in FORMS for word in ("--report", f"{form}=../{form}")))
    return {form: Path("..", form).read_text() for form in FORMS}


def files(found: dict[str, str]) -> dict[str, set[str]]:
    """The files that each form names."""
    [run] = json.loads(found["sarif"])["runs"]
    locations = [place["physicalLocation"] for result in run["results"] for place in result["locations"]]
    suites = ET.fromstring(found["junit"])  # noqa: S314 - our own
    return {
        "json": {item["file"] for item in json.loads(found["json"])["findings"] if "file" in item},
        "sarif": {place["artifactLocation"]["uri"] for place in locations},
        "junit": {case.get("classname") or "" for case in suites.iter("testcase")} - {"sidecarctl"},
        "github": set(re.findall("file=([^,:]*)", found["github"])),
        "gitlab": {item["location"]["path"] for item in json.loads(found["gitlab"])} - {"."},
    }


@pytest.mark.parametrize("path", ["platform", "./platform/sidecarsets/logs.yaml", "../../infra/k8s/platform"])
def test_files_count_from_the_top_of_the_repository(path: str) -> None:
    Path("platform/sidecarsets/logs.yaml").write_text(BAD)
    assert files(reports("validate", path)) == {form: {SETS} for form in FORMS}
    assert files(reports("validate", str(Path(path).absolute()))) == {form: {SETS} for form in FORMS}


def test_objects_do_too() -> None:
    found = reports("inject", "--check", "-s", "platform", "apps/shop/web")
    web = "infra/k8s/apps/shop/web/deployment.yaml"
    assert files(found)["sarif"] == files(found)["junit"] == files(found)["github"] == {web}
    assert [item["file"] for item in json.loads(found["json"])["objects"]] == [web]


def cases(*words: str) -> dict[str, bool]:
    """Whether each test case passes, by its name and file; without that of the run."""
    run(*words, "--report", "junit=../junit")
    suites = ET.fromstring(Path("../junit").read_text())  # noqa: S314 - our own
    return {
        f"{case.get('classname')}: {case.get('name')}": case.find("failure") is None
        for case in suites.iter("testcase")
        if case.get("classname") != "sidecarctl"
    }


def test_a_sidecarset_that_is_in_order_is_a_test_case_too() -> None:
    assert cases("validate", "platform") == {f"{SETS}: SidecarSet logs": True}
    other = SET.replace("name: logs", "name: trace", 1).replace("app: web", "app: api").replace("image:", "#")
    Path("platform/sidecarsets/trace.yaml").write_text(other)
    found = cases("validate", "platform")
    assert found.pop(f"{SETS}: SidecarSet logs")
    assert found == {f"{SETS.replace('logs', 'trace')}: SidecarSet trace": False}
    assert f"error: {SETS.replace('logs', 'trace')}:" in Path("../junit").read_text()


def test_a_diff_has_a_test_case_for_each_sidecarset_and_reason() -> None:
    names = ("Refused", "SidecarLost", "PodsMustBeRecreated")
    diff = ("diff", "--before", "git:HEAD:./platform", "--after", "platform")
    assert cases(*diff) == {f"{SETS}: SidecarSet logs: {name}": True for name in names}
    text = Path("platform/sidecarsets/logs.yaml").read_text()
    Path("platform/sidecarsets/logs.yaml").write_text(text.replace("    image:", "    command: [run]\n    image:"))
    recreate = f"{SETS}: SidecarSet logs: PodsMustBeRecreated"
    assert cases(*diff) == {f"{SETS}: SidecarSet logs: {name}": True for name in names} | {recreate: False}


def test_files_outside_of_the_repository_are_absolute(tmp_path: Path) -> None:
    (tmp_path / "logs.yaml").write_text(BAD)
    found = files(reports("validate", "../../../logs.yaml"))
    assert found["sarif"] == {f"file://{tmp_path}/logs.yaml"}
    assert found["gitlab"] == {f"{tmp_path}/logs.yaml"}


def test_without_a_repository_files_count_from_here(k8s: Path) -> None:
    (k8s.parents[1] / ".git").rename(k8s.parents[1] / "no-git")
    Path("platform/sidecarsets/logs.yaml").write_text(BAD)
    assert files(reports("validate", "platform"))["github"] == {"platform/sidecarsets/logs.yaml"}


def test_what_is_not_a_file_of_the_tree_is_named_in_the_message() -> None:
    Path("bad.yaml").write_text(BAD)
    found = reports("validate", "git:HEAD")
    assert files(found)["sarif"] == files(found)["github"] == files(found)["gitlab"] == set()
    assert f"git:HEAD:{SETS}:10:5: SidecarSet logs: " in found["sarif"]
    assert f"::git:HEAD:{SETS}:10:5: SidecarSet logs: " in found["github"]
    assert f"git:HEAD:{SETS}:10:5: SidecarSet logs: " in found["gitlab"]
    assert "file=git" not in found["github"]


def test_what_both_sides_of_a_diff_find_is_counted_once() -> None:
    ordered = f"{DEPLOYMENT}        env: [{{name: KRUISE_CONTAINER_PRIORITY, value: '1'}}]\n"
    Path("apps/shop/web/deployment.yaml").write_text(ordered)
    words = ("diff", "--before", "git:HEAD", "--after", ".")
    ended = run(*words, "--report", "json=../report.json")
    before = json.loads(Path("../report.json").read_text())["findings"]
    make_next(Path.cwd().parents[1])
    again = run(*words, "-v", "--report", "json=../report.json")
    found: list[Object] = json.loads(Path("../report.json").read_text())["findings"]
    told = [(item["reason"], item["message"], item.get("object", {}).get("name")) for item in found]
    assert len(told) == len(set(told)), ended.stderr
    assert not [item for item in found if item["reason"] == "LaunchOrder"]
    assert [item for item in before if item["reason"] == "LaunchOrder"]
    assert again.stderr.count("[LaunchOrder]") == 1
    assert not [item for item in found if item.get("file", "").startswith("git:")]


def make_next(top: Path) -> None:
    git(top, "add", ".")
    git(top, "commit", "-qm", "next")


def test_pods_must_be_recreated_for_a_field() -> None:
    Path("platform/sidecarsets/logs.yaml").write_text(SET.replace("    image:", "    command: [run]\n    image:"))
    found = reports("diff", "--before", "git:HEAD", "--after", ".")
    [item] = [item for item in json.loads(found["json"])["findings"] if item["reason"] == "PodsMustBeRecreated"]
    assert (item["file"], item["line"], item["path"]) == (SETS, 11, "spec.containers[0].command")
    assert f"::error file={SETS},line=11," in found["github"]
    make_next(Path.cwd().parents[1])
    Path("platform/sidecarsets/logs.yaml").write_text(SET)  # the field is gone: what is left of it is the container
    found = reports("diff", "--before", "git:HEAD", "--after", ".")
    [item] = [item for item in json.loads(found["json"])["findings"] if item["reason"] == "PodsMustBeRecreated"]
    assert (item["line"], item["path"]) == (10, "spec.containers[0]")


def test_what_is_said_of_a_sidecarset_names_the_workload_that_it_is_about(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("set.yaml").write_text(f"{SET}    transferEnv: [{{sourceContainerName: main, envName: PORT}}]\n")
    Path("apps.yaml").write_text(f"{DEPLOYMENT}---\n{DEPLOYMENT.replace('name: web', 'name: api')}")
    written = run("inject", "-s", "set.yaml", "apps.yaml", "--check", "--report", "github").stdout
    said = [line for line in written.splitlines() if "env PORT is not transferred" in line]
    assert [line.rpartition(" (in ")[2] for line in said] == ["Deployment shop/web)", "Deployment shop/api)"]
    Path("set.yaml").write_text(f"{SET}---\n{SET.replace('name: logs', 'name: twice')}")
    written = run("inject", "-s", "set.yaml", "apps.yaml", "--check", "--report", "github").stdout
    assert written.count("(in Deployment shop/web)") == 1
