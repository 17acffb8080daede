"""What the API server rejects in a pod although each SidecarSet is valid: clashes that only show in the pod.

By the same rules as in a SidecarSet (docs/behaviour/validation.md, "Containers").
"""

from collections.abc import Iterator, Sequence

from sidecarctl.api.canonical import typed
from sidecarctl.facts.named_tuples import NamedTuple
from sidecarctl.facts.paths import Path
from sidecarctl.facts.values import Object
from sidecarctl.sidecarset.defaults import with_container_defaults
from sidecarctl.validation.admission.containers.ports import host_port_findings
from sidecarctl.validation.admission.containers.resources import resource_findings

_LISTS = ("containers", "initContainers")


class Refused(NamedTuple):
    """An error in a container of the pod, by list and name, at a path in it."""

    field: str
    name: str
    path: Path
    message: str


def refusals_of(pod: Object, before: Object) -> Iterator[Refused]:
    """Errors in an injected pod that the original did not have; of two that clash, the sidecar is reported."""
    own = {(field, container.get("name", "")) for field, _, container in _placed(before)}
    old = set(_refusals(_placed(before)))
    sidecars_last = sorted(_placed(pod), key=lambda item: (item[0], item[2].get("name", "")) not in own)
    yield from (refusal for refusal in _refusals(sidecars_last) if refusal not in old)


def _placed(pod: Object) -> list[tuple[str, int, Object]]:
    """The containers of a pod with the defaults of the API server, with list and index."""
    spec = typed(pod.get("spec") or {}, "core.PodSpec")
    return [
        (field, index, with_container_defaults(container))
        for field in _LISTS
        for index, container in enumerate(spec.get(field) or ())
    ]


def _refusals(containers: Sequence[tuple[str, int, Object]]) -> Iterator[Refused]:
    seen: set[str] = set()
    ports = host_port_findings([(item, (field, index)) for field, index, item in containers if field == "containers"])
    found = {(field, index): [*resource_findings(item, (field, index))] for field, index, item in containers}
    for finding in ports:
        found[str(finding.path[0]), int(finding.path[1])].append(finding)
    for field, index, container in containers:
        name = container.get("name", "")
        if name in seen:
            yield Refused(field, name, ("name",), f'two containers are named "{name}"')
        seen.add(name)
        for finding in found[field, index]:
            yield Refused(field, name, finding.path[2:], finding.message)
