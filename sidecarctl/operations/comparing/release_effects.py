"""What an upgrade of Kruise means for one SidecarSet: what it asks for, its hashes, its revisions, its strategy.

Source: docs/behaviour/releases.md, "What follows from them".
"""

from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from typing import NamedTuple

from sidecarctl.facts.findings import Finding
from sidecarctl.facts.paths import Path, path_text
from sidecarctl.facts.reasons import Reason
from sidecarctl.facts.values import Object
from sidecarctl.operations.comparing.verdicts import Verdict
from sidecarctl.operations.comparing.webhook_refusals import new_refusals
from sidecarctl.sidecarset.containers import is_native_sidecar
from sidecarctl.sidecarset.release_gaps import gaps
from sidecarctl.sidecarset.revisions.controller_revisions import Revision, revision_name
from sidecarctl.sidecarset.revisions.revision_choice import Chooser, asked_revision
from sidecarctl.sidecarset.sets import SidecarSet


class Topic(StrEnum):
    """What an effect is about."""

    FIELD_BEGINS = "FieldBegins"
    FIELD_CEASES = "FieldCeases"
    REFUSED = "Refused"
    HASH = "Hash"
    REVISION = "Revision"
    PIN = "Pin"
    ORDER = "Order"
    PACE = "Pace"
    HOT_RESET = "HotReset"
    CONDITION = "Condition"
    PODS = "Pods"


class Effect(NamedTuple):
    """One thing that is otherwise under the other release."""

    topic: Topic
    message: str


class Versions(NamedTuple):
    """One manifest as both releases admit it; `revisions` are those that are stored."""

    manifest: Object
    before: SidecarSet
    after: SidecarSet
    revisions: Sequence[Revision] = ()


def effects_of(versions: Versions) -> list[Effect]:
    """All that can be told without pods."""
    return [
        *_fields(versions),
        *_refused(versions),
        *_hashes(versions),
        *_pins(versions),
        *_order(versions),
        *_pace(versions),
        *_resets(versions),
        *_conditions(versions),
    ]


def verdict_of(versions: Versions) -> Verdict:
    """What the upgrade means for running pods, once the SidecarSet is written the next time."""
    before, after = versions.before, versions.after
    if any(_refused(versions)):
        return Verdict.REJECTED
    if before.hash == after.hash or _strategy(after).get("type") == "NotUpdate":
        return Verdict.NO_EFFECT
    same = before.hash_without_image == after.hash_without_image
    return Verdict.IN_PLACE if same else Verdict.RECREATE


def _fields(versions: Versions) -> Iterator[Effect]:
    old, new = (_gaps(versions.manifest, one) for one in (versions.before, versions.after))
    for path in old:
        if path not in new:
            yield Effect(Topic.FIELD_BEGINS, _begins(path, versions.manifest))
    for path, gap in new.items():
        if path not in old:
            yield Effect(Topic.FIELD_CEASES, f"{path_text(path)} ceases to work: {gap.message}")


def _begins(path: Path, manifest: Object) -> str:
    """An annotation is stored already; a field was dropped when the SidecarSet was written."""
    if path == ("apiVersion",):
        return f"the API version {manifest['apiVersion']} is served"
    when = "at once" if path[0] == "metadata" else "once the SidecarSet is applied again"
    return f"{path_text(path)} begins to work, {when}"


def _gaps(manifest: Object, sidecarset: SidecarSet) -> dict[Path, Finding]:
    return {one.path: one for one in gaps(manifest, sidecarset.release)}


def _refused(versions: Versions) -> Iterator[Effect]:
    for message in new_refusals(versions.before, versions.after):
        yield Effect(Topic.REFUSED, f"{versions.after.release.behaviour} refuses it at its next write: {message}")


def _hashes(versions: Versions) -> Iterator[Effect]:
    before, after = versions.before, versions.after
    if before.hash != after.hash:
        which = "both hashes change" if before.hash_without_image != after.hash_without_image else "the hash changes"
        yield Effect(Topic.HASH, f"{which} at the next write of the SidecarSet, though its manifest stays the same")
    old, new = revision_name(before), revision_name(after)
    if old != new:
        message = f"its revision is stored anew: {new} beside {old}, at the latest at the next write"
        yield Effect(Topic.REVISION, message)


