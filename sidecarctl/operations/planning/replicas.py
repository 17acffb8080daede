"""The number of pods of a workload, from its manifest or the command line."""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from sidecarctl.api.workloads import Workload, pod_count
from sidecarctl.facts.errors import usage_error
from sidecarctl.facts.findings import Finding, note, warning
from sidecarctl.facts.patterns import lazy_pattern
from sidecarctl.facts.reasons import Reason
from sidecarctl.inputs.located import Located

GivenReplicas: TypeAlias = Mapping[tuple[str, str, str], int]
"""Numbers of pods by namespace (empty for any), lower-case kind, and name."""

_GIVEN = lazy_pattern(r"(?:([^/=]+)/)?([^/=]+)/([^/=]+)=([0-9]{1,7})")


def given_replicas(texts: Sequence[str]) -> GivenReplicas:
    """The numbers in `[NS/]KIND/NAME=N`; UsageError for anything else."""
    given = {}
    for text in texts:
        found = _GIVEN.fullmatch(text)
        if found is None:
            raise usage_error(f"--replicas {text} is malformed", hint="such as shop/DaemonSet/agent=40")
        given[found[1] or "", found[2].lower(), found[3]] = int(found[4])
    return given


def unused_replicas(given: GivenReplicas, workloads: Sequence[Located], namespace: str) -> list[str]:
    """The options that match no workload."""
    known = {key for workload in workloads for key in _keys(workload, namespace)}
    return [f"{'/'.join(filter(None, key))}={count}" for key, count in given.items() if key not in known]


def number_of_pods(
    located: Located, workload: Workload, given: GivenReplicas, namespace: str
) -> tuple[int, Finding | None]:
    """The number, and findings about it."""
    for key in _keys(located, namespace):
        if key in given:
            return given[key], None
    kind = located.reference.kind
    if workload.pods == "none":
        article = "an" if kind[0] in "AEIOU" else "a"
        return 0, warning(Reason.REPLICAS_UNKNOWN, f"{article} {kind} has no pods of its own; it is left out")
    if workload.pods == "nodes":
        name = "/".join(filter(None, (located.reference.namespace, kind, located.reference.name)))
        message = f"the number of pods of a {kind} depends on the nodes of the cluster; it is left out"
        return 0, warning(Reason.REPLICAS_UNKNOWN, message, hint=f"--replicas {name}=N")
    return number_as_written(located, workload)


def number_as_written(located: Located, workload: Workload) -> tuple[int, Finding | None]:
    """The number in the manifest, and a note if it is the default of the API."""
    number, assumed = pod_count(located.manifest, workload)
    return number, assumed and note(Reason.REPLICAS_UNKNOWN, assumed.absent, assumed.path)


def _keys(located: Located, namespace: str) -> tuple[tuple[str, str, str], ...]:
    reference = located.reference
    kind = reference.kind.lower()
    return ((reference.namespace or namespace, kind, reference.name), ("", kind, reference.name))
