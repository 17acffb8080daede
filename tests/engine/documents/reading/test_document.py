"""What another process gets of a document."""

import pickle

import pytest

from sidecarctl.engine.documents.reading.document import Reader
from sidecarctl.engine.facts.values import Path


@pytest.mark.parametrize("text", ["a: &x\n- b\nc: *x\n", '{"a": ["b"],\n "c": "d"}', "...\n", "# nothing\n", ""])
@pytest.mark.parametrize("asked", [[], [("a", 0)]], ids=["unasked", "asked before"])
@pytest.mark.parametrize("reader", [Reader(), Reader(for_edits=True)], ids=["to look at", "for edits"])
def test_a_document_that_was_sent_knows_its_places(reader: Reader, text: str, asked: list[Path]) -> None:
    [document] = reader.documents_of(text, 5)
    paths: list[Path] = [(), ("a",), ("a", 0), ("c",)]
    assert all(map(document.place, asked))
    sent = pickle.loads(pickle.dumps(document))  # noqa: S301 - this test pickled it
    assert sent.value == document.value
    assert [sent.place(path) for path in paths] == [document.place(path) for path in paths]


def test_an_alias_is_still_its_anchor_and_events_are_not_sent() -> None:
    [document] = Reader().documents_of("a: &x [b]\nc: *x\n" + "".join(f"k{number}: v\n" for number in range(1000)))
    data = pickle.dumps(document)
    sent = pickle.loads(data)  # noqa: S301 - this test pickled it
    assert sent.value["a"] is sent.value["c"]
    assert len(data) < 4 * len(document.text)
