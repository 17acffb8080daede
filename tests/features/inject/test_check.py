"""`--check` writes nothing, and reads the edited text again only where that may find something."""

import json
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from sidecarctl.engine.documents.editing import document_edits
from sidecarctl.engine.documents.editing.document_edits import EditedText, edited_text, prove, refuse_uneditable
from sidecarctl.engine.documents.reading.document import Document, Reader
from sidecarctl.engine.facts.errors import ImpossibleError, InternalFaultError, SidecarctlError
from sidecarctl.engine.facts.findings import Finding
from sidecarctl.engine.facts.values import Edit, Value, applied
from tests.cli.manifests import DEPLOYMENT, SET
from tests.cli.running import run
from tests.effort import share
from tests.engine.documents.random_edits import changes
from tests.engine.documents.ugly import Ugly, ugly_documents

AS_JSON = json.dumps(yaml.safe_load(DEPLOYMENT), indent=2)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "set.yaml").write_text(SET)
    return tmp_path


def proofs(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts that are read again from now on."""
    found: list[str] = []

    def noting(reader: Reader, document: Document, edited: EditedText, intended: Value) -> None:
        found.append(edited.text)
        prove(reader, document, edited, intended)

    monkeypatch.setattr(document_edits, "prove", noting)
    return found


@pytest.mark.parametrize(
    ("text", "options", "number"),
    [
        (DEPLOYMENT, ("--check",), 0),
        (DEPLOYMENT, ("--check", "--diff"), 1),
        (DEPLOYMENT, ("--diff",), 1),
        (DEPLOYMENT, (), 1),
        (DEPLOYMENT, ("-d", "out"), 1),
        (DEPLOYMENT, ("-i",), 1),
        (AS_JSON, ("--check",), 1),
        (DEPLOYMENT.replace("labels: {app: web}", "labels: &it {app: web}\n      annotations: *it"), ("--check",), 1),
    ],
)
def test_only_what_is_written_or_may_fail_is_read_again(
    text: str, options: tuple[str, ...], number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("web.yaml").write_text(text)
    found = proofs(monkeypatch)
    ended = run("inject", "-s", "set.yaml", "web.yaml", *options, "-j", "1")
    assert ended.code == ("--check" in options), ended.stderr
    assert len(found) == number


LONG = "k" * 1100
IN_CLUSTER = SET.replace("name: logs\n", "name: logs\n  uid: 0a1b\n", 1)  # which may patch any annotation
PATCHING = f"""\
{IN_CLUSTER}  patchPodMetadata:
  - annotations:
      ? {LONG}
      : v
    patchPolicy: Overwrite
"""
METADATA = "labels: {app: web}"


@pytest.mark.parametrize(
    "text",
    [
        DEPLOYMENT,
        AS_JSON,
        DEPLOYMENT.replace(METADATA, f"{METADATA}\n      annotations: {{a: b}}"),
        DEPLOYMENT.replace(METADATA, f"{METADATA}\n      annotations: {{a: b}} # why"),
        DEPLOYMENT.replace(METADATA, f"{METADATA}\n      annotations:\n        a: b"),
        AS_JSON.replace('"web"', "web", 1),
        AS_JSON.replace('"web",', '"web", # why\n', 1),
        AS_JSON.replace("{", "{ # why\n", 1),
        DEPLOYMENT.replace("labels: {app: web}", "labels: &it {app: web}\n      annotations: *it"),
    ],
)
@pytest.mark.parametrize("setting", [SET, PATCHING], ids=["plain", "long key"])
def test_the_answer_is_that_of_a_run_that_proves(text: str, setting: str) -> None:
    Path("set.yaml").write_text(setting)
    Path("web.yaml").write_text(text)
    alone = run("inject", "-s", "set.yaml", "web.yaml", "--check")
    proven = run("inject", "-s", "set.yaml", "web.yaml", "--check", "--diff")
    assert (alone.code, alone.stderr) == (proven.code, proven.stderr)


def deep(levels: int) -> Value:
    """Mappings in one another."""
    return {"a": deep(levels - 1)} if levels else 1


ODD = [{LONG: 1}, {"a": {LONG: [1]}}, [{LONG: {}}], *map(deep, (197, 198, 199, 200, 201)), "#", {"a": "b # c"}]


def answers(document: Document, edits: list[Edit]) -> list[Sequence[Finding]]:
    """What is refused with the proof, and without it."""
    edited, intended = edited_text(document, edits), applied(document.value, edits)
    found: list[Sequence[Finding]] = []
    for check in (prove, partial(refuse_uneditable, edits=edits)):
        try:
            check(Reader(), document, edited, intended)
        except SidecarctlError as fault:
            found.append(fault.findings)
        else:
            found.append(())
    return found


@pytest.mark.parametrize("value", ODD, ids=lambda value: str(value)[:20])
@pytest.mark.parametrize("path", [("z",), ("a",), ("b",)])
@pytest.mark.parametrize(
    "text", ["a: 1\nb:\n  c: 2\n", "a: {b: 1}\nd: 1\n", "{a: 1, b: {c: 2}}\n", '{"a": 1}', "a: &x 1\nb: *x\n"]
)
def test_an_odd_value_is_refused_without_the_proof_as_with_it(text: str, path: tuple[str], value: Value) -> None:
    [document] = Reader().documents_of(text)
    with_proof, without = answers(document, [Edit("set", path, value)])
    assert with_proof == without
    assert with_proof or value not in ODD[6:8]


@share(40)
@given(st.data(), ugly_documents())
def test_what_the_proof_refuses_is_refused_without_it(data: st.DataObject, ugly: Ugly) -> None:
    [document] = Reader().documents_of(ugly.text)
    edits = data.draw(changes(ugly.value))
    if edits and edits[0].action != "remove" and data.draw(st.booleans()):
        edits = [edits[0]._replace(value=data.draw(st.sampled_from(ODD))), *edits[1:]]
    with suppress(ImpossibleError):  # the edit itself is refused
        with_proof, without = answers(document, edits)
        assert with_proof == without


def test_a_lost_comment_is_found_without_the_proof() -> None:
    [document] = Reader().documents_of("a: 1\n# why\nb: 2\n")
    edits = [Edit("set", ("a",), 2)]
    edited = edited_text(document, edits)
    damaged = edited._replace(text="a: 2\nb: 2\n", kept=[part for part in edited.kept if part.start == 0])
    assert edited.is_plain
    with pytest.raises(InternalFaultError, match="the comment in line 2 would be lost"):
        refuse_uneditable(Reader(), document, damaged, {"a": 2, "b": 2}, edits)
