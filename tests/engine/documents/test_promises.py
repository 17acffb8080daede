"""Properties of every text and every edit, checked with two more readers."""

from bisect import bisect_right
from collections.abc import Sequence

from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from sidecarctl.engine.documents.editing.block_style import last_leaf
from sidecarctl.engine.documents.editing.document_edits import EditedText, edited_text, prove
from sidecarctl.engine.documents.reading.document import Document, Reader
from sidecarctl.engine.documents.reading.layout import ROOT, Layout
from sidecarctl.engine.documents.reading.streams import split
from sidecarctl.engine.documents.reading.text_lines import line_starts
from sidecarctl.engine.facts.errors import ImpossibleError
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Edit, applied, identical
from tests.effort import reaches_half, share
from tests.engine.documents.random_edits import additions, changes, undone
from tests.engine.documents.readers import pyyaml_value, ruamel_value
from tests.engine.documents.ugly import Ugly, ugly_documents


def examples(percent: int) -> settings:
    # Ugly manifests are large, and drawing them takes long; that says nothing of what is tested.
    return share(percent, [HealthCheck.data_too_large, HealthCheck.large_base_example])


def expected(ugly: Ugly) -> Document:
    (document,) = Reader().documents_of(ugly.text)
    assert identical(document.value, ugly.value)
    return document


def edited(document: Document, edits: list[Edit]) -> EditedText | None:
    """The edited text; None for the one edit that no text has a place for: to empty the whole document."""
    try:
        return edited_text(document, edits)
    except ImpossibleError as fault:
        reasons = {finding.reason for finding in fault.findings}
    assert reasons <= {Reason.CANNOT_EDIT, Reason.MERGED_MEMBER}
    return None


# What is read


@examples(150)
@given(ugly_documents())
def test_every_reader_reads_the_same_from_every_style(ugly: Ugly) -> None:
    expected(ugly)
    assert identical(pyyaml_value(ugly.text), ugly.value)


@examples(60)
@given(st.lists(ugly_documents(), min_size=1, max_size=4), st.integers(1, 50))
def test_a_stream_is_split_where_documents_begin_and_joined_byte_for_byte(uglies: list[Ugly], size: int) -> None:
    texts = [ugly.text if ugly.text[-1:] in "\r\n" else ugly.text + "\n" for ugly in uglies]
    stream = "".join(f"{text}---\n" for text in texts).encode()
    chunks = list(split([stream[at : at + size] for at in range(0, len(stream), size)], 1 << 20))
    assert b"".join(chunk.data for chunk in chunks) == stream
    read = [document.value for chunk in chunks for document in Reader().documents(chunk)]
    assert [value for value in read if value] == [ugly.value for ugly in uglies if ugly.value]


@examples(40)
@given(ugly_documents())
def test_every_value_is_placed_where_it_stands(ugly: Ugly) -> None:
    document = expected(ugly)
    lines = ugly.text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")
    for key, value in ugly.value.items():
        place = document.place((key,))
        assert place.line is not None
        assert place.column is not None
        rest = lines[place.line - 1][place.column - 1 :]
        if isinstance(value, list | dict) and rest[:1] not in "&*{[":
            assert rest.startswith("-") is isinstance(value, list)


# What is edited


def check_edit(ugly: Ugly, edits: list[Edit]) -> EditedText | None:
    document = expected(ugly)
    result = edited(document, edits) if edits else None
    if result is None:
        return None
    intended = applied(ugly.value, edits)
    text = document.prefix + result.text
    prove(Reader(), document, result, intended)
    assert identical(pyyaml_value(text), intended)
    assert identical(ruamel_value(text), intended)
    return result


@reaches_half
@examples(350)
@given(st.data(), ugly_documents())
def test_additions_only_add_and_come_out_again_byte_for_byte(data: st.DataObject, ugly: Ugly) -> None:
    edits = data.draw(additions(ugly.value))
    result = check_edit(ugly, edits)
    assume(result is not None and not result.rewritten and not {"alias", "merge"} & ugly.features)
    assert result is not None
    document = Reader().documents_of(ugly.text)[0]
    assert is_within(document.text, result.text)
    back = edited_text(Reader().documents_of(document.prefix + result.text)[0], undone(ugly.value, edits))
    assert back.text == document.text


@reaches_half
@examples(350)
@given(st.data(), ugly_documents())
def test_changes_of_every_kind_leave_all_other_lines(data: st.DataObject, ugly: Ugly) -> None:
    edits = data.draw(changes(ugly.value))
    result = check_edit(ugly, edits)
    assume(result is not None and not result.rewritten and not {"alias", "merge"} & ugly.features)
    assert result is not None
    document = Reader().documents_of(ugly.text)[0]
    touched = set().union(*(touched_lines(document.layout, edit) for edit in edits))
    kept = [line for number, line in enumerate(lines_of(document.text)) if number not in touched]
    assert is_within(kept, lines_of(result.text))


def is_within(some: Sequence[str], many: Sequence[str]) -> bool:
    """Whether the one sequence is what is left of the other when parts are removed from it."""
    rest = iter(many)
    return all(part in rest for part in some)


def lines_of(text: str) -> list[str]:
    return text.replace("\r\n", "\n").replace("\r", "\n").rstrip("\n").split("\n")


def touched_lines(layout: Layout, edit: Edit) -> set[int]:
    """The lines that an edit may change: none for an addition, else the value's and those of what it stands in.

    Of flow style all of it. A new first item may move the old one out of a line that begins with two dashes.
    """
    way = [(ROOT, ROOT)]
    for step in edit.path:
        node = way[-1][1]
        child = layout.child(node, step)
        if layout.is_flow(node):
            flow = next(index for index, (_, around) in enumerate(way) if layout.is_flow(around))
            return lines_between(layout, *way[max(flow - 1, 0)])
        if child is None or (edit.action == "insert" and len(way) == len(edit.path) and step != 0):
            return set()
        way.append((layout.members(node)[step].key if isinstance(step, str) else child, child))
    return lines_between(layout, *way[max(len(way) - 3, 0)])


def lines_between(layout: Layout, first: int, node: int) -> set[int]:
    starts, end = line_starts(layout.text), layout.end(last_leaf(layout, layout.last(node)))
    return set(range(bisect_right(starts, layout.start(first)) - 1, bisect_right(starts, end)))
