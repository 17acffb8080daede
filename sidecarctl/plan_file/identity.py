"""What identifies a plan: its release of Kruise, and its digest, by which `push` detects edits by hand.

The digest covers the values, not the text: a plan may be rewritten as JSON or YAML, with its members in any order.
"""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator
from typing import TypeAlias

from sidecarctl.facts.errors import impossible
from sidecarctl.facts.reasons import Reason
from sidecarctl.facts.values import Object, Value
from sidecarctl.releases.profiles import PROFILES
from sidecarctl.releases.release import Release

DIGEST = "digest"

_Summarized: TypeAlias = Callable[[], str]


def sealed(document: Object) -> Object:
    """The plan with its digest as the last member: a function, to be called once all iterators are consumed.

    `waves`, and the `pods` of each, may be iterators, consumed while the plan is written.
    """
    sets, summaries = [], []
    for entry in document["sidecarSets"]:
        waves, summary = _noted(entry["waves"])
        sets.append({**entry, "waves": waves})
        summaries.append(summary)

    def digest() -> str:
        summed = [{**item, "waves": summary()} for item, summary in zip(sets, summaries, strict=True)]
        return _digest({**document, "sidecarSets": summed})

    return {**document, "sidecarSets": sets, DIGEST: digest}


def digest_of(document: Object) -> str:
    """The digest that a plan should have; the plan has passed the schema, or was read by `reading.read_plan`."""
    summed = []
    for entry in document["sidecarSets"]:
        waves, summary = _noted(entry["waves"])
        for wave in waves:
            for _ in wave["pods"]:
                pass
        summed.append({**entry, "waves": summary()})
    return _digest({key: value for key, value in {**document, "sidecarSets": summed}.items() if key != DIGEST})


def refuse_edited(document: Object) -> None:
    """ImpossibleError (EditedPlan) for a plan that was changed after it was made, or that cannot tell."""
    recorded = document.get(DIGEST)
    if not recorded:
        message = "the plan has no digest, so it may have been edited"
        raise impossible(Reason.EDITED_PLAN, message, hint="make a new plan")
    if recorded != digest_of(document):
        message = "the plan was changed after it was made: its digest does not fit"
        raise impossible(Reason.EDITED_PLAN, message, (DIGEST,), hint="make a new plan")


def _noted(waves: Iterable[Object]) -> tuple[Iterator[Object], _Summarized]:
    """The waves, whose values (pods included) are added to the digest as they are consumed."""
    sums = hashlib.sha256()

    def drawn() -> Iterator[Object]:
        for wave in waves:
            pods = hashlib.sha256()
            yield {**wave, "pods": _summed(wave["pods"], pods)}
            sums.update(_canonical({**wave, "pods": pods.hexdigest()}))

    return drawn(), sums.hexdigest


def _summed(items: Iterable[Object], sums: "hashlib._Hash") -> Iterator[Object]:
    for item in items:
        sums.update(_canonical(item))
        yield item


def _digest(summed: Object) -> str:
    return "sha256:" + hashlib.sha256(_canonical(summed)).hexdigest()


def _canonical(value: Value) -> bytes:
    return _ENCODER.encode(value).encode() + b"\n"


_ENCODER = json.JSONEncoder(sort_keys=True, separators=(",", ":"))


def release_of(document: Object) -> Release:
    """The release; ImpossibleError (EditedPlan) for a behaviour that is not known here."""
    behaviour = document["behaviour"]
    for release in PROFILES.values():
        if release.behaviour == behaviour:
            return release
    message = f"the behaviour of the plan, {behaviour}, is not known here"
    raise impossible(Reason.EDITED_PLAN, message, ("behaviour",), hint="make a new plan")
