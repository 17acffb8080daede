"""Events as tuples: they say what those of the library say, and nobody else gets them."""

from threading import Thread
from typing import Any

import pytest
from _ruamel_yaml import CParser
from ruamel.yaml import YAML
from ruamel.yaml.events import Event as LibraryEvent

from sidecarctl.engine.documents.reading import libyaml
from sidecarctl.engine.documents.reading.events import _pure_events, from_events
from sidecarctl.engine.documents.reading.libyaml import as_tuple, some_events

TEXTS = [
    "- &a !b 'c'\n- d\n- *a\n",
    '%YAML 1.1\n---\na: {b: [c, "d"], ? e : !!int 1}\n',
    "a: |\n  b\n\nc: >-\n  d\n  e\nf:\n...\n",
    "&m a: &s [ ]\n? - !x {}\n: # b\n  - \u00e4\n",
    "",
]


def of_library(text: str) -> list[Any]:
    return list(iter(CParser(text).get_event, None))


@pytest.mark.parametrize("text", TEXTS)
def test_they_say_what_those_of_the_library_say(text: str) -> None:
    assert from_events(text, list) == [as_tuple(event) for event in of_library(text)]


@pytest.mark.parametrize("text", TEXTS)
def test_both_parsers_make_the_same(text: str) -> None:
    kinds = [[event[:4] for event in events] for events in (from_events(text, list), _pure_events(text))]
    assert kinds[0] == kinds[1]


def test_some_at_a_time() -> None:
    parser = CParser(TEXTS[0])
    taken = list(iter(lambda: some_events(parser, 2), []))
    assert [event for some in taken for event in some] == from_events(TEXTS[0], list)
    assert {len(some) for some in taken[:-1]} == {2}


def test_others_get_those_of_the_library_even_after_an_error() -> None:
    with pytest.raises(Exception, match="expected"):
        some_events(CParser("a: [b\n"), 99)
    assert all(isinstance(event, LibraryEvent) for event in of_library(TEXTS[0]))
    assert YAML(typ="safe").load("a: [1]") == {"a": [1]}


@pytest.mark.parametrize(
    "made",
    [
        {"AliasEvent": lambda *_: None},
        {"ScalarEvent": lambda: None},
        {"AliasEvent": lambda anchor, *_: anchor.name},
        {"NoSuchEvent": lambda *_: None},
    ],
    ids=["another value", "other parameters", "other attributes", "another name"],
)
def test_a_wrapper_that_makes_them_otherwise_is_left_alone(monkeypatch: pytest.MonkeyPatch, made: Any) -> None:
    libyaml._makes_tuples.cache_clear()
    monkeypatch.setattr(libyaml, "_MADE", {**libyaml._MADE, **made})
    wanted = [as_tuple(event) for event in of_library(TEXTS[0])]
    assert (not libyaml._makes_tuples(), from_events(TEXTS[0], list)) == (True, wanted)
    libyaml._makes_tuples.cache_clear()


def test_threads_do_not_mix_them() -> None:
    found: list[list[libyaml.Event]] = []
    threads = [Thread(target=lambda: found.append(from_events("- a\n" * 20_000, list))) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [from_events("- a\n" * 20_000, list)] * 3
    assert all(isinstance(event, LibraryEvent) for event in of_library(TEXTS[0]))
