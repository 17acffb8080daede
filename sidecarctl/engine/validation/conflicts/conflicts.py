"""SidecarSets that conflict by Kruise's rule, and whether any pod can really match both.

Source: docs/behavior/validation.md, "Conflicts with other sets".
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from sidecarctl.engine.api.label_selectors import Labels
from sidecarctl.engine.facts.findings import Finding, error
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.sidecarset.sets import BASE, CANARY, SidecarSet
from sidecarctl.engine.validation.admission import selectors
from sidecarctl.engine.validation.conflicts.members import (
    Member,
    MemberGroup,
    Thing,
    clashes,
    kruise_overlap,
    member_of,
)
from sidecarctl.engine.validation.conflicts.witnesses import may_share, witness
from sidecarctl.engine.validation.rules import kruise, warned

_PAIR = """\
apiVersion: apps.kruise.io/v1beta1
kind: SidecarSet
metadata: {{name: log-agent}}
spec:
  selector: {first}
  containers: [{{name: agent, image: log-agent:1.2}}]
---
apiVersion: apps.kruise.io/v1beta1
kind: SidecarSet
metadata: {{name: trace-agent}}
spec:
  selector: {other}
  containers: [{{name: agent, image: trace-agent:1.2}}]
"""
_WEB, _SHOP = "{matchLabels: {app: web}}", "{matchLabels: {app: shop}}"

CONFLICT = kruise(
    "conflict",
    "Conflict between SidecarSets",
    "Two SidecarSets that may match the same pod do not write the same container, volume or annotation.",
    why="Kruise compares names of containers and initContainers, volumes with the same name and different "
    "content, and "
    "annotations that one of them overwrites. It compares selectors one requirement at a time; "
    "the message says whether a pod can really match both.",
    mend="give one of them another name, or let the selectors require different values of one label",
    within="stream",
    fails=_PAIR.format(first=_WEB, other=_WEB),
    passes=_PAIR.format(first=_WEB, other=_SHOP),
)
UNSEEN = warned(
    "conflict-unseen",
    "Conflict that Kruise does not notice",
    "Two SidecarSets do not write the same thing into one pod without Kruise noticing.",
    why="Kruise considers a selector that requires a label to exist disjoint from one that does not mention the "
    "label. But a pod can match both, and gets two containers with the same name, or one of two volumes.",
    mend="give one of them another name, or let the selectors require different values of one label",
    within="stream",
    fails=_PAIR.format(first=_WEB, other="{matchExpressions: [{key: traced, operator: Exists}]}"),
    passes=_PAIR.format(first=_WEB, other="{matchExpressions: [{key: app, operator: DoesNotExist}]}"),
)


class Conflicts:
    """The conflicts among SidecarSets, prepared for very many of them; invalid ones are compared too."""

    def __init__(self, sidecarsets: Sequence[SidecarSet], namespaces: Mapping[str, Labels]) -> None:
        self._members = [
            member_of(sidecarset) for sidecarset in sorted(sidecarsets, key=lambda sidecarset: sidecarset.name)
        ]
        self._namespaces = namespaces
        writers: dict[Thing, list[Member]] = defaultdict(list)
        for member in self._members:
            for thing in member.writes:
                writers[thing].append(member)
        self._groups = {thing: MemberGroup(members) for thing, members in writers.items() if len(members) > 1}

    def findings(self, checked: Collection[str]) -> Iterator[tuple[str, Finding]]:
        """The name of each SidecarSet to check that conflicts, with the finding."""
        for member in self._members:
            if member.name in checked:
                for thing in member.writes:
                    if group := self._groups.get(thing):
                        for finding in self._of(member, thing, group):
                            yield member.name, finding

    def _of(self, member: Member, thing: Thing, group: MemberGroup) -> Iterator[Finding]:
        """The conflict about a name that Kruise reports, and the first one that it misses."""
        if other := self._reported(member, thing, group):
            yield self._refusal(member, other, thing)
        for unseen in self._unseen(member, thing, group):
            if seen := witness(member.scope, unseen.scope, self._namespaces):
                kind, name = thing
                message = f'{kind} "{name}" is also written by {unseen.name}, and a pod can match both ({seen})'
                yield UNSEEN.at(member.writes[thing].path, f"{message}; Kruise does not notice")
                return

    def _reported(self, member: Member, thing: Thing, group: MemberGroup) -> Member | None:
        """The last of the others that may overlap: the only one that Kruise compares."""
        others = [group.last_other(member)] if member.release.last_conflict_only else group.others(member)
        for other in others:
            if other.name != member.base and kruise_overlap(member, other, self._namespaces):
                return other if clashes(thing[0], member.writes[thing], other.writes[thing]) else None
        return None

    def _unseen(self, member: Member, thing: Thing, group: MemberGroup) -> Iterator[Member]:
        """The others that clash but that Kruise considers disjoint, or does not compare."""
        for other in group.others(member) if member.may_be_missed else group.missable:
            is_related = member.name in {other.name, other.base} or other.name == member.base
            is_clash = not is_related and clashes(thing[0], member.writes[thing], other.writes[thing])
            if is_clash and not self._sees(member, other, group):
                yield other

    def _sees(self, member: Member, other: Member, group: MemberGroup) -> bool:
        is_looked_at = not member.release.last_conflict_only or other is group.last_other(member)
        return is_looked_at and kruise_overlap(member, other, self._namespaces)

    def _refusal(self, member: Member, other: Member, thing: Thing) -> Finding:
        kind, name = thing
        seen = witness(member.scope, other.scope, self._namespaces)
        message = f'{kind} "{name}" conflicts with {other.name}'
        for lacking, base in ((member, other), (other, member)):
            if lacking.annotated_base == base.name and not (lacking.base or lacking.is_canary):
                release = lacking.release
                message += f': {lacking.name} is not a canary of {base.name} without the annotation {CANARY}: "true"'
                message += "" if release.canary_sets else f", and {release.behavior} does not know canaries"
                hint = f"add it to {lacking.name}, or remove {BASE}" if release.canary_sets else CONFLICT.mend
                return CONFLICT.at(member.writes[thing].path, message, hint)
        if member.name == other.base:
            message += ", its canary: Kruise rejects updates of a base while its canary exists"
            return CONFLICT.at(
                member.writes[thing].path, message, f"delete {other.name} before you change {member.name}"
            )
        if seen:
            message += f": a pod can match both ({seen})"
        else:
            message += ": Kruise considers the selectors overlapping, though no pod can match both"
        return CONFLICT.at(member.writes[thing].path, message)


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
            behavior = member.release.behavior
            message = f"without a selector, the webhook of {behavior} crashes because {compared.name} exists"
            found = error(Reason.WEBHOOK_CRASHES, message, ("spec", "selector"), hint=selectors.MISSING.mend)
            yield member.name, found._replace(rule=selectors.MISSING.id)


def _may_crash(sidecarset: SidecarSet) -> bool:
    return "selector" not in sidecarset.spec and not sidecarset.release.survives_missing_selector


def _are_compared(member: Member, other: Member, namespaces: Mapping[str, Labels]) -> bool:
    """Whether the webhook compares the selectors of two SidecarSets."""
    is_by_name = member.release.last_conflict_only  # then itself is left out, and so is what shares no name
    if is_by_name and (other.name == member.name or member.writes.keys().isdisjoint(other.writes)):
        return False
    return may_share(member.namespaces, other.namespaces, namespaces)
