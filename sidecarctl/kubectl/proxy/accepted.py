"""What a proxy lets through: regular expressions for the options of `kubectl proxy`.

Its patterns are found anywhere in a text unless they are anchored, an option's value is split at commas, the path is
matched without its query, and every accepted path is accepted with every method that is not rejected.
"""

from collections.abc import Iterable, Iterator

METHODS = ("GET", "PATCH")
"""The methods that a proxy lets through; it must reject the others, since it can only accept paths."""


def accepted_paths(paths: Iterable[str]) -> str:
    """The value of --accept-paths for paths of the API, in which `*` is any one segment."""
    return ",".join(f"^{'/'.join(map(_segment, path.split('/')))}$" for path in paths)


def rejected_methods() -> str:
    """The value of --reject-methods for all but METHODS: the expressions of Go have no "other than this"."""
    return ",".join(_others(""))


def _segment(text: str) -> str:
    return "[^/]+" if text == "*" else "".join(map(_literal, text))


def _literal(character: str) -> str:
    """A character that means itself, and is no comma."""
    is_plain = character.isascii() and (character.isalnum() or character in "-_")
    code = ord(character)
    return character if is_plain else f"\\x{code:02x}" if code < 256 else f"\\x{{{code:x}}}"


def _others(begin: str) -> Iterator[str]:
    """Patterns for every text with this beginning that is none of METHODS."""
    following = sorted({method[len(begin)] for method in METHODS if method.startswith(begin) and method != begin})
    if begin in METHODS:
        yield f"^{begin}."
    else:
        yield f"^{begin}$"
        yield f"^{begin}[^{''.join(following)}]"
    for character in following:
        yield from _others(begin + character)
