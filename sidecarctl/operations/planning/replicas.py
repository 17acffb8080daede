"""How many pods a workload has, as its manifest or the command line says."""

import re
from collections.abc import Mapping, Sequence
from typing import TypeAlias

from sidecarctl.api.workloads import Workload, replica_count
from sidecarctl.facts.errors import usage_error
from sidecarctl.facts.findings import Finding, Severity, warning
from sidecarctl.facts.paths import value_at
from sidecarctl.facts.reasons import Reason
from sidecarctl.inputs.world import Located

GivenReplicas: TypeAlias = Mapping[tuple[str, str, str], int]
"""Numbers of pods by namespace (empty for any), kind in small letters, and name."""

_GIVEN = re.compile(r"(?:([^/=]+)/)?([^/=]+)/([^/=]+)=([0-9]{1,7})")


def given_replicas(texts: Sequence[str]) -> GivenReplicas:
    """The numbers that `[NS/]KIND/NAME=N` say; UsageError for anything else."""
    given = {}
    for text in texts:
        found = _GIVEN.fullmatch(text)
        if found is None:
            raise usage_error(f"--replicas {text} cannot be read", hint="such as shop/DaemonSet/agent=40")
        given[found[1] or "", found[2].lower(), found[3]] = int(found[4])
    return given


def unused_replicas(given: GivenReplicas, workloads: Sequence[Located], namespace: str) -> list[str]:
    """The options that name no workload."""
    known = {key for one in workloads for key in _keys(one, namespace)}
    return [f"{'/'.join(filter(None, key))}={count}" for key, count in given.items() if key not in known]


def number_of_pods(
    located: Located, workload: Workload, given: GivenReplicas, namespace: str
) -> tuple[int, Finding | None]:
    """The number, and what there is to say about it."""
    for key in _keys(located, namespace):
        if key in given:
            return given[key], None
    kind = located.reference.kind
    if workload.pods == "none":
        article = "an" if kind[0] in "AEIOU" else "a"
        return 0, warning(Reason.REPLICAS_UNKNOWN, f"{article} {kind} has no pods of its own; it is left out")
    if workload.pods == "nodes":
        name = "/".join(filter(None, (located.reference.namespace, kind, located.reference.name)))
        message = f"the pods of a {kind} are as many as the cluster's nodes; it is left out"
        return 0, warning(Reason.REPLICAS_UNKNOWN, message, hint=f"--replicas {name}=N")
    if kind == "Job":
        return _job_pods(located), None
    if workload.replicas and not any(isinstance(value_at(located.manifest, path), int) for path in workload.replicas):
        message = "it says no number of replicas: taken as 1"
        return 1, Finding(Severity.NOTE, Reason.REPLICAS_UNKNOWN, message, workload.replicas[0])
    return replica_count(located.manifest, workload), None


def _job_pods(located: Located) -> int:
    parallelism = value_at(located.manifest, ("spec", "parallelism"))
    completions = value_at(located.manifest, ("spec", "completions"))
    at_once = parallelism if isinstance(parallelism, int) else 1
    return max(min(at_once, completions) if isinstance(completions, int) else at_once, 0)


def _keys(located: Located, namespace: str) -> tuple[tuple[str, str, str], ...]:
    reference = located.reference
    kind = reference.kind.lower()
    return ((reference.namespace or namespace, kind, reference.name), ("", kind, reference.name))
