"""The rules of editing as a table: text before, edits, text after; and the additions undone."""

import pytest

from sidecarctl.engine.documents.editing.document_edits import edited_text, prove
from sidecarctl.engine.documents.reading.document import Reader
from sidecarctl.engine.facts.errors import ImpossibleError
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Edit, Value, applied
from tests.engine.documents.random_edits import undone
from tests.engine.documents.readers import pyyaml_value


def put(*path: str | int, value: Value = "new") -> Edit:
    return Edit("set", path, value)


def insert(*path: str | int, value: Value = "new") -> Edit:
    return Edit("insert", path, value)


def remove(*path: str | int) -> Edit:
    return Edit("remove", path)


ADDITIONS: dict[str, tuple[str, list[Edit], str]] = {
    # new members and items
    "behind the last scalar": ("a: 1\n", [put("b")], "a: 1\nb: new\n"),
    "before trailing comments": ("a: 1 # c\n# d\n", [put("b")], "a: 1 # c\nb: new\n# d\n"),
    "behind comments further right": ("a:\n  b: 1\n    # c\n", [put("a", "x")], "a:\n  b: 1\n    # c\n  x: new\n"),
    "behind blank lines and comments further right": (
        "a:\r\n- b: 1\r\n\r\n   # c\r\n\r\n # d\r\n# e\r\n # f\r\n- x\r\n",
        [insert("a", 1)],
        "a:\r\n- b: 1\r\n\r\n   # c\r\n\r\n # d\r\n- new\r\n# e\r\n # f\r\n- x\r\n",
    ),
    "behind a tab, then comments further right": (
        "a:\n- x\n \t# c\n  # d\nb: 1\n",
        [insert("a", 1)],
        "a:\n- x\n \t# c\n  # d\n- new\nb: 1\n",
    ),
    "in two collections, each behind its comments": (
        "a:\n- b: 1\n   # c\n  # d\n # e\n# f",
        [put("a", 0, "m"), insert("a", 1)],
        "a:\n- b: 1\n   # c\n  m: new\n  # d\n # e\n- new\n# f",
    ),
    "behind the foot of an item": ("- x\n# c\n\n- y\n", [insert(1)], "- x\n# c\n\n- new\n- y\n"),
    "behind a comment that describes all items": ("a:\n# c\n\n- x\n", [insert("a", 0)], "a:\n# c\n\n- new\n- x\n"),
    "first, behind comments further right": (
        "a:\n   # c\n # d\n - x\n",
        [insert("a", 0)],
        "a:\n   # c\n - new\n # d\n - x\n",
    ),
    "behind a comment below the last item, before a blank line": (
        "a:\n- x\n# c\n\nb: 1\n",
        [insert("a", 1)],
        "a:\n- x\n- new\n# c\n\nb: 1\n",
    ),
    "before blank lines": ("a: 1\n\n\n", [put("b")], "a: 1\nb: new\n\n\n"),
    "behind a literal": ("a: |\n  x\n# c\n", [put("b")], "a: |\n  x\nb: new\n# c\n"),
    "behind a literal's blank lines": ("a: |\n  x\n\n# c\n", [put("b")], "a: |\n  x\n\nb: new\n# c\n"),
    "behind blank lines that are text": ("a: |+\n  x\n\n\n", [put("b")], "a: |+\n  x\n\n\nb: new\n"),
    "behind folded blank lines": ("a: >+\n  x\n\n\n", [put("b")], "a: >+\n  x\n\n\nb: new\n"),
    "behind an indented literal": ("a: |2-\n    x\nc: 1\n", [put("b")], "a: |2-\n    x\nc: 1\nb: new\n"),
    "behind a plain scalar over lines": ("a: x\n  y\n\n  z # c\n", [put("b")], "a: x\n  y\n\n  z # c\nb: new\n"),
    "behind a line of tabs": ("a: x\n\n  \t\n# c\n", [put("b")], "a: x\n\n  \t\nb: new\n# c\n"),
    "behind a comment after a tab": ("a: x\n  \t# c\n", [put("b")], "a: x\n  \t# c\nb: new\n"),
    "behind a quoted scalar over lines": ('a: "x\n  y"  \n', [put("b")], 'a: "x\n  y"  \nb: new\n'),
    "behind an absent value": ("a:\n", [put("b")], "a:\nb: new\n"),
    "behind an absent value with a comment": ("a: # c\n# d\n", [put("b")], "a: # c\nb: new\n# d\n"),
    "behind an absent item": ("a:\n- x\n-\n", [insert("a", 2)], "a:\n- x\n-\n- new\n"),
    "behind an anchor without a value": ("a: &x\nb: 1\n", [put("c")], "a: &x\nb: 1\nc: new\n"),
    "without a final newline": ("a: 1", [put("b")], "a: 1\nb: new"),
    "without a final newline, behind a comment": ("a: 1\n# c", [put("b")], "a: 1\nb: new\n# c"),
    "CRLF": ("a: 1\r\nb:\r\n- x\r\n", [insert("b", 1)], "a: 1\r\nb:\r\n- x\r\n- new\r\n"),
    "CRLF without a final newline": ("a: 1\r\nb: 2", [put("c")], "a: 1\r\nb: 2\r\nc: new"),
    "CR": ("a: 1\rb: 2\r", [put("c")], "a: 1\rb: 2\rc: new\r"),
    "the line end of the line before": ("a:\r\n- x\r\nb: 1\n", [insert("a", 1)], "a:\r\n- x\r\n- new\r\nb: 1\n"),
    "no line end that only old YAML knows": ("a: 1 # c\u2028b: 2", [put("c")], "a: 1 # c\u2028b: 2\nc: new"),
    "a byte order mark": ("\ufeffa: 1\n", [put("b")], "a: 1\nb: new\n"),
    "an end marker": ("a: 1\n...\n# c\n", [put("b")], "a: 1\nb: new\n...\n# c\n"),
    "content on the marker line": ("--- {a: 1}\n", [put("b")], "--- {a: 1, b: new}\n"),
    "a tag on the marker line": ("--- !!map\na: 1\n", [put("b")], "--- !!map\na: 1\nb: new\n"),
    "a literal key without a value": ("? |\n  a\nb: 1\n", [put("c")], "? |\n  a\nb: 1\nc: new\n"),
    "behind a literal key without a value": (
        "x:\n  ? |\n    a\nb: 1\n",
        [put("x", "c")],
        "x:\n  ? |\n    a\n  c: new\nb: 1\n",
    ),
    # indentation and lists
    "a list that is not indented": ("a:\n- x\nb: 1\n", [insert("a", 1)], "a:\n- x\n- new\nb: 1\n"),
    "an indented list": ("a:\n    - x\n", [insert("a", 1)], "a:\n    - x\n    - new\n"),
    "wide dashes": ("a:\n-   x: 1\n", [insert("a", 1, value={"v": 1, "z": 2})], "a:\n-   x: 1\n-   v: 1\n    z: 2\n"),
    "the first item, before head comments": ("a: # k\n# h\n- x\n", [insert("a", 0)], "a: # k\n- new\n# h\n- x\n"),
    "the first item, behind anchors": ("a: &l # k\n\n- x\n", [insert("a", 0)], "a: &l # k\n- new\n\n- x\n"),
    "the first item of a compact list": ("- - x\n  - y\n", [insert(0, 0)], "- - new\n  - x\n  - y\n"),
    "between items, before comments": ("- x\n# c\n- y\n", [insert(1)], "- x\n- new\n# c\n- y\n"),
    "several at one place": ("- x\n", [insert(1, value=1), insert(1, value=2)], "- x\n- 1\n- 2\n"),
    "in the depth and behind it": (
        "a:\n- b: 1\n",
        [put("a", 0, "c"), insert("a", 1)],
        "a:\n- b: 1\n  c: new\n- new\n",
    ),
    "the file's indentation": (
        "a:\n    b:\n    - x\n",
        [put("a", "c", value={"d": {"e": [1]}})],
        "a:\n    b:\n    - x\n    c:\n        d:\n            e:\n            - 1\n",
    ),
    "a dash in a line of its own": ("-\n  a: 1\n", [put(0, "b")], "-\n  a: 1\n  b: new\n"),
    "a comment behind a dash": ("- # c\n  a: 1\n", [put(0, "b")], "- # c\n  a: 1\n  b: new\n"),
    "an explicit key": ("? a\n: b: 1\n", [put("a", "c")], "? a\n: b: 1\n  c: new\n"),
    "beside explicit keys": ("? a\n: 1\n", [put("b")], "? a\n: 1\nb: new\n"),
    "quoted keys": ("\"a\":\n  'b': 1\n", [put("a", "c")], "\"a\":\n  'b': 1\n  c: new\n"),
    # flow style and JSON
    "in flow": ("a: [x, y]\n", [insert("a", 2)], "a: [x, y, new]\n"),
    "first in flow": ("a: [x, y]\n", [insert("a", 0)], "a: [new, x, y]\n"),
    "between in flow": ("a: [x,y]\n", [insert("a", 1)], "a: [x,new,y]\n"),
    "a trailing comma": ("a: [x, y,]\n", [insert("a", 2)], "a: [x, y, new,]\n"),
    "a comment in flow": ("a: [\n  x # c\n]\n", [insert("a", 1)], "a: [\n  x, # c\n  new\n]\n"),
    "behind a comma and its comment": (
        "{\n  a: {b: 1}, # c\n  # d\n}\n",
        [put("x")],
        "{\n  a: {b: 1}, # c\n  x: new,\n  # d\n}\n",
    ),
    "in flow behind a comma and blanks": (
        "a: {b: 1 , c: 2,\n  # c\n}\n",
        [put("a", "d")],
        "a: {b: 1 , c: 2, d: new ,\n  # c\n}\n",
    ),
    "between comments in flow": (
        "a: [ # c\r\n  x, # d\r\n  # e\r\n  y # f\r\n  # g\r\n]\r\n",
        [insert("a", 0, value="n0"), insert("a", 1, value="n1"), insert("a", 2, value="n2")],
        "a: [ # c\r\n  n0,\r\n  x, # d\r\n  n1,\r\n  # e\r\n  y, # f\r\n  n2\r\n  # g\r\n]\r\n",
    ),
    "before the comments of the first entry": (
        "a: [ # c\n  # d\n  x]\n",
        [insert("a", 0)],
        "a: [ # c\n  new,\n  # d\n  x]\n",
    ),
    "behind an entry with a comment below": (
        "a: [\n  x\n  # c\n]\n",
        [insert("a", 1)],
        "a: [\n  x,\n  new\n  # c\n]\n",
    ),
    "behind a comment, before a comma": ("a: [x # c\n, y]\n", [insert("a", 1)], "a: [x # c\n, new, y]\n"),
    "flow over lines": ("a: {\n  b: 1\n}\n", [put("a", "c")], "a: {\n  b: 1,\n  c: new\n}\n"),
    "flow with quotes": ('a: {"b":1}\n', [put("a", "c", value=[1, 2])], 'a: {"b":1,"c":[1,2]}\n'),
    "a bare key in flow": ("a: {b: , c}\n", [put("a", "d")], "a: {b: , c, d: new}\n"),
    "a pair without value before a bracket": ("a: [ b: ]\n", [insert("a", 1)], "a: [ b: , new]\n"),
    "a pair without value, alone in its line": ("a: [\n  b:\n]\n", [insert("a", 1)], "a: [\n  b:\n,\n  new]\n"),
    "a bare key before a bracket": ('[{"a": 1 , "b"}]\n', [put(0, "c")], '[{"a": 1 , "b" , "c": "new"}]\n'),
    "a bare tag before a bracket": ("a: [x,!!str ]\n", [insert("a", 2)], "a: [x,!!str ,new]\n"),
    "a comment in empty brackets": ("a: [\n  # c\n  ]\n", [insert("a", 0)], 'a: [\n  "new"\n  # c\n  ]\n'),
    "JSON on one line": ('{"a":{"b":1}}', [put("a", "c")], '{"a":{"b":1,"c":"new"}}'),
    "JSON over lines": (
        '{\n  "a": [\n    1\n  ]\n}\n',
        [insert("a", 1, value={"b": []})],
        '{\n  "a": [\n    1,\n    {\n      "b": []\n    }\n  ]\n}\n',
    ),
    # texts that need quotes
    "words of other readers": (
        "a: 1\n",
        [put("b", value=["no", "0644", "1e3", "~"])],
        'a: 1\nb:\n  - "no"\n  - "0644"\n  - "1e3"\n  - "~"\n',
    ),
    "a literal": ("a: 1\n", [put("b", value="x\ny\n")], "a: 1\nb: |\n  x\n  y\n"),
    "a literal before a comment is quoted": ("a: 1\n# c\n", [put("b", value="x\ny")], 'a: 1\nb: "x\\ny"\n# c\n'),
}

