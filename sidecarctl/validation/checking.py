"""The door of validation: everything that there is to say about some SidecarSets."""

from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

from sidecarctl.facts.findings import Finding, Severity
from sidecarctl.injection.build.set_plan import reference_to
from sidecarctl.sidecarset.sets import SidecarSet
from sidecarctl.validation.given import Given
from sidecarctl.validation.own_findings import own_findings
from sidecarctl.validation.practice.images import digest_findings
from sidecarctl.validation.suppression import ignored_by, without

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
    for name, finding in _conflicts(given, sound) if len(given.sidecarsets) > 1 else ():
        by_name[name].append(finding)
    for name, finding in digest_findings((one.name, one.spec) for one in given.sidecarsets):
        by_name[name].append(finding)
    for name, finding in _with_pods(given, zone_label) if given.pods else ():
        by_name[name].append(finding)
    return [_told(one, findings) for one, findings in zip(given.sidecarsets, found, strict=True)]


def _conflicts(given: Given, sound: Collection[str]) -> Iterator[tuple[str, Finding]]:
    from sidecarctl.validation.conflicts.conflicts import Conflicts

    return Conflicts(given.sidecarsets, given.namespaces).findings(sound)


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
            *count_findings(match, given.uncounted),
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
