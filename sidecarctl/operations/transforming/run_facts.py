"""What a transforming run came to, for its reports."""

from collections.abc import Mapping
from typing import NamedTuple

from sidecarctl.operations.transforming.object_changes import Outcome


class Verb(NamedTuple):
    """What is done to an object, as reports say it."""

    done: str
    to_do: str
    would: str


INJECT = Verb("injected", "to inject", "would inject")
UNINJECT = Verb("uninjected", "to uninject", "would uninject")
CONVERT = Verb("converted", "to convert", "would convert")


class RunFacts(NamedTuple):
    """How many objects came to which outcome.

    - `word`: for a changed object: `injected`, `to inject` under --check, `would inject` where nothing was written.
    - `writes`: whether the run writes at all; `written`: whether it did.
    """

    word: str
    outcomes: Mapping[Outcome, int]
    writes: bool = True
    written: bool = True
