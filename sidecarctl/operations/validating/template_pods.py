"""The pods to check: Pods, and those that workloads create from their templates.

A pod of a workload gets the kind and name of the workload, so that messages name the manifest.
"""

from collections.abc import Iterator, Sequence

from sidecarctl.api.workloads import Workload, controller_labels, pod_count, pod_template_paths, workload_of
from sidecarctl.facts.named_tuples import NamedTuple
from sidecarctl.facts.paths import value_at
from sidecarctl.facts.values import Object
from sidecarctl.inputs.located import Located

_MOST = 1000
"""The largest number of pods to count per workload: a percentage of more is neither none nor all of them."""
_JOBS = ("Job", "CronJob", "BroadcastJob", "AdvancedCronJob")


class TemplatePods(NamedTuple):
    """The pods of a template: one of them, their number, and whether it is known."""

    pod: Object
    number: int
    is_number_known: bool


def template_pods(found: Located, namespace: str, workloads: Sequence[Workload]) -> Iterator[TemplatePods]:
    """The pods of an object that has templates, or is a Pod; `namespace` is the default namespace.

    The templates must have passed `decoding.check`.
    """
    workload = workload_of(found.manifest, workloads)
    if workload is None:
        return
    for path in pod_template_paths(found.manifest, workloads):
        template = value_at(found.manifest, path)
        count = pod_count(found.manifest, workload)
        known = not path or (bool(workload.counts) and count.assumed is None)
        metadata = {**(template.get("metadata") or {}), "namespace": found.reference.namespace or namespace}
        if path:
            metadata |= _as_of_workload(found, workload, metadata)
        kind = {"apiVersion": found.reference.api_version, "kind": found.reference.kind}
        yield TemplatePods({**template, **kind, "metadata": metadata}, min(count.number, _MOST) if path else 1, known)


def _as_of_workload(found: Located, workload: Workload, metadata: Object) -> Object:
    """The metadata that controllers add to a template."""
    name = found.reference.name
    labels = {**(metadata.get("labels") or {}), **controller_labels(workload, name, 0)}
    if workload.kind not in _JOBS:
        return {"name": name, "labels": labels}
    return {"name": name, "labels": {"job-name": name, **labels}, "ownerReferences": [{"kind": "Job", "name": name}]}
