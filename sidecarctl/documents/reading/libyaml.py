"""libyaml, as `ruamel.yaml.clib` wraps it, without the pure Python library beside it.

The wrapper needs events and nodes of `ruamel.yaml`, tokens only for a scanner that nobody calls here, and of eight
other modules nothing but an exception each. Importing all of these takes as long as injecting forty pods. So there
are stand-ins while the wrapper is imported, unless the library has been imported already; afterwards it is found as
if nothing had been.
"""

import sys
from collections.abc import Iterator
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
def library_left_out() -> Iterator[None]:
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