CHANGES: dict[str, tuple[str, list[Edit], str]] = {
    # values exchanged
    "a scalar, its comment kept": ("a: 1 # c\n", [put("a", value=2)], "a: 2 # c\n"),
    "the quotes taken over": ("a: 'x'\n", [put("a", value="y")], "a: 'y'\n"),
    "a quoted scalar becomes several lines": ("a: 'x'\n# c\n", [put("a", value="y\nz\n")], 'a: "y\\nz\\n"\n# c\n'),
    "an empty mapping, its comment kept": ("a: {} # c\nb: 1\n", [put("a", "x")], "a: # c\n  x: new\nb: 1\n"),
    "an empty list": ("a: [ ]\n", [insert("a", 0)], "a:\n  - new\n"),
    "null": ("a: ~ # c\n", [put("a", value=[1])], "a: # c\n  - 1\n"),
    "nothing": ("a: # c\nb: 1\n", [put("a", value={"x": 1})], "a: # c\n  x: 1\nb: 1\n"),
    "nothing with comments further right": (
        "a:\n    # c\n  # d\n",
        [put("a", value={"x": "new"})],
        "a:\n    # c\n  x: new\n  # d\n",
    ),
    "nothing with comments below": ("a:\n  # c\nb: 1\n", [put("a", value=[1])], "a:\n  - 1\n  # c\nb: 1\n"),
    "a literal": ("a: |\n  x\n\nb: 1\n", [put("a", value="v")], "a: v\nb: 1\n"),
    "a value in the next line": ("a:\n  x # c\nb: 1\n", [put("a", value="v")], "a: v\nb: 1\n"),
    "a value above a line of tabs": ("a: x\n  \t\n# c\n", [put("a", value="y\nz")], 'a: "y\\nz"\n# c\n'),
    "a value above a comment after a tab": ("a: x\n \t# c\n", [put("a", value=[1])], "a:\n    # c\n  - 1\n"),
    "a value in the next line, above tabs": ("a:\n  x\n \t# c\n", [put("a", value=[1])], "a:\n   # c\n  - 1\n"),
    "a block that ends above tabs": ("- - x\n    \t# c\n", [put(0, value=1)], "- 1\n# c\n"),
    "a block by a scalar": ("a:\n  b: 1\n  # c\nd: 1\n", [put("a", value=1)], "a: 1\n  # c\nd: 1\n"),
    "an item behind two dashes, below": ("- -\n    a: 1\n  - b\n", [put(0, value="x")], "- x\n"),
    "a quoted item": ("- 'a' # c\n", [put(0, value="b")], "- 'b' # c\n"),
    "a compact mapping": ("- a: 1\n  b: 2\n- c\n", [put(0, value="x")], "- x\n- c\n"),
    "a bare key in flow": ("a: {b: , c}\n", [put("a", "c", value=1)], "a: {b: , c: 1}\n"),
    "a key without value in flow": ("a: {b: , c}\n", [put("a", "b", value=1)], "a: {b: 1 , c}\n"),
    "in flow": ("a: [x, {b: 1}]\n", [put("a", 1, "b", value=2)], "a: [x, {b: 2}]\n"),
    "in flow behind a comment": ("a: &x # c\n  {b: 1}\n", [put("a", "d", value=2)], "a: &x # c\n  {b: 1, d: 2}\n"),
    "empty, with an anchor and a tag": (
        "a: &x !!map {}\nb: &l  [] # c\nc: !!map  {}\nd: &s\n",
        [put("a", "k"), insert("b", 0), put("c", value="s"), put("d", value=["i"])],
        "a: &x !!map\n  k: new\nb: &l  # c\n  - new\nc: s\nd:\n  - i\n",
    ),
    "an alias to edit": ("a: &x {b: 1}\nc: *x\n", [put("c", "d")], "a: &x {b: 1}\nc:\n  b: 1\n  d: new\n"),
    # what aliases depend on
    "an anchored branch": ("a: &x\n  b: 1\nc: *x\n", [put("a", "d")], 'a: &x\n  b: 1\n  d: new\nc: {"b": 1}\n'),
    "an anchor taken out": ("a: &x 1\nb: *x\n", [remove("a")], "b: 1\n"),
    "around an anchor": ("a: &x 1\nb: *x\n", [put("c")], "a: &x 1\nb: *x\nc: new\n"),
    "both": ("a: &x {b: 1}\nc: *x\n", [put("a", "d"), put("c", "d")], "a: &x {b: 1, d: new}\nc:\n  b: 1\n  d: new\n"),
    # merge keys
    "an own member hides a merged one": (
        "a: &x {b: 1}\nc:\n  <<: *x\n",
        [put("c", "b", value=2)],
        "a: &x {b: 1}\nc:\n  <<: *x\n  b: 2\n",
    ),
    "in a merged branch": (
        "a: &x {b: {d: 1}}\nc:\n  <<: *x\n",
        [put("c", "b", "e", value=2)],
        "a: &x {b: {d: 1}}\nc:\n  <<: *x\n  b:\n    d: 1\n    e: 2\n",
    ),
    # removed
    "a member with its comment": ("a: 1 # c\n# d\nb: 2\n", [remove("a")], "# d\nb: 2\n"),
    "a member above a line of tabs": ("a: x\t\n     \t", [remove("a"), put("b")], "b: new"),
    "a member above a comment after a tab": ("a: x\n  \t# c\nb: 2\n", [remove("a")], "# c\nb: 2\n"),
    "the last member": ("a:\n  b: 1\nc: 2\n", [remove("a", "b")], "a: {}\nc: 2\n"),
    "the last item": ("a: &l\n- b\nc: 2\n", [remove("a", 0)], "a: &l []\nc: 2\n"),
    "all items of a compact list": ("- - a\n  - b\n", [remove(0, 0), remove(0, 1)], "- []\n"),
    "the first of a compact mapping": ("- a: 1\n  b: 2\n", [remove(0, "a")], "- b: 2\n"),
    "the first before a comment": ("- a: 1\n  # c\n  b: 2\n", [remove(0, "a")], "-\n  # c\n  b: 2\n"),
    "the first two with a comment between": (
        "-  a: 1 # c\r\n   # d\r\n   b: 2\r\n   e: 3\r\n",
        [remove(0, "a"), remove(0, "b")],
        "-\r\n   # d\r\n   e: 3\r\n",
    ),
    "an entry of flow with its comment": (
        "a: [ # c\n  # d\n  x, # e\n  # f\n  y, # g\n  # h\n  z # i\n]\n",
        [remove("a", 1)],
        "a: [ # c\n  # d\n  x, # e\n  # f\n  # h\n  z # i\n]\n",
    ),
    "the first and the last of flow": (
        "a: [ # c\n  # d\n  x, # e\n  # f\n  y, # g\n  # h\n  z # i\n]\n",
        [remove("a", 0), remove("a", 2)],
        "a: [ # c\n  # d\n  # f\n  y # g\n  # h\n]\n",
    ),
    "behind a comment, in the line of the bracket": ("a: [x, # c\n  y]\n", [remove("a", 1)], "a: [x # c\n  ]\n"),
    "all entries of flow, their collection's comments kept": (
        "a: [ # c\n  x, # d\n  y # e\n  # f\n]\n",
        [remove("a", 0), remove("a", 1)],
        "a: [ # c\n  # f\n]\n",
    ),
    "entries of flow replaced": (
        "a: [ # c\n  x, # d\n  y # e\n  # f\n]\n",
        [remove("a", 0), remove("a", 1), insert("a", 2)],
        "a: [ # c\n  new\n  # f\n]\n",
    ),
    "from flow": ("a: [x, y, z]\n", [remove("a", 1)], "a: [x, z]\n"),
    "the first from flow": ("a: [x, y]\n", [remove("a", 0)], "a: [y]\n"),
    "all from flow": ("a: [x, y,]\n", [remove("a", 0), remove("a", 1)], "a: []\n"),
    "a member behind a literal, before a comment": (
        "a: |\n  x\nb: 1\n# c\nd: 1\n",
        [remove("b")],
        "a: |\n  x\n# c\nd: 1\n",
    ),
}

