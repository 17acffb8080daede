"""A tree of sentences: as lines with branches, or as lists in lists of Markdown."""

from collections.abc import Iterator, Sequence
from textwrap import wrap
from typing import NamedTuple

from sidecarctl.render.lines import shown
from sidecarctl.render.markdown import cell


class Node(NamedTuple):
    """A sentence, and its details; `mark` is a word before it: `yes`, `NO`, `-`, or empty."""

    text: str
    children: "Sequence[Node]" = ()
    mark: str = ""


_LEAST = 24


def tree_text(node: Node, width: int | None, before: str = "", branch: str = "", further: str = "") -> Iterator[str]:
    """The lines of a tree; `before`, `branch` and `further` draw the branch that leads to it."""
    said = shown(f"{node.mark:<4}{node.text}" if node.mark else node.text)
    room = None if width is None else max(width - len(before + branch), _LEAST)
    first, *more = [said] if room is None else wrap(said, room, break_on_hyphens=False) or [""]
    yield f"{before}{branch}{first}"
    yield from (f"{before}{further}{'│  ' if node.children else '   '}{line}" for line in more)
    for index, child in enumerate(node.children):
        is_last = index == len(node.children) - 1
        yield from tree_text(child, width, before + further, "└─ " if is_last else "├─ ", "   " if is_last else "│  ")


_MARKS = {"yes": "✅ ", "NO": "❌ ", "-": "➖ ", "": ""}  # noqa: RUF001 - signs that tables of GitHub show


def tree_markdown(node: Node) -> str:
    """A heading, and the lists below it."""
    return f"### {cell(node.text)}\n\n" + "".join(line for child in node.children for line in _items(child, ""))


def _items(node: Node, indent: str) -> Iterator[str]:
    yield f"{indent}- {_MARKS[node.mark]}{cell(node.text)}\n"
    for child in node.children:
        yield from _items(child, f"{indent}  ")
