"""A SidecarSet as conflicts see it: what it selects, and what it writes into a pod under which name."""

from typing import NamedTuple

from sidecarctl.facts.paths import Path
from sidecarctl.facts.values import Object, Value
from sidecarctl.sidecarset.canaries import base_of
from sidecarctl.sidecarset.sets import SidecarSet
from sidecarctl.validation.conflicts.kruise_overlap import Selector, compiled, may_overlap
from sidecarctl.validation.conflicts.witnesses import Scope
from sidecarctl.validation.given import spec_in_v1beta1

Kind = str
"""`container`, `initContainer`, `volume` or `annotation`."""

Thing = tuple[Kind, str]
"""A kind and a name."""


class Written(NamedTuple):
    """One thing that a SidecarSet writes: the content of a volume or the policy of an annotation, and its path."""

    content: Value
    path: Path


class Member(NamedTuple):
    """One SidecarSet; `writes` are its things by kind and name, of several of one name the last."""

    name: str
    base: str
    """The base that a canary replaces; empty for all others."""
    scope: Scope
    selector: Selector | None
    namespace_selector: Selector | None
    writes: dict[Thing, Written]

    @property
    def asks_existence(self) -> bool:
        """Whether some label must exist, whatever its value; there Kruise's rule misses overlaps."""
        sides = (self.selector, self.namespace_selector)
        return any(
            operator == "Exists"
            for side in sides
            if side is not None
            for requirement in side.by_key.values()
            for operator, _ in requirement.needs
        )


def member_of(sidecarset: SidecarSet) -> Member:
    """A SidecarSet for comparisons with others."""
    spec = spec_in_v1beta1(sidecarset)
    selector, namespace_selector = spec.get("selector"), spec.get("namespaceSelector")
    return Member(
        sidecarset.name,
        base_of(sidecarset),
        Scope.of(spec),
        None if selector is None else compiled(selector),
        None if namespace_selector is None else compiled(namespace_selector),
        _writes(spec),
    )


def kruise_overlap(one: Member, other: Member) -> bool:
    """Whether Kruise takes it that some pod matches both; an absent namespaceSelector overlaps with every other."""
    return _overlap(one.namespace_selector, other.namespace_selector) and _overlap(one.selector, other.selector)


def clashes(kind: Kind, one: Written, other: Written) -> bool:
    """Whether two things of one kind and name cannot both be written into a pod."""
    if kind == "volume":
        return bool(one.content != other.content)
    if kind == "annotation":
        return "Overwrite" in {one.content, other.content}
    return True


def _overlap(one: Selector | None, other: Selector | None) -> bool:
    return one is None or other is None or may_overlap(one, other)


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