REWRITTEN: dict[str, tuple[str, list[Edit], str]] = {
    "a merged member to take out": (
        "a: &x {b: 1}\nc:\n  <<: *x\n  d: 1\n",
        [remove("c", "b")],
        "a: &x {b: 1}\nc:\n  d: 1\n",
    ),
    "a member merged from a list to take out": (
        "a: &x {b: 1, d: 1}\ny: &y {<<: *x}\nc:\n  <<: [*y]\n",
        [remove("c", "b")],
        "a: &x {b: 1, d: 1}\ny: &y {<<: *x}\nc:\n  d: 1\n",
    ),
    "an own member before a merged one to take out": (
        "a: &x {b: 1}\nc:\n  d: 1\n  b: 2\n  <<: *x\n",
        [remove("c", "b")],
        "a: &x {b: 1}\nc:\n  d: 1\n",
    ),
    "a comment would become text": (
        "k:\n  a: |\n    x\n  b: 1\n    # c\nd: 1\n",
        [remove("k", "b")],
        'k:\n    # c\n  a: "x\\n"\nd: 1\n',
    ),
    "blank lines would become text": (
        "k:\n  a: |+\n    x\n  b: 1\n\nd: 1\n",
        [remove("k", "b")],
        'k:\n  a: "x\\n"\n\nd: 1\n',
    ),
    "all of a compact list with a comment": (
        "k:\n  - - a # c\n    - b\n",
        [remove("k", 0, 0), remove("k", 0, 1)],
        "k:\n  - []\n",
    ),
    "explicit keys in flow": ("k: {? a : 1}\n", [put("k", "b")], "k:\n  a: 1\n  b: new\n"),
    "a mapping of one pair in a list": ("k: [a: 1]\n", [put("k", 0, "b")], "k: [{a: 1, b: new}]\n"),
    "a new item where the first moves up": (
        "k:\n  - - a\n    - b\n",
        [remove("k", 0, 0), insert("k", 0, 1)],
        "k:\n  - - new\n    - b\n",
    ),
}


