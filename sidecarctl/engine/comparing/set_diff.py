"""Two versions of the SidecarSets of a repository: what each change means for running pods and pods of workloads."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from sidecarctl.engine.api.label_selectors import Labels
from sidecarctl.engine.api.workloads import pod_template_paths
from sidecarctl.engine.comparing.cost_changes import cost_changes
from sidecarctl.engine.comparing.judged_changes import SetDiff, judged, moved_sentence, verdict_sentence
from sidecarctl.engine.comparing.lost_and_gained import LostAndGained, Moved
from sidecarctl.engine.comparing.new_pods_only import mixed_update
from sidecarctl.engine.comparing.pod_effects import CostChange, PodEffects, Pods, RolloutNumbers, pod_effects
from sidecarctl.engine.comparing.set_changes import (
    Refusals,
    SetChange,
    added,
    changed,
    refused_changes,
    removed,
    written_path,
)
from sidecarctl.engine.comparing.verdicts import FAILS, Verdict
from sidecarctl.engine.facts.errors import SidecarctlError
from sidecarctl.engine.facts.findings import Finding, ObjectReference, Severity, as_warning, named
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Object, Path, natural, value_at
from sidecarctl.engine.injection.new_pods import RECREATE
from sidecarctl.engine.injection.selection import labels_of
from sidecarctl.engine.report import Checked, Report
from sidecarctl.engine.rollout.recreation import Recreation
from sidecarctl.engine.rollout.simulated_pods import PodName, SimulatedPod
from sidecarctl.engine.rollout.summary.sentences import number
from sidecarctl.engine.rollout.targets import doubtful_pods
from sidecarctl.engine.rollout.workload_pods import pods_of_workloads
from sidecarctl.engine.sidecarset.sets import Matcher
from sidecarctl.engine.sidecarset.unknown_namespaces import unknown_namespaces
from sidecarctl.engine.sidecarset.world import World
from sidecarctl.engine.validation.warnings import gate_findings

if TYPE_CHECKING:
    from sidecarctl.engine.comparing.cost_changes import Costs


class DiffFacts(NamedTuple):
    """Every SidecarSet of either version, by name, the feature gates in force, and what was compared, in words.

    `cost`: what all sidecars request more or less; None without pods and workloads, and for no difference.
    """

    sets: Sequence[SetDiff]
    gates: frozenset[str]
    compared: str = ""
    cost: CostChange | None = None

    @property
    def differs(self) -> bool:
        """Whether any SidecarSet differs."""
        return any(item.differs for item in self.sets)


def diff_report(
    old: World,
    new: World,
    pods: Pods,
    gates: frozenset[str],
    only: Sequence[str] = (),
    fails: Collection[str] = FAILS,
) -> Report[DiffFacts]:
    """The differences between two worlds of SidecarSets; an objection if a verdict is among `fails`."""
    refusals = refused_changes(old, new, gates)
    changes = [change for change in _changes(old, new, refusals) if not only or change.name in only]
    findings = gate_findings(new, gates)
    effects = _effects(old, new, changes, pods, gates)
    stored = stored_after(old, new, refusals)
    moved = _moved(old, stored, pods, gates)
    costs = _costs(old, stored, pods, gates)
    findings += effects.findings
    findings += moved.findings if moved else ()
    doubtful = {} if pods.whole else {item.name: _doubtful(item, old, new, pods) for item in changes}
    findings += _unknown_namespaces(changes, doubtful, old, new)
    sources = {**old.sources, **new.sources}
    recreation = Recreation(new, gates)
    sets = [
        judged(
            SetDiff(
                item,
                effects.rollouts.get(item.name),
                effects.shifts.get(item.name),
                moved.moves(item.name) if moved else None,
                sources[item.name].place(),
                costs.get(item.name),
                _advice(item, effects.rollouts.get(item.name), recreation),
                doubtful.get(item.name, ()),
            )
        )
        for item in changes
    ]
    findings += [finding for change in changes for finding in _own(change, new, fails)]
    findings += [finding for item in sets for finding in _mixed(item, new)]
    objections = [finding for item in sets for finding in _verdict_findings(item, old, new, fails)]
    is_objection = any(verdict in fails for item in sets for verdict in item.change.verdicts)
    facts = DiffFacts(sets, gates, cost=costs.get(None))
    unique = list(dict.fromkeys(findings))
    checked = [Checked(sources[item.change.name].reference, item.place, _LOOKED_FOR) for item in sets]
    return Report(
        "diff",
        facts,
        unique,
        is_objection=is_objection,
        objections=objections,
        checked=checked,
        release=new.release,
    )


def _advice(change: SetChange, rollout: RolloutNumbers | None, recreation: Recreation) -> str:
    if not (change.old and change.new) or Verdict.REJECTED in change.verdicts:
        return ""
    if rollout and rollout.recreate:
        return rollout.advice
    said = recreation.of_any_pod(change.name)
    return "" if said.startswith(RECREATE) else said


def stored_after(old: World, new: World, refused: Collection[str]) -> World:
    """What a cluster has after `new` is applied: of a SidecarSet that Kruise rejects the version of `old`, if any."""
    kept = {name: item for name, item in old.by_name.items() if name in refused}
    names = {name: item for name, item in new.by_name.items() if name not in refused} | kept
    sources = {**new.sources, **{name: old.sources[name] for name in kept}}
    return new._replace(sidecarsets=[names[name] for name in sorted(names, key=natural)], sources=sources)


def _changes(old: World, new: World, refusals: Refusals) -> Iterator[SetChange]:
    before, after = old.by_name, new.by_name
    for name in sorted({*before, *after}, key=natural):
        if name not in before:
            yield added(after[name], refusals.get(name, ()))
        elif name not in after:
            yield removed(before[name])
        else:
            written = old.sources[name].manifest, new.sources[name].manifest
            yield changed(before[name], after[name], written, refusals.get(name, ()), new.revisions)


def _effects(old: World, new: World, changes: Iterable[SetChange], pods: Pods, gates: frozenset[str]) -> PodEffects:
    """The rollouts of the SidecarSets that are not refused, all together, as `plan` simulates them."""
    changes = list(changes)
    names = [change.name for change in changes if change.new and Verdict.REJECTED not in change.verdicts]
    changes_nothing = all(change.change == "unchanged" for change in changes)
    if not (pods.running or pods.workloads) or (changes_nothing and not pods.always):
        return PodEffects({}, {}, ())
    if pods.running:
        return pod_effects(old, new, pods.running, names, pods.protection)
    try:
        made, remarks = pods_of_workloads(old, new, pods.workloads, pods.namespace, pods.kinds, gates)
    except SidecarctlError as fault:
        return PodEffects({}, {}, fault.findings)
    effects = pod_effects(old, new, made, names, pods.protection, synthetic=True)
    return effects._replace(findings=[*remarks, *effects.findings])


def _moved(old: World, new: World, pods: Pods, gates: frozenset[str]) -> LostAndGained | None:
    if not (pods.running or pods.workloads):
        return None
    moved = LostAndGained(old, new, gates)
    moved.add_workloads(pods.earlier, pods.workloads, pods.namespace, pods.kinds)
    moved.add_running(pods.running)
    return moved


def _costs(old: World, new: World, pods: Pods, gates: frozenset[str]) -> "Costs":
    """The change of what sidecars request: over running pods, or else over those of workloads."""
    if not (pods.recreated or (pods.workloads and not pods.running)):
        return {}

    return cost_changes(pods, old, new, gates)


def _doubtful(change: SetChange, old: World, new: World, pods: Pods) -> tuple[PodName, ...]:
    """The pods, or else the workloads, that a SidecarSet that changes may match; trees have warnings of their own."""
    item, world = (change.new, new) if change.new else (change.old, old)
    if item is None or change.change == "unchanged":
        return ()
    named: Iterable[tuple[PodName, Labels]]
    if pods.running:
        read = (SimulatedPod(index, pod) for index, pod in enumerate(pods.running))
        named = ((pod.name, pod.labels) for pod in read if pod.active)
    else:
        named = _templates(pods)
    return doubtful_pods(Matcher(item, world.namespaces), named)


def _templates(pods: Pods) -> Iterator[tuple[PodName, Labels]]:
    for found in pods.workloads:
        for path in pod_template_paths(found.manifest, pods.kinds):
            name = PodName(found.reference.namespace or pods.namespace, found.reference.name)
            with suppress(SidecarctlError):  # `_moved` reports it
                yield name, labels_of(value_at(found.manifest, path))


def _unknown_namespaces(
    changes: Sequence[SetChange], doubtful: Mapping[str, Sequence[PodName]], old: World, new: World
) -> Iterator[Finding]:
    for change in changes:
        item, world = (change.new, new) if change.new else (change.old, old)
        if item and (pods := doubtful.get(change.name)):
            yield from unknown_namespaces([item], world, {pod.namespace for pod in pods})


def _own(change: SetChange, new: World, fails: Collection[str]) -> list[Finding]:
    """The findings about a change; refusals are warnings if they do not make the command fail."""
    found = change.findings if Verdict.REJECTED in fails else tuple(map(as_warning, change.findings))
    return new.sources[change.name].findings(found) if found else []


def _mixed(difference: SetDiff, new: World) -> Iterator[Finding]:
    """A warning if running pods get new images, but not what else changes for new pods."""
    change, rollout = difference.change, difference.rollout
    if not {Verdict.IN_PLACE, Verdict.NEW_PODS_ONLY} <= {*change.verdicts} or not (change.old and change.new):
        return
    pods = f"{number(rollout.updated)} will run" if rollout and rollout.updated else "pods updated in place run"
    if found := mixed_update(change.old, change.new, pods):
        yield from new.sources[change.name].findings([found])


_FOUND = {
    Verdict.SIDECAR_LOST: Reason.SIDECAR_LOST,
    Verdict.RECREATE: Reason.PODS_MUST_BE_RECREATED,
    Verdict.SIDECAR_GAINED: Reason.SIDECAR_GAINED,
}
_LOOKED_FOR = (Reason.REFUSED, Reason.SIDECAR_LOST, Reason.PODS_MUST_BE_RECREATED)
"""The reasons of the verdicts that make the command fail by default."""


def _verdict_findings(difference: SetDiff, old: World, new: World, fails: Collection[str]) -> Iterator[Finding]:
    """The verdicts that pods notice, as findings: errors if they make the command fail; refusals have their own."""
    change = difference.change
    source = new.sources.get(change.name) or old.sources[change.name]
    for verdict in change.verdicts:
        reason = _FOUND.get(verdict)
        if reason is None:
            continue
        milder = Severity.NOTE if verdict is Verdict.SIDECAR_GAINED else Severity.WARNING
        severity = Severity.ERROR if verdict in fails else milder
        if verdict is Verdict.RECREATE:
            because = f"because of {named(change.causes) or 'the change'}"
            message = (
                f"running pods do not get this change, {because}; {difference.advice}"
                if difference.advice
                else f"pods must be recreated to get this change, {because}"
            )
            path = _first_cause(change, source.manifest)
            yield from source.findings([Finding(severity, reason, message, path)])
            continue
        is_lost, moves = verdict is Verdict.SIDECAR_LOST, difference.moves
        groups = by_cause(moves.lost if is_lost else moves.gained) if moves else []
        for moved in groups:
            message = moved_sentence(moved, is_lost=is_lost)
            place = moved[0].cause.place or source.place()
            subject = ObjectReference(source.reference.api_version, "SidecarSet", "", change.name)
            yield Finding(severity, reason, message, subject=subject, place=place)
        if not groups:
            message = verdict_sentence(difference, verdict).rstrip(".")
            yield from source.findings([Finding(severity, reason, message)])


def _first_cause(change: SetChange, written: Object) -> Path:
    """Where a manifest has the first field that forces pods to be recreated, or the next one around it."""
    paths = [field.path for field in change.fields if field.text in change.causes]
    return written_path(written, paths[0]) if paths else ()


def by_cause(moved: Iterable[Moved]) -> list[list[Moved]]:
    """Pods with the same cause, in the order of the first of each."""
    groups: dict[tuple[str, bool], list[Moved]] = {}
    for item in moved:
        groups.setdefault((item.cause.text, item.is_running), []).append(item)
    return list(groups.values())
