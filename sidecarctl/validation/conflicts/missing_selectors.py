"""SidecarSets without a selector, on which the webhook of old releases crashes.

Source: docs/behaviour/releases.md (`survives_missing_selector`).
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from sidecarctl.api.label_selectors import Labels
from sidecarctl.facts.findings import Finding, error
from sidecarctl.facts.reasons import Reason
from sidecarctl.sidecarset.sets import SidecarSet
from sidecarctl.validation.admission.selectors import MISSING
from sidecarctl.validation.conflicts.members import Member, member_of
from sidecarctl.validation.conflicts.shared_namespaces import may_share


def crash_findings(
    sidecarsets: Sequence[SidecarSet], stored: Iterable[SidecarSet], namespaces: Mapping[str, Labels]
) -> Iterator[tuple[str, Finding]]:
    """The name of each SidecarSet that crashes the webhook, and why; `stored` are the SidecarSets in the cluster.

    The webhook crashes when it compares selectors: with every SidecarSet that may apply to the same namespaces.
    """
    if not any(map(_may_crash, sidecarsets)):
        return
    older, newer = list(map(member_of, stored)), list(map(member_of, sidecarsets))
    for member in map(member_of, filter(_may_crash, sidecarsets)):
        others = [*older, *(other for other in newer if other.name != member.name)]
        compared = next((other for other in others if _are_compared(member, other, namespaces)), None)
        if compared:
            behaviour = member.release.behaviour
            message = f"without a selector, the webhook of {behaviour} crashes because {compared.name} exists"
            found = error(Reason.WEBHOOK_CRASHES, message, ("spec", "selector"), hint=MISSING.mend)
            yield member.name, found._replace(rule=MISSING.id)


def _may_crash(sidecarset: SidecarSet) -> bool:
    return "selector" not in sidecarset.spec and not sidecarset.release.survives_missing_selector


def _are_compared(member: Member, other: Member, namespaces: Mapping[str, Labels]) -> bool:
    """Whether the webhook compares the selectors of two SidecarSets."""
    is_by_name = member.release.last_conflict_only  # then itself is left out, and so is what shares no name
    if is_by_name and (other.name == member.name or member.writes.keys().isdisjoint(other.writes)):
        return False
    return may_share(member.namespaces, other.namespaces, namespaces)
