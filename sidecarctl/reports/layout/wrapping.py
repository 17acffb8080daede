"""Lines no longer than a terminal is wide."""

from collections.abc import Iterator


def wrapped(text: str, width: int, indent: int = 0) -> Iterator[str]:
    """The text in lines that break at spaces; a word longer than a line is not broken.

    Lines after the first begin with `indent` spaces.
    """
    if len(text) <= width:
        yield text
        return
    line = text[: len(text) - len(text.lstrip())]
    is_empty = True
    for word in text.split(" "):
        if not word and is_empty:
            continue
        if not is_empty and len(line) + 1 + len(word) > width:
            yield line.rstrip()
            line, is_empty = " " * indent, True
        line += word if is_empty else f" {word}"
        is_empty = is_empty and not word
    yield line
