"""A long list is read item by item: the reports are those of a list that is read as a whole, lines included."""

import json
from pathlib import Path

import pytest

from sidecarctl.engine.documents.lists import list_items, yaml_list_items
from sidecarctl.engine.documents.reading.document import Reader
from sidecarctl.engine.documents.reading.streams import DocumentLimits
from sidecarctl.engine.inputs import objects
from sidecarctl.features.explain import explain
from tests.cli.running import run

SAMPLES = Path(__file__).parents[3] / "samples" / "explain"


def _as_list(*names: str) -> str:
    """The documents of some samples as items, with their comments, as an editor might join them."""
    lines = ["apiVersion: v1", "# all of the shop", "items:"]
    for name in names:
        for document in (SAMPLES / name).read_text().split("---\n"):
            lines += _item(document.splitlines())
    return "\n".join([*lines, "kind: List", ""])


def _item(lines: list[str]) -> list[str]:
    at = next((at for at, line in enumerate(lines) if line and not line.startswith("#")), len(lines))
    return [*lines[:at], *(f"- {line}" for line in lines[at : at + 1]), *(f"  {line}" for line in lines[at + 1 :])]


@pytest.mark.parametrize("form", ["json", "yaml"])
@pytest.mark.parametrize(
    "words",
    [
        ("explain",),
        ("explain", "-o", "json"),
        ("explain", "-o", "json", "logs"),
        ("explain", "shop/web-0"),
        ("status", "-o", "json"),
        ("plan", "-o", "yaml"),
        ("validate", "-o", "json"),
    ],
    ids=" ".join,
)
def test_reports_are_the_same(
    words: tuple[str, ...], form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = _as_list("sidecarsets.yaml", "namespaces.yaml", "pods.yaml", "workloads.yaml")
    if form == "json":
        text = json.dumps(Reader().documents_of(text)[0].value, indent=4)
        assert list(list_items([text.encode()], DocumentLimits()))
    else:
        assert list(yaml_list_items([text.encode()], Reader()))  # it can be cut
    (tmp_path / f"all.{form}").write_text(text)
    monkeypatch.chdir(tmp_path)
    whole = run(words[0], f"all.{form}", *words[1:])
    monkeypatch.setattr(objects, "LONG", 1)
    monkeypatch.setattr(explain, "_LARGE", 1)
    assert run(words[0], f"all.{form}", *words[1:]) == whole
    assert whole.code in (0, 1)
    assert whole.stdout
