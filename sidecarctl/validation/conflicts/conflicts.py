"""SidecarSets that conflict: Kruise's rule, and beside it whether any pod can match both.

Source: docs/behaviour/validation.md, "Conflicts with other sets".
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence

from sidecarctl.api.label_selectors import Labels
from sidecarctl.facts.findings import Finding
from sidecarctl.sidecarset.sets import SidecarSet
from sidecarctl.validation.conflicts.candidates import Candidates
from sidecarctl.validation.conflicts.members import Member, Thing, clashes, kruise_overlap, member_of
from sidecarctl.validation.conflicts.witnesses import witness
from sidecarctl.validation.rules import kruise, warned

_PAIR = """\
apiVersion: apps.kruise.io/v1beta1
kind: SidecarSet
metadata: {{name: log-agent}}
spec:
  selector: {one}
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
    "Two SidecarSets that may match one pod do not write the same container, volume or annotation.",
    why="Kruise compares names of containers and initContainers, volumes of one name with different content, and "
    "annotations that one of them overwrites. It decides whether selectors may overlap one requirement at a time; "
    "the message says whether a pod can really match both.",
    mend="give one of them another name, or let the selectors require different values of one label",
    within="stream",
    fails=_PAIR.format(one=_WEB, other=_WEB),
    passes=_PAIR.format(one=_WEB, other=_SHOP),
)
UNSEEN = warned(
    "conflict-unseen",
    "Two SidecarSets write the same thing into one pod, and Kruise does not see it.",
    why="For Kruise a selector that asks for the existence of a label is disjoint with one that does not mention the "
    "label. A pod can match both all the same, and gets two containers of one name, or one of two volumes.",
    mend="give one of them another name, or let the selectors require different values of one label",
    within="stream",
    fails=_PAIR.format(one=_WEB, other="{matchExpressions: [{key: traced, operator: Exists}]}"),
    passes=_PAIR.format(one=_WEB, other="{matchExpressions: [{key: app, operator: DoesNotExist}]}"),
)


class Conflicts:
    """The conflicts among SidecarSets, prepared for very many of them; all count, also those that are refused."""

    def __init__(self, sidecarsets: Sequence[SidecarSet], namespaces: Mapping[str, Labels]) -> None:
        self._members = [member_of(one) for one in sorted(sidecarsets, key=lambda one: one.name)]
        self._namespaces = namespaces
        writers: dict[Thing, list[Member]] = defaultdict(list)
        for member in self._members:
            for thing in member.writes:
                writers[thing].append(member)
        self._groups = {thing: Group(members) for thing, members in writers.items() if len(members) > 1}

    def findings(self, checked: Collection[str]) -> Iterator[tuple[str, Finding]]:
        """The name of each SidecarSet that conflicts, of those to be checked, with what is wrong."""
        for member in self._members:
            if member.name in checked:
                for thing in member.writes:
                    if group := self._groups.get(thing):
                        for finding in self._of(member, thing, group):
                            yield member.name, finding

    def _of(self, member: Member, thing: Thing, group: "Group") -> Iterator[Finding]:
        """The conflict about one thing that Kruise would tell, and the first one that it does not see."""
        told = _told(member, thing, group)
        if told:
            yield self._refusal(member, told, thing)
        for unseen in _unseen(member, thing, group):
            if seen := witness(member.scope, unseen.scope, self._namespaces):
                kind, name = thing
                message = f'{kind} "{name}" is also written by {unseen.name}, and a pod can match both ({seen})'
                yield UNSEEN.at(member.writes[thing].path, f"{message}; Kruise does not see it")
                return

    def _refusal(self, member: Member, other: Member, thing: Thing) -> Finding:
        kind, name = thing
        seen = witness(member.scope, other.scope, self._namespaces)
        message = f'{kind} "{name}" is in conflict with {other.name}'
        if member.name == other.base:
            message += ", its canary: Kruise refuses an update of a base while its canary exists"
        elif seen:
            message += f": a pod can match both ({seen})"
        else:
            message += ": Kruise takes the selectors for overlapping, though no pod can match both"
        return CONFLICT.at(member.writes[thing].path, message)


class Group:
    """The SidecarSets that write a thing of one name, in name order."""

    def __init__(self, members: Sequence[Member]) -> None:
        self._members = members
        self._positions = {member.name: position for position, member in enumerate(members)}
        self._candidates = Candidates(members)
        self.asking = [member for member in reversed(members) if member.asks_existence]

    def others(self, member: Member) -> Iterator[Member]:
        """The others that may share pods with one, the last name first."""
        for position in self._candidates.of(self._positions[member.name]):
            if self._members[position].name != member.name:
                yield self._members[position]


def _told(member: Member, thing: Thing, group: Group) -> Member | None:
    """Of the others that may overlap the last one; only that one Kruise compares."""
    for other in group.others(member):
        if other.name != member.base and kruise_overlap(member, other):
            return other if clashes(thing[0], member.writes[thing], other.writes[thing]) else None
    return None


def _unseen(member: Member, thing: Thing, group: Group) -> Iterator[Member]:
    """The others that clash and that Kruise takes for disjoint; wrongly so only if a label's existence is asked."""
    for other in group.others(member) if member.asks_existence else group.asking:
        is_related = member.name in {other.name, other.base} or other.name == member.base
        is_clash = not is_related and clashes(thing[0], member.writes[thing], other.writes[thing])
        if is_clash and not kruise_overlap(member, other):
            yield other
