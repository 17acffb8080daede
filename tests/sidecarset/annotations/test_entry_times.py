"""A hash annotation read without its times, which are put back, is as it would be read with them."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecarctl.facts.values import Value
from sidecarctl.sidecarset.annotations.entry_times import without_times
from sidecarctl.sidecarset.annotations.pod_annotations import (
    HashAnnotation,
    HashEntry,
    read_alike,
    read_hashes,
    write_hashes,
)

TIMES = st.sampled_from(
    [
        "2025-03-01T00:00:00Z",
        "2026-02-28T23:59:59Z",
        "2026-02-30T00:00:00Z",
        "2025-01-31T00:00:00Z",
        "2025-01-01T24:00:00Z",
        "2000-01-01T00:00:00Z",
        "2000-01-01T00:00:01Z",
        "2025-01-01T00:00:00+01:00",
        "0001-01-01T00:00:00Z",
        "yesterday",
        "",
    ]
)
NAMES = st.sampled_from(["a", "b", "updateTimestamp", 'x:{"updateTimestamp', 'y,"updateTimestamp'])
ENTRIES = st.fixed_dictionaries(
    {},
    optional={
        "updateTimestamp": TIMES | st.none(),
        "UPDATETIMESTAMP": TIMES,
        "hash": st.sampled_from(["x", "y"]) | TIMES,
        "sidecarList": st.lists(TIMES, max_size=2),
        "more": st.fixed_dictionaries({"updateTimestamp": TIMES}),
        "controllerRevision": TIMES,
    },
)
ANNOTATIONS = st.dictionaries(NAMES, ENTRIES | TIMES | st.none(), max_size=3)


def as_text(value: Value, separators: tuple[str, str]) -> str:
    return json.dumps(value, separators=separators)


@given(ANNOTATIONS, st.sampled_from([(",", ":"), (", ", ": ")]))
def test_it_makes_no_difference_to_what_is_read(annotation: dict[str, Value], separators: tuple[str, str]) -> None:
    text = as_text(annotation, separators)
    directly = read_alike(text)
    assert read_hashes(text) == directly
    assert _without_entry_times(read_alike(without_times(text).text)) == _without_entry_times(directly)


@given(st.lists(st.tuples(NAMES, ENTRIES | TIMES), max_size=4))
def test_repeated_names_make_none_either(members: list[tuple[str, Value]]) -> None:
    text = "{" + ",".join(f"{json.dumps(name)}:{as_text(value, (',', ':'))}" for name, value in members) + "}"
    assert read_hashes(text) == read_alike(text)


def _without_entry_times(read: HashAnnotation) -> HashAnnotation:
    return read._replace(
        entries={name: entry._replace(update_timestamp=None) for name, entry in read.entries.items()}
    )


def test_annotations_that_differ_in_their_times_alone_are_alike() -> None:
    entry = HashEntry("2025-03-01T00:00:00Z", "x", "a", ("agent",), "a-1")
    later = entry._replace(update_timestamp="2026-12-24T18:00:00Z")
    first, second = (write_hashes(entries) for entries in ({"a": entry, "b": later}, {"a": later, "b": entry}))
    assert without_times(first).text == without_times(second).text
    assert dict(read_hashes(second).entries) == {"a": later, "b": entry}
    assert without_times(write_hashes({"a": entry._replace(hash="y"), "b": later})).text != without_times(first).text


@pytest.mark.parametrize("text", ["", "oops", '{"a":"2025-03-01T00:00:00Z"}', '{"a": {"updateTimestamp":"2025"}}'])
def test_a_text_without_such_times_is_as_it_is(text: str) -> None:
    assert without_times(text) == (text, {})


def test_more_entries_than_times_that_stand_for_them_stay_as_they_are() -> None:
    entries = {f"set-{index}": HashEntry("2025-03-01T00:00:00Z", "x") for index in range(61)}
    text = write_hashes(entries)
    assert without_times(text).text == text
    assert dict(read_hashes(text).entries) == entries
