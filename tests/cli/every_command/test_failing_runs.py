"""A run that fails writes nothing, says so in every form, and ends with the same code in all of them."""

import json
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from sidecarctl.engine.facts.values import Object
from sidecarctl.render.run.formats import REPORT_FORMATS
from tests.cli.manifests import BAD_TYPE, BAD_YAML, DEPLOYMENT, REJECTED, SERVICE, SET
from tests.cli.running import Ended, run
from tests.engine.rollout.manifests import pod
from tests.schemas import assert_valid

DOCUMENTS = {
    "plan": ["text", "markdown", "json", "yaml"],
    "diff": ["text", "markdown", "json", "yaml"],
    "status": ["text", "wide", "markdown", "json", "yaml"],
    "hash": ["text"],
}
COMMANDS: dict[str, list[str]] = {
    "inject": ["inject", "-s", "set.yaml", "good.yaml"],
    "uninject": ["uninject", "-s", "set.yaml", "good.yaml"],
    "plan": ["plan", "-s", "set.yaml", "pods.json"],
    "diff": ["diff", "set.yaml", "set.yaml", "pods.json"],
    "status": ["status", "-s", "set.yaml", "pods.json"],
    "hash": ["hash", "set.yaml"],
    "render": ["render", "plan.json", "pods.json"],
}
BROKEN = {"bad.yaml": BAD_YAML.replace("Pod", "SidecarSet"), "other.yaml": "a: [\n", "no.yaml": None}
ARTEFACTS = {
    "inject": ["text", "yaml", "json", "jsonpatch", "name"],
    "uninject": ["text", "yaml", "json", "jsonpatch", "name"],
    "render": ["jsonpatch", "merge", "strategic", "kubectl", "pods"],
}
WRITING = [(command, form) for command, forms in ARTEFACTS.items() for form in forms]
SHOWING = [(command, form) for command, forms in DOCUMENTS.items() for form in forms]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "set.yaml").write_text(SET)
    (tmp_path / "good.yaml").write_text(DEPLOYMENT)
    (tmp_path / "service.yaml").write_text(SERVICE)
    (tmp_path / "pods.json").write_text(json.dumps({"kind": "List", "items": [pod("web-0")]}))
    assert run("plan", "-s", "set.yaml", "pods.json", "-o", "json=plan.json").code in (0, 1)
    for name, text in BROKEN.items():
        if text is not None:
            (tmp_path / name).write_text(text)
    return tmp_path


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def failing(command: str, broken: str, *options: str) -> Ended:
    if command == "diff":
        return run("diff", "set.yaml", broken, "pods.json", *options)
    if command == "render":
        return run("render", "plan.json", broken, *options)
    return run(*COMMANDS[command], broken, *options)


@pytest.mark.parametrize("broken", BROKEN)
@pytest.mark.parametrize(("command", "form"), WRITING)
def test_no_artifact_of_unreadable_input(folder: Path, command: str, form: str, broken: str) -> None:
    before = contents(folder)
    if command == "render":  # a plan that cannot be read; only some forms ask for pods
        ended = run("render", broken, "pods.json", "-o", form)
    else:
        ended = failing(command, broken, "-o", form)
    assert (ended.code, ended.stdout) == (2, "")
    assert broken in ended.stderr
    assert contents(folder) == before


@pytest.mark.parametrize("broken", BROKEN)
@pytest.mark.parametrize("options", [["-i"], ["-d", "out"], ["--diff"], ["--check"]], ids=" ".join)
@pytest.mark.parametrize("command", ["inject", "uninject"])
def test_no_file_of_unreadable_input(folder: Path, command: str, options: list[str], broken: str) -> None:
    before = contents(folder)
    ended = failing(command, broken, *options)
    assert (ended.code, ended.stdout) == (2, "")
    assert ended.stderr.endswith("1 error in 1 file; nothing was written\n")
    assert contents(folder) == before


@pytest.mark.parametrize("broken", BROKEN)
@pytest.mark.parametrize(("command", "form"), SHOWING)
def test_no_document_of_unreadable_input(folder: Path, command: str, form: str, broken: str) -> None:
    before = contents(folder)
    ended = failing(command, broken, "-o", f"{form}=out", "-o", "text")
    assert (ended.code, ended.stdout) == (2, "")
    assert broken in ended.stderr
    assert contents(folder) == before


@pytest.mark.parametrize("form", REPORT_FORMATS)
@pytest.mark.parametrize("command", COMMANDS)
def test_a_report_says_only_that_and_where_it_failed(folder: Path, command: str, form: str) -> None:
    extra = ["-o", "pods"] if command == "render" else []
    ended = failing(command, "bad.yaml", "--report", f"{form}=found", *extra)
    assert (ended.code, ended.stdout) == (2, "")
    assert_tells_failure(form, (folder / "found").read_text(), 2, "bad.yaml")


