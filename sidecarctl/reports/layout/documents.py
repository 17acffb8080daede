"""Documents as text: JSON and YAML."""

import json
from collections.abc import Iterator

from sidecarctl.documents.writing.yaml_text import block_text
from sidecarctl.facts.values import Object, Value
from sidecarctl.reports.layout.json_lines import drawn, laid_out

_INDENTED = 6
"""Indented levels of a large document: each pod is on its own line."""


def json_text(document: Value) -> str:
    """A document as JSON."""
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def json_parts(document: Object) -> Iterator[str]:
    """A document with very many pods as JSON, in parts; iterators may replace lists."""
    return laid_out(document, _INDENTED)


def yaml_parts(document: Object) -> Iterator[str]:
    """A document as YAML, in parts; an iterator may replace a list at its top."""
    for key, member in document.items():
        if isinstance(member, Iterator):
            yield from _yaml_items(key, member)
        else:
            yield block_text({key: drawn(member)})


def _yaml_items(key: str, items: Iterator[Value]) -> Iterator[str]:
    head = f"{key}:\n"
    for item in items:
        yield head + block_text([item])
        head = ""
    if head:
        yield block_text({key: []})


def yaml_text(document: Object) -> str:
    """A document as YAML."""
    return block_text(drawn(document))
