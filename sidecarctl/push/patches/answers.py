"""What an answer to a patch means: carried out, look again, try later, refused for good.

Source: docs/behaviour (the API server answers every failing test of a JSON patch with the same 422).
"""

import re
from enum import StrEnum

from sidecarctl.facts.named_tuples import NamedTuple
from sidecarctl.facts.patterns import lazy_pattern
from sidecarctl.facts.reasons import Reason
from sidecarctl.kubectl.proxy.answers import Answer

_SHOWN = 300  # characters of a message: some hold a whole object, or a long difference


class Meaning(StrEnum):
    """What is to be done about an answer."""

    DONE = "done"
    LOOK_AGAIN = "look again"
    LATER = "later"
    REFUSED = "refused"


class Verdict(NamedTuple):
    """What an answer means, in words why."""

    meaning: Meaning
    why: str = ""
    reason: Reason = Reason.PATCH_REFUSED
    seconds: float | None = None
    throttled: bool = False


_BUDGET = lazy_pattern(r"podunavailablebudget|\bpub\b|unavailable budget", re.IGNORECASE)
_WEBHOOK = lazy_pattern(r'admission webhook "([^"]*)"')
_NO_DRY_RUN = lazy_pattern(r"does not support dry ?run|dry ?run is not supported|side ?effects", re.IGNORECASE)


def verdict_of(answer: Answer) -> Verdict:
    """What the answer to a patch means."""
    if answer.is_good:
        return Verdict(Meaning.DONE)
    why = shortened(answer.message)
    webhook = _WEBHOOK.search(answer.message)
    if webhook and _BUDGET.search(answer.message):
        return Verdict(
            Meaning.LATER, f"a PodUnavailableBudget does not allow it now: {why}", seconds=answer.retry_after
        )
    is_invalid = webhook or (answer.body.get("details") or {}).get("causes")  # a failed test has no causes
    if answer.status in (404, 409) or (answer.status == 422 and not is_invalid):
        return Verdict(Meaning.LOOK_AGAIN, why)
    if answer.status in (429, 503):
        return Verdict(Meaning.LATER, why, seconds=answer.retry_after, throttled=True)
    if answer.status >= 500 and not webhook:
        return Verdict(Meaning.LATER, why, seconds=answer.retry_after)
    if answer.status in (401, 403) and not webhook:
        return Verdict(Meaning.REFUSED, why, Reason.FORBIDDEN)
    return Verdict(Meaning.REFUSED, why)


def forbids_dry_runs(answer: Answer) -> str:
    """The webhook that cannot be asked in a dry run; empty for any other answer."""
    webhook = _WEBHOOK.search(answer.message)
    if answer.is_good or not _NO_DRY_RUN.search(answer.message):
        return ""
    return webhook[1] if webhook else "a webhook"


def shortened(message: str) -> str:
    """A message of the server, cut where it goes on and on."""
    words = " ".join(message.split())
    return words if len(words) <= _SHOWN else words[:_SHOWN] + " ..."