@pytest.mark.parametrize("form", REPORT_FORMATS)
@pytest.mark.parametrize("broken", [BAD_YAML, BAD_TYPE])
def test_a_file_that_is_found_broken_while_others_are_done(folder: Path, broken: str, form: str) -> None:
    (folder / "bad.yaml").write_text(broken)
    ended = run("inject", "-s", "set.yaml", "good.yaml", "bad.yaml", "--report", f"{form}=found")
    assert (ended.code, ended.stdout) == (2, "")
    assert "would inject  good.yaml:2:1 Deployment shop/web" in ended.stderr
    assert ended.stderr.endswith("1 error in 1 file; nothing was written\n")
    found = (folder / "found").read_text()
    assert_tells_failure(form, found, 2, "bad.yaml")
    assert "good.yaml" not in found


@pytest.mark.parametrize("form", REPORT_FORMATS)
def test_a_document_that_cannot_be_injected(folder: Path, form: str) -> None:
    (folder / "bad.yaml").write_text(REJECTED)
    before = contents(folder)
    ended = run("inject", "-s", "set.yaml", "good.yaml", "bad.yaml", "-i", "--report", f"{form}=found")
    assert (ended.code, ended.stdout) == (3, "")
    assert_tells_failure(form, (folder / "found").read_text(), 3, "bad.yaml")
    (folder / "found").unlink()
    assert contents(folder) == before


def assert_tells_failure(form: str, found: str, code: int, file: str) -> None:
    """The report, which names the file; each form says in its own way that the run failed."""
    assert file in found
    if form == "json":
        report = json.loads(found)
        assert_valid(report, "run-report.json")
        assert (report["exitCode"], report["failed"], report["wrote"]) == (code, True, [])
        assert report["counts"]["errors"] >= 1
    elif form == "sarif":
        [invocation] = json.loads(found)["runs"][0]["invocations"]
        assert (invocation["executionSuccessful"], invocation["exitCode"]) == (False, code)
    elif form == "junit":
        [suite] = ET.fromstring(found)  # noqa: S314 - this test has just written it
        assert (suite.get("errors"), suite.findtext("properties/property")) == ("1", "")
        assert suite.find("testcase/error[@type='ExitCode%d']" % code) is not None  # noqa: UP031 - an XPath
    elif form == "gitlab":
        assert [load["severity"] for load in json.loads(found)][:1] == ["major"]
    else:
        assert "error" in found
        assert "nothing was written" in found or form == "text"


@pytest.mark.parametrize("broken", ["nothing", "bad.yaml", "no.yaml", "rejected.yaml", "changed"])
@pytest.mark.parametrize("command", COMMANDS)
def test_the_exit_code_is_the_same_in_every_form(folder: Path, command: str, broken: str) -> None:
    (folder / "rejected.yaml").write_text(REJECTED)
    (folder / "new.yaml").write_text(SET.replace("log-agent\n", "other\n"))
    arguments = COMMANDS[command]
    if broken == "changed":
        arguments = ["diff", "set.yaml", "new.yaml"] if command == "diff" else [*arguments, "--strict"]
        arguments += ["--check"] if command == "inject" else []
    elif broken != "nothing":
        arguments = [*arguments, broken]
    codes: dict[str, int] = {"none": run(*arguments).code}
    for form in REPORT_FORMATS:
        codes[form] = run(*arguments, "--report", form).code
        codes[f"{form} in a file"] = run(*arguments, "--report", f"{form}=found").code
        if form == "json":
            assert json.loads((folder / "found").read_text())["exitCode"] == codes["none"]
    for form in ("json", "yaml", "markdown") if command in ("plan", "diff", "status") else ():
        codes[f"-o {form}"] = run(*arguments, "-o", form).code
    assert len(set(codes.values())) == 1, codes


@pytest.mark.parametrize("code", [2, 3])
def test_keep_going_exits_with_the_failure_s_own_code_and_reports_what_it_wrote(folder: Path, code: int) -> None:
    (folder / "bad.yaml").write_text(BAD_YAML if code == 2 else REJECTED)
    paths = ["good.yaml", "bad.yaml", "no.yaml"] if code == 2 else ["good.yaml", "bad.yaml"]
    ended = run("inject", "-s", "set.yaml", *paths, "-i", "--keep-going", "--report", "json=found")
    assert ended.code == code
    assert "log-agent" in (folder / "good.yaml").read_text()
    assert not (folder / "no.yaml").exists()
    report: Object = json.loads((folder / "found").read_text())
    assert (report["exitCode"], report["failed"], report["wrote"]) == (code, True, ["good.yaml"])
    assert report["counts"]["objects"]["changed"] == 1
    last = "1 injected; 2 unreadable files" if code == 2 else "1 injected, 1 failed"
    assert ended.stderr.endswith(f"\n{last}\n")
    assert {finding["file"] for finding in report["findings"]} == {*paths} - {"good.yaml"}


def test_keep_going_does_not_pass_over_read_only_inputs_that_cannot_be_read(folder: Path) -> None:
    before = contents(folder)
    ended = run("inject", "-s", "set.yaml", "-s", "no.yaml", "good.yaml", "-i", "--keep-going")
    assert (ended.code, ended.stdout) == (2, "")
    assert contents(folder) == before