def made(text: str, edits: list[Edit]) -> tuple[str, int]:
    (document,) = Reader().documents_of(text)
    result = edited_text(document, edits)
    prove(Reader(), document, result, applied(document.value, edits))
    assert pyyaml_value(result.text) == applied(pyyaml_value(text), edits)
    return result.text, len(result.rewritten)


@pytest.mark.parametrize(("text", "edits", "after"), ADDITIONS.values(), ids=ADDITIONS)
def test_additions_and_their_undoing(text: str, edits: list[Edit], after: str) -> None:
    assert made(text, edits) == (after, 0)
    value = Reader().documents_of(text)[0].value
    if "# c\n  ]" not in text:  # empty brackets stand for no value of their own: the whole member goes
        assert edited_text(Reader().documents_of(after)[0], undone(value, edits)).text == text.removeprefix("\ufeff")


@pytest.mark.parametrize(("text", "edits", "after"), CHANGES.values(), ids=CHANGES)
def test_changes(text: str, edits: list[Edit], after: str) -> None:
    assert made(text, edits) == (after, 0)


@pytest.mark.parametrize(("text", "edits", "after"), REWRITTEN.values(), ids=REWRITTEN)
def test_rewritten_branches(text: str, edits: list[Edit], after: str) -> None:
    assert made(text, edits) == (after, 1)


