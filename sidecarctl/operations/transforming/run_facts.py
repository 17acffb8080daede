"""What a transforming run came to, for its reports."""

from collections.abc import Mapping
from typing import NamedTuple

from sidecarctl.facts.reasons import Reason
from sidecarctl.operations.transforming.object_changes import Outcome


class Verb(NamedTuple):
    """What is done to an object, as reports say it; `differs`: what `--check` finds where it would be done."""

    done: str
    to_do: str
    would: str
    differs: Reason = Reason.INJECTION_DIFFERS


INJECT = Verb("injected", "to inject", "would inject")
UNINJECT = Verb("uninjected", "to uninject", "would uninject", Reason.STILL_INJECTED)


class RunFacts(NamedTuple):
    """How many objects came to which outcome.

    - `word`: for a changed object: `injected`, `to inject` under --check, `would inject` where nothing was written.
    - `writes`: whether the run writes at all; `written`: whether it did.
    - `is_whole`: whether all input could be read.
    - `differs`: what `--check` finds about an object that would change.
    """

    word: str
    outcomes: Mapping[Outcome, int]
    writes: bool = True
    written: bool = True
    is_whole: bool = True
    differs: Reason = Reason.INJECTION_DIFFERS
