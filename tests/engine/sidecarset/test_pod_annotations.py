"""The annotations that Kruise writes on pods."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecarctl.engine.facts.values import Value
from sidecarctl.engine.sidecarset.pod_annotations import (
    HASH,
    HASH_WITHOUT_IMAGE,
    INJECTED_LIST,
    HashAnnotation,
    HashEntry,
    HashFormat,
    by_name,
    injected_sets,
    parsed_annotation,
    read_alike,
    read_hashes,
    read_working_containers,
    time_text,
    without_times,
    write_hashes,
    write_injected_sets,
    write_working_containers,
)
from tests.conformance.cases import FOLDER, cases_in


def test_keys_are_sorted_only_at_the_top() -> None:
    assert str(by_name({"b": {"z": 1, "a": 1}, "a": 1})) == "{'a': 1, 'b': {'z': 1, 'a': 1}}"


def test_times_are_put_into_utc() -> None:
    assert time_text("2024-05-06T10:11:12.5+02:00") == "2024-05-06T08:11:12Z"
    assert time_text("0001-01-01T00:00:00Z") is None


@pytest.mark.parametrize("value", ["", "yesterday", "2025-02-29T00:00:00Z"])
def test_what_is_not_a_time(value: str) -> None:
    with pytest.raises(ValueError, match="not an RFC 3339 time"):
        time_text(value)


def test_half_a_surrogate_pair_is_replaced_everywhere() -> None:
    assert parsed_annotation(r'{"\ud800":["\udc00","\ud83d\ude00",1]}') == {"\ufffd": ["\ufffd", "\U0001f600", 1]}


@pytest.mark.parametrize("text", ["", " ", "nope", "NaN", '{"a":Infinity}', "[" * 100_000, '"\t"', "\ufeff{}"])
def test_what_is_not_json(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        parsed_annotation(text)


def test_an_integer_of_any_length_is_json() -> None:
    assert list(parsed_annotation('{"a":' + "9" * 10_000 + "}")) == ["a"]


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
    assert _without_entry_times(read_alike(without_times(text)[0])) == _without_entry_times(directly)


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
    assert without_times(first)[0] == without_times(second)[0]
    assert dict(read_hashes(second).entries) == {"a": later, "b": entry}
    assert without_times(write_hashes({"a": entry._replace(hash="y"), "b": later}))[0] != without_times(first)[0]


@pytest.mark.parametrize("text", ["", "oops", '{"a":"2025-03-01T00:00:00Z"}', '{"a": {"updateTimestamp":"2025"}}'])
def test_a_text_without_such_times_is_as_it_is(text: str) -> None:
    assert without_times(text) == (text, {})


def test_more_entries_than_times_that_stand_for_them_stay_as_they_are() -> None:
    entries = {f"set-{index}": HashEntry("2025-03-01T00:00:00Z", "x") for index in range(61)}
    text = write_hashes(entries)
    assert without_times(text)[0] == text
    assert dict(read_hashes(text).entries) == entries


INJECTED = [
    (case.name, key, pod["metadata"].get("annotations") or {}, expected["pod"]["metadata"]["annotations"])
    for case in cases_in(FOLDER / "inject")
    for pod, expected in zip(
        [item for item in case.objects if item["kind"] == "Pod"], case.expect["pods"], strict=True
    )
    for key in (HASH, HASH_WITHOUT_IMAGE)
    if key in (expected.get("pod", {}).get("metadata", {}).get("annotations") or {}) and expected.get("changed")
]


def test_recorded_texts_are_rewritten_byte_for_byte() -> None:
    assert len(INJECTED) > 900
    for name, key, before, after in INJECTED:
        written = read_hashes(after[key])
        kept = _upgraded(before.get(key))
        new = {entry: value for entry, value in written.entries.items() if kept.get(entry) != value}
        assert written.format is HashFormat.NEW, name
        assert set(kept) <= set(written.entries), name
        assert write_hashes({**kept, **new}) == after[key], name


def _upgraded(text: str | None) -> dict[str, HashEntry]:
    found = read_hashes(text)
    if found.format is HashFormat.OLD:
        return {name: HashEntry(None, value, name) for name, value in found.strings.items()}
    return dict(found.entries)


def test_recorded_lists_are_written_byte_for_byte() -> None:
    for name, _, before, after in INJECTED:
        present, written = before.get(INJECTED_LIST), after[INJECTED_LIST]
        added = set(injected_sets(written)) - set(injected_sets(present))
        assert write_injected_sets(present, added) == written, name


@pytest.mark.parametrize(
    ("text", "form"),
    [
        (None, HashFormat.ABSENT),
        ("", HashFormat.ABSENT),
        ("null", HashFormat.ABSENT),
        ("{}", HashFormat.NEW),
        ('{"a":null}', HashFormat.NEW),
        ('{"a":{}}', HashFormat.NEW),
        ('{"a":"x"}', HashFormat.OLD),
        ('{"a":"x","b":null}', HashFormat.OLD),
        ('{"a":"x","b":{}}', HashFormat.MIXED),
        ('{"a":{"hash":5}}', HashFormat.MIXED),
        ('{"a":{"sidecarList":"x"}}', HashFormat.MIXED),
        ('{"a":{"sidecarList":[5]}}', HashFormat.MIXED),
        ('{"a":{"updateTimestamp":"yesterday"}}', HashFormat.MIXED),
        ('{"a":{"updateTimestamp":5}}', HashFormat.MIXED),
        ('{"a":5}', HashFormat.MIXED),
        ("[]", HashFormat.UNREADABLE),
        ('"text"', HashFormat.UNREADABLE),
        ("7", HashFormat.UNREADABLE),
        ("oops", HashFormat.UNREADABLE),
        (" ", HashFormat.UNREADABLE),
    ],
)
def test_formats(text: str | None, form: HashFormat) -> None:
    assert read_hashes(text).format is form


@pytest.mark.parametrize(
    ("text", "recorded"),
    [
        ('{"a":{"hash":"x"},"b":{"hash":"y"}}', "x"),
        ('{"a":"x","b":"y"}', "x"),
        ('{"b":{"hash":"y"}}', ""),
        ('{"b":"y"}', ""),
        ('{"a":null}', ""),
        ('{"a":{"hash":"x"},"b":"y"}', ""),
        ('{"a":{"HASH":"x"}}', "x"),
        ("oops", ""),
        (None, ""),
    ],
)
def test_recorded_hash(text: str | None, recorded: str) -> None:
    assert read_hashes(text).recorded("a") == recorded


def test_a_mixture_keeps_its_objects_and_empties_its_strings() -> None:
    found = read_hashes('{"a":"x","b":{"hash":"y","sidecarList":["s",null]},"c":{"hash":5,"sidecarSetName":"c"}}')
    assert found.entries == {
        "a": HashEntry(),
        "b": HashEntry(hash="y", sidecar_list=("s", "")),
        "c": HashEntry(set_name="c"),
    }
    assert found.strings == {"a": "x", "b": "", "c": ""}


def test_a_time_that_is_none_ends_what_is_kept() -> None:
    found = read_hashes('{"a":{"hash":"x"},"b":{"updateTimestamp":"yesterday"},"c":{"hash":"z"}}')
    assert found.entries == {"a": HashEntry(hash="x")}
    assert found.recorded("a") == ""


def test_the_standard_form() -> None:
    entries = read_hashes(
        '{"z":{"hash":"b<","note":1,"sidecarList":[],"updateTimestamp":"2024-05-06T10:11:12.5+02:00",'
        '"controllerRevision":"z-1"},"a":null}'
    ).entries
    assert write_hashes(entries) == (
        '{"a":{"updateTimestamp":null,"hash":"","sidecarSetName":"","sidecarList":null},'
        '"z":{"updateTimestamp":"2024-05-06T08:11:12Z","hash":"b\\u003c","sidecarSetName":"",'
        '"sidecarList":[],"controllerRevision":"z-1"}}'
    )


def test_injected_sets_are_taken_as_written() -> None:
    assert injected_sets(None) == []
    assert injected_sets("") == []
    assert injected_sets("b, a,,c") == ["b", " a", "", "c"]
    assert write_injected_sets("b, a,,c", ["a", "b"]) == ", a,a,b,c"
    assert write_injected_sets(None, ["b", "a"]) == "a,b"


@pytest.mark.parametrize(
    ("text", "working"),
    [
        (None, {}),
        ("", {}),
        ("oops", {}),
        ("null", {}),
        ("[]", {}),
        ('{"a":"a-1","b":5,"c":null}', {"a": "a-1", "b": "", "c": ""}),
    ],
)
def test_working_containers(text: str | None, working: dict[str, str]) -> None:
    assert read_working_containers(text) == working


def test_working_containers_are_written_sorted() -> None:
    assert json.loads(write_working_containers({"b": "b-1", "a": "a-2"})) == {"a": "a-2", "b": "b-1"}
    assert write_working_containers({"b": "b-1", "a": "a-2"}).startswith('{"a"')
