"""What the API server refuses in a pod though each SidecarSet is sound: things that meet only there.

By the same rules as in a SidecarSet (docs/behaviour/validation.md, "Containers").
"""

from collections.abc import Iterator
from typing import NamedTuple

from sidecarctl.api.canonical import typed
from sidecarctl.facts.paths import Path
from sidecarctl.facts.values import Object
from sidecarctl.sidecarset.defaults import with_container_defaults
from sidecarctl.validation.admission.ports import host_port_findings
from sidecarctl.validation.admission.resources import resource_findings

_LISTS = ("containers", "initContainers")


class Refused(NamedTuple):
    """What is refused: in a container of the pod, by list and name, at a path in it."""

    field: str
    name: str
    path: Path
    message: str


def refusals_of(pod: Object, before: Object) -> Iterator[Refused]:
    """What is refused in an injected pod, and was not in the pod before."""
    old = set(_refusals(before))
    yield from (one for one in _refusals(pod) if one not in old)


def _refusals(pod: Object) -> Iterator[Refused]:
    spec = typed(pod.get("spec") or {}, "core.PodSpec")
    placed = [
        (field, index, with_container_defaults(one))
        for field in _LISTS
        for index, one in enumerate(spec.get(field, ()))
    ]
    seen: set[str] = set()
    for field, _, container in placed:
        name = container.get("name", "")
        if name in seen:
            yield Refused(field, name, ("name",), f'there are two containers named "{name}"')
        seen.add(name)
    ports = [(container, (field, index)) for field, index, container in placed if field == "containers"]
    found = [*host_port_findings(ports)]
    for field, index, container in placed:
        found += resource_findings(container, (field, index))
    for finding in found:
        field, index = str(finding.path[0]), int(finding.path[1])
        yield Refused(field, spec[field][index].get("name", ""), finding.path[2:], finding.message)
