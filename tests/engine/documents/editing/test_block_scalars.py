"""Block scalars with every header: text inserted after them changes neither them nor the following lines."""

from itertools import product

import pytest

from sidecarctl.engine.documents.editing.document_edits import EditedText, edited_text, prove
from sidecarctl.engine.documents.reading.document import Reader
from sidecarctl.engine.facts.values import Edit, applied
from tests.effort import sampled, unmeasured
from tests.engine.documents.readers import pyyaml_value, ruamel_value

HEADERS = {
    style + "".join(indicators)
    for style, chomping, size in product("|>", ("", "-", "+"), ("", "1", "2"))
    for indicators in ((chomping, size), (size, chomping))
}
BODIES = {
    "one line": "    x\n",
    "several lines": "    x\n    y\n\n      z\n",
    "blank lines behind": "    x\n\n\n",
    "a last line of blanks": "    x\n    \n",
    "a comment behind": "    x\n# c\n",
    "the end of the file": "    x",
    "nothing": "",
    "blank lines alone": "\n\n",
    "a marker in it": "    ---\n    ...\n    # no comment\n",
}
AFTER = ("", "z: 1\n", "# c\nz: 1\n")


@unmeasured
@pytest.mark.parametrize("header", sampled(sorted(HEADERS), 3))
def test_a_member_put_behind_and_removed(header: str) -> None:
    for (name, body), after in product(BODIES.items(), AFTER):
        if not after or name != "the end of the file":
            check(f"a:\n  b: {header}\n{body}{after}")
            check(f"a:\n  b: {header} # c\n{body}{after}".replace("\n", "\r\n"))


@pytest.mark.parametrize("between", ["", "\n", "   \n", "  # c\n", "\n# c\n\n"])
@pytest.mark.parametrize("old", ["b", "'b'", "[c]", "c: d", "- c", "|\n    b"])
@pytest.mark.parametrize("start", ["a:", "a: # c", "a: &b", "a: &b # c"])
def test_a_block_scalar_in_place_of_a_value_below_its_key(start: str, between: str, old: str) -> None:
    if "&" in start and old.startswith("|"):
        return  # refused: nobody writes a header below its anchor
    result = edited(f"{start}\n{between}  {old}\nz: 1\n", Edit("set", ("a",), "x\ny\n"))
    is_below = "&" not in start  # what is behind an anchor is within the old value
    assert not is_below or result.count("# c") == start.count("# c") + between.count("# c")


_BEHIND = (
    "   \n",
    "      \n",
    "\n     \n\n",
    "      \t\n",
    "     ",
    "   ",
    "",
    "\n\n",
    "      # c\n",
    "      \nz: 1\n",
)


@pytest.mark.parametrize("behind", _BEHIND)
def test_lines_of_blanks_behind_what_is_removed_do_not_lengthen_a_scalar(behind: str) -> None:
    for header in sorted(HEADERS):
        proven(f"a:\n  b: {header}\n     x\n  k: v\n{behind}", Edit("remove", ("a", "k")))
        proven(f"a:\n  b:\n  - {header}\n     x\n  k: v\n{behind}", Edit("remove", ("a", "k")))


def check(text: str) -> None:
    result = edited(text, Edit("set", ("a", "c"), "new"))
    (again,) = Reader().documents_of(result)
    assert edited_text(again, [Edit("remove", ("a", "c"))]).text == text


def edited(text: str, edit: Edit) -> str:
    result = proven(text, edit)
    assert not result.rewritten, text
    return result.text


def proven(text: str, edit: Edit) -> EditedText:
    reader = Reader()
    (document,) = reader.documents_of(text)
    result = edited_text(document, [edit])
    intended = applied(document.value, [edit])
    prove(reader, document, result, intended)
    assert pyyaml_value(result.text) == ruamel_value(result.text) == intended, text
    return result
