"""The GitHub action, the workflow that uses it, the GitLab template: by their schemas, by actionlint, and run."""

import json
import re
import subprocess
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import ClassVar, NamedTuple
from urllib.parse import parse_qs, urlsplit

import pytest
import yaml

from sidecarctl.engine.facts.values import Object, Value
from tests.cli.manifests import SET
from tests.engine.inputs.repositories import git, make_repository
from tests.tools.running import ROOT, clean_environment, run

ACTION = ROOT / "action.yml"
WORKFLOW = ROOT / "samples" / "ci" / ".github" / "workflows" / "sidecarsets.yml"
TEMPLATE = ROOT / "ci" / "gitlab.yml"
OWN = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
FORMS = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*-*.yml"))


@pytest.mark.parametrize(
    ("schema", "file"),
    [
        ("github-actions", ACTION),
        *(("github-workflows", file) for file in (WORKFLOW, *OWN)),
        ("gitlab-ci", TEMPLATE),
    ],
    ids=lambda value: value.name if isinstance(value, Path) else value,
)
def test_a_file_is_valid_by_its_schema(schema: str, file: Path) -> None:
    transform = ["--data-transform", "gitlab-ci"] if schema == "gitlab-ci" else []
    ended = run("check-jsonschema", "--builtin-schema", f"vendor.{schema}", *transform, file)
    assert ended.code == 0, ended.stdout + ended.stderr


@pytest.mark.parametrize("file", [WORKFLOW, *OWN], ids=lambda file: file.name)
def test_actionlint_finds_nothing_in_a_workflow(file: Path) -> None:
    ended = run("actionlint", file)
    assert (ended.code, ended.stdout) == (0, "")


def test_issue_forms_ask_for_the_version_and_for_a_minimal_input() -> None:
    assert len(FORMS) == 2
    for file in FORMS:
        form = yaml.safe_load(file.read_text())
        asked = {item["id"]: item for item in form["body"] if item["type"] != "markdown"}
        assert asked["version"]["validations"]["required"], file.name
        assert "`sidecarctl version`" in asked["version"]["attributes"]["description"]
        assert asked["input"]["validations"]["required"], file.name


def test_the_workflows_run_what_exists() -> None:
    assert len(OWN) == 2
    targets = (ROOT / "Makefile").read_text()
    for file in OWN:
        for job in yaml.safe_load(file.read_text())["jobs"].values():
            for words in (step["run"].split() for step in job["steps"] if "run" in step):
                assert words[0] != "make" or f"\n{words[1]}:" in targets, words
                assert words[0] != ".ci/run" or (ROOT / ".ci" / "run").exists()


def test_the_workflow_gives_the_action_what_it_takes() -> None:
    action, workflow = yaml.safe_load(ACTION.read_text()), yaml.safe_load(WORKFLOW.read_text())
    [use] = [item for item in workflow["jobs"]["sidecarsets"]["steps"] if item.get("id") == "sidecarctl"]
    assert use.get("with", {}).keys() <= action["inputs"].keys()
    for output in re.findall(r"steps.sidecarctl.outputs.(\w+)", WORKFLOW.read_text()):
        assert output in action["outputs"]


SETS = "infra/k8s/platform/sidecarsets/logs.yaml"
PLACES = [("infra/k8s", "infra/k8s"), (".", "."), ("infra/k8s/apps", ".")]
"""Folders to run in, each with the folder of the settings."""


class Clone(NamedTuple):
    """A shallow clone of a pull request: nested folders, a chart, overlays, and a subfolder to run in."""

    top: Path
    folder: Path
    base: str


@pytest.fixture(params=PLACES, ids=lambda place: place[0])
def clone(request: pytest.FixtureRequest, tmp_path: Path) -> Clone:
    """The pull request changes the image of a sidecar."""
    folder, place = request.param
    origin = make_repository(tmp_path / "origin")
    git(origin, "branch", "-M", "main")
    git(origin, "config", "uploadpack.allowAnySHA1InWant", "true")
    below = "infra/k8s/" if place == "." else ""
    settings = f"sidecarsets: [{below}platform/sidecarsets]\npaths: [{below}apps, {below}clusters]\n"
    (origin / place / ".sidecarctl.yaml").write_text(settings)
    base = committed(origin, "settings")
    git(origin, "switch", "-qc", "change")
    (origin / SETS).write_text(SET.replace("2.4.1", "latest"))
    committed(origin, "change")
    git(tmp_path, "clone", "-q", "--depth", "1", "--branch", "change", f"file://{origin}", "clone")
    return Clone(tmp_path / "clone", tmp_path / "clone" / folder, base)


