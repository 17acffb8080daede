"""The library's events, made in one step each: that takes a fifth off the time of a parse by the C parser.

An event of the library calls the initializers of its base classes one after another, three or four for each scalar.
Here each sets all of its attributes itself; they are the same.
"""

from collections.abc import Callable
from typing import Any


def make_quickly(*kinds: type[Any]) -> None:
    """Let these kinds of events be made so; those of a version of the library that makes them of other parts stay."""
    for kind in kinds:
        for quick in (_scalar, _collection_start):
            if _parameters(kind.__init__) == _parameters(quick):
                kind.__init__ = quick


def _parameters(function: Callable[..., None]) -> tuple[str, ...]:
    code = function.__code__
    return code.co_varnames[: code.co_argcount]


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
