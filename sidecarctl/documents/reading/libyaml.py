"""libyaml, as `ruamel.yaml.clib` wraps it, without the pure Python library beside it, and with events made faster.

The wrapper needs events and nodes of `ruamel.yaml`, tokens only for a scanner that nobody calls here, and of eight
other modules nothing but an exception each. Importing all of these takes as long as injecting forty pods. So there
are stand-ins while the wrapper is imported, unless the library has been imported already; afterwards it is found as
if nothing had been. A wrapper that needs anything else is imported with the whole library.

An event of the library calls the initializers of its base classes one after another, three or four for each scalar.
Here each sets all of its attributes itself, which takes a fifth off the time of a parse.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

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


def make_quickly(*kinds: type[Any]) -> None:
    """Let these kinds of events be made so; a kind that the library makes differently stays as it is."""
    for kind in kinds:
        for quick in (_scalar, _collection_start):
            if _makes_the_same(kind, quick):
                kind.__init__ = quick


def _makes_the_same(kind: type[Any], quick: Callable[..., None]) -> bool:
    """Whether a method gives an event the same attributes as the library does."""
    names = _parameters(quick)
    if _parameters(kind.__init__) != names:
        return False
    event = object.__new__(kind)
    quick(event, *names[1:])
    return _attributes(event) == _attributes(kind(*names[1:]))


def _parameters(function: Callable[..., None]) -> tuple[str, ...]:
    code = function.__code__
    return code.co_varnames[: code.co_argcount]


def _attributes(event: Any) -> dict[str, Any]:
    attributes = dict(getattr(event, "__dict__", ()))
    for kind in type(event).__mro__:
        slots = vars(kind).get("__slots__", ())
        attributes |= {name: getattr(event, name, None) for name in ([slots] if isinstance(slots, str) else slots)}
    return attributes


def _scalar(  # noqa: PLR0913, PLR0917 - as the library has it
    self: Any,
    anchor: Any,
    tag: Any,
    implicit: Any,
    value: Any,
    start_mark: Any = None,
    end_mark: Any = None,
    style: Any = None,
    comment: Any = None,
) -> None:
    self.anchor = anchor
    self.ctag = tag
    self.implicit = implicit
    self.value = value
    self.start_mark = start_mark
    self.end_mark = end_mark
    self.style = style
    self.comment = comment


def _collection_start(  # noqa: PLR0913, PLR0917 - as the library has it
    self: Any,
    anchor: Any,
    tag: Any,
    implicit: Any,
    start_mark: Any = None,
    end_mark: Any = None,
    flow_style: Any = None,
    comment: Any = None,
    nr_items: Any = None,
) -> None:
    self.anchor = anchor
    self.ctag = tag
    self.implicit = implicit
    self.start_mark = start_mark
    self.end_mark = end_mark
    self.flow_style = flow_style
    self.comment = comment
    self.nr_items = nr_items
