"""Lines are found without a pattern where line feeds alone end them, and are those that the pattern finds."""

from hypothesis import given
from hypothesis import strategies as st

from sidecarctl.engine.documents.reading.text_lines import LINE_BREAK, line_break_before, line_start, next_line

texts = st.text(st.sampled_from("ab\n"), max_size=9) | st.text(st.sampled_from("aé\n\r\x85\u2028"), max_size=9)


def starts(text: str) -> list[int]:
    return [0, *(found.end() for found in LINE_BREAK.finditer(text))]


@given(texts, st.data())
def test_where_lines_begin(text: str, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(text)))
    after = [start for start in starts(text) if start > at]
    if text[at - 1 : at + 1] != "\r\n":  # nobody asks between the two
        assert next_line(text, at) == (after[0] if after else len(text))
        assert line_start(text, at) == max(start for start in starts(text) if start <= at)


@given(texts)
def test_how_lines_end(text: str) -> None:
    common = [found[0] for found in LINE_BREAK.finditer(text) if found[0] in {"\n", "\r\n", "\r"}]
    for found in LINE_BREAK.finditer(text):
        expected = found[0] if found[0] in {"\n", "\r\n", "\r"} else (common or ["\n"])[0]
        assert line_break_before(text, found.end()) == expected
