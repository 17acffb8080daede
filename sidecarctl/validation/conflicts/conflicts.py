"""SidecarSets that conflict: Kruise's rule, and beside it whether any pod can match both.

Source: docs/behaviour/validation.md, "Conflicts with other sets".
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence

from sidecarctl.api.label_selectors import Labels
from sidecarctl.facts.findings import Finding
from sidecarctl.sidecarset.sets import SidecarSet
from sidecarctl.validation.conflicts.candidates import Candidates
from sidecarctl.validation.conflicts.members import Kind, Member, clashes, kruise_overlap, member_of
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
        self._groups: dict[tuple[Kind, str], list[Member]] = defaultdict(list)
        for member in self._members:
            for thing in member.writes:
                self._groups[thing].append(member)
        self._indexes: dict[tuple[Kind, str], tuple[Candidates, dict[str, int]]] = {}

    def findings(self, checked: Collection[str]) -> Iterator[tuple[str, Finding]]:
        """The name of each SidecarSet that conflicts, of those to be checked, with what is wrong."""
        for member in self._members:
            if member.name in checked:
                for thing in member.writes:
                    for finding in self._of(member, thing):
                        yield member.name, finding

    def _of(self, member: Member, thing: tuple[Kind, str]) -> Iterator[Finding]:
        """The conflict about one thing that Kruise would tell, and the first one that it does not see."""
        told = self._told(member, thing)
        if told:
            yield self._refusal(member, told, thing)
        unseen = next(self._unseen(member, thing), None)
        if unseen:
            kind, name = thing
            seen = witness(member.scope, unseen.scope, self._namespaces)
            message = f'{kind} "{name}" is also written by {unseen.name}, and a pod can match both ({seen})'
            yield UNSEEN.at(member.writes[thing].path, f"{message}; Kruise does not see it")

    def _told(self, member: Member, thing: tuple[Kind, str]) -> Member | None:
        """Of the others that may overlap the last one; only that one Kruise compares."""
        for other in self._others(member, thing):
            if other.name != member.base and kruise_overlap(member, other):
                return other if clashes(thing[0], member.writes[thing], other.writes[thing]) else None
        return None

    def _unseen(self, member: Member, thing: tuple[Kind, str]) -> Iterator[Member]:
        if not any(one.asks_existence for one in self._groups[thing]):
            return
        for other in self._others(member, thing):
            asked = member.asks_existence or other.asks_existence
            related = member.name == other.base or other.name == member.base
            if asked and not related and clashes(thing[0], member.writes[thing], other.writes[thing]):
                hidden = not kruise_overlap(member, other)
                if hidden and witness(member.scope, other.scope, self._namespaces):
                    yield other

    def _others(self, member: Member, thing: tuple[Kind, str]) -> Iterator[Member]:
        """The others that write a thing of this name and may share pods, the last name first."""
        group = self._groups[thing]
        if len(group) == 1:
            return
        if thing not in self._indexes:
            self._indexes[thing] = Candidates(group), {one.name: at for at, one in enumerate(group)}
        candidates, positions = self._indexes[thing]
        for position in candidates.of(positions[member.name]):
            if group[position].name != member.name:
                yield group[position]

    def _refusal(self, member: Member, other: Member, thing: tuple[Kind, str]) -> Finding:
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
