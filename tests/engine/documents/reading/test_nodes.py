"""The table of nodes says what the events of the library say."""

from functools import partial
from typing import Any

import pytest
from _ruamel_yaml import CParser
from hypothesis import given, reject
from ruamel.yaml.error import YAMLError
from ruamel.yaml.events import (
    AliasEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

from sidecarctl.engine.documents.reading.document import Reader
from sidecarctl.engine.documents.reading.events import from_events
from sidecarctl.engine.documents.reading.layout import Layout
from sidecarctl.engine.documents.reading.nodes import nodes_of
from tests.engine.documents.test_promises import examples
from tests.engine.documents.ugly import Ugly, ugly_documents


@examples(30)
@given(ugly_documents())
def test_of_any_document(ugly: Ugly) -> None:
    (document,) = Reader().documents_of(ugly.text)
    try:
        compare(document.layout.text)
    except YAMLError:
        reject()  # colons that libyaml refuses


@pytest.mark.parametrize(
    "text",
    [
        "a: &x !t\nb: *x\n? |\n c\n: 'd''e'\n",
        '"a\\tb": [!!str "c\n d", e\n f, &g "h\\\n i"]\n',
        "a:\u2028 b\u0085c: d\n",
        "\u00e4: [\r\n  b, \r\n]\r\n",
        "- |2\n   a\n- >+\n  b\n\n-\n",
        '{"[&::": {a: \n }}\n',
        "",
    ],
)
def test_of_what_differs_from_its_text(text: str) -> None:
    compare(text)


def compare(text: str) -> None:
    events = [event for event in iter(CParser(text).get_event, None) if type(event) in KINDS]
    layout = Layout(text, from_events(text, partial(nodes_of, text)))
    assert len(layout.nodes) == len(events)
    opened: list[int] = []
    for node, event in enumerate(events):
        mark = event.start_mark
        assert (layout.start(node), layout.column(node)) == (mark.index, mark.column)
        assert (layout.is_scalar(node), layout.is_alias(node)) == (
            type(event) is ScalarEvent,
            type(event) is AliasEvent,
        )
        assert layout.is_collection(node) == (type(event) in COLLECTION_STARTS)
        if layout.is_collection(node):
            opened.append(node)
            assert layout.is_flow(node) == bool(event.flow_style)
        else:
            assert layout.end(node) == event.end_mark.index
        if type(event) in COLLECTION_ENDS:
            assert layout.last(opened.pop()) == node
        elif layout.is_scalar(node):
            assert layout.value(node) == event.value
            assert layout.quote(node) == (event.style if event.style in ("'", '"') else "")
        assert layout.nodes.anchors.get(node) == getattr(event, "anchor", None)
        assert layout.nodes.tags.get(node) == tag_of(event)


COLLECTION_STARTS = (MappingStartEvent, SequenceStartEvent)
COLLECTION_ENDS = (MappingEndEvent, SequenceEndEvent)
KINDS = (ScalarEvent, AliasEvent, *COLLECTION_STARTS, *COLLECTION_ENDS)


def tag_of(event: Any) -> str | None:
    tag = getattr(event, "ctag", None)
    return None if tag is None else str(tag)
