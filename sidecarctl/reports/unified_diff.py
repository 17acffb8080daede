"""Unified diffs, as `diff -u` and `git apply` know them, of one part of a file at a time."""

from collections.abc import Iterator
from difflib import SequenceMatcher

_CONTEXT = 3


def file_header(name: str) -> str:
    """The two lines that begin the diff of a file."""
    return f"--- a/{name.lstrip('/')}\n+++ b/{name.lstrip('/')}\n"


def hunks(before: str, after: str, line: int, shift: int) -> str:
    """The hunks of a part that begins at a line of the old file; the new file has so far `shift` lines more."""
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    return "".join(
        text for group in matcher.get_grouped_opcodes(_CONTEXT) for text in _hunk(group, old, new, line, shift)
    )


def _hunk(
    group: list[tuple[str, int, int, int, int]], old: list[str], new: list[str], line: int, shift: int
) -> Iterator[str]:
    (_, old_start, _, new_start, _), (_, _, old_end, _, new_end) = group[0], group[-1]
    old_range = _range(line + old_start, old_end - old_start)
    new_range = _range(line + shift + new_start, new_end - new_start)
    yield f"@@ -{old_range} +{new_range} @@\n"
    for tag, first, last, new_first, new_last in group:
        if tag == "equal":
            yield from (_ended(" ", text) for text in old[first:last])
        else:
            yield from (_ended("-", text) for text in old[first:last])
            yield from (_ended("+", text) for text in new[new_first:new_last])


def _range(start: int, length: int) -> str:
    if length == 1:
        return str(start)
    return f"{start if length else start - 1},{length}"


def _ended(mark: str, text: str) -> str:
    return mark + text if text.endswith("\n") else f"{mark}{text}\n\\ No newline at end of file\n"
