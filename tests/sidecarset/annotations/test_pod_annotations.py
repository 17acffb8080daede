import json

import pytest

from sidecarctl.sidecarset.annotations.pod_annotations import (
    HASH,
    HASH_WITHOUT_IMAGE,
    INJECTED_LIST,
    HashEntry,
    HashFormat,
    injected_sets,
    read_hashes,
    read_working_containers,
    write_hashes,
    write_injected_sets,
    write_working_containers,
)
from tests.conformance.cases import FOLDER, cases_in

INJECTED = [
    (case.name, key, pod["metadata"].get("annotations") or {}, expected["pod"]["metadata"]["annotations"])
    for case in cases_in(FOLDER / "inject")
    for pod, expected in zip(
        [item for item in case.objects if item["kind"] == "Pod"], case.expect["pods"], strict=True
    )
    for key in (HASH, HASH_WITHOUT_IMAGE)
    if key in (expected.get("pod", {}).get("metadata", {}).get("annotations") or {}) and expected.get("changed")
]


def test_recorded_texts_are_rewritten_to_the_byte() -> None:
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


def test_recorded_lists_are_written_to_the_byte() -> None:
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