def _pins(versions: Versions) -> Iterator[Effect]:
    old, new = (asked_revision(one, versions.revisions) for one in (versions.before, versions.after))
    if old != new:
        names = [one.name if one else "none" for one in (old, new)]
        message = f"injectionStrategy.revision means another revision: {names[0]} before, {names[1]} after"
        yield Effect(Topic.PIN, message)
    remarks = [{one.reason: one for one in _remarks(each, versions)} for each in (versions.before, versions.after)]
    for reason in (Reason.FOREIGN_REVISION, Reason.REVISION_MERGED):
        before, after = (found.get(reason) for found in remarks)
        if after and not before:
            yield Effect(Topic.PIN, after.message)
        if before and not after:
            yield Effect(Topic.PIN, f"no longer: {before.message}")


def _remarks(sidecarset: SidecarSet, versions: Versions) -> Iterable[Finding]:
    return Chooser(sidecarset, versions.revisions).remarks()


def _order(versions: Versions) -> Iterator[Effect]:
    before, after = versions.before.release, versions.after.release
    has_priority = bool(_strategy(versions.after).get("priorityStrategy"))
    if has_priority and before.ties_in_base_order != after.ties_in_base_order:
        says = {True: "keep the base order", False: "go in the reverse order of the list of pods"}
        new, old = says[after.ties_in_base_order], says[before.ties_in_base_order]
        yield Effect(Topic.ORDER, f"pods of equal priority {new}; before they {old}")
    init = versions.after.spec.get("initContainers") or []
    if any(map(is_native_sidecar, init)) and before.native_restarts_count != after.native_restarts_count:
        does = "count" if after.native_restarts_count else "no longer count"
        yield Effect(Topic.ORDER, f"restarts of native sidecars {does} in the order of pods")


def _pace(versions: Versions) -> Iterator[Effect]:
    before, after = versions.before.release, versions.after.release
    strategy = _strategy(versions.after)
    shares = [name for name in ("partition", "maxUnavailable") if str(strategy.get(name) or "").endswith("%")]
    if shares and before.percent_up != after.percent_up:
        directions = ("up", "down") if after.percent_up else ("down", "up")
        said = " and ".join(f"{name} {strategy[name]}" for name in shares)
        yield Effect(Topic.PACE, f"{said}: rounded {directions[0]}, before {directions[1]}")


def _resets(versions: Versions) -> Iterator[Effect]:
    before, after = versions.before.release, versions.after.release
    is_hot = any(
        (one.get("upgradeStrategy") or {}).get("upgradeType") == "HotUpgrade" for one in _containers(versions)
    )
    if not is_hot or before.reset_ends_round == after.reset_ends_round:
        return
    strategy = _strategy(versions.after)
    holding = "paused" if strategy.get("paused") else "type NotUpdate" if strategy.get("type") == "NotUpdate" else ""
    if after.reset_ends_round:
        message = "a round that resets idle hot containers does nothing else"
        held = f"{holding} holds back the reset of idle hot containers too"
    else:
        message = "the reset of idle hot containers no longer takes a round of its own"
        held = f"{holding} no longer holds back the reset of idle hot containers"
    yield Effect(Topic.HOT_RESET, held if holding else message)


def _conditions(versions: Versions) -> Iterator[Effect]:
    before, after = versions.before.release, versions.after.release
    if before.upgradable_condition != after.upgradable_condition:
        does = "get" if after.upgradable_condition else "no longer get"
        yield Effect(Topic.CONDITION, f"its pods {does} the condition SidecarSetUpgradable")


def _containers(versions: Versions) -> list[Object]:
    return versions.after.spec.get("containers") or []


def _strategy(sidecarset: SidecarSet) -> Object:
    return sidecarset.spec.get("updateStrategy") or {}
