"""What an upgrade of Kruise means for a SidecarSet as it is written: its fields, hashes, revisions, strategy.

Source: docs/behavior/releases.md, "What follows from them".
"""

from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import NamedTuple

from sidecarctl.engine.comparing.verdicts import Verdict, strategy_of
from sidecarctl.engine.facts.findings import Finding, Severity
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Object, Path
from sidecarctl.engine.sidecarset.conversion import version_of
from sidecarctl.engine.sidecarset.release_gaps import gaps
from sidecarctl.engine.sidecarset.revisions.controller_revisions import Revision, revision_name
from sidecarctl.engine.sidecarset.revisions.revision_choice import Chooser, asked_revision
from sidecarctl.engine.sidecarset.sets import NAMESPACE_NAME_LABEL, SidecarSet, is_native_sidecar

_VERSION: Path = ("apiVersion",)
_PIN: Path = ("spec", "injectionStrategy", "revision")
STRATEGY: Path = ("spec", "updateStrategy")
_NAMESPACE: Path = ("spec", "namespace")


class Topic(StrEnum):
    """The subject of an effect."""

    FIELD_BEGINS = "FieldBegins"
    FIELD_CEASES = "FieldCeases"
    READS_BACK = "ReadsBack"
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
    """A difference under the other release: an error if something that works breaks, a warning if it only differs.

    `path` leads to its field in the manifest, `rule` is the validation rule of an error.
    """

    topic: Topic
    message: str
    severity: Severity = Severity.NOTE
    path: Path = ()
    rule: str = ""


class Versions(NamedTuple):
    """A manifest as both releases admit it.

    `revisions` are the stored ones, `refusals` the errors for which only the later release rejects it.
    """

    manifest: Object
    before: SidecarSet
    after: SidecarSet
    revisions: Sequence[Revision] = ()
    refusals: Sequence[Finding] = ()


def effects_of(versions: Versions) -> list[Effect]:
    """All effects that can be determined without pods."""
    return [
        *_fields(versions),
        *_read_back(versions),
        *_refused(versions),
        *_hashes(versions),
        *_pins(versions),
        *_order(versions),
        *_pace(versions),
        *_resets(versions),
        *_conditions(versions),
    ]


def verdict_of(versions: Versions) -> Verdict:
    """What the upgrade means for running pods once the SidecarSet is written again."""
    before, after = versions.before, versions.after
    if versions.refusals:
        return Verdict.REJECTED
    if before.hash == after.hash or strategy_of(after).get("type") == "NotUpdate":
        return Verdict.NO_EFFECT
    same = before.hash_without_image == after.hash_without_image
    return Verdict.IN_PLACE if same else Verdict.RECREATE


def _fields(versions: Versions) -> Iterator[Effect]:
    old, new = (
        {gap.path: gap for gap in gaps(versions.manifest, item.release)} for item in (versions.before, versions.after)
    )
    for path in old:
        if path not in new:
            severity = Severity.NOTE if path == _VERSION else Severity.WARNING
            yield Effect(Topic.FIELD_BEGINS, _begins(path, versions.manifest), severity, path)
    for path, gap in new.items():
        if path not in old:
            yield Effect(Topic.FIELD_CEASES, f"stops working: {gap.message}", Severity.ERROR, path)


def _begins(path: Path, manifest: Object) -> str:
    """An annotation is already stored; a field was dropped when the SidecarSet was written."""
    if path == _VERSION:
        return f"{manifest['apiVersion']} is served"
    when = "at once" if path[0] == "metadata" else "once the SidecarSet is applied again"
    return f"starts working {when}"


def _read_back(versions: Versions) -> Iterator[Effect]:
    """What a release that stores v1beta1 makes of the field that only v1alpha1 has."""
    spec = versions.manifest.get("spec") or {}
    stores = [item.release.serves_v1beta1 for item in (versions.before, versions.after)]
    if stores == [False, True] and version_of(versions.manifest) == "v1alpha1" and spec.get("namespace"):
        selector = f"namespaceSelector {{{NAMESPACE_NAME_LABEL}: {spec['namespace']}}}"
        lost = "; the namespaceSelector beside it is lost" if spec.get("namespaceSelector") else ""
        told = "GitOps tools keep seeing a difference until the manifest has that instead"
        message = f"after its next write it reads back as {selector}{lost}: {told}"
        yield Effect(Topic.READS_BACK, message, Severity.WARNING, _NAMESPACE)


def _refused(versions: Versions) -> Iterator[Effect]:
    for refusal in versions.refusals:
        message = f"{versions.after.release.behavior} rejects it at its next write: {refusal.message}"
        yield Effect(Topic.REFUSED, message, Severity.ERROR, refusal.path, refusal.rule)


