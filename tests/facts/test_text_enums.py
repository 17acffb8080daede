"""The enumerations of the program against those of `enum`: made faster, and otherwise the same."""

import copy
import enum
import json
import pickle
from collections.abc import Callable
from typing import Any

import pytest

from sidecarctl.facts import text_enums


class Ours(text_enums.StrEnum):
    """Sizes."""

    SMALL = "small"  # the least
    NOT_SMALL = "NotSmall"

    @property
    def is_small(self) -> bool:
        """Whether it is the least."""
        return self is Ours.SMALL


class Theirs(enum.StrEnum):
    """Sizes."""

    SMALL = "small"  # the least
    NOT_SMALL = "NotSmall"

    @property
    def is_small(self) -> bool:
        """Whether it is the least."""
        return self is Theirs.SMALL


ANSWERS: list[Callable[[Any], Any]] = [
    lambda kind: [*map(str, kind)],
    len,
    lambda kind: [(member.name, member.value, type(member.value), member.is_small) for member in kind],
    lambda kind: [f"{member}, {member!s:>12}, {member:>12}" for member in kind],
    lambda kind: [repr(member).replace("Theirs", "Ours") for member in kind],
    lambda kind: json.dumps({kind.SMALL: [*kind]}),
    lambda kind: {"small": 1, "NotSmall": 2}[kind.NOT_SMALL],
    lambda kind: (kind.SMALL == "small", kind.SMALL == kind.NOT_SMALL, kind.SMALL < kind.NOT_SMALL),
    lambda kind: ("small" in set(kind), "large" in set(kind)),
    lambda kind: kind.__doc__,
    lambda kind: isinstance(kind.SMALL, str) and isinstance(kind.SMALL, kind),
    lambda kind: hash(kind.SMALL) == hash("small"),
    sorted,
    lambda kind: kind.SMALL in kind,
]


@pytest.mark.parametrize("answer", ANSWERS)
def test_they_answer_alike(answer: Callable[[Any], Any]) -> None:
    assert answer(Ours) == answer(Theirs)


@pytest.mark.parametrize("kind", [Ours, Theirs])
def test_there_is_one_object_for_each_member(kind: Any) -> None:
    for member in kind:
        assert kind(member.value) is kind(member) is member
        assert getattr(kind, member.name) is member
        assert pickle.loads(pickle.dumps(member)) is member  # noqa: S301 - its own
        assert copy.copy(member) is copy.deepcopy(member) is member


@pytest.mark.parametrize("kind", [Ours, Theirs])
def test_other_values_are_refused(kind: Any) -> None:
    with pytest.raises(ValueError, match=f"'large' is not a valid {kind.__name__}"):
        kind("large")
