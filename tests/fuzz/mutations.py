"""Mutations of lines: what keeps a manifest nearly one, where single bytes would only break it."""

import random

_LINES = [
    "",
    "   ",
    "# comment",
    "        # comment",
    "---",
    "...",
    "- - a",
    "? key",
    ": value",
    "<<: *a",
    "key: |+",
    "key: >-",
    "key: &a",
    "  - {a: [b,}",
    "metadata:",
    "volumes: []",
    "volumes: ~",
    "annotations: &a {}",
    "\t",
    "            \t",
    "            \t# comment",
]
_PIECES = [
    " ",
    "  ",
    "\t",
    "&a ",
    "*a",
    "!!map ",
    "|",
    ">2-",
    "- ",
    "? ",
    ": ",
    "{",
    "}",
    "[",
    "]",
    ",",
    "'",
    '"',
    "#",
]
_PIECES += [" # c", "\r", "\\", "\ufeff", "\u2028", "\x85", "\xa0", "\0", "{}", "[]", "null", "<<: ", "'b'", '"b"']


def mutated(data: bytes, chance: random.Random) -> bytes:
    """The text with a few of its lines changed."""
    lines = data.decode(errors="replace").split("\n")
    for _ in range(chance.randrange(1, 4)):
        at = chance.randrange(len(lines))
        match chance.randrange(7):
            case 0:
                lines.insert(at, chance.choice(_LINES))
            case 1:
                lines.insert(at, lines[chance.randrange(len(lines))])
            case 2 if len(lines) > 1:
                del lines[at]
            case 3:
                lines[at] = " " * chance.randrange(4) + lines[at]
            case 4:
                lines[at] = lines[at][chance.randrange(3) :]
            case 5:
                lines[at] += chance.choice(["\r", " ", "  # c", "\t", ""])
            case _:
                place = chance.randrange(len(lines[at]) + 1)
                lines[at] = lines[at][:place] + chance.choice(_PIECES) + lines[at][place:]
    return "\n".join(lines).encode()
