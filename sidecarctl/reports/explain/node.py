"""A sentence of an explanation, and its details."""

import json
from collections.abc import Sequence

from sidecarctl.facts.named_tuples import NamedTuple
from sidecarctl.facts.values import Value

_LONG = 60


class Node(NamedTuple):
    """A sentence, and its details; `mark` is a word before it: `yes`, `NO`, `-`, or empty."""

    text: str
    children: "Sequence[Node]" = ()
    mark: str = ""


def short(value: Value) -> str:
    """A value as JSON, cut where it is long."""
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONG else text[:_LONG] + "…"
