"""File names in the headers of a diff, as GNU diff writes them and `patch` and `git apply` read them."""

_LETTERS = {"\a": "a", "\b": "b", "\t": "t", "\n": "n", "\v": "v", "\f": "f", "\r": "r", '"': '"', "\\": "\\"}


def quoted_name(name: str) -> str:
    """The name, in quotes where it has blanks, quotes, or what would not show as itself.

    The latter is written as the numbers of its bytes in three octal digits. Bytes that are not UTF-8 stand in the
    name as Python reads them from the file system.
    """
    text = as_utf8(name)
    escaped = "".join(map(_escaped, text))
    return f'"{escaped}"' if escaped != text or " " in text else text


def as_utf8(name: str) -> str:
    """The name with the bytes that Python could not read in the user's locale read as UTF-8, where they are that."""
    return name.encode(errors="surrogateescape").decode(errors="surrogateescape")


def _escaped(character: str) -> str:
    if character in _LETTERS:
        return f"\\{_LETTERS[character]}"
    if character.isprintable():
        return character
    return "".join(f"\\{byte:03o}" for byte in character.encode(errors="surrogateescape"))
