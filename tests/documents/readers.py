"""Other readers of the same text: PyYAML and ruamel.yaml compose it, our scalar table types its scalars."""

import re
from collections.abc import Iterator
from math import inf
from typing import Any, TypeAlias

import yaml
from ruamel.yaml import YAML

from sidecarctl.documents.reading.document import Document, Reader
from sidecarctl.documents.reading.events import Parser, c_parser, pure_parser
from sidecarctl.documents.reading.scalars import plain_key, plain_value
from sidecarctl.facts.errors import InputError
from sidecarctl.facts.values import Object, Value

Node: TypeAlias = Any
"""A node of either library: both have `value`, and scalars a `style`."""


class LinesFirst(Reader):
    """Reads by lines from the first on, and leaves it to the caller to have that confirmed."""

    def __init__(self, parser: Parser = c_parser) -> None:
        super().__init__(parser=parser, lines_after=0)

    def documents_of(self, text: str, line: int = 1, *, confirmed: bool = False) -> list[Document]:  # noqa: ARG002 - as Reader's
        return super().documents_of(text, line, confirmed=False)


READERS = {
    "C": Reader(parser=c_parser, lines_after=inf),
    "pure": Reader(parser=pure_parser, lines_after=inf),
    "lines": LinesFirst(),
}
# Breaks and tabs that only libyaml takes as Kubernetes does.
_ONLY_C = re.compile("[\t\x85\u2028\u2029]")


def document_of(reader: Reader, text: str) -> Document | None:
    """The one document of a text; None for a text that the pure parser leaves to the C parser."""
    try:
        document, *others = reader.documents_of(text)
    except InputError as fault:
        if reader.parser is pure_parser and "without ruamel.yaml.clib" in str(fault):
            return None
        raise
    assert not others
    return document


def pyyaml_value(text: str) -> Value:
    """What PyYAML reads, by its own parser where that can."""
    loader = yaml.CBaseLoader if _ONLY_C.search(text) else yaml.BaseLoader
    return _value(yaml.compose(_lines(text), loader))


def ruamel_value(text: str) -> Value:
    """What ruamel.yaml reads."""
    yaml_12 = YAML(typ="safe", pure=not _ONLY_C.search(text))
    return _value(yaml_12.compose(_lines(text)))


def _lines(text: str) -> str:
    """The text as whole lines: kubectl ends the last line where the file does not."""
    text = text.removeprefix("\ufeff")
    return text if text[-1:] in "\r\n" else text + "\n"


def _value(node: Node) -> Value:
    if node is None:
        return None
    if isinstance(node.value, str):
        return node.value if node.style else plain_value(node.value)
    if node.value and isinstance(node.value[0], tuple):
        return _mapping(node)
    return [_value(item) for item in node.value] if "seq" in str(node.tag) else {}


def _mapping(node: Node) -> Object:
    members: Object = {}
    for key, value in node.value:
        if key.value == "<<" and not key.style:
            for source in _sources(value):
                members.update(source)
        else:
            name = key.value if key.style else plain_key(key.value)
            assert name is not None
            members[name] = _value(value)
    return members


def _sources(node: Node) -> Iterator[Object]:
    value = _value(node)
    yield from reversed(value) if isinstance(value, list) else [value]
