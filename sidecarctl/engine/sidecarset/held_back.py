"""Rollouts that hold back running pods only: new pods get the current version.

Source: docs/behavior/hash-and-revisions.md, "Choosing a revision at pod creation".
"""

from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.sidecarset.sets import is_injection_paused

NOT_UPDATE = "updateStrategy.type NotUpdate"


def held_back_by(strategy: Object) -> str:
    """The part of an update strategy that holds back running pods, but not new ones, in words; empty for none."""
    if strategy.get("type") == "NotUpdate":
        return NOT_UPDATE
    if strategy.get("paused"):
        return "updateStrategy.paused"
    if strategy.get("partition") not in (None, 0, "0", "0%"):
        return f"partition {strategy['partition']}"
    return "updateStrategy.selector" if strategy.get("selector") else ""


def held_back_unpinned(spec: Object) -> str:
    """What holds back running pods only; empty too if injectionStrategy decides what new pods get."""
    asked = (spec.get("injectionStrategy") or {}).get("revision") or {}
    is_pinned = "revisionName" in asked or "customVersion" in asked
    return "" if is_pinned or is_injection_paused(spec) else held_back_by(spec.get("updateStrategy") or {})


def new_pods_sentence(spec: Object, revision: str) -> str:
    """`new pods get logs-768c84fc56: partition 3 holds back running pods only`; empty if that is not so."""
    held = held_back_unpinned(spec)
    return f"new pods get {revision}: {held} holds back running pods only" if held else ""
