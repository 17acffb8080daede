"""Events made in one step: they have the attributes that the library itself gives them."""

import importlib.util
from typing import Any

import pytest
from ruamel.yaml import events

from sidecarctl.documents.reading.events import from_events
from sidecarctl.documents.reading.libyaml import make_quickly

TEXT = "- &a !b 'c'\n- d\n"
KINDS = ["ScalarEvent", "MappingStartEvent", "SequenceStartEvent"]


def as_shipped() -> Any:
    """The library's module of events, as nobody has changed it."""
    specification = importlib.util.spec_from_file_location("events_as_shipped", events.__file__)
    assert specification
    assert specification.loader
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


def attributes(event: Any) -> dict[str, Any]:
    slots = [name for kind in type(event).__mro__ for name in _names(vars(kind).get("__slots__", ()))]
    return {name: getattr(event, name) for name in slots}


def _names(slots: str | tuple[str, ...]) -> tuple[str, ...]:
    return (slots,) if isinstance(slots, str) else slots


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("given", [4, 5, 6, 7, 8])
def test_attributes_are_the_same(kind: str, given: int) -> None:
    made = [getattr(module, kind)(*range(given)) for module in (events, as_shipped())]
    assert attributes(made[0]) == attributes(made[1])


@pytest.mark.parametrize("kind", KINDS)
def test_they_are_made_in_one_step(kind: str) -> None:
    assert getattr(events, kind).__init__.__module__ == make_quickly.__module__


def test_kinds_of_other_parts_stay() -> None:
    kind = as_shipped().AliasEvent
    before = kind.__init__
    make_quickly(kind)
    assert kind.__init__ is before


@pytest.mark.parametrize("base", ["Event", "NodeEvent"])
def test_kinds_of_which_a_base_class_sets_more_stay(base: str) -> None:
    module = as_shipped()
    kind, around = module.ScalarEvent, getattr(module, base)
    shipped = around.__init__

    def more(self: Any, *given: Any, **named: Any) -> None:
        shipped(self, *given, **named)
        self.comment = "more"

    around.__init__ = more
    before = kind.__init__
    make_quickly(kind)
    assert kind.__init__ is before


def test_events_of_the_c_parser_have_all_that_is_used() -> None:
    found = [(event.value, event.style, event.anchor, event.tag) for event in from_events(TEXT, list)[3:5]]
    assert found == [("c", "'", "a", "!b"), ("d", "", None, None)]
