"""Typer, imported without modules that it hardly ever uses: start-up is a feature.

They take a fifth of the time. Typer, and what it imports, gets a stand-in for each of them, which imports the module
when something is asked of it. Everything that is imported afterwards gets the modules themselves.
"""

import sys
from importlib import import_module
from types import ModuleType
from typing import Any


def import_typer() -> None:
    """Import Typer, unless it has been imported already."""
    stand_ins = [stand_in for stand_in in _STAND_INS if stand_in.__name__ not in sys.modules]
    sys.modules.update({stand_in.__name__: stand_in for stand_in in stand_ins})
    try:
        import typer  # noqa: F401 - whoever uses it imports it from then on
    finally:
        for stand_in in stand_ins:
            stand_in.leave()


class _StandIn(ModuleType):
    """A module that others import as a whole."""

    def leave(self) -> None:
        """Whoever imports the module from now on gets it."""
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]

    def __getattr__(self, name: str) -> Any:
        self.leave()
        return getattr(import_module(self.__name__), name)


class _Callables(_StandIn):
    """A module of which others import functions, or a class that no option of ours is of."""

    def __getattr__(self, name: str) -> Any:
        def call(*values: Any, **named: Any) -> Any:
            return getattr(import_module(self.__name__), name)(*values, **named)

        return call


_STAND_INS = (
    *map(_StandIn, ("bz2", "ipaddress", "lzma", "platform", "shellingham", "subprocess", "textwrap", "tokenize")),
    *map(_Callables, ("difflib", "gettext", "uuid")),
)
