"""Documents for programs as text: JSON and YAML."""

import json
from collections.abc import Iterator

from sidecarctl.documents.writing.yaml_text import block_text
from sidecarctl.facts.values import Object, Value
from sidecarctl.reports.layout.json_lines import drawn, laid_out

_INDENTED = 6
"""Levels of a large document that are indented: each pod is on a line of its own."""


def json_text(document: Value) -> str:
    """A document as JSON."""
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def json_parts(document: Object) -> Iterator[str]:
    """A document with very many pods as JSON, in parts; iterators are allowed in the place of lists."""
    return laid_out(document, _INDENTED)


def yaml_text(document: Object) -> str:
    """A document as YAML."""
    return block_text(drawn(document))
