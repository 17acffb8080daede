"""Ugly text on purpose: a value is written in every style that YAML knows, with comments and blanks in between.

What is written here is what `sidecarctl.engine.documents` must read; nothing of it is used for writing.
"""

import json
import random
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from hypothesis import assume
from hypothesis import strategies as st

from sidecarctl.engine.facts.values import Object, Value

WORDS = [
    "y",
    "No",
    "on",
    "true",
    "null",
    "~",
    "0644",
    "1e3",
    "12:30",
    "2001-01-01",
    "0x1F",
    "1_000",
    ".5",
    "7403e430",
]
IN_FLOW = "# in flow"
BEHIND_COMMA = ", # c"
"""The comment between the items of flow collections."""
_LETTERS = st.characters(exclude_categories=["Cs"], exclude_characters="\ufeff")
SIMPLE = st.text("abcxyzTN01 ./-_", min_size=1, max_size=8)
STRINGS = (
    SIMPLE
    | st.sampled_from(
        [*WORDS, "", " ", "a: b", "a #b", "# a", "- a", "a\n", "a\n\n", "\na", "a\n  b\n", "a\tb", "{{ a }}"]
    )
    | st.text(st.sampled_from("ab \n:#'\"{}[],&*!|>%@`\\-?\t"), max_size=12)
    | st.text(_LETTERS, max_size=6)
)
KEYS = st.sampled_from(["name", "spec", "a", "b", "c", "env", "image", "x.y/z"]) | SIMPLE | STRINGS
NUMBERS = (
    st.booleans() | st.none() | st.integers(-(2**63), 2**63 - 1) | st.sampled_from([0, 8, 420, 1.5, -0.25, 1e21])
)
SCALARS = STRINGS | NUMBERS


def _collections(inner: st.SearchStrategy[Value]) -> st.SearchStrategy[Value]:
    return st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4)


VALUES = st.recursive(SCALARS, _collections, max_leaves=12)
SHARED = st.lists(st.dictionaries(st.sampled_from("abcd"), SCALARS, min_size=1, max_size=3), min_size=1, max_size=2)


@st.composite
def manifests(draw: st.DrawFn, least: int = 1) -> Object:
    """Mappings of a few levels, in which some branches come more than once (for aliases)."""
    shared = draw(SHARED)
    inner = st.recursive(SCALARS | st.sampled_from(shared), _collections, max_leaves=12)
    manifest: Object = draw(st.dictionaries(KEYS, inner, min_size=least, max_size=5))
    return manifest


class Ugly(NamedTuple):
    """A text, what it says, and what is special about it."""

    text: str
    value: Object
    features: frozenset[str]


