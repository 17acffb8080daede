"""Unified diffs, as for `diff -u` and `git apply`, of files that arrive in parts.

Only line feeds end lines, as for those programs. A hunk may continue in the next part: without context lines after
its last change it would mean the end of the file.
"""

from difflib import SequenceMatcher

_CONTEXT = 3
_LONG = 20_000
"""Lines after which a hunk is closed early, even between nearby changes: it is held in memory."""


def file_header(name: str) -> str:
    """The two header lines of the diff of a file; line breaks in its name are quoted."""
    return f"--- {quoted_name('a/' + name.lstrip('/'))}\n+++ {quoted_name('b/' + name.lstrip('/'))}\n"


def hunks(before: str, after: str) -> str:
    """The hunks of a text."""
    diff = UnifiedDiff()
    return diff.add(before, after) + diff.end()


class UnifiedDiff:
    """The hunks of a file, each as soon as it is complete."""

    def __init__(self) -> None:
        self._hunk: list[str] = []
        self._equal: list[str] = []  # the lines since the last change
        self._old, self._new = 1, 1  # the numbers of the next lines
        self._begin = (1, 1)
        self._rest = ("", "")  # a part whose last line may go on in the next

    def add(self, before: str, after: str) -> str:
        """Add the next part; returns the hunks that it completes."""
        before, after = self._rest[0] + before, self._rest[1] + after
        is_whole = before.endswith("\n") and after.endswith("\n")
        self._rest = ("", "") if is_whole else (before, after)
        return self._compared(before, after) if is_whole else ""

    def end(self) -> str:
        """The remaining hunks, once the file is complete."""
        text = self._compared(*self._rest)
        return text + self._closed(_CONTEXT) if self._hunk else text

    def _compared(self, before: str, after: str) -> str:
        old = _lines(before)
        if before == after:
            return self._same(old)
        new, text = _lines(after), ""
        for tag, first, last, new_first, new_last in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
            if tag == "equal":
                text += self._same(old[first:last])
            else:
                text += self._change(old[first:last], new[new_first:new_last])
        return text

    def _same(self, lines: list[str]) -> str:
        self._old += len(lines)
        self._new += len(lines)
        self._equal += lines
        text = self._closed(_CONTEXT) if self._hunk and len(self._equal) > 2 * _CONTEXT else ""
        if not self._hunk:
            del self._equal[:-_CONTEXT]
        return text

    def _change(self, old: list[str], new: list[str]) -> str:
        is_long = len(self._hunk) > _LONG and len(self._equal) > 1
        text = self._closed(len(self._equal) // 2) if is_long else ""
        if not self._hunk:
            self._begin = (self._old - len(self._equal), self._new - len(self._equal))
        self._hunk += [
            _ended(mark, line) for mark, lines in ((" ", self._equal), ("-", old), ("+", new)) for line in lines
        ]
        self._equal = []
        self._old += len(old)
        self._new += len(new)
        return text

    def _closed(self, context: int) -> str:
        """The hunk with some of the lines after its last change; the others are left for the next hunk."""
        lines = [*self._hunk, *(_ended(" ", line) for line in self._equal[:context])]
        del self._equal[:context]
        self._hunk = []
        old, new = (
            _range(start, sum(line[0] in marks for line in lines))
            for start, marks in zip(self._begin, (" -", " +"), strict=True)
        )
        return f"@@ -{old} +{new} @@\n{''.join(lines)}"


def _lines(text: str) -> list[str]:
    lines = [f"{line}\n" for line in text.split("\n")]
    last = lines.pop()[:-1]
    return [*lines, last] if last else lines


def _range(start: int, length: int) -> str:
    if length == 1:
        return str(start)
    return f"{start if length else start - 1},{length}"


def _ended(mark: str, text: str) -> str:
    return mark + text if text.endswith("\n") else f"{mark}{text}\n\\ No newline at end of file\n"


_LETTERS = {"\a": "a", "\b": "b", "\t": "t", "\n": "n", "\v": "v", "\f": "f", "\r": "r", '"': '"', "\\": "\\"}


def quoted_name(name: str) -> str:
    """The name, quoted if it has spaces, quotes or unprintable characters.

    The latter are written as their bytes, in three octal digits each. Bytes that are not UTF-8 appear in the name as
    Python reads them from the file system.
    """
    # Bytes that Python could not decode in the user's locale are decoded as UTF-8, if valid.
    text = name.encode(errors="surrogateescape").decode(errors="surrogateescape")
    escaped = "".join(map(_escaped, text))
    return f'"{escaped}"' if escaped != text or " " in text else text


def _escaped(character: str) -> str:
    if character in _LETTERS:
        return f"\\{_LETTERS[character]}"
    if character.isprintable():
        return character
    return "".join(f"\\{byte:03o}" for byte in character.encode(errors="surrogateescape"))
