"""Where a list that the API server gives page by page goes on."""

import json
from pathlib import Path
from urllib.parse import quote

from sidecarctl.facts.values import Object

PAGE = 500
"""Objects a page: as many as kubectl itself asks for."""

_EDGE = 64 * 1024
_ITEMS = b'"items":['


def path_of_page(path: str, token: str = "") -> str:
    """The path of a page; an empty token asks for the first."""
    return f"{path}?limit={PAGE}" + (f"&continue={quote(token, safe='')}" if token else "")


def next_token(page: Path) -> str:
    """The token that asks for the page after this one; empty for the last. ValueError for what is no list."""
    metadata = _around_items(page).get("metadata") or {}
    return str(metadata.get("continue") or "")


def _around_items(page: Path) -> Object:
    """The list without its items.

    Its other members come before them, or, for custom resources, after them: of a large page only the two ends are
    read. No member but the items is an array.
    """
    size = page.stat().st_size
    with page.open("rb") as file:
        if size <= _EDGE:
            return _object(file.read())
        head = file.read(_EDGE)
        file.seek(size - _EDGE)
        tail = file.read()
    begin, end = head.find(_ITEMS), tail.rfind(b"]")
    if begin < 0 or end < 0:
        raise ValueError("it is no list of objects")
    return _object(head[: begin + len(_ITEMS)] + tail[end:])


def _object(text: bytes) -> Object:
    value = json.loads(text)
    if not isinstance(value, dict):
        raise ValueError("it is no object")  # noqa: TRY004 - what the text says is wrong, not what the caller gave
    return value
