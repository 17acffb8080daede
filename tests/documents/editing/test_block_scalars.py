"""Block scalars under every header: what is put behind them changes neither their text nor the lines after."""

from itertools import product

import pytest

from sidecarctl.documents.editing.document_edits import edited_text
from sidecarctl.documents.editing.proof import prove
from sidecarctl.documents.reading.document import Reader
from sidecarctl.facts.edits import Edit, applied
from tests.documents.readers import READERS, pyyaml_value, ruamel_value
from tests.effort import unmeasured

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
@pytest.mark.parametrize("reader", READERS.values(), ids=READERS)
@pytest.mark.parametrize("header", sorted(HEADERS))
def test_a_member_put_behind_and_taken_out(header: str, reader: Reader) -> None:
    for (name, body), after in product(BODIES.items(), AFTER):
        if not after or name != "the end of the file":
            check(reader, f"a:\n  b: {header}\n{body}{after}")
            if reader is READERS["C"]:
                check(reader, f"a:\n  b: {header} # c\n{body}{after}".replace("\n", "\r\n"))


def check(reader: Reader, text: str) -> None:
    (document,) = reader.documents_of(text)
    edits = [Edit("set", ("a", "c"), "new")]
    result = edited_text(document, edits)
    intended = applied(document.value, edits)
    prove(reader, document, result.text, intended)
    assert not result.rewritten, text
    assert pyyaml_value(result.text) == ruamel_value(result.text) == intended, text
    (again,) = reader.documents_of(result.text)
    assert edited_text(again, [Edit("remove", ("a", "c"))]).text == text
