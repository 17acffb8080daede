"""All findings about some SidecarSets; for every command that reads one, the cheap checks of a SidecarSet alone."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from sidecarctl.engine.facts.findings import Finding, Severity
from sidecarctl.engine.facts.values import Object, value_at
from sidecarctl.engine.injection.pod.set_plan import reference_to
from sidecarctl.engine.sidecarset.conversion import spec_in_v1beta1
from sidecarctl.engine.sidecarset.sets import SidecarSet
from sidecarctl.engine.sidecarset.world import World
from sidecarctl.engine.validation.admission.spec import refusals
from sidecarctl.engine.validation.practice.fields import null_member_findings, unknown_field_findings
from sidecarctl.engine.validation.practice.good_practice import (
    NAMESPACES,
    RESOURCES,
    TAG,
    digest_findings,
    hot_upgrade_findings,
    image_findings,
    launch_priority_findings,
    namespace_findings,
    own_order_findings,
    resource_practice,
    word_findings,
)
from sidecarctl.engine.validation.rules import Rule
from sidecarctl.engine.validation.suppression import by_annotation, ignore_findings, parted, refuses

if TYPE_CHECKING:  # other commands than validate have no pods here
    from sidecarctl.engine.validation.pods.matched import Match


def own_findings(sidecarset: SidecarSet, world: World, by_name: Mapping[str, SidecarSet]) -> Iterator[Finding]:
    """The findings about a SidecarSet, in the order of the rules; `by_name` are all SidecarSets."""
    spec, given = spec_in_v1beta1(sidecarset), _parameters(sidecarset, world)
    if source := world.sources.get(sidecarset.name):
        yield from unknown_field_findings(source.manifest, sidecarset.release)
        yield from null_member_findings(source.manifest)
        if spec.get("initContainers"):
            from sidecarctl.engine.validation.practice.ignored import ignored_findings

            yield from ignored_findings(source.manifest, sidecarset.release)
    yield from without_echoes(refusals(sidecarset, world, by_name), spec)
    if sidecarset.name in world.older:
        from sidecarctl.engine.validation.updates import flip_findings, update_refusals

        older = world.older[sidecarset.name]
        yield from update_refusals(older, sidecarset)
        yield from flip_findings(older, sidecarset, source.manifest) if source else ()
    yield from word_findings(spec)
    yield from hot_upgrade_findings(spec, sidecarset.release)
    yield from image_findings(spec, given(TAG))
    release = sidecarset.release
    yield from namespace_findings(sidecarset, spec, world, given(NAMESPACES))
    yield from resource_practice(spec, release, given(RESOURCES))
    yield from launch_priority_findings(spec)
    yield from own_order_findings(sidecarset, world.gates)
    yield from ignore_findings(sidecarset.metadata)


def _parameters(sidecarset: SidecarSet, world: World) -> Callable[[Rule], Object]:
    """The parameters that are given to rules for the file of a SidecarSet."""
    source = world.sources.get(sidecarset.name)
    file = source.file if source else ""
    return lambda rule: world.rules.parameters_of(rule.id, file)


def without_echoes(findings: Iterable[Finding], spec: Object) -> Iterator[Finding]:
    """The findings without those about mounts of a volume with a wrong name, which has its own finding."""
    found = list(findings)
    wrong = {item.path[:3] for item in found if item.rule == "volume-name"}
    names = [value_at({"spec": spec}, (*path, "name")) for path in wrong]
    for item in found:
        is_echo = item.rule == "mount-volume" and value_at({"spec": spec}, item.path) in names
        if not is_echo:
            yield item


ZONE_LABEL = "topology.kubernetes.io/zone"


class CheckedSidecarSet(NamedTuple):
    """The findings about a SidecarSet; they have subjects, and paths in its manifest.

    `suppressed` are those that an annotation of the SidecarSet suppresses.
    """

    sidecarset: SidecarSet
    findings: tuple[Finding, ...]
    suppressed: tuple[Finding, ...] = ()

    @property
    def is_refused(self) -> bool:
        """Whether any finding is an error."""
        return _refuse(self.findings)


class Result(NamedTuple):
    """Each SidecarSet with its findings, in the order given; and findings about pods, with subjects and places."""

    sets: list[CheckedSidecarSet]
    of_pods: list[Finding]


def check(world: World, *, zone_label: str = ZONE_LABEL) -> list[CheckedSidecarSet]:
    """Each SidecarSet with its findings, in the order given."""
    return checked_with_pods(world, zone_label=zone_label).sets


def checked_with_pods(world: World, *, zone_label: str = ZONE_LABEL) -> Result:
    """The findings about SidecarSets and pods; `zone_label` is the node label that holds the zone.

    As in Kruise from 1.7 on, only SidecarSets without other errors are checked for conflicts.
    """
    sidecarsets, every = world.sidecarsets, world.by_name
    found = [list(own_findings(sidecarset, world, every)) for sidecarset in sidecarsets]
    by_name = {item.name: findings for item, findings in zip(sidecarsets, found, strict=True)}
    compared = {sidecarset.name for sidecarset in sidecarsets if _is_compared(sidecarset, by_name[sidecarset.name])}
    from sidecarctl.engine.validation.practice.updates import PACE, update_findings
    from sidecarctl.engine.validation.practice.values import SCALE, value_findings
    from sidecarctl.engine.validation.practice.variables import variable_findings

    for sidecarset in sidecarsets:
        spec, given = spec_in_v1beta1(sidecarset), _parameters(sidecarset, world)
        by_name[sidecarset.name] += update_findings(sidecarset, given(PACE))
        by_name[sidecarset.name] += value_findings(spec, given(SCALE))
        by_name[sidecarset.name] += variable_findings(spec)
    if world.rules.kubernetes is not None:
        from sidecarctl.engine.validation.practice.kubernetes import kubernetes_findings

        for sidecarset in sidecarsets:
            by_name[sidecarset.name] += kubernetes_findings(spec_in_v1beta1(sidecarset), world.rules.kubernetes)
    for name, finding in _conflicts(world, compared) if len(sidecarsets) > 1 or world.older else ():
        by_name[name].append(finding)
    for name, finding in digest_findings((sidecarset.name, sidecarset.spec) for sidecarset in sidecarsets):
        by_name[name].append(finding)
    from sidecarctl.engine.validation.pods.matched import matches_of

    of_pods: list[Finding] = []
    matches = matches_of(world)
    for name, finding in _selected(world, matches):
        by_name[name].append(finding)
    for of_set, finding in _with_pods(world, matches, zone_label) if world.pods else ():
        (of_pods if of_set is None else by_name[of_set]).append(finding)
    return Result(
        [
            _checked(item, findings, obeys_annotations=world.rules.obeys_annotations)
            for item, findings in zip(sidecarsets, found, strict=True)
        ],
        of_pods,
    )


def _is_compared(sidecarset: SidecarSet, findings: Iterable[Finding]) -> bool:
    """Whether Kruise checks a SidecarSet for conflicts: old releases do even if it has other errors."""
    return not (sidecarset.release.conflicts_only_if_valid and any(map(refuses, findings)))


def _conflicts(world: World, compared: Collection[str]) -> Iterator[tuple[str, Finding]]:
    from sidecarctl.engine.validation.conflicts.conflicts import Conflicts, crash_findings

    yield from crash_findings(world.sidecarsets, world.older.values(), world.namespaces)
    yield from Conflicts(world.sidecarsets, world.namespaces).findings(compared)


def _selected(world: World, matches: Sequence["Match"]) -> Iterator[tuple[str, Finding]]:
    """Selectors without effect, and what the selected pods share, with the name of the SidecarSet."""
    from sidecarctl.engine.validation.pods.selected import label_findings, unseen_findings
    from sidecarctl.engine.validation.pods.sharing import claim_findings

    for match in matches:
        for finding in (
            *unseen_findings(match, world),
            *label_findings(match),
            *claim_findings(match, world.objects.get("PersistentVolumeClaim", ())),
        ):
            yield match.sidecarset.name, finding


def _with_pods(world: World, matches: Sequence["Match"], zone_label: str) -> Iterator[tuple[str | None, Finding]]:
    """Findings about SidecarSets together with the pods that they select, with the name of the SidecarSet.

    It is None for findings about the pods themselves.
    """
    from sidecarctl.engine.validation.pods.invalid import invalid_findings
    from sidecarctl.engine.validation.pods.launch import WebhookNotes
    from sidecarctl.engine.validation.pods.lifetimes import lifetime_findings
    from sidecarctl.engine.validation.pods.limit_ranges import range_findings
    from sidecarctl.engine.validation.pods.listening import port_findings
    from sidecarctl.engine.validation.pods.matched import (
        count_findings,
        match_findings,
        order_findings,
        zone_findings,
    )
    from sidecarctl.engine.validation.pods.pairs import Beside, Pairs
    from sidecarctl.engine.validation.pods.pod_security import security_findings
    from sidecarctl.engine.validation.pods.quota_sums import QuotaSums
    from sidecarctl.engine.validation.pods.quotas import quota_findings
    from sidecarctl.engine.validation.pods.references import reference_findings
    from sidecarctl.engine.validation.pods.requests import request_findings
    from sidecarctl.engine.validation.pods.running import InjectedPods, context_of, runs_of
    from sidecarctl.engine.validation.pods.sharing import host_port_findings
    from sidecarctl.engine.validation.pods.taken import taken_names
    from sidecarctl.engine.validation.pods.whole_workloads import whole_workload_findings

    for match in matches:
        for finding in (
            *match_findings(match, world),
            *count_findings(match),
            *whole_workload_findings(match),
            *zone_findings(match, world.objects.get("Node", ()), zone_label),
            *reference_findings(match, world.objects),
        ):
            yield match.sidecarset.name, finding
    yield from order_findings(matches, world.gates)
    if world.budgets:
        from sidecarctl.engine.validation.pods.budgets import budget_findings

        yield from budget_findings(world, matches)
    sums = QuotaSums(Beside(world))
    checks = (
        taken_names,
        invalid_findings,
        port_findings,
        host_port_findings,
        lifetime_findings,
        request_findings,
        range_findings,
        quota_findings,
        sums.check,
        security_findings,
    )
    injected, pairs, notes = InjectedPods(), Pairs(world, checks), WebhookNotes()
    for run in runs_of(world, context_of(world)):
        for each in (injected, pairs, notes):
            each.add(run)
    yield from injected.findings()
    yield from pairs.findings()
    yield from sums.findings(world.pods)
    for finding in notes.findings():
        about = finding.subject
        yield about.name if about and about.kind == "SidecarSet" else None, finding


def _refuse(findings: Iterable[Finding]) -> bool:
    return any(finding.severity is Severity.ERROR for finding in findings)


def _checked(sidecarset: SidecarSet, findings: list[Finding], *, obeys_annotations: bool) -> CheckedSidecarSet:
    """The findings, with subjects, parted by an annotation of the SidecarSet."""
    subject = reference_to(sidecarset)
    about = (finding._replace(subject=subject) for finding in findings)
    told, suppressed = parted(about, by_annotation(sidecarset.metadata, obeys=obeys_annotations))
    return CheckedSidecarSet(sidecarset, tuple(told), tuple(suppressed))