def committed(folder: Path, message: str) -> str:
    git(folder, "add", ".")
    git(folder, "commit", "-qm", message)
    return git(folder, "rev-parse", "HEAD").strip()


def step(name: str, clone: Clone, **environ: str) -> tuple[int, str, dict[str, str]]:
    """A step of the action as the runner runs it: its exit code, what it said, and its outputs."""
    [entry] = [item for item in yaml.safe_load(ACTION.read_text())["runs"]["steps"] if item["name"] == name]
    temporary = clone.top.parent / "temp"
    temporary.mkdir(exist_ok=True)
    outputs = temporary / "GITHUB_OUTPUT"
    outputs.write_text("")
    files = {key: str(temporary / key) for key in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY", "GITHUB_PATH")}
    fixed = {"RUNNER_TEMP": str(temporary), "GITHUB_ACTION_PATH": str(ROOT)}
    ended = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", entry["run"]],
        cwd=clone.folder if "working-directory" in entry else clone.top,
        env={**clean_environment(), **fixed, **files, **environ},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return ended.returncode, ended.stdout, dict(line.split("=", 1) for line in outputs.read_text().splitlines())


@pytest.mark.slow
def test_the_steps_of_the_action_on_a_pull_request(clone: Clone) -> None:
    code, said, outputs = step("Fetch", clone, BEFORE="", BASE=clone.base)  # the clone has none of it
    assert (code, outputs) == (0, {"before": f"git:{clone.base}"}), said
    code, said, found = step("Validate", clone, BEFORE=outputs["before"])
    assert code == 0, said
    assert f"::warning file={SETS},line=11," in said
    results = json.loads(Path(found["sarif"]).read_text())["runs"][0]["results"]
    assert [item["ruleId"] for item in results].count("image-without-tag") == 1
    assert {item["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for item in results} == {SETS}
    assert "of the base: " in said  # what is left out is so before the change too
    code, said, found = step("Compare", clone, BEFORE=outputs["before"])
    assert code == 1, said  # the pull policy turns with the tag, so pods have to be recreated
    assert Path(found["comment"]).read_text().startswith("<!-- sidecarctl diff -->\n**1 of 1 SidecarSet")
    assert "2 workloads: 2 changed" in said
    assert "Recreate" in (clone.top.parent / "temp" / "GITHUB_STEP_SUMMARY").read_text()


@pytest.mark.slow
def test_the_action_runs_the_tests_of_a_repository(clone: Clone) -> None:
    assert step("Test", clone)[:2] == (0, "")
    cases = "cases:\n- {name: a, pod: {spec: {containers: []}}, expect: {injected: [nobody]}}\n"
    test = clone.folder / "a.sidecartest.yaml"
    test.write_text(f"apiVersion: sidecarctl.dev/v1alpha1\nkind: SidecarTest\n{cases}")
    git(clone.top, "add", ".")
    code, said, _ = step("Test", clone)
    assert code == 1, said
    assert "::error file=" in said
    assert "a.sidecartest.yaml,line=4," in said


@pytest.mark.slow
def test_the_steps_of_the_action_before_a_change(clone: Clone) -> None:
    git(clone.top, "fetch", "-q", "--depth", "1", "origin", "main")
    git(clone.top, "switch", "-q", "--detach", "FETCH_HEAD")
    code, said, _ = step("Compare", clone, BEFORE=f"git:{clone.base}")
    assert (code, "2 workloads: 2 unchanged" in said) == (0, True), said
    for before in (f"git:{clone.base}", ""):
        code, said, _ = step("Validate", clone, BEFORE=before)
        assert code == 0, said


@pytest.mark.slow
def test_a_pull_request_that_switches_off_its_gate_is_reported(clone: Clone) -> None:
    [settings] = clone.top.rglob(".sidecarctl.yaml")
    settings.write_text(settings.read_text() + "ignore: [image-without-tag]\nfailOn: {diff: [none]}\n")
    _, _, outputs = step("Fetch", clone, BEFORE="", BASE=clone.base)
    code, said, _ = step("Validate", clone, BEFORE=outputs["before"])
    place = settings.relative_to(clone.top)
    assert f"::warning file={place},line=3,col=9,title=ConfigChanged::ignore: adds image-without-tag" in said
    code, said, found = step("Compare", clone, BEFORE=outputs["before"])
    assert code == 0, said
    assert "ignore: adds image-without-tag" in Path(found["comment"]).read_text()


@pytest.mark.slow
def test_a_set_that_kruise_rejects_fails(clone: Clone) -> None:
    (clone.top / SETS).write_text(SET.replace("    image:", "    imagePolicy:"))
    _, _, outputs = step("Fetch", clone, BEFORE="", BASE=clone.base)
    code, said, _ = step("Validate", clone, BEFORE=outputs["before"])
    assert code == 1, said
    assert f"::error file={SETS},line=" in said
    code, said, found = step("Compare", clone, BEFORE=outputs["before"])
    assert code == 1, said
    assert "Rejected" in Path(found["comment"]).read_text()


@pytest.mark.slow
def test_a_loss_is_an_annotation_of_the_line_with_the_label(clone: Clone) -> None:
    sets = clone.top / SETS
    sets.write_text(sets.read_text().replace("app: ", "application: "))
    _, _, outputs = step("Fetch", clone, BEFORE="", BASE=clone.base)
    code, said, _ = step("Compare", clone, BEFORE=outputs["before"])
    assert code == 1, said
    assert "::error file=" in said
    assert "title=SidecarLost::" in said


@pytest.mark.slow
def test_an_unreadable_base_leaves_no_comment(clone: Clone) -> None:
    code, said, outputs = step("Compare", clone, BEFORE="git:nowhere")
    assert (code, outputs) == (2, {})
    assert "git does not know the revision nowhere" in said


@pytest.mark.slow
def test_the_base_of_a_tested_merge_is_its_first_parent(clone: Clone) -> None:
    """The branch is behind main: what main changed is no change of the pull request, on either host."""
    origin = clone.top.parent / "origin"
    git(origin, "switch", "-q", "main")
    (origin / "infra/k8s/platform/sidecarsets/other.yaml").write_text(SET.replace("name: log", "name: other"))
    committed(origin, "main moves on")
    for merged in (True, False):
        if merged:
            git(origin, "merge", "-q", "--no-ff", "-m", "Merge", "change")
            merge = git(origin, "rev-parse", "HEAD").strip()
            git(clone.top, "fetch", "-q", "--depth", "1", "origin", merge)
            git(clone.top, "switch", "-q", "--detach", "FETCH_HEAD")
            environ = {"GITHUB_REF": "refs/pull/1/merge", "GITHUB_SHA": merge}
            base = clone.base
        else:
            git(clone.top, "switch", "-q", "change")
            environ, base = {}, git(origin, "rev-parse", "HEAD^1").strip()
        _, said, outputs = step("Fetch", clone, BEFORE="", BASE=base, **environ)
        code, said, _ = step("Compare", clone, BEFORE=outputs["before"], **environ)
        assert code == 1, said
        assert "SidecarSet other" not in said
        assert "other:" not in said


class GitHub(BaseHTTPRequestHandler):
    """The comments of one pull request, as the API has them."""

    comments: ClassVar[list[Object]]
    refuses: ClassVar[bool]

    def do_GET(self) -> None:
        url = urlsplit(self.path)
        asked = parse_qs(url.query)
        first = (int(asked["page"][0]) - 1) * int(asked["per_page"][0])
        assert url.path == "/repos/acme/shop/issues/7/comments"
        self._answer(self.comments[first : first + int(asked["per_page"][0])])

    def do_POST(self) -> None:
        assert self.path == "/repos/acme/shop/issues/7/comments"
        if not self.refuses:
            self.comments.append({"id": len(self.comments), **self._body()})
        self._answer({})

    def do_PATCH(self) -> None:
        number = int(self.path.removeprefix("/repos/acme/shop/issues/comments/"))
        self.comments[number].update(self._body())
        self._answer({})

    def _body(self) -> Object:
        body: Object = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        return body

    def _answer(self, value: Value) -> None:
        assert self.headers["Authorization"] == "Bearer t0ken"
        self.send_response(403 if self.refuses and self.command != "GET" else 200)
        self.end_headers()
        self.wfile.write(json.dumps(value).encode())

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def api() -> Iterator[str]:
    GitHub.comments = [{"id": number, "body": f"comment {number}"} for number in range(130)]
    GitHub.refuses = False
    server = ThreadingHTTPServer(("127.0.0.1", 0), GitHub)
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.mark.slow
def test_one_comment_is_posted_and_then_updated(clone: Clone, api: str) -> None:
    comment = clone.top.parent / "comment.md"
    environ = {"GITHUB_API_URL": api, "GITHUB_REPOSITORY": "acme/shop", "TOKEN": "t0ken", "NUMBER": "7"}
    texts = ["<!-- sidecarctl diff -->\n**first → ü**\n", "<!-- sidecarctl diff -->\n**second**\n"]
    for text in texts:
        comment.write_text(text)
        code, said, _ = step("Comment", clone, COMMENT=str(comment), **environ)
        assert code == 0, said
        assert [item["body"] for item in GitHub.comments[130:]] == [text]
    comment.write_text("<!-- sidecarctl diff --><!-- nothing new -->\n**No SidecarSet changes**\n")
    for file, now in ((str(comment), comment.read_text()), ("", "could not compare this change")):
        code, said, _ = step("Comment", clone, COMMENT=file, **environ)  # the earlier one does not stay
        assert code == 0, said
        assert len(GitHub.comments) == 131
        assert now in GitHub.comments[130]["body"]
    GitHub.comments[130]["body"] = "another"
    for file in (str(comment), ""):
        assert step("Comment", clone, COMMENT=file, **environ)[0] == 0
        assert len(GitHub.comments) == 131  # and none is posted
    comment.write_text(texts[0])
    GitHub.refuses = True
    code, said, _ = step("Comment", clone, COMMENT=str(comment), **environ)
    assert (code, "::notice" in said) == (0, True)  # as for a pull request from a fork


def test_the_comment_step_runs_for_pull_requests_even_if_a_step_failed() -> None:
    [entry] = [item for item in yaml.safe_load(ACTION.read_text())["runs"]["steps"] if item["name"] == "Comment"]
    for asked in ("inputs.comment == 'true'", "github.event.pull_request", "!cancelled()"):
        assert asked in entry["if"]


@pytest.mark.slow
def test_the_action_installs_the_program_of_its_own_revision(clone: Clone) -> None:
    code, said, _ = step("Install", clone, PACKAGE="")
    assert code == 0, said
    program = (clone.top.parent / "temp" / "GITHUB_PATH").read_text().strip()
    assert subprocess.run([f"{program}/sidecarctl", "--version"], check=True, capture_output=True).stdout


LINES = [
    re.findall(r"^ *- run: (sidecarctl .*)$", (ROOT / page).read_text(), re.MULTILINE)
    for page in ("README.md", "docs/ci.md")
]


@pytest.mark.slow
@pytest.mark.parametrize("line", LINES[0], ids=lambda line: line.split()[1])
def test_the_lines_that_people_copy(clone: Clone, line: str) -> None:
    assert LINES[0] == LINES[1]
    assert len(LINES[0]) == 2
    git(clone.top, "fetch", "-q", "--unshallow", "origin", "main:refs/remotes/origin/main")
    ended = script(clone.folder, line)
    assert ended.returncode == ("diff" in line), ended.stdout + ended.stderr
    assert "settings: " in ended.stderr
    assert (
        "2 workloads: 2 changed" in ended.stdout or f"::warning file={SETS},line=11," in ended.stdout + ended.stderr
    )
    git(clone.top, "switch", "-q", "--detach", "origin/main")
    ended = script(clone.folder, line)
    assert ended.returncode == 0, ended.stdout + ended.stderr


@pytest.mark.slow
def test_the_gitlab_jobs_write_the_artifacts_that_they_name(clone: Clone) -> None:
    jobs = yaml.safe_load(TEMPLATE.read_text())
    fetch, enter = jobs[".sidecarctl"]["before_script"][-2:]
    variables = {
        "CI_MERGE_REQUEST_DIFF_BASE_SHA": clone.base,
        "CI_PROJECT_DIR": str(clone.top),
        "SIDECARCTL_FOLDER": str(clone.folder.relative_to(clone.top)),
    }
    ended = [
        script(clone.top, "; ".join((fetch, enter, *jobs[name]["script"])), **variables).returncode
        for name in ("sidecarsets:validate", "sidecarsets:diff")
    ]
    assert ended == [0, 1]
    written = jobs["sidecarsets:validate"]["artifacts"]["reports"]
    quality = json.loads((clone.top / written["codequality"]).read_text())
    assert [item["check_name"] for item in quality].count("image-without-tag") == 1
    assert {item["location"]["path"] for item in quality} <= {SETS, "."}
    assert "<testsuite" in (clone.top / written["junit"]).read_text()
    [comment] = jobs["sidecarsets:diff"]["artifacts"]["paths"]
    assert "Recreate" in (clone.top / comment).read_text()


def script(folder: Path, line: str, **environ: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["sh", "-c", line],
        cwd=folder,
        env={**clean_environment(), **environ},
        capture_output=True,
        text=True,
        check=False,
    )