@dataclass
class Writer:
    """Writes one value; every choice is the random generator's."""

    rng: random.Random
    anchored: list[tuple[str, Value]] = field(default_factory=list)
    features: set[str] = field(default_factory=set)
    in_scalar: bool = False  # the last line belongs to a block scalar, which would take in what is indented
    is_kept: bool = False  # ... whose blank lines at the end count
    names: int = 0
    comments: int = 25  # percent of the places that have one

    def chance(self, percent: int) -> bool:
        return self.rng.randrange(100) >= 100 - percent  # so that hypothesis shrinks to none

    def noise(self, lines: list[str], column: int) -> None:
        """Blank lines and comments between two lines."""
        if self.comments > 25:
            self.headed(lines, column)
            return
        while self.chance(self.comments):
            if self.in_scalar:
                if self.is_kept or self.chance(50):
                    lines.append("#comment after a block scalar")
                    self.in_scalar = False
                else:
                    lines.append("")
            else:
                blank = " " * self.rng.randrange(9)
                lines.append(self.rng.choice(["", blank, f"{blank}# a comment: {{x", f"{blank}#- name: 'x"]))

    def headed(self, lines: list[str], column: int) -> None:
        """Comments as people write them: deeper ones of what is before, a blank line, and one above what follows."""
        if self.chance(30) and not self.in_scalar:
            lines.append(" " * (column + 2) + "# a foot")
        if self.chance(50) and not self.in_scalar:
            lines.append("")
        if self.chance(self.comments):
            lines += [" " * column + "# a comment: {x"] * self.rng.randrange(1, 3)

    def comment(self) -> str:
        return self.rng.choice(["", "", "", "  ", " # why", "   #", " # a: 'b"])

    # block style

    def mapping(self, value: Object, column: int) -> list[str]:
        lines: list[str] = []
        for key, member in self.members(value):
            if lines:
                self.noise(lines, column)
            self.in_scalar = False
            if key is None:
                lines.append(f"{' ' * column}<<: {member}{self.comment()}")
                continue
            start = " " * column + self.line_string(key)
            if self.chance(4):
                self.features.add("explicit key")
                lines.append(f"{' ' * column}? {start[column:]}{self.comment()}")
                lines += self.behind(" " * column + ":", member, column)
            else:
                lines += self.behind(start + self.rng.choice(["", "", " ", "\t"]) + ":", member, column)
        return lines

    def members(self, value: Object) -> list[tuple[str | None, Value]]:
        """The members to write; None with an alias for a merge key."""
        for name, anchored in self.anchored:
            if isinstance(anchored, dict) and anchored and self.chance(40):
                same = {key for key in anchored if key in value and identical(anchored[key], value[key])}
                if anchored.keys() <= value.keys() and same:
                    self.features.add("merge")
                    own = [(key, member) for key, member in value.items() if key not in same]
                    return [(None, f"*{name}"), *own]
        return list(value.items())

    def sequence(self, items: list[Value], column: int) -> list[str]:
        lines: list[str] = []
        for item in items:
            if lines:
                self.noise(lines, column)
            self.in_scalar = False
            lines += self.behind(" " * column + "-", item, column, in_list=True)
        return lines

    def behind(self, start: str, value: Value, column: int, *, in_list: bool = False) -> list[str]:
        """The lines of a value behind its key or its dash."""
        for name, anchored in self.anchored:
            if identical(anchored, value) and self.chance(60):
                self.features.add("alias")
                return [f"{start} *{name}{self.comment()}"]
        head, name = self.head()
        lines = self.bare(start, head, value, column, in_list=in_list)
        if name:
            self.anchored.append((name, value))
        return lines

    def head(self) -> tuple[str, str]:
        """An anchor, mostly none."""
        if not self.chance(12):
            return "", ""
        self.names += 1
        self.features.add("anchor")
        return f" &a{self.names}", f"a{self.names}"

    def bare(self, start: str, head: str, value: Value, column: int, *, in_list: bool) -> list[str]:
        if isinstance(value, dict | list) and value and self.chance(75):
            return self.block(start, head, value, column, in_list=in_list)
        if value is None and not head and self.chance(40):
            return [start + self.comment()]
        if isinstance(value, str):
            scalar = self.block_scalar(value, column)
            if scalar and self.chance(50):
                return [f"{start}{head} {scalar[0]}", *scalar[1:]]
        text = self.inline(value, column)
        if self.chance(10):
            gap = [start + self.comment()]
            while self.chance(30):
                gap.append(self.rng.choice(["", "    # between"]))
            first, *rest = f"{' ' * (column + self.rng.randrange(1, 5))}{head[1:]} {text}".split("\n")
            return [*gap, first, *rest[:-1], rest[-1] + self.comment()] if rest else [*gap, first + self.comment()]
        first, *rest = f"{start}{head}{' ' * self.rng.choice([1, 1, 1, 3])}{text}".split("\n")
        return [first, *rest[:-1], rest[-1] + self.comment()] if rest else [first + self.comment()]

    def block(self, start: str, head: str, value: Value, column: int, *, in_list: bool) -> list[str]:
        """A block collection: below, or compact behind a dash."""
        if in_list and not head and self.chance(70):
            inner = len(start) + self.rng.choice([1, 1, 1, 3])
            lines = self.mapping(value, inner) if isinstance(value, dict) else self.sequence(value, inner)
            return [start + lines[0][len(start) :], *lines[1:]]
        is_level = isinstance(value, list) and not in_list and self.chance(40)
        inner = column if is_level else column + self.rng.randrange(1, 9)
        lines = [start + head + self.comment()]
        while self.chance(10):
            lines.append(self.rng.choice(["", " " * inner + "# first"]))
        return lines + (self.mapping(value, inner) if isinstance(value, dict) else self.sequence(value, inner))

    # scalars

    def inline(self, value: Value, column: int) -> str:
        if isinstance(value, dict | list):
            return self.flow(value, column)
        if isinstance(value, str):
            return self.string(value, column)
        return self.number(value)

    def number(self, value: Value) -> str:
        if value is None:
            return self.rng.choice(["~", "null", "Null", "NULL"])
        if isinstance(value, bool):
            words = ["y", "Yes", "YES", "on", "true", "True"] if value else ["n", "No", "NO", "off", "false", "FALSE"]
            return self.rng.choice(words)
        if isinstance(value, int) and value >= 0:
            return self.rng.choice([str(value), hex(value), f"0{value:o}", f"0o{value:o}", f"{value:_}", f"+{value}"])
        return repr(value)

    def string(self, text: str, column: int) -> str:
        """A string in one of its styles, some of them over several lines."""
        if self.chance(20) and text:
            at = self.rng.randrange(len(text) + 1)
            ends = [json_text(text[:at])[1:-1], json_text(text[at:])[1:-1]]
            if ends[1][:1] not in ("", " ", "\t") and not ends[0].endswith("\\"):
                return f'"{ends[0]}\\\n{" " * (column + 2)}{ends[1]}"'
        words = text.split(" ")
        if self.chance(20) and len(words) > 1 and all(is_plain(word) for word in words):
            gap = "\n" + " " * (column + 2)
            return self.rng.choice(
                [f"'{words[0]}{gap}{' '.join(words[1:])}'", f"{words[0]}{gap}{' '.join(words[1:])}"]
            )
        return self.line_string(text)

    def line_string(self, text: str, *, in_flow: bool = False) -> str:
        styles = [json_text(text), json_text(text)]
        if all(" " <= char <= "~" or "\xa1" <= char <= "\u1fff" for char in text):
            styles.append("'" + text.replace("'", "''") + "'")
        if is_plain(text) and not (in_flow and ":" in text):
            styles += [text, text, text]
        return self.rng.choice(styles)

    def block_scalar(self, text: str, column: int) -> list[str]:
        """A literal or folded scalar, header first; nothing for a string that none can hold."""
        lines = text.split("\n")
        if not all(" " <= char <= "~" or "\xa1" <= char <= "\u1fff" or char == "\n" for char in text):
            return []
        if not text.strip("\n") or any(line and not line.strip() for line in lines):
            return []
        body = text.rstrip("\n")
        newlines = len(text) - len(body)
        chomping = {0: "-", 1: ""}.get(newlines, "+")
        if newlines == 1 and self.chance(20):
            chomping = "+"
        step = self.rng.randrange(1, 9)
        needs_indicator = body.lstrip("\n")[:1] == " " or body[:1] == "\n"
        indicator = str(step) if needs_indicator or self.chance(20) else ""
        lines = [" " * (column + step) + line if line else "" for line in body.split("\n")]
        is_folded = len(lines) == 1 and self.chance(40) and body[:1] != " "
        if is_folded and "  " not in body and not body.endswith(" ") and self.chance(50):
            lines = [" " * (column + step) + word for word in body.split(" ")]
        if chomping == "+":
            lines += [""] * (newlines - 1)
        header = (">" if is_folded else "|") + self.rng.choice([indicator + chomping, chomping + indicator])
        self.in_scalar, self.is_kept = True, chomping == "+"
        self.features.add("block scalar")
        return [header + self.rng.choice(["", "", " # text", "  "]), *lines]

    # flow style

    def flow(self, value: Value, column: int) -> str:
        if not isinstance(value, dict | list):
            return self.line_string(value, in_flow=True) if isinstance(value, str) else self.number(value)
        gap = self.gap(column)
        comma = self.rng.choice(
            [",", ", ", " , ", f",{gap}" if gap else ", ", f"{BEHIND_COMMA}{gap}" if gap else ","]
        )
        blank = self.rng.choice(["", " "]) or gap
        parts = self.flow_parts(value, column)
        last = self.rng.choice(["", "", ","]) if parts else ""
        if gap and self.chance(self.comments - 25):
            return self.commented_flow(value, parts, gap)
        opening, closing = "{}" if isinstance(value, dict) else "[]"
        return f"{opening}{blank}{comma.join(parts)}{last}{blank}{closing}"

    def commented_flow(self, value: Value, parts: list[str], gap: str) -> str:
        """A flow collection with comments behind its bracket, commas and entries, and in their own lines."""
        line = gap[gap.rindex("\n") :]
        text, last = "", len(parts) - 1
        for index, part in enumerate(parts):
            comma = "" if index == last and self.chance(50) else ","
            text += part + self.rng.choice([comma, f" # in flow{line}{comma}" if comma else "", f"{comma} # in flow"])
            text += self.rng.choice([line, line, f"{line}# in flow{line}"])
        opening, closing = "{}" if isinstance(value, dict) else "[]"
        return f"{opening}{self.rng.choice(['', ' # in flow'])}{line}{text}{closing}"

    def flow_parts(self, value: Value, column: int) -> list[str]:
        if isinstance(value, list):
            return [self.flow_item(item, column) for item in value]
        parts = []
        for key, member in value.items():
            name = self.line_string(key, in_flow=True)
            colon = self.rng.choice([":", ": "]) if name[0] == '"' else ": "
            if member is None and self.chance(30):
                parts.append(self.rng.choice([name, f"{name}:"]) if name[0] in "'\"" else f"{name}: ")
            else:
                parts.append(f"{name}{colon}{self.flow(member, column)}")
        return parts

    def flow_item(self, item: Value, column: int) -> str:
        if isinstance(item, dict) and len(item) == 1 and self.chance(30):
            key, value = next(iter(item.items()))
            if value is not None and key:
                return f"{self.line_string(key, in_flow=True)}: {self.flow(value, column)}"
        return self.flow(item, column)

    def gap(self, column: int) -> str:
        if self.chance(60):
            return ""
        return self.rng.choice(["\n", "\n\n", f"\n     {IN_FLOW}\n"]) + " " * (column + self.rng.randrange(1, 5))


