"""File names in diff headers, as GNU diff writes them and `patch` and `git apply` read them."""

_LETTERS = {"\a": "a", "\b": "b", "\t": "t", "\n": "n", "\v": "v", "\f": "f", "\r": "r", '"': '"', "\\": "\\"}


def quoted_name(name: str) -> str:
    """The name, quoted if it has spaces, quotes or unprintable characters.

    The latter are written as their bytes, in three octal digits each. Bytes that are not UTF-8 appear in the name as
    Python reads them from the file system.
    """
    text = as_utf8(name)
    escaped = "".join(map(_escaped, text))
    return f'"{escaped}"' if escaped != text or " " in text else text


def as_utf8(name: str) -> str:
    """The name, with bytes that Python could not decode in the user's locale decoded as UTF-8, if valid."""
    return name.encode(errors="surrogateescape").decode(errors="surrogateescape")


def _escaped(character: str) -> str:
    if character in _LETTERS:
        return f"\\{_LETTERS[character]}"
    if character.isprintable():
        return character
    return "".join(f"\\{byte:03o}" for byte in character.encode(errors="surrogateescape"))