WRITTEN_OUT = {
    "an alias to edit": ("a: &x {b: 1}\nc: *x\n", put("c", "d"), ("c",)),
    "an alias of what is edited": ("a: &x {b: 1}\nc: *x\n", put("a", "d"), ("a",)),
    "an alias of what is taken out": ("a: {d: &x {b: 1}}\nc: *x\n", remove("a"), ("a",)),
    "a merged member": ("a: &x {b: {}}\nc:\n  <<: *x\n", put("c", "b", "d"), ("c", "b")),
}


@pytest.mark.parametrize(("text", "edit", "path"), WRITTEN_OUT.values(), ids=WRITTEN_OUT)
def test_where_aliases_are_written_out(text: str, edit: Edit, path: tuple[str, ...]) -> None:
    assert edited_text(Reader().documents_of(text)[0], [edit]).written_out == (path,)


REFUSED = {
    "a member that a later merge key replaces": (
        "a: &x {b: {}}\nc:\n  b: {}\n  <<: *x\n",
        put("c", "b", "d"),
        Reason.MERGED_MEMBER,
    ),
    "a member merged into the whole document to take out": (
        "a: &x {b: 1}\n<<: *x\n",
        remove("b"),
        Reason.CANNOT_EDIT,
    ),
    "the whole document": ("a: 1\n", put(value=1), Reason.CANNOT_EDIT),
    "all of the document": ("a: 1\n", remove("a"), Reason.CANNOT_EDIT),
    "an empty document": ("# c\n", put("a"), Reason.CANNOT_EDIT),
}