def json_text(text: str) -> str:
    """The string in double quotes, with escapes that YAML and JSON share."""
    escaped = json.dumps(text, ensure_ascii=False)
    return "".join(char if " " <= char <= "~" or "\xa1" <= char <= "\u1fff" else escape(char) for char in escaped)


def escape(char: str) -> str:
    """The character as an escape of YAML."""
    return f"\\U{ord(char):08x}" if ord(char) > 0xFFFF else f"\\u{ord(char):04x}"


def is_plain(text: str) -> bool:
    """Whether a string may surely stand without quotes."""
    inner = set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 ./-_:")
    words = {"y", "n", "yes", "no", "on", "off", "true", "false", "null"}
    return (
        text[:1].isalpha()
        and set(text) <= inner
        and text.lower() not in words
        and not text.endswith((" ", ":"))
        and ": " not in text
    )


def identical(item: Value, other: Value) -> bool:
    """Whether two values are the same, numbers and booleans told apart."""
    return json.dumps(item) == json.dumps(other)


def ugly_text(value: Object, rng: random.Random, comments: int = 25) -> Ugly:
    """One of the many texts of a document; `comments` is how many places have one, in percent."""
    writer = Writer(rng, comments=comments)
    lines = ["# head", "", "---  # begins"][rng.randrange(4) :] if rng.randrange(3) else []
    if not value or writer.chance(10):
        lines += writer.flow(value, 0).split("\n")
    else:
        lines += writer.mapping(value, rng.choice([0, 0, 0, 2]))
    writer.noise(lines, 0)
    is_kept = writer.in_scalar and writer.is_kept
    if writer.chance(10) and not is_kept:
        lines += ["...", "# after"]
    text = "\n".join(lines) + "\n"
    line_break = rng.choice(["\n", "\n", "\n", "\r\n", "\r", "mixed"])
    pieces = text.split("\n")
    breaks = [rng.choice(["\n", "\r\n"]) if line_break == "mixed" else line_break for _ in pieces]
    text = "".join(piece + end for piece, end in zip(pieces[:-1], breaks, strict=False))
    if rng.randrange(5) == 0 and not is_kept:
        text = text.removesuffix("\n").removesuffix("\r")
        writer.features.add("open end")
    if rng.randrange(10) == 0:
        text = "\ufeff" + text
        writer.features.add("byte order mark")
    return Ugly(text, value, frozenset(writer.features))


