"""What the API server refuses in a pod though each SidecarSet is sound: things that meet only there.

By the same rules as in a SidecarSet (docs/behaviour/validation.md, "Containers").
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from sidecarctl.api.canonical import typed
from sidecarctl.facts.paths import Path
from sidecarctl.facts.values import Object
from sidecarctl.sidecarset.defaults import with_container_defaults
from sidecarctl.validation.admission.containers.ports import host_port_findings
from sidecarctl.validation.admission.containers.resources import resource_findings

_LISTS = ("containers", "initContainers")


class Refused(NamedTuple):
    """What is refused: in a container of the pod, by list and name, at a path in it."""

    field: str
    name: str
    path: Path
    message: str


def refusals_of(pod: Object, before: Object) -> Iterator[Refused]:
    """What is refused in an injected pod, and was not in the pod before; of two that clash it is the sidecar."""
    own = {(field, container.get("name", "")) for field, _, container in _placed(before)}
    old = set(_refusals(_placed(before)))
    sidecars_last = sorted(_placed(pod), key=lambda one: (one[0], one[2].get("name", "")) not in own)
    yield from (one for one in _refusals(sidecars_last) if one not in old)


def _placed(pod: Object) -> list[tuple[str, int, Object]]:
    """The containers of a pod with defaults, as the API server completes them, with list and index."""
    spec = typed(pod.get("spec") or {}, "core.PodSpec")
    return [
        (field, index, with_container_defaults(container))
        for field in _LISTS
        for index, container in enumerate(spec.get(field) or ())
    ]


def _refusals(containers: Sequence[tuple[str, int, Object]]) -> Iterator[Refused]:
    seen: set[str] = set()
    ports = host_port_findings([(one, (field, index)) for field, index, one in containers if field == "containers"])
    found = {(field, index): [*resource_findings(one, (field, index))] for field, index, one in containers}
    for finding in ports:
        found[str(finding.path[0]), int(finding.path[1])].append(finding)
    for field, index, container in containers:
        name = container.get("name", "")
        if name in seen:
            yield Refused(field, name, ("name",), f'there are two containers named "{name}"')
        seen.add(name)
        for finding in found[field, index]:
            yield Refused(field, name, finding.path[2:], finding.message)
