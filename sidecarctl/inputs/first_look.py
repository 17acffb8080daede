"""Documents that cannot matter to a command, told without parsing them: 80 to 99 % of the bytes of real repositories.

What is not parsed counts as an object of its apiVersion and kind, and is copied as it is. It is one that a command
would do nothing else with, had it been parsed:

- Its header is certain (`header_of`), and its kind is in no table: it has no pod templates, decides about no pod, is
  not taught, is no List, and not what the command looks for.
- Nothing is said about it: it is not almost a SidecarSet, and there are no pods of an unknown kind in it, as these
  have `containers`. A ConfigMap is not the whitelist of Kruise, whose name it would hold. A document that may spell
  these words otherwise is parsed.

docs/proof.md, "Documents that are not parsed".
"""

from functools import lru_cache
from typing import NamedTuple

from sidecarctl.api.workload_kinds import BY_OPERATOR
from sidecarctl.api.workloads import BY_KIND
from sidecarctl.documents.reading.headers import header_of, hides_words
from sidecarctl.facts.findings import API_VERSION, ObjectReference
from sidecarctl.inputs.near_headers import may_be_near
from sidecarctl.inputs.unknown_templates import never_holds_pods
from sidecarctl.sidecarset.sets import GROUP, WHITELIST

DECIDING_KINDS = {
    "SidecarSet": GROUP,
    "Namespace": "",
    "ControllerRevision": "apps",
    "MutatingWebhookConfiguration": "admissionregistration.k8s.io",
    "WorkloadSpread": GROUP,
    "PersistentPodState": GROUP,
    "PodProbeMarker": GROUP,
    "PodUnavailableBudget": "policy.kruise.io",
}
"""The kinds that decide about pods, with their API groups."""

_PODS = b"containers"
_KINDS = frozenset(kind for kind, _ in BY_KIND)
_WHITELIST = WHITELIST.name.encode()
_OURS = API_VERSION.partition("/")[0]

# A document whose bytes name none of these cannot hold such a kind, unless it hides words.
_NAMES = (*(kind.encode() for kind in DECIDING_KINDS), _WHITELIST)


def may_decide(data: bytes) -> bool:
    """Whether the bytes of a document could hold an object that decides about pods."""
    return any(name in data for name in _NAMES) or hides_words(data)


def names_a_sidecarset(data: bytes) -> bool:
    """Whether the bytes of a document mention SidecarSets."""
    return b"SidecarSet" in data


class FirstLook(NamedTuple):
    """What a command parses anyway; if it is not `is_on`, everything.

    `taught` are the kinds of the user's own pod templates, `used` those that the command itself looks at.
    """

    is_on: bool = False
    taught: frozenset[str] = frozenset()
    used: frozenset[str] = frozenset()

    def using(self, kinds: frozenset[str]) -> "FirstLook":
        """The same for a command that looks at objects of these kinds."""
        return self._replace(used=kinds)

    def passed(self, data: bytes) -> ObjectReference | None:
        """What kind of object a document holds that need not be parsed, without its name; else None."""
        found = self._deciding_nothing(data)
        if found is None or found.kind in self.taught or found.kind in self.used or _is_known(found):
            return None
        return None if not never_holds_pods(found) and (_PODS in data or hides_words(data)) else found

    def decides_nothing(self, data: bytes) -> bool:
        """Whether a document certainly holds an object, and none that decides about pods, nor almost does."""
        return self._deciding_nothing(data) is not None

    def _deciding_nothing(self, data: bytes) -> ObjectReference | None:
        found = header_of(data) if self.is_on else None
        if found is None or _may_decide(found):
            return None
        is_whitelist = found.kind == "ConfigMap" and (_WHITELIST in data or hides_words(data))
        return None if is_whitelist else found


EVERYTHING = FirstLook()
"""Everything is parsed."""


@lru_cache(maxsize=1024)
def _may_decide(found: ObjectReference) -> bool:
    """Whether an object of that kind may decide about pods, hold one that does, or be a misspelled SidecarSet."""
    return found.kind in DECIDING_KINDS or found.kind.endswith("List") or may_be_near(found.kind)


@lru_cache(maxsize=1024)
def _is_known(found: ObjectReference) -> bool:
    """Whether something is known of the pods of such an object, or the object is one of ours.

    A kind of the table in another group of Kubernetes is a mistake; that of a group with a dot is another kind.
    """
    group = found.api_version.rpartition("/")[0]
    if group == _OURS or (found.kind, group) in BY_KIND or (found.kind, group) in BY_OPERATOR:
        return True
    return "." not in group and found.kind in _KINDS
