"""Two versions of a SidecarSet: the differences, what they mean for running pods, and which of them are refused.

Source: docs/behavior/rollout.md, "Predicates on a pod"; hash-and-revisions.md, "The two hashes"; validation.md.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

from sidecarctl.engine.api.canonical import typed
from sidecarctl.engine.api.label_selectors import is_empty
from sidecarctl.engine.comparing.new_pods_only import changes_only_new_pods
from sidecarctl.engine.comparing.verdicts import (
    SelectorChange,
    Verdict,
    is_held,
    selector_change,
    severest_first,
    strategy_of,
    strategy_verdict,
)
from sidecarctl.engine.facts.findings import Finding, Severity
from sidecarctl.engine.facts.values import Object, Path, Value, natural, value_at
from sidecarctl.engine.field_changes import FieldChange, field_changes
from sidecarctl.engine.sidecarset.pod_annotations import HASH, HASH_WITHOUT_IMAGE
from sidecarctl.engine.sidecarset.revisions.controller_revisions import Revision, as_v1beta1, revision_name
from sidecarctl.engine.sidecarset.sets import BASE, CANARY, SidecarSet, is_injection_paused, is_native_sidecar
from sidecarctl.engine.sidecarset.world import World
from sidecarctl.engine.validation.checking import check, own_findings
from sidecarctl.engine.validation.flipped_defaults import flipped
from sidecarctl.engine.validation.suppression import refuses
from sidecarctl.engine.validation.updates import base_refusal, canaries_by_base

OTHER_PODS = "other pods are selected: pods without the sidecars must be recreated to get them"
"""A remark instead of numbers if there are no pods."""


class SetChange(NamedTuple):
    """Two versions of a SidecarSet; one may be missing.

    `verdicts` all hold, the most severe first; `explanation` is the sentence of the first, with numbers if known.
    `causes` are the fields that force pods to be recreated, `defaulted` those that no manifest sets; both are texts
    of `fields`. `remarks` are further consequences.
    """

    name: str
    change: Literal["added", "removed", "changed", "unchanged"]
    verdicts: tuple[Verdict, ...]
    old: SidecarSet | None
    new: SidecarSet | None
    fields: tuple[FieldChange, ...] = ()
    causes: tuple[str, ...] = ()
    defaulted: frozenset[str] = frozenset()
    remarks: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()
    words: str = ""

    @property
    def verdict(self) -> Verdict:
        """The most severe of the verdicts."""
        return self.verdicts[0]

    @property
    def explanation(self) -> str:
        """What the most severe verdict means for this change."""
        return self.words or self.verdict.sentence

    @property
    def keeps_hash(self) -> bool:
        """Whether there are two versions that are the same for pods."""
        return bool(self.old and self.new and self.old.hash == self.new.hash)

    @property
    def revisions(self) -> tuple[str, str]:
        """The names of the revisions that Kruise stores of both versions; empty for a missing version."""
        before, after = (revision_name(item) if item else "" for item in (self.old, self.new))
        return before, after


def added(new: SidecarSet, refused: Sequence[Finding] = ()) -> SetChange:
    """A SidecarSet that is new; `refused` says why Kruise does not create it."""
    if refused:
        return SetChange(new.name, "added", (Verdict.REJECTED,), None, new, findings=tuple(refused))
    if is_injection_paused(new.spec):
        remark = "injectionStrategy.paused is true: no pod gets its sidecars"
        return SetChange(new.name, "added", (Verdict.NO_EFFECT,), None, new, remarks=(remark,))
    remark = "running pods were created without it and get its sidecars only when they are recreated"
    return SetChange(new.name, "added", (Verdict.SIDECAR_GAINED,), None, new, remarks=(remark,))


def removed(old: SidecarSet) -> SetChange:
    """A SidecarSet that was removed."""
    remark = "its sidecars stay in running pods until these are recreated"
    return SetChange(old.name, "removed", (Verdict.SIDECAR_LOST,), old, None, remarks=(remark,))


def changed(
    old: SidecarSet,
    new: SidecarSet,
    written: tuple[Object, Object],
    refused: Sequence[Finding] = (),
    revisions: Collection[Revision] = (),
) -> SetChange:
    """A SidecarSet in two versions; `written` are their manifests, which show which values are defaults.

    `refused` says why Kruise rejects the change (`refused_changes`); of `revisions` new pods may ask for one.
    """
    fields = tuple(field_changes(_compared(old, written[0]), _compared(new, written[1])))
    if not fields and old.hash == new.hash:
        return SetChange(new.name, "unchanged", (Verdict.NO_EFFECT,), old, new)
    causes = tuple(field for field in fields if _is_cause(field, old, new))
    defaulted = frozenset(field.text for field in fields if _is_defaulted(field, written))
    verdicts = {Verdict.REJECTED} if refused else {*_verdicts(old, new), *_selection_verdicts(old, new)}
    if not refused and changes_only_new_pods(old, new, revisions):
        verdicts.add(Verdict.NEW_PODS_ONLY)
    return SetChange(
        name=new.name,
        change="changed",
        verdicts=severest_first(verdicts),
        old=old,
        new=new,
        fields=fields,
        causes=tuple(cause.text for cause in causes) if old.hash_without_image != new.hash_without_image else (),
        defaulted=defaulted,
        remarks=() if refused else tuple(_remarks(old, new, fields)),
        findings=(*refused, *_flips(causes, defaulted, new)),
    )


def _compared(sidecarset: SidecarSet, written: Object) -> Object:
    """What is compared: everything except the hashes, which follow from the rest.

    A list of containers that is present but empty counts in the hashes, although the API drops it.
    """
    is_empty = (written.get("spec") or {}).get("containers") == []
    held = as_v1beta1(sidecarset)
    metadata = held["metadata"]
    hashes = (HASH, HASH_WITHOUT_IMAGE)
    annotations = {key: value for key, value in (metadata.get("annotations") or {}).items() if key not in hashes}
    return {
        "metadata": {"labels": metadata.get("labels") or {}, "annotations": annotations},
        "spec": {**typed(held["spec"], "v1beta1.SidecarSetSpec"), **({"containers": []} if is_empty else {})},
    }


def _verdicts(old: SidecarSet, new: SidecarSet) -> Iterator[Verdict]:
    """The verdicts from hashes and strategies; a change of strategy counts even if there is a new version.

    But a new version that begins behind a partition stops no rollout. A container that becomes native cannot be
    updated in place, which NotUpdate, required then, hides.
    """
    verdict = strategy_verdict(strategy_of(old), strategy_of(new), new.release)
    if old.hash == new.hash or verdict is not Verdict.ROLLOUT_HALTS:
        yield verdict
    if _becomes_native(old, new):
        yield Verdict.RECREATE
    elif old.hash != new.hash and strategy_of(new).get("type") != "NotUpdate":
        yield Verdict.IN_PLACE if old.hash_without_image == new.hash_without_image else Verdict.RECREATE


def _becomes_native(old: SidecarSet, new: SidecarSet) -> bool:
    native = {container.get("name") for container in _init_containers(new) if is_native_sidecar(container)}
    return any(container.get("name") in native for container in old.spec.get("containers") or ())


def _selection_verdicts(old: SidecarSet, new: SidecarSet) -> set[Verdict]:
    """Whether pods may be lost or gained, as far as the selectors alone show."""
    found: set[Verdict] = set()
    specs = [as_v1beta1(item)["spec"] for item in (old, new)]
    for member in ("selector", "namespaceSelector"):
        before, after = (spec.get(member) for spec in specs)
        change = _selection_change(before, after) if member == "selector" else selector_change(before, after)
        found |= {Verdict.SIDECAR_LOST} if change in (SelectorChange.NARROWER, SelectorChange.OTHER) else set()
        found |= {Verdict.SIDECAR_GAINED} if change in (SelectorChange.WIDER, SelectorChange.OTHER) else set()
    was_paused, is_paused = (is_injection_paused(item.spec) for item in (old, new))
    if was_paused or is_paused:  # no pod gets its sidecars before the change, or after it
        found = set() if was_paused and is_paused else {Verdict.SIDECAR_LOST if is_paused else Verdict.SIDECAR_GAINED}
    return found


def _selection_change(before: Object | None, after: Object | None) -> SelectorChange:
    """How the pod selector changes; an empty one selects nothing."""
    if is_empty(before) == is_empty(after):
        return selector_change(before, after)
    return SelectorChange.WIDER if is_empty(before) else SelectorChange.NARROWER


def _is_cause(field: FieldChange, old: SidecarSet, new: SidecarSet) -> bool:
    """Whether the hash without image covers a field."""
    if field.path[:2] == ("spec", "initContainers"):
        is_covered = any(map(is_native_sidecar, [*_init_containers(old), *_init_containers(new)]))
    else:
        is_covered = field.path[:2] == ("spec", "containers")
    return is_covered and not (len(field.path) == 4 and field.path[3] == "image")


def _init_containers(sidecarset: SidecarSet) -> list[Object]:
    return sidecarset.spec.get("initContainers") or []


def _is_defaulted(field: FieldChange, written: tuple[Object, Object]) -> bool:
    """Whether neither manifest sets the field, so that its default follows from another field."""
    is_written = (len(written_path(manifest, field.path)) == len(field.path) for manifest in written)
    return not (field.is_order or any(is_written))


def written_path(manifest: Object, path: Path) -> Path:
    """A path with named list items as one with their places, as far as the manifest has it."""
    found: Path = ()
    value: Value = manifest
    for step in path:
        at = step
        if isinstance(value, list) and isinstance(step, str):
            named = (index for index, item in enumerate(value) if step in map(str, (item or {}).values()))
            at = next(named, len(value))
        value = value_at(value, (at,))
        if value is None:
            break
        found = (*found, at)
    return found


def _flips(causes: Iterable[FieldChange], defaulted: frozenset[str], new: SidecarSet) -> Iterator[Finding]:
    names = [container.get("name") for container in new.spec.get("containers") or ()]
    for cause in causes:
        if cause.text in defaulted and cause.path[-1] == "imagePullPolicy" and cause.path[2] in names:
            yield flipped(cause.before, cause.after, names.index(cause.path[2]))


def _remarks(old: SidecarSet, new: SidecarSet, fields: Iterable[FieldChange]) -> Iterator[str]:
    changed_fields = {field.path[1] for field in fields if field.path[0] == "spec"}
    strategy = strategy_of(new)
    if old.hash != new.hash:
        if strategy.get("type") == "NotUpdate":
            yield "updateStrategy.type is NotUpdate: only new pods get the change"
        elif strategy.get("paused"):
            yield "updateStrategy.paused is true: no pod is updated until it is unpaused"
    elif changed_fields & {"volumes", "imagePullSecrets", "initContainers", "patchPodMetadata"}:
        yield "neither hash covers the change: only new pods get it"
    if changed_fields & {"selector", "namespaceSelector"} and not is_injection_paused(new.spec):
        yield OTHER_PODS
    if not is_held(strategy) and any(field.path[-1] == "hotUpgradeEmptyImage" for field in fields):
        yield "the idle containers of all HotUpgrade pairs are reset to the new empty image, in all pods at once"


def errors_of(change: SetChange) -> list[Finding]:
    """Why Kruise rejects the change."""
    return [finding for finding in change.findings if finding.severity is Severity.ERROR]


_LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"

Refusals = Mapping[str, Sequence[Finding]]
"""Why SidecarSets are refused, by their names; paths lead into their manifests."""


def refused_changes(old: World, new: World, gates: frozenset[str]) -> Refusals:
    """Why each new or changed SidecarSet of `new` is refused; unchanged ones cannot be."""
    changed = _changed_names(old, new)
    if not changed:
        return {}
    found = refusals_in(new, gates, old.by_name)
    for name, canary in canaries_by_base(old.sidecarsets, new.sidecarsets).items():
        if name in changed:
            found.setdefault(name, []).append(base_refusal(canary))
    return {name: found[name] for name in sorted(changed, key=natural) if found.get(name)}


def _changed_names(old: World, new: World) -> set[str]:
    """The SidecarSets of `new` that an apply creates or updates.

    Labels and annotations that it omits are kept as a rule: others may have set them; those of canaries are not.
    """
    before = old.by_name
    return {item.name for item in new.sidecarsets if item.name not in before or _updates(old, new, before, item)}


def _updates(old: World, new: World, before: Mapping[str, SidecarSet], item: SidecarSet) -> bool:
    written = old.sources[item.name].manifest, new.sources[item.name].manifest
    fields = changed(before[item.name], item, written).fields
    return any(
        field.path[0] != "metadata"
        or (field.path[-1] in (BASE, CANARY) if field.after is None else field.path[-1] != _LAST_APPLIED)
        for field in fields
    )


def refusals_in(
    world: World, gates: frozenset[str], older: Mapping[str, SidecarSet] | None = None
) -> dict[str, list[Finding]]:
    """The errors of every SidecarSet of a world, as updates of the `older` ones where there are such."""
    asked = world._replace(gates=gates, older=older or {})
    return {item.sidecarset.name: [each for each in item.findings if refuses(each)] for item in check(asked)}


def refused_versions(world: World, gates: frozenset[str]) -> Refusals:
    """Why SidecarSets are refused whatever their unknown earlier version was; conflicts are not checked.

    A manifest with a uid comes from a cluster, which has accepted it.
    """
    asked, by_name = world._replace(gates=gates), world.by_name
    unknown = [item for item in world.sidecarsets if not item.metadata.get("uid")]
    found = {item.name: list(filter(refuses, own_findings(item, asked, by_name))) for item in unknown}
    return {name: errors for name, errors in found.items() if errors}


def placed_refusals(refusals: Refusals, world: World) -> Iterator[Finding]:
    """The refusals, with their places."""
    for name, findings in refusals.items():
        yield from world.sources[name].findings(findings)