@st.composite
def ugly_documents(draw: st.DrawFn) -> Ugly:
    """Documents with what they say; none that is JSON but for its comments, since such a text is refused."""
    ugly = ugly_text(draw(manifests()), draw(st.randoms(use_true_random=False)))
    plain = ugly.text.replace(IN_FLOW, "").replace(BEHIND_COMMA, ",")
    assume(plain == ugly.text or not is_json(plain))
    return ugly


def without_lists_in_lists(value: Value) -> Any:
    """The value with a mapping around each list that is an item of a list: no field of the API is a list of lists."""
    if isinstance(value, dict):
        return {key: without_lists_in_lists(member) for key, member in value.items()}
    if not isinstance(value, list):
        return value
    items = map(without_lists_in_lists, value)
    return [{"items": item} if isinstance(item, list) else item for item in items]


@st.composite
def commented_documents(draw: st.DrawFn) -> Ugly:
    """Documents with comments nearly everywhere."""
    manifest = without_lists_in_lists(draw(manifests(2)))
    return ugly_text(manifest, draw(st.randoms(use_true_random=False)), comments=95)


def is_json(text: str) -> bool:
    """Whether a text is JSON; a byte order mark may come before it."""
    try:
        json.loads(text.removeprefix("\ufeff"))
    except ValueError:
        return False
    return True