def _hashes(versions: Versions) -> Iterator[Effect]:
    before, after = versions.before, versions.after
    if before.hash != after.hash:
        which = "both hashes change" if before.hash_without_image != after.hash_without_image else "the hash changes"
        message = f"{which} at the next write of the SidecarSet, although the manifest stays the same"
        severity = Severity.ERROR if verdict_of(versions) is Verdict.RECREATE else Severity.WARNING
        yield Effect(Topic.HASH, message, severity)
    old, new = revision_name(before), revision_name(after)
    if old != new:
        message = f"its revision is stored again as {new}, next to {old}, at the next write at the latest"
        yield Effect(Topic.REVISION, message)


def _pins(versions: Versions) -> Iterator[Effect]:
    old, new = (asked_revision(item, versions.revisions) for item in (versions.before, versions.after))
    if old != new:
        names = [item.name if item else "none" for item in (old, new)]
        message = f"injectionStrategy.revision resolves to another revision: {names[0]} before, {names[1]} after"
        yield Effect(Topic.PIN, message, Severity.WARNING, _PIN)
    remarks = [
        {remark.reason: remark for remark in Chooser(each, versions.revisions).remarks()}
        for each in (versions.before, versions.after)
    ]
    for reason in (Reason.FOREIGN_REVISION, Reason.REVISION_MERGED):
        before, after = (found.get(reason) for found in remarks)
        if after and not before:
            yield Effect(Topic.PIN, after.message, Severity.ERROR, _PIN)
        if before and not after:
            yield Effect(Topic.PIN, f"no longer: {before.message}", path=_PIN)


def _order(versions: Versions) -> Iterator[Effect]:
    before, after = versions.before.release, versions.after.release
    has_priority = bool(strategy_of(versions.after).get("priorityStrategy"))
    if has_priority and before.ties_in_base_order != after.ties_in_base_order:
        says = {True: "in base order", False: "in reverse order of the pod list"}
        new, old = says[after.ties_in_base_order], says[before.ties_in_base_order]
        message = f"pods of equal priority are updated {new} instead of {old}"
        yield Effect(Topic.ORDER, message, Severity.WARNING, (*STRATEGY, "priorityStrategy"))
    init = versions.after.spec.get("initContainers") or []
    if any(map(is_native_sidecar, init)) and before.native_restarts_count != after.native_restarts_count:
        does = "count" if after.native_restarts_count else "no longer count"
        yield Effect(Topic.ORDER, f"restarts of native sidecars {does} in the order of pods", Severity.WARNING)


def _pace(versions: Versions) -> Iterator[Effect]:
    before, after = versions.before.release, versions.after.release
    strategy = strategy_of(versions.after)
    shares = [name for name in ("partition", "maxUnavailable") if str(strategy.get(name) or "").endswith("%")]
    if shares and before.percent_up != after.percent_up:
        directions = ("up", "down") if after.percent_up else ("down", "up")
        said = " and ".join(f"{name} {strategy[name]}" for name in shares)
        message = f"{said}: rounded {directions[0]} instead of {directions[1]}"
        yield Effect(Topic.PACE, message, Severity.WARNING, STRATEGY)


def _resets(versions: Versions) -> Iterator[Effect]:
    before, after = versions.before.release, versions.after.release
    is_hot = any(
        (container.get("upgradeStrategy") or {}).get("upgradeType") == "HotUpgrade"
        for container in versions.after.spec.get("containers") or ()
    )
    if not is_hot or before.reset_ends_round == after.reset_ends_round:
        return
    strategy = strategy_of(versions.after)
    holding = "paused" if strategy.get("paused") else "type NotUpdate" if strategy.get("type") == "NotUpdate" else ""
    if after.reset_ends_round:
        message = "a round that resets idle HotUpgrade containers does nothing else"
        held = f"{holding} also holds back the reset of idle HotUpgrade containers"
    else:
        message = "the reset of idle HotUpgrade containers no longer needs its own round"
        held = f"{holding} no longer holds back the reset of idle HotUpgrade containers"
    yield Effect(Topic.HOT_RESET, held if holding else message, Severity.WARNING)


def _conditions(versions: Versions) -> Iterator[Effect]:
    before, after = versions.before.release, versions.after.release
    if before.upgradable_condition != after.upgradable_condition:
        does = "get" if after.upgradable_condition else "no longer get"
        yield Effect(Topic.CONDITION, f"its pods {does} the condition SidecarSetUpgradable")
