"""Markdown that fits into a pull request comment, whatever its content."""

from hypothesis import given
from hypothesis import strategies as st

from sidecarctl.render.markdown import MOST_CHARACTERS, fitting

LENGTHS = st.lists(st.integers(1, MOST_CHARACTERS + 5), max_size=5)


@given(LENGTHS, LENGTHS)
def test_it_is_never_longer_than_a_comment_may_be(head: list[int], sections: list[int]) -> None:
    lines = "".join("h" * length + "\n" for length in head)
    text = fitting(lines, ["s" * length + "\n" for length in sections], "set")
    assert len(text) <= MOST_CHARACTERS
    whole = lines + "".join("\n" + "s" * length + "\n" for length in sections)
    assert text == whole or text.endswith(("too long for a comment.\n", "(shortened)\n"))


def test_sections_that_do_not_fit_are_counted() -> None:
    assert fitting("a\n", ["b\n", "c" * MOST_CHARACTERS, "d\n"], "set") == (
        "a\n\nb\n\n2 more sets: too long for a comment.\n"
    )


def test_a_head_that_does_not_fit_ends_with_a_whole_line() -> None:
    text = fitting("one line\n" * MOST_CHARACTERS, ["b\n"], "set")
    assert text.endswith("one line\n\n(shortened)\n")


def test_a_head_that_is_cut_closes_what_is_open() -> None:
    text = fitting("<details><summary>pods</summary>\n" + "word\n" * MOST_CHARACTERS, [], "section")
    assert len(text) <= MOST_CHARACTERS
    assert text.endswith("\nword\n</details>\n\n(shortened)\n")
