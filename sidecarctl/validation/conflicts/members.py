"""A SidecarSet as far as conflicts matter: what it selects, and what it writes into a pod, by name."""

from collections.abc import Mapping

from sidecarctl.api.label_selectors import Labels
from sidecarctl.facts.named_tuples import NamedTuple
from sidecarctl.facts.paths import Path
from sidecarctl.facts.values import Object, Value
from sidecarctl.releases.release import MASTER, Release
from sidecarctl.sidecarset.canaries import base_of
from sidecarctl.sidecarset.sets import SidecarSet
from sidecarctl.validation.conflicts.kruise_overlap import Selector, compiled, may_overlap
from sidecarctl.validation.conflicts.shared_namespaces import Namespaces, may_share
from sidecarctl.validation.conflicts.witnesses import Scope, scope_of
from sidecarctl.validation.given import checked_spec

Kind = str
"""`container`, `initContainer`, `volume` or `annotation`."""

Thing = tuple[Kind, str]
"""A kind and a name."""


class Written(NamedTuple):
    """A thing that a SidecarSet writes: the content of a volume or the policy of an annotation, and its path."""

    content: Value
    path: Path


class Member(NamedTuple):
    """A SidecarSet; `writes` are its things by kind and name, the last one if a name repeats."""

    name: str
    base: str
    """The base that a canary replaces; empty for other SidecarSets."""
    scope: Scope
    selector: Selector | None
    namespaces: Namespaces
    writes: dict[Thing, Written]
    release: Release = MASTER

    @property
    def may_be_missed(self) -> bool:
        """Whether Kruise's rule misses some overlaps with others.

        It does if some label must exist, with any value, and in releases that compare the current namespaces or only
        one other SidecarSet.
        """
        limits_namespaces = bool(self.namespaces.name or self.namespaces.selector)
        if self.release.last_conflict_only or (limits_namespaces and not self.release.namespace_is_selector):
            return True
        sides = (self.selector, self.namespaces.selector)
        return any(
            operator == "Exists"
            for side in sides
            if side is not None
            for requirement in side.by_key.values()
            for operator, _ in requirement.needs
        )


def member_of(sidecarset: SidecarSet) -> Member:
    """A SidecarSet for comparisons with others."""
    spec = checked_spec(sidecarset)
    selector, namespace_selector = spec.get("selector"), spec.get("namespaceSelector")
    by_name = "" if sidecarset.release.namespace_is_selector else spec.get("namespace", "")
    return Member(
        sidecarset.name,
        base_of(sidecarset),
        scope_of(sidecarset),
        None if selector is None else compiled(selector),
        Namespaces(by_name, None if namespace_selector is None else compiled(namespace_selector)),
        _writes(spec),
        sidecarset.release,
    )


def kruise_overlap(member: Member, other: Member, namespaces: Mapping[str, Labels]) -> bool:
    """Whether Kruise assumes that some pod matches both, when it checks the first one (`may_share`)."""
    return may_share(member.namespaces, other.namespaces, namespaces) and _overlap(member.selector, other.selector)


def clashes(kind: Kind, item: Written, other: Written) -> bool:
    """Whether two things with the same kind and name cannot both be written into a pod."""
    if kind == "volume":
        return bool(item.content != other.content)
    if kind == "annotation":
        return "Overwrite" in {item.content, other.content}
    return True


def _overlap(selector: Selector | None, other: Selector | None) -> bool:
    return selector is None or other is None or may_overlap(selector, other)


def _writes(spec: Object) -> dict[Thing, Written]:
    lists = (("container", "containers"), ("initContainer", "initContainers"), ("volume", "volumes"))
    writes = {
        (kind, item.get("name", "")): Written(item if kind == "volume" else None, ("spec", field, index, "name"))
        for kind, field in lists
        for index, item in enumerate(spec.get(field, ()))
    }
    for index, item in enumerate(spec.get("patchPodMetadata", ())):
        for key in item.get("annotations", {}):
            if item.get("patchPolicy") != "Retain":
                path = ("spec", "patchPodMetadata", index, "annotations", key)
                writes["annotation", key] = Written(item.get("patchPolicy"), path)
    return writes
