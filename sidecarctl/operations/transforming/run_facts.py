"""The result of a transforming run, for its reports."""

from collections.abc import Mapping

from sidecarctl.facts.named_tuples import NamedTuple
from sidecarctl.facts.reasons import Reason
from sidecarctl.operations.transforming.object_changes import Outcome


class Verb(NamedTuple):
    """The word for a changed object in reports; `differs`: the reason code that `--check` reports for it."""

    done: str
    to_do: str
    would: str
    differs: Reason = Reason.INJECTION_DIFFERS


INJECT = Verb("injected", "to inject", "would inject")
UNINJECT = Verb("uninjected", "to uninject", "would uninject", Reason.STILL_INJECTED)
CONVERT = Verb("converted", "to convert", "would convert", Reason.OTHER_API_VERSION)


class RunFacts(NamedTuple):
    """The number of objects for each outcome.

    - `word`: for a changed object: `injected`, `to inject` with --check, `would inject` if nothing was written.
    - `writes`: whether the run writes at all; `written`: whether it did.
    - `is_whole`: whether all inputs could be read.
    - `differs`: the reason code that `--check` reports for an object that would change.
    """

    word: str
    outcomes: Mapping[Outcome, int]
    writes: bool = True
    written: bool = True
    is_whole: bool = True
    differs: Reason = Reason.INJECTION_DIFFERS
