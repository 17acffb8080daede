"""Pull requests of a repository as people have them, through the steps of the action and the template of GitLab.

The repository has three clusters that share SidecarSets, one of them in a submodule, a chart, files that are no
manifests, and one that was broken before. For each pull request: the exit codes, the annotations, and the comment.
"""

import json
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from http.server import ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import NamedTuple

import pytest
import yaml

from tests.cli.manifests import DEPLOYMENT, SET
from tests.engine.inputs.repositories import git
from tests.tools.running import clean_environment
from tests.tools.test_ci import TEMPLATE, Clone, GitHub, committed, step

pytestmark = [pytest.mark.slow]
TEAM = "teams/web.yaml"
LOGS = "sets/logs.yaml"
US = "clusters/us/audit.yaml"
MESH = (
    SET.replace("name: logs", "name: mesh").replace("name: log-agent", "name: proxy").replace("log-agent:", "proxy:")
)
AUDIT = SET.replace("name: logs", "name: audit").replace("name: log-agent", "name: audit")
BROKEN = "apiVersion: v1\nkind: [\n"
FILES = {
    ".sidecarctl.yaml": "clusters:\n- {paths: [clusters/*, teams], include: [sets, vendor/mesh]}\n",
    LOGS: SET,
    US: AUDIT,
    "clusters/eu/api.yaml": DEPLOYMENT.replace("name: web", "name: api", 1),
    "clusters/us/api.yaml": DEPLOYMENT.replace("name: web", "name: api", 1).replace("replicas: 2", "replicas: 4"),
    TEAM: DEPLOYMENT,
    "teams/broken.yaml": BROKEN,
    "teams/tsconfig.json": '{\n  // compiler\n  "compilerOptions": {}\n}\n',
    "teams/chart/Chart.yaml": "apiVersion: v2\nname: chart\nversion: 0.1.0\n",
    "teams/chart/values.yaml": "replicas: 2\n",
    "teams/chart/templates/web.yaml": "kind: {{ .Values.kind }}\n",
    "README.md": "# Platform\n",
}


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The repository at its main branch."""
    top = tmp_path_factory.mktemp("base")
    mesh, platform = top / "mesh", top / "platform"
    for folder, files in ((mesh, {"mesh.yaml": MESH}), (platform, FILES)):
        write(folder, files)
        git(folder, "init", "-q", "-b", "main")
        committed(folder, "first")
    git(platform, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(mesh), "vendor/mesh")
    committed(platform, "the mesh")
    return platform


def write(top: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (top / name).parent.mkdir(parents=True, exist_ok=True)
        (top / name).write_text(text)


def edit(name: str, old: str, new: str) -> Callable[[Path], None]:
    def change(top: Path) -> None:
        text = (top / name).read_text()
        assert old in text
        (top / name).write_text(text.replace(old, new))

    return change


def add(name: str, text: str) -> Callable[[Path], None]:
    return lambda top: write(top, {name: text})


def remove(name: str) -> Callable[[Path], None]:
    return lambda top: (top / name).unlink()


def move(name: str, new: str) -> Callable[[Path], None]:
    def change(top: Path) -> None:
        (top / name).rename(top / new)

    return change


def bump_the_submodule(top: Path) -> None:
    edit("vendor/mesh/mesh.yaml", "proxy:2.4.1", "proxy:2.5.0")(top)
    committed(top / "vendor" / "mesh", "newer")


MARKER = "<!-- sidecarctl diff -->"
NONE = "No SidecarSet changes in 3 clusters"


class Expected(NamedTuple):
    """The exit codes of both steps, annotations as `LEVEL FILE TITLE`, and the headline of the comment, if posted."""

    validate: int = 0
    diff: int = 0
    annotations: tuple[str, ...] = ()
    comment: str = ""


NOT_RENDERED = Expected(annotations=("warning NotRendered",), comment=NONE)
PULL_REQUESTS: dict[str, tuple[Callable[[Path], None], Expected]] = {
    "a text": (edit("README.md", "Platform", "The platform"), Expected()),
    "another image of the app": (edit(TEAM, "web:1.0", "web:1.1"), Expected()),
    "more replicas": (edit(TEAM, "replicas: 2", "replicas: 3"), Expected()),
    "a comment in a SidecarSet": (edit(LOGS, "spec:", "# about logs\nspec:"), Expected()),
    "values of a chart": (edit("teams/chart/values.yaml", "2", "3"), NOT_RENDERED),
    "a template of a chart": (edit("teams/chart/templates/web.yaml", "kind:", "name: {{ .x }}\nkind:"), NOT_RENDERED),
    "a configuration that is no manifest": (edit("teams/tsconfig.json", "compiler", "options"), Expected()),
    "a file that moves": (move(TEAM, "teams/front.yaml"), Expected()),
    "the broken file is repaired": (add("teams/broken.yaml", "apiVersion: v1\nkind: Secret\n"), Expected()),
    "a newer image in all clusters": (
        edit(LOGS, ":2.4.1", ":2.5.0"),
        Expected(comment="1 SidecarSet changes in all 3 clusters: logs InPlace"),
    ),
    "a newer image in one cluster": (
        edit(US, ":2.4.1", ":2.5.0"),
        Expected(comment="1 SidecarSet changes in 1 of 3 clusters: audit InPlace"),
    ),
    "a newer image in the submodule": (
        bump_the_submodule,
        Expected(comment="1 SidecarSet changes in all 3 clusters: mesh InPlace"),
    ),
    "a tag without a version": (
        edit(LOGS, ":2.4.1", ":latest"),
        Expected(
            0,
            1,
            (
                "error sets/logs.yaml PodsMustBeRecreated",
                "warning sets/logs.yaml DefaultFlipped",
                "warning sets/logs.yaml image-without-tag",
                "warning sets/logs.yaml update-default-flipped",
            ),
            "1 SidecarSet changes in all 3 clusters: logs Recreate",
        ),
    ),
    "another environment": (
        edit(LOGS, "2.4.1\n", "2.4.1\n    env: [{name: A, value: b}]\n"),
        Expected(
            0,
            1,
            ("error sets/logs.yaml PodsMustBeRecreated",),
            "1 SidecarSet changes in all 3 clusters: logs Recreate",
        ),
    ),
    "a label that is lost": (
        edit(TEAM, "labels: {app: web}", "labels: {app: store}"),
        Expected(
            0,
            1,
            (
                "error teams/web.yaml SidecarLost",
                "warning sets/logs.yaml selector-matches-nothing",
                "warning vendor/mesh/mesh.yaml selector-matches-nothing",
            ),
            "2 SidecarSets change in 1 of 3 clusters: logs SidecarLost, mesh SidecarLost",
        ),
    ),
    "a new workload": (
        add("teams/new.yaml", DEPLOYMENT.replace("name: web", "name: new", 1)),
        Expected(comment=NONE),
    ),
    "a workload that goes": (remove(TEAM), Expected()),
    "a SidecarSet that Kruise rejects": (
        edit(LOGS, "name: log-agent", "name: Log_Agent"),
        Expected(
            1,
            1,
            ("error sets/logs.yaml container-name", "error sets/logs.yaml update-container-added"),
            "1 SidecarSet changes in all 3 clusters: logs Rejected",
        ),
    ),
    "a SidecarSet that goes": (
        remove(US),
        Expected(
            0, 1, ("error SidecarLost",), "1 SidecarSet changes in 1 of 3 clusters: audit removed + SidecarLost"
        ),
    ),
    "a file that breaks": (
        add(TEAM, BROKEN),
        Expected(
            2,
            2,
            ("error teams/web.yaml Syntax",),
            "Incomplete, since not everything could be read. No SidecarSet changes in 3 clusters",
        ),
    ),
    "an object without apiVersion": (
        edit(TEAM, "apiVersion: apps/v1\n", ""),
        Expected(
            1,
            2,
            ("error teams/web.yaml UnknownVersion",),
            "Incomplete, since not everything could be read. No SidecarSet changes in 3 clusters",
        ),
    ),
    "settings that hide a rule": (
        edit(".sidecarctl.yaml", "clusters:", "ignore: [no-resources]\nclusters:"),
        Expected(0, 0, ("warning .sidecarctl.yaml ConfigChanged",), NONE),
    ),
}


@pytest.fixture
def host() -> Iterator[str]:
    GitHub.comments, GitHub.refuses = [], False
    server = ThreadingHTTPServer(("127.0.0.1", 0), GitHub)
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize("name", PULL_REQUESTS)
def test_a_pull_request(name: str, base: Path, tmp_path: Path, host: str) -> None:
    change, expected = PULL_REQUESTS[name]
    top = tmp_path / "clone"
    shutil.copytree(base, top, symlinks=True)
    revision = git(top, "rev-parse", "HEAD").strip()
    change(top)
    committed(top, name)
    on_github, annotated = github(Clone(top, top, revision), host)
    assert on_github == expected
    validate, diff, text, files = gitlab(top, revision)
    assert (validate, diff, files) == (expected.validate, expected.diff, annotated)
    marker, headline = text.splitlines()[:2]
    assert (marker == MARKER) is bool(expected.comment)
    assert headline == f"**{expected.comment or NONE}**"


def github(clone: Clone, host: str) -> tuple[Expected, list[str]]:
    """What the steps of the action do, and the files that validation annotates.

    The comment step runs whatever the others did.
    """
    _, _, outputs = step("Fetch", clone, BEFORE="", BASE=clone.base)
    validate, said, _ = step("Validate", clone, BEFORE=outputs["before"])
    diff, more, found = step("Compare", clone, BEFORE=outputs["before"])
    api = {"GITHUB_API_URL": host, "GITHUB_REPOSITORY": "acme/shop", "TOKEN": "t0ken", "NUMBER": "7"}
    assert step("Comment", clone, COMMENT=found.get("comment", ""), **api)[0] == 0
    posted = GitHub.comments[0]["body"].splitlines()[1].strip("*") if GitHub.comments else ""
    lines = re.findall(_ANNOTATION, said + more, re.MULTILINE)
    annotations = tuple(sorted({" ".join(filter(None, line)) for line in lines}))
    annotated = {file or "." for _, file, _ in re.findall(_ANNOTATION, said, re.MULTILINE)}
    return Expected(validate, diff, annotations, posted), sorted(annotated)


_ANNOTATION = r"^::(error|warning) (?:file=([^,:]*),)?.*?title=([\w-]+)"


def gitlab(top: Path, revision: str) -> tuple[int, int, str, list[str]]:
    """What the scripts of the template do: the exit codes, the artifact's headline, and the files of code quality."""
    jobs = yaml.safe_load(TEMPLATE.read_text())
    codes = []
    for job in ("sidecarsets:validate", "sidecarsets:diff"):
        [script] = jobs[job]["script"]
        environ = {**clean_environment(), "BASE": revision, "CI_PROJECT_DIR": str(top.parent)}
        ended = subprocess.run(["sh", "-c", script], cwd=top, env=environ, capture_output=True, check=False)
        codes.append(ended.returncode)
    text = (top.parent / "sidecarsets.md").read_text()
    quality = json.loads((top.parent / "code-quality.json").read_text())
    files = sorted({item["location"]["path"] for item in quality if item["severity"] in ("major", "minor")})
    return codes[0], codes[1], text, files
