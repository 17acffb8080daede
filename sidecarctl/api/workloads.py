"""Kinds that hold pod templates: where these sit, and what tells how many pods there will be.

Source: docs/behaviour/injection.md, "Workloads".
"""

import re
from collections.abc import Sequence
from typing import Literal, NamedTuple

from sidecarctl.facts.errors import usage_error
from sidecarctl.facts.paths import Path, value_at
from sidecarctl.facts.values import Object


class Workload(NamedTuple):
    """One kind of object, in any version of its API group; the group None stands for all groups.

    - `templates`: the paths that a pod template may sit at; `()` is the object itself.
    - `pods`: what their number follows from: the smallest value at the paths in `replicas` (one pod, where
      there is none), the cluster's nodes, or nothing that stands in the object.
    """

    kind: str
    group: str | None
    templates: tuple[Path, ...]
    pods: Literal["replicas", "nodes", "none"] = "replicas"
    replicas: tuple[Path, ...] = (("spec", "replicas"),)


_TEMPLATE: Path = ("spec", "template")
_JOB_SIZE: tuple[Path, ...] = (("spec", "parallelism"), ("spec", "completions"))
_UNITED = ("statefulSetTemplate", "advancedStatefulSetTemplate", "cloneSetTemplate", "deploymentTemplate")
_CRON = ("jobTemplate", "broadcastJobTemplate")

WORKLOADS = (
    Workload("Pod", "", ((),), replicas=()),
    Workload("PodTemplate", "", (("template",),), "none", ()),
    Workload("ReplicationController", "", (_TEMPLATE,)),
    Workload("Deployment", "apps", (_TEMPLATE,)),
    Workload("ReplicaSet", "apps", (_TEMPLATE,)),
    Workload("StatefulSet", "apps", (_TEMPLATE,)),
    Workload("DaemonSet", "apps", (_TEMPLATE,), "nodes", ()),
    Workload("Job", "batch", (_TEMPLATE,), replicas=_JOB_SIZE),
    Workload("CronJob", "batch", (("spec", "jobTemplate", "spec", "template"),), "none", ()),
    Workload("CloneSet", "apps.kruise.io", (_TEMPLATE,)),
    Workload("StatefulSet", "apps.kruise.io", (_TEMPLATE,)),
    Workload("DaemonSet", "apps.kruise.io", (_TEMPLATE,), "nodes", ()),
    Workload("BroadcastJob", "apps.kruise.io", (_TEMPLATE,), "nodes", ()),
    Workload(
        "AdvancedCronJob",
        "apps.kruise.io",
        tuple((*_TEMPLATE, name, "spec", "template") for name in _CRON),
        "none",
        (),
    ),
    Workload(
        "UnitedDeployment",
        "apps.kruise.io",
        tuple((*_TEMPLATE, name, "spec", "template") for name in _UNITED),
    ),
    Workload("Rollout", "argoproj.io", (_TEMPLATE,)),
)
_BY_KIND = {(workload.kind, workload.group): workload for workload in WORKLOADS}

_GIVEN = r"([A-Za-z0-9]+)(?:\.([A-Za-z0-9.-]+))?=\.?(.+)"
_STEP = r"(?:^|\.)([A-Za-z0-9_-]+)|\[([0-9]{1,6})\]"


def workload_of(manifest: Object, given: Sequence[Workload] = ()) -> Workload | None:
    """The row of a manifest's kind, the user's own rows first; None when it is no kind with pod templates."""
    kind, api_version = manifest.get("kind"), manifest.get("apiVersion")
    if not isinstance(kind, str) or not isinstance(api_version, str):
        return None
    group = api_version.rpartition("/")[0]
    for workload in given:
        if workload.kind == kind and workload.group in {None, group}:
            return workload
    return _BY_KIND.get((kind, group))


def pod_template_paths(manifest: Object, given: Sequence[Workload] = ()) -> list[Path]:
    """Where the pod templates of a manifest sit; `()` for a Pod, nothing when it holds none."""
    workload = workload_of(manifest, given)
    paths = workload.templates if workload else ()
    return [path for path in paths if isinstance(value_at(manifest, path), dict)]


def replica_count(manifest: Object, workload: Workload) -> int:
    """How many pods a workload makes, as far as it says so itself; 1 where it says nothing."""
    asked = (value_at(manifest, path) for path in workload.replicas)
    return min((count for count in asked if isinstance(count, int) and count >= 0), default=1)


def parse_workload(text: str) -> Workload:
    """The row that a user gives as `KIND.GROUP=PATH` or, for any group, `KIND=PATH`; UsageError otherwise."""
    match = re.fullmatch(_GIVEN, text)
    if match is None or re.sub(_STEP, "", match[3]):
        raise usage_error(f'"{text}" names no kind and path', hint="such as Workflow.argoproj.io=spec.podTemplate")
    steps = [name or int(index) for name, index in re.findall(_STEP, match[3])]
    return Workload(match[1], match[2], (tuple(steps),))
