"""Documents with containers that are no objects: each gets a line, in every command that reads it."""

from pathlib import Path

import pytest

from tests.cli.manifests import DEPLOYMENT, SET
from tests.cli.running import run

SPEC = "spec: {template: {spec: {containers: [{name: w, image: w}]}}}\n"
ITEMS = "items:\n- apiVersion: apps/v1\n  kind: Deployment\n  metadata: {name: q}\n  " + SPEC
NOTES = {
    "Kind": ("apiVersion: apps/v1\nKind: Deployment\nmetadata: {name: q}\n" + SPEC, ":2:7", "Kind is not kind"),
    "empty": ("apiVersion: apps/v1\nkind:\nmetadata: {name: q}\n" + SPEC, ":2:", "its kind is empty"),
    "absent": ("apiVersion: apps/v1\nmetadata: {name: q}\n" + SPEC, ":1:1", "it has no kind"),
    "items": ("apiVersion: v1\n" + ITEMS, ":3:1", "it has items and no kind: List"),
    "map": (
        "web.yaml: {apiVersion: v1, kind: Pod, " + SPEC.rstrip() + "}\n",
        ":1:1",
        "it is a map of names to objects",
    ),
    "values": ("web: " + SPEC.removeprefix("spec: "), ":1:1", "it has no apiVersion and kind"),
    "list": ("- " + SPEC, ":1:", "is a list"),
}
REFUSED = {
    "a.json": '[{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}, "spec": {"containers": []}}]',
    "a.yaml": "- apiVersion: v1\n  kind: ConfigMap\n- apiVersion: v1\n  kind: Pod\n",
}
SILENT = ["- op: add\n  path: /spec/containers\n", "a: {containers: 3}\n", "", "[]\n", "text\n", "containers: [a]\n"]
COMMANDS = ["inject --check", "diff -v --before . --after .", "validate", "status", "cost"]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("set.yaml").write_text(SET)
    Path("web.yaml").write_text(DEPLOYMENT)
    return tmp_path


def said(command: str) -> tuple[int, str]:
    ended = run(*command.split(), *([] if command.startswith("diff") else ["."]))
    return ended.code, ended.stdout + ended.stderr


@pytest.mark.parametrize("kind", NOTES)
def test_a_note_says_what_the_document_looks_like(kind: str) -> None:
    text, place, looks = NOTES[kind]
    Path("odd.yaml").write_text(text)
    for command in COMMANDS[:3]:
        code, report = said(command)
        assert code in (0, 1), report
        assert f"note: odd.yaml{place}" in report
        assert f"the document has containers, but {looks}" in report


@pytest.mark.parametrize("command", [command for command in COMMANDS if "before" not in command])
@pytest.mark.parametrize("name", REFUSED)
def test_a_list_of_objects_is_refused(command: str, name: str) -> None:
    Path(name).write_text(REFUSED[name])
    code, report = said(command)
    assert code == 2
    assert f"error: {name}:1:1: " in report
    assert "a list of objects is not a manifest, and kubectl rejects it" in report


def test_a_list_of_sidecarsets_is_refused_too() -> None:
    Path("sets.yaml").write_text("- " + SET.replace("\n", "\n  ").rstrip() + "\n")
    ended = run("inject", "-s", "sets.yaml", "web.yaml")
    assert (ended.code, "a list of objects is not a manifest" in ended.stderr) == (2, True)


@pytest.mark.parametrize("text", SILENT)
def test_nothing_is_said_of_other_documents(text: str) -> None:
    Path("odd.yaml").write_text(text)
    assert "odd.yaml" not in said("inject --check")[1]


def test_a_named_file_stays_an_error() -> None:
    Path("odd.yaml").write_text(NOTES["Kind"][0])
    ended = run("inject", "-s", "set.yaml", "odd.yaml", "web.yaml")
    assert (ended.code, "no manifest found in odd.yaml" in ended.stderr) == (2, True)
