"""libyaml, as `ruamel.yaml.clib` wraps it, without the pure Python part of the library, and with events as tuples.

The wrapper needs the events and nodes of `ruamel.yaml`, tokens only for a scanner that sidecarctl does not call, and
just one exception from each of eight other modules. Importing all of these takes as long as injecting forty pods. So
this module puts stand-ins in their place while it imports the wrapper, unless the library is already imported, and
removes them afterward. A wrapper that needs anything else is imported with the whole library.

Creating one of the library's event objects takes longer than parsing the event. So while this module takes events,
the wrapper makes tuples, which halves the time of a parse. Other users of the wrapper get the library's own objects.
If a wrapper makes its events differently, tuples are made from the library's objects instead.
"""

import sys
from _thread import allocate_lock
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from itertools import islice
from types import ModuleType
from typing import Any, TypeAlias

_LIBRARY = "ruamel.yaml"
_TOKENS = "ruamel.yaml.tokens"
_EXCEPTIONS = {
    "reader": "ReaderError",
    "scanner": "ScannerError",
    "parser": "ParserError",
    "composer": "ComposerError",
    "constructor": "ConstructorError",
    "emitter": "EmitterError",
    "serializer": "SerializerError",
    "representer": "RepresenterError",
}


@contextmanager
def _library_left_out() -> Iterator[None]:
    """Its package and most of its modules are empty in here."""
    if _LIBRARY in sys.modules:
        yield
        return
    import ruamel

    package = ModuleType(_LIBRARY)
    package.__path__ = [f"{folder}/yaml" for folder in ruamel.__path__]
    sys.modules[_LIBRARY] = vars(ruamel)["yaml"] = package
    names = [f"{_LIBRARY}.{module}" for module in _EXCEPTIONS]
    try:
        for name, exception in zip(names, _EXCEPTIONS.values(), strict=True):
            sys.modules[name] = module = ModuleType(name)
            setattr(module, exception, _stand_in(exception))
        sys.modules[_TOKENS] = tokens = ModuleType(_TOKENS)
        setattr(tokens, "__getattr__", lambda _name: None)  # noqa: B010 - any name is found in it
        yield
    finally:
        for name in (*names, _TOKENS, _LIBRARY):
            sys.modules.pop(name, None)
        vars(ruamel).pop("yaml", None)


def _stand_in(name: str) -> type[Exception]:
    from ruamel.yaml.error import MarkedYAMLError, YAMLError

    if name != "ReaderError":
        return type(name, (MarkedYAMLError,), {})

    def init(self: Any, _name: str, position: int, character: int | str, _encoding: str, reason: str) -> None:
        self.position, self.character, self.reason = position, character, reason

    return type(name, (YAMLError,), {"__init__": init})


def c_parser() -> Any:
    """The class of libyaml's parser."""
    try:
        with _library_left_out():
            from _ruamel_yaml import CParser
    except ImportError:
        for name in [name for name in sys.modules if name.startswith(_LIBRARY)]:
            del sys.modules[name]
        from _ruamel_yaml import CParser
    return CParser


Event: TypeAlias = tuple[str, str | None, str | None, str | None, int, int]
"""Its kind, the value of a scalar, its anchor (of an alias the name), its tag, and the characters of its place."""

OTHER, DOCUMENT_START = "", "D"
ALIAS, PLAIN = "*", "a"
MAPPING_END, SEQUENCE_END = "}", "]"
MAPPING_STARTS, SEQUENCE_STARTS = ("M", "{"), ("S", "[")
"""Kinds: collections in block and in flow style. The kind of a scalar that is not plain is its first character."""


def some_events(parser: Any, most: int) -> list[Event]:
    """The next events of a parser; fewer than `most` at the end."""
    events = islice(iter(parser.get_event, None), most)
    if not _makes_tuples():
        return [*map(as_tuple, events)]
    with _made_as_tuples():
        return list(events)


_SAMPLE = "%YAML 1.1\n---\n- &a !b 'c'\n- *a\n- {d: [e]}\n- !f [g]\n- &h\n  i: |\n    j\n...\n"


@cache
def _makes_tuples() -> bool:
    """Whether the wrapper makes its events as expected: both ways give the same events for a sample."""
    parser = vars(sys.modules["_ruamel_yaml"])["CParser"]
    plainly = [*map(as_tuple, iter(parser(_SAMPLE).get_event, None))]
    try:
        with _made_as_tuples():
            return [*iter(parser(_SAMPLE).get_event, None)] == plainly
    except (KeyError, TypeError, AttributeError):  # other names, other parameters, other values of them
        return False


_wrapper_is_ours = allocate_lock()


@contextmanager
def _made_as_tuples() -> Iterator[None]:
    wrapper = vars(sys.modules["_ruamel_yaml"])
    with _wrapper_is_ours:
        theirs = {name: wrapper[name] for name in _MADE}
        try:
            wrapper.update(_MADE)
            yield
        finally:
            wrapper.update(theirs)


def as_tuple(event: Any) -> Event:
    """An event of the pure parser."""
    name = type(event).__name__
    start, end = event.start_mark, event.end_mark
    if name == "ScalarEvent":
        return _scalar(event.anchor, event.ctag, None, event.value, start, end, event.style)
    if name in {"MappingStartEvent", "SequenceStartEvent"}:
        made: Event = _MADE[name](event.anchor, event.ctag, None, start, end, event.flow_style)
        return made
    return _alias(event.anchor, start, end) if name == "AliasEvent" else _MADE[name](start, end)


def _scalar(
    anchor: str | None, tag: Any, _implicit: Any, value: str, start: Any, end: Any, style: str | None = None
) -> Event:
    return style or PLAIN, value, anchor, None if tag is None else str(tag), start.index, end.index


def _mapping_start(anchor: str | None, tag: Any, _implicit: Any, start: Any, end: Any, flow: Any = None) -> Event:
    return MAPPING_STARTS[bool(flow)], None, anchor, None if tag is None else str(tag), start.index, end.index


def _sequence_start(anchor: str | None, tag: Any, _implicit: Any, start: Any, end: Any, flow: Any = None) -> Event:
    return SEQUENCE_STARTS[bool(flow)], None, anchor, None if tag is None else str(tag), start.index, end.index


def _alias(anchor: str, start: Any, end: Any, *_further: Any) -> Event:
    return ALIAS, None, anchor, None, start.index, end.index


def _mapping_end(start: Any, end: Any) -> Event:
    return MAPPING_END, None, None, None, start.index, end.index


def _sequence_end(start: Any, end: Any) -> Event:
    return SEQUENCE_END, None, None, None, start.index, end.index


def _document_start(start: Any, end: Any, *_further: Any) -> Event:
    return DOCUMENT_START, None, None, None, start.index, end.index


def _other(start: Any, end: Any, *_further: Any) -> Event:
    return OTHER, None, None, None, start.index, end.index


_MADE: dict[str, Any] = {
    "ScalarEvent": _scalar,
    "MappingStartEvent": _mapping_start,
    "MappingEndEvent": _mapping_end,
    "SequenceStartEvent": _sequence_start,
    "SequenceEndEvent": _sequence_end,
    "AliasEvent": _alias,
    "DocumentStartEvent": _document_start,
    "DocumentEndEvent": _other,
    "StreamStartEvent": _other,
    "StreamEndEvent": _other,
}
"""What the wrapper calls by these names."""