@pytest.mark.parametrize(("text", "edit", "reason"), REFUSED.values(), ids=REFUSED)
def test_shapes_that_cannot_be_edited(text: str, edit: Edit, reason: Reason) -> None:
    with pytest.raises(ImpossibleError) as caught:
        edited_text(Reader().documents_of(text)[0], [edit])
    assert caught.value.findings[0].reason is reason
    assert caught.value.exit_code == 3


def test_comments_keep_a_document_from_becoming_json() -> None:
    (document,) = Reader().documents_of('{\n  "a": yaml, # c\n  "b": 1\n}\n')
    edits = [put("a", value=1)]
    with pytest.raises(ImpossibleError, match="which does not allow comments") as caught:
        prove(Reader(), document, edited_text(document, edits), applied(document.value, edits))
    assert caught.value.findings[0].reason is Reason.CANNOT_EDIT


def test_what_cannot_be_taken_as_a_whole_is_rewritten_only_there() -> None:
    text = "x: # kept\n- 1\nk:\n  {? a : 1}\n# kept\nz: 2 # kept\n"
    result = edited_text(Reader().documents_of(text)[0], [put("k", "b"), put("z", value=3)])
    assert result.text == "x: # kept\n- 1\nk:\n  a: 1\n  b: new\n# kept\nz: 3 # kept\n"
    assert result.rewritten == (("k",),)
