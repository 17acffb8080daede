"""Unified diffs of files that come part by part."""

import re
import subprocess
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecarctl.render import unified_diff
from sidecarctl.render.unified_diff import UnifiedDiff, file_header, hunks

LINES = st.lists(st.sampled_from(["a\n", "b\n", "c\rd\n", "\n", "e\u2028f\n"]), max_size=12).map("".join)
PARTS = st.lists(LINES.map(lambda text: (text, text)) | st.tuples(LINES, LINES), max_size=5)
_HEADER = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@\n")


def diff_of(parts: list[tuple[str, str]]) -> str:
    diff = UnifiedDiff()
    return "".join(diff.add(*part) for part in parts) + diff.end()


def applied(diff: str, before: str) -> str:
    """The text after a diff, which must fit to the line."""
    old, new = lines_of(before), list[str]()
    done = 0
    begins = [found.start() for found in re.finditer(r"^@@ ", diff, re.MULTILINE)]
    for begin, end in pairwise([*begins, len(diff)]):
        header = _HEADER.match(diff, begin)
        assert header
        lines = lines_of(diff[header.end() : end].replace("\n\\ No newline at end of file\n", ""))
        size, new_size = (int(header[group] or 1) for group in (2, 4))
        first = int(header[1]) - bool(size)
        taken = [line[1:] for line in lines if line[0] in " -"]
        new += old[done:first]
        assert old[first : first + size] == taken
        assert (len(taken), int(header[3]) - bool(new_size)) == (size, len(new))
        new += [line[1:] for line in lines if line[0] in " +"]
        done = first + size
    return "".join(new + old[done:])


def lines_of(text: str) -> list[str]:
    return [line for line in re.split("(?<=\n)", text) if line]


@given(PARTS, st.sampled_from(["", "x"]), st.integers(0, 10))
def test_what_comes_out_makes_the_new_of_the_old(parts: list[tuple[str, str]], end: str, long: int) -> None:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(unified_diff, "_LONG", long)
        diff = diff_of([*parts, (end, end)])
    before, after = ("".join(texts) + end for texts in zip(*parts, strict=True)) if parts else (end, end)
    assert applied(diff, before) == after
    assert not diff or any(old != new for old, new in parts)


@given(LINES, LINES, st.integers(0, 30))
def test_parts_may_end_within_a_line(before: str, after: str, cut: int) -> None:
    parts = [(before[:cut], after[:cut]), (before[cut:], after[cut:])]
    assert applied(diff_of(parts), before) == after


def test_a_hunk_shows_lines_of_the_next_part() -> None:
    parts = [("1\n2\n3\n4\n", "1\n2\n3\n4\nnew\n"), ("---\n5\n6\n7\n", "---\n5\n6\n7\n")]
    assert diff_of(parts) == "@@ -2,6 +2,7 @@\n 2\n 3\n 4\n+new\n ---\n 5\n 6\n"


def test_changes_near_each_other_are_one_hunk() -> None:
    parts = [("1\n", "1\nnew\n"), ("---\n2\n", "---\n2\nnew\n")]
    assert diff_of(parts) == "@@ -1,3 +1,5 @@\n 1\n+new\n ---\n 2\n+new\n"


def test_without_a_last_line_feed() -> None:
    assert hunks("1", "1\n2\n") == "@@ -1 +1,2 @@\n-1\n\\ No newline at end of file\n+1\n+2\n"
    assert hunks("a\rb", "a\rc\rb") == (
        "@@ -1 +1 @@\n-a\rb\n\\ No newline at end of file\n+a\rc\rb\n\\ No newline at end of file\n"
    )


def test_git_takes_it(tmp_path: Path) -> None:
    document = "apiVersion: v1\nkind: Pod\nspec:\n  containers:\n  - name: a\n"
    parts = [(f"---\n{document}", f"---\n{document}  - name: {number}\n") for number in range(30)]
    text = file_header("pods.yaml") + diff_of(parts)
    (tmp_path / "pods.yaml").write_text("".join(before for before, _ in parts))
    subprocess.run(["git", "apply", "-"], input=text.encode(), check=True, cwd=tmp_path)
    assert (tmp_path / "pods.yaml").read_text() == "".join(after for _, after in parts)
