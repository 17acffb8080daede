"""The door of validation: everything that there is to say about some SidecarSets."""

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from sidecarctl.facts.findings import Finding, Severity
from sidecarctl.injection.build.set_plan import reference_to
from sidecarctl.sidecarset.sets import SidecarSet
from sidecarctl.validation.admission.spec import refusals
from sidecarctl.validation.conflicts.conflicts import Conflicts
from sidecarctl.validation.given import Given, spec_in_v1beta1
from sidecarctl.validation.practice.fields import unknown_field_findings
from sidecarctl.validation.practice.hot_upgrade import hot_upgrade_findings
from sidecarctl.validation.practice.images import digest_findings, image_findings
from sidecarctl.validation.practice.limits import limit_findings
from sidecarctl.validation.practice.order import own_order_findings
from sidecarctl.validation.practice.words import word_findings
from sidecarctl.validation.suppression import ignore_findings, ignored_by, without
from sidecarctl.validation.updates import update_refusals

ZONE_LABEL = "topology.kubernetes.io/zone"


class Checked(NamedTuple):
    """What was found about one SidecarSet; the findings have subjects, and paths in its manifest."""

    sidecarset: SidecarSet
    findings: tuple[Finding, ...]

    @property
    def is_refused(self) -> bool:
        """Whether there is an error among the findings."""
        return _refuse(self.findings)


def check(given: Given, *, zone_label: str = ZONE_LABEL) -> list[Checked]:
    """Each SidecarSet with its findings, in the order given; `zone_label` tells zones by a label of nodes.

    Conflicts are looked at only for those that nothing else refuses, as Kruise does.
    """
    sets = {one.name: one for one in given.sidecarsets}
    found = [list(own_findings(one, given, sets)) for one in given.sidecarsets]
    by_name = {one.name: findings for one, findings in zip(given.sidecarsets, found, strict=True)}
    sound = {name for name, findings in by_name.items() if not _refuse(findings)}
    for name, finding in Conflicts(given.sidecarsets, given.namespaces).findings(sound):
        by_name[name].append(finding)
    for name, finding in digest_findings((one.name, one.spec) for one in given.sidecarsets):
        by_name[name].append(finding)
    for name, finding in _with_pods(given, zone_label) if given.pods else ():
        by_name[name].append(finding)
    return [_told(one, findings) for one, findings in zip(given.sidecarsets, found, strict=True)]


def own_findings(sidecarset: SidecarSet, given: Given, by_name: Mapping[str, SidecarSet]) -> Iterator[Finding]:
    """What there is to say about one SidecarSet by itself: the cheap part, for every command that reads it."""
    spec = spec_in_v1beta1(sidecarset)
    yield from unknown_field_findings(given.manifests.get(sidecarset.name, {}), sidecarset.version)
    yield from refusals(sidecarset, given, by_name)
    if sidecarset.name in given.older:
        yield from update_refusals(given.older[sidecarset.name], sidecarset)
    yield from word_findings(spec)
    yield from hot_upgrade_findings(spec)
    yield from image_findings(spec)
    yield from limit_findings(spec)
    yield from own_order_findings(spec, given.gates)
    if ignored_by(sidecarset.metadata):
        from sidecarctl.validation.catalogue import rules

        yield from ignore_findings(sidecarset.metadata, rules())


def _with_pods(given: Given, zone_label: str) -> Iterator[tuple[str, Finding]]:
    """What only shows beside the pods that are selected, by the names of SidecarSets."""
    from sidecarctl.validation.practice.counts import count_findings, zone_findings
    from sidecarctl.validation.practice.injected import injected_findings
    from sidecarctl.validation.practice.matched import match_findings, matches_of
    from sidecarctl.validation.practice.order import order_findings
    from sidecarctl.validation.practice.references import reference_findings

    matches = matches_of(given)
    for match in matches:
        for finding in (
            *match_findings(match),
            *count_findings(match),
            *zone_findings(match, given.others.get("Node", ()), zone_label),
            *reference_findings(match, given.others),
        ):
            yield match.sidecarset.name, finding
    yield from order_findings(matches, given.gates)
    yield from injected_findings(given)


def _refuse(findings: Iterable[Finding]) -> bool:
    return any(finding.severity is Severity.ERROR for finding in findings)


def _told(sidecarset: SidecarSet, findings: list[Finding]) -> Checked:
    """The findings but those that the SidecarSet's annotation suppresses, each with its subject."""
    subject = reference_to(sidecarset)
    kept = without(findings, ignored_by(sidecarset.metadata))
    return Checked(sidecarset, tuple(finding._replace(subject=subject) for finding in kept))
