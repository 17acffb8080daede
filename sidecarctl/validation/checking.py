"""The entry point of validation: all findings about some SidecarSets."""

from collections.abc import Collection, Iterable, Iterator

from sidecarctl.facts.findings import Finding, Severity
from sidecarctl.facts.named_tuples import NamedTuple
from sidecarctl.facts.reasons import Reason
from sidecarctl.injection.build.set_plan import reference_to
from sidecarctl.sidecarset.sets import SidecarSet
from sidecarctl.validation.given import Given
from sidecarctl.validation.own_findings import own_findings
from sidecarctl.validation.practice.images import digest_findings
from sidecarctl.validation.suppression import ignored_by, without

ZONE_LABEL = "topology.kubernetes.io/zone"


class Checked(NamedTuple):
    """The findings about a SidecarSet; they have subjects, and paths in its manifest."""

    sidecarset: SidecarSet
    findings: tuple[Finding, ...]

    @property
    def is_refused(self) -> bool:
        """Whether any finding is an error."""
        return _refuse(self.findings)


def check(given: Given, *, zone_label: str = ZONE_LABEL) -> list[Checked]:
    """Each SidecarSet with its findings, in the order given; `zone_label` is the node label that holds the zone.

    As in Kruise from 1.7 on, only SidecarSets without other errors are checked for conflicts.
    """
    sets = {sidecarset.name: sidecarset for sidecarset in given.sidecarsets}
    found = [list(own_findings(sidecarset, given, sets)) for sidecarset in given.sidecarsets]
    by_name = {item.name: findings for item, findings in zip(given.sidecarsets, found, strict=True)}
    compared = {
        sidecarset.name for sidecarset in given.sidecarsets if _is_compared(sidecarset, by_name[sidecarset.name])
    }
    for name, finding in _conflicts(given, compared) if len(given.sidecarsets) > 1 or given.older else ():
        by_name[name].append(finding)
    for name, finding in digest_findings((sidecarset.name, sidecarset.spec) for sidecarset in given.sidecarsets):
        by_name[name].append(finding)
    for name, finding in _with_pods(given, zone_label) if given.pods else ():
        by_name[name].append(finding)
    return [_told(item, findings) for item, findings in zip(given.sidecarsets, found, strict=True)]


def _is_compared(sidecarset: SidecarSet, findings: Iterable[Finding]) -> bool:
    """Whether Kruise checks a SidecarSet for conflicts: old releases do even if it has other errors."""
    return not (sidecarset.release.conflicts_only_if_valid and any(map(refuses, findings)))


def refuses(finding: Finding) -> bool:
    """Whether Kruise or the API server rejects the SidecarSet; they do not know our own errors."""
    return finding.severity is Severity.ERROR and finding.reason is not Reason.DOUBTFUL


def _conflicts(given: Given, compared: Collection[str]) -> Iterator[tuple[str, Finding]]:
    from sidecarctl.validation.conflicts.conflicts import Conflicts
    from sidecarctl.validation.conflicts.missing_selectors import crash_findings

    yield from crash_findings(given.sidecarsets, given.older.values(), given.namespaces)
    yield from Conflicts(given.sidecarsets, given.namespaces).findings(compared)


def _with_pods(given: Given, zone_label: str) -> Iterator[tuple[str, Finding]]:
    """Findings about SidecarSets together with the pods that they select, with the name of the SidecarSet."""
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
    """The findings, with subjects, except those that an annotation of the SidecarSet suppresses."""
    subject = reference_to(sidecarset)
    kept = without(findings, ignored_by(sidecarset.metadata))
    return Checked(sidecarset, tuple(finding._replace(subject=subject) for finding in kept))
