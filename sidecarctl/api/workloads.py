"""Kinds that hold pod templates: where these sit, how many pods come of them, how those are named and labelled.

Source: docs/behaviour/injection.md, "Workloads".
"""

import re
from collections.abc import Sequence
from typing import Literal

from sidecarctl.facts.errors import usage_error
from sidecarctl.facts.named_tuples import NamedTuple
from sidecarctl.facts.paths import Path, value_at
from sidecarctl.facts.values import Object


class CountField(NamedTuple):
    """A field that limits the number of pods; `default` applies if it is absent, with the message `absent`."""

    path: Path
    default: int | None = None
    absent: str = ""


class PodCount(NamedTuple):
    """A number of pods, and the field whose absence decided it, if one did."""

    number: int
    assumed: CountField | None = None


_REPLICAS = (CountField(("spec", "replicas"), 1, "replicas is not set: assuming 1"),)
_JOB_SIZE = (
    CountField(("spec", "parallelism"), 1, "parallelism is not set: assuming 1, so one pod at a time"),
    CountField(("spec", "completions")),
)


class Workload(NamedTuple):
    """A kind of object, in any version of its API group; the group None means all groups.

    - `templates`: the paths that a pod template may sit at; `()` is the object itself.
    - `pods`: what their number follows from: the smallest of the fields `counts` (one pod, where there is none),
      the cluster's nodes, or something that is not in the object.
    - `naming`: the object's own name; its name and an ordinal, counted from `spec.ordinals.start`; or names that
      only a controller can know.
    - `labels`: what the kind's controller adds to the template's labels, made of `{name}` (the workload's),
      `{pod}` (the pod's name) and `{ordinal}`.
    """

    kind: str
    group: str | None
    templates: tuple[Path, ...]
    pods: Literal["replicas", "nodes", "none"] = "replicas"
    counts: tuple[CountField, ...] = _REPLICAS
    naming: Literal["own", "ordinal", "generated"] = "generated"
    labels: tuple[tuple[str, str], ...] = ()


_TEMPLATE: Path = ("spec", "template")
_UNITED = ("statefulSetTemplate", "advancedStatefulSetTemplate", "cloneSetTemplate", "deploymentTemplate")
_CRON = ("jobTemplate", "broadcastJobTemplate")
_STATEFUL_LABELS = (
    ("statefulset.kubernetes.io/pod-name", "{pod}"),
    ("apps.kubernetes.io/pod-index", "{ordinal}"),
)
_JOB_LABELS = (("job-name", "{name}"), ("batch.kubernetes.io/job-name", "{name}"))

CONTROLLER_LABELS = frozenset(
    (
        "pod-template-hash",
        "controller-revision-hash",
        "pod-template-generation",
        "controller-uid",
        "batch.kubernetes.io/controller-uid",
        "batch.kubernetes.io/job-completion-index",
        "apps.kruise.io/cloneset-instance-id",
    )
)
"""Labels of pods whose values only a controller in the cluster can know."""

WORKLOADS = (
    Workload("Pod", "", ((),), counts=(), naming="own"),
    Workload("PodTemplate", "", (("template",),), "none", ()),
    Workload("ReplicationController", "", (_TEMPLATE,)),
    Workload("Deployment", "apps", (_TEMPLATE,)),
    Workload("ReplicaSet", "apps", (_TEMPLATE,)),
    Workload("StatefulSet", "apps", (_TEMPLATE,), naming="ordinal", labels=_STATEFUL_LABELS),
    Workload("DaemonSet", "apps", (_TEMPLATE,), "nodes", ()),
    Workload("Job", "batch", (_TEMPLATE,), counts=_JOB_SIZE, labels=_JOB_LABELS),
    Workload("CronJob", "batch", (("spec", "jobTemplate", "spec", "template"),), "none", ()),
    Workload("CloneSet", "apps.kruise.io", (_TEMPLATE,)),
    Workload("StatefulSet", "apps.kruise.io", (_TEMPLATE,), naming="ordinal", labels=_STATEFUL_LABELS),
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
    """The row of a manifest's kind, with the user's template paths; None for kinds without templates."""
    kind, api_version = manifest.get("kind"), manifest.get("apiVersion")
    if not isinstance(kind, str) or not isinstance(api_version, str):
        return None
    group = api_version.rpartition("/")[0]
    known = _BY_KIND.get((kind, group))
    for workload in given:
        if workload.kind == kind and workload.group in {None, group}:
            return known._replace(templates=workload.templates) if known else workload
    return known


def pod_template_paths(manifest: Object, given: Sequence[Workload] = ()) -> list[Path]:
    """Where the pod templates of a manifest sit; `()` for a Pod, nothing when it holds none."""
    workload = workload_of(manifest, given)
    paths = workload.templates if workload else ()
    return [path for path in paths if isinstance(value_at(manifest, path), dict)]


def pod_count(manifest: Object, workload: Workload) -> PodCount:
    """The number of pods that a workload creates at once, as far as its manifest says; 1 by default."""
    limits = [_limit(manifest, field) for field in workload.counts]
    known = [limit for limit in limits if limit is not None]
    return min(known, key=lambda limit: (limit.number, limit.assumed is not None), default=PodCount(1))


def _limit(manifest: Object, field: CountField) -> PodCount | None:
    number = value_at(manifest, field.path)
    if isinstance(number, int) and number >= 0:
        return PodCount(number)
    return None if field.default is None else PodCount(field.default, field)


def pod_name(workload: Workload, name: str, ordinal: int) -> str:
    """What a pod of a workload is called; the names that a controller generates are stood in for by numbers."""
    if workload.naming == "own":
        return name
    return f"{name}-{ordinal}" if workload.naming == "ordinal" else f"{name}-{ordinal:05}"


def controller_labels(workload: Workload, name: str, ordinal: int) -> dict[str, str]:
    """The labels that the controller adds to a pod and that follow from the workload."""
    pod = pod_name(workload, name, ordinal)
    return {key: text.format(name=name, pod=pod, ordinal=ordinal) for key, text in workload.labels}


def parse_workload(text: str) -> Workload:
    """The row that a user gives as `KIND.GROUP=PATH` or, for any group, `KIND=PATH`; UsageError otherwise."""
    match = re.fullmatch(_GIVEN, text)
    if match is None or re.sub(_STEP, "", match[3]):
        raise usage_error(f'"{text}" is not KIND.GROUP=PATH', hint="such as Workflow.argoproj.io=spec.podTemplate")
    steps = [name or int(index) for name, index in re.findall(_STEP, match[3])]
    return Workload(match[1], match[2], (tuple(steps),))
