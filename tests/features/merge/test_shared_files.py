"""What several clusters share is parsed once, and no command changes what it reads."""

import json
from collections import Counter
from pathlib import Path

import pytest

from sidecarctl.engine.documents.reading.document import Document, Reader
from sidecarctl.engine.documents.reading.streams import Chunk
from tests.cli.running import run

SET = """\
apiVersion: apps.kruise.io/v1alpha1
kind: SidecarSet
metadata: {{name: mesh}}
spec:
  selector: {{matchLabels: {{app: web}}}}
  containers:
  - {{name: proxy, image: "proxy:{}"}}
"""
WEB = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: app, image: "app:1"}]}
---
apiVersion: v1
kind: Pod
metadata: {name: web-0, labels: {app: web}}
spec: {containers: [{name: app, image: "app:1"}]}
status: {phase: Running}
"""
SETTINGS = 'clusters:\n- clusters/*\n- name: "*"\n  include: [teams]\n'


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Three clusters with a SidecarSet each, and a folder that they share, here and in `before`."""
    for top in (tmp_path, tmp_path / "before"):
        for number in range(3):
            (top / f"clusters/c{number}").mkdir(parents=True)
            (top / f"clusters/c{number}/set.yaml").write_text(SET.format(number))
        (top / "teams").mkdir()
        (top / "teams/web.yaml").write_text(WEB)
    (tmp_path / "before/teams/web.yaml").write_text(WEB.replace("replicas: 2", "replicas: 3"))
    (tmp_path / ".sidecarctl.yaml").write_text(SETTINGS)
    monkeypatch.chdir(tmp_path)
    return tmp_path


COMMANDS = ["validate", "plan", "status", "drift", "images", "cost", "diff --before before"]


@pytest.mark.parametrize("command", COMMANDS)
def test_the_shared_files_are_parsed_once(command: str, repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parsed: Counter[str] = Counter()
    parse = Reader.documents_of

    def counted(self: Reader, text: str, line: int = 1) -> list[Document]:
        parsed[text] += 1
        return parse(self, text, line)

    monkeypatch.setattr(Reader, "documents_of", counted)
    assert run(*command.split(), "-j", "1").code in (0, 1)
    of_teams = [text for text in parsed if "name: web" in text and "replicas: 3" not in text]
    assert of_teams, repository
    assert {parsed[text] for text in of_teams} == {1}


@pytest.mark.parametrize("command", COMMANDS)
def test_no_command_changes_the_values_that_clusters_share(
    command: str, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept: list[tuple[Document, str]] = []
    parse = Reader.documents

    def noted(self: Reader, chunk: Chunk) -> list[Document]:
        found = parse(self, chunk)
        kept.extend((each, json.dumps(each.value)) for each in found)
        return found

    monkeypatch.setattr(Reader, "documents", noted)
    run(*command.split(), "-j", "1")
    assert len(kept) > 3, repository
    assert [json.dumps(each.value) for each, _ in kept] == [before for _, before in kept]


def test_a_shared_file_that_cannot_be_read_is_said_once(repository: Path) -> None:
    (repository / "teams/web.yaml").write_text(f"{WEB}---\napiVersion: v1\nkind: [\n")
    ended = run("plan", "-j", "1")
    assert ended.code == 2
    [line] = [line for line in ended.stderr.splitlines() if "teams/web.yaml:" in line]
    assert "3 clusters" in line
