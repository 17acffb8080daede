"""The named tuples of the program against those of `typing`: made faster, and otherwise the same."""

import copy
import pickle
import typing
from collections.abc import Callable
from typing import Any, Generic, TypeVar

import pytest

from sidecarctl.facts import named_tuples

Thing = TypeVar("Thing")


class Ours(named_tuples.NamedTuple):
    """A place in a file."""

    file: str
    line: int | None = None
    names: tuple[str, ...] = ()

    @property
    def is_known(self) -> bool:
        """Whether there is a line."""
        return self.line is not None

    @classmethod
    def first(cls, file: str) -> "Ours":
        """The first line."""
        return cls(file, 1)


class Theirs(typing.NamedTuple):
    """A place in a file."""

    file: str
    line: int | None = None
    names: tuple[str, ...] = ()


class OfAny(named_tuples.NamedTuple, Generic[Thing]):
    """Holds something."""

    thing: Thing


WAYS: list[Callable[[Any], Any]] = [
    lambda kind: kind("a"),
    lambda kind: kind("a", 1),
    lambda kind: kind("a", names=("x",)),
    lambda kind: kind(file="a", line=3),
    lambda kind: kind(line=3, file="a"),
    lambda kind: kind(*"abc"),
    lambda kind: kind("a")._replace(line=4),
    lambda kind: kind._make(["a", 2, ()]),
    lambda kind: copy.copy(kind("a")),
]


def fresh() -> Any:
    """A class that has no value yet: its first few values and further ones are made in two ways."""

    class Place(named_tuples.NamedTuple):
        file: str
        line: int | None = None
        names: tuple[str, ...] = ()

    return Place


@pytest.mark.parametrize("earlier", [0, 1, named_tuples.FEW, named_tuples.FEW + 1])
@pytest.mark.parametrize("way", WAYS)
def test_every_way_of_making_one(way: Callable[[Any], Any], earlier: int) -> None:
    kind = fresh()
    for _ in range(earlier):
        kind("earlier")
    made, expected = way(kind), way(Theirs)
    assert made == expected
    assert type(made) is kind
    assert made._asdict() == expected._asdict()
    assert [made.file, made.line, made.names] == list(expected)
    assert repr(made).removeprefix("Place") == repr(expected).removeprefix("Theirs")
    assert hash(made) == hash(expected)


@pytest.mark.parametrize("earlier", [0, 1, named_tuples.FEW, named_tuples.FEW + 1])
@pytest.mark.parametrize(
    "wrong", [lambda kind: kind(), lambda kind: kind("a", 1, (), 2), lambda kind: kind("a", line_number=1)]
)
def test_wrong_arguments_are_refused(wrong: Callable[[Any], Any], earlier: int) -> None:
    kind = fresh()
    for _ in range(earlier):
        kind("earlier")
    with pytest.raises(TypeError):
        wrong(kind)


def test_what_a_class_says_of_itself() -> None:
    assert Ours._fields == Theirs._fields
    assert Ours._field_defaults == Theirs._field_defaults
    assert Ours.__match_args__ == Theirs.__match_args__
    assert Ours.__doc__ == Theirs.__doc__
    assert Ours.__annotations__ == Theirs.__annotations__


def test_members_that_are_no_fields() -> None:
    assert Ours.first("a").is_known
    assert not Ours("a").is_known


def test_values_go_to_other_processes_and_back() -> None:
    assert pickle.loads(pickle.dumps(Ours("a", 1))) == Ours("a", 1)  # noqa: S301 - its own


def test_patterns_take_them_apart() -> None:
    match Ours("a", 2):
        case Ours(file, line):
            assert (file, line) == ("a", 2)


def test_they_have_no_other_members() -> None:
    made: Any = Ours("a")
    with pytest.raises(AttributeError):
        made.other = 1
    with pytest.raises(ValueError, match="other"):
        made._replace(other=1)


def test_what_they_hold_may_be_left_open() -> None:
    assert OfAny[int](1).thing == 1
