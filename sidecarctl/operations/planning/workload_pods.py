"""The pods that workloads would have in a cluster, injected by the old SidecarSets: a rollout without a cluster.

All pods are ready, with simple times; names that only a controller can know are invented.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from sidecarctl.api.decoding import check
from sidecarctl.api.label_selectors import Labels
from sidecarctl.api.times import utc_text
from sidecarctl.api.workloads import (
    CONTROLLER_LABELS,
    Workload,
    controller_labels,
    pod_name,
    pod_template_paths,
    workload_of,
)
from sidecarctl.facts.errors import InputError, SidecarctlError, impossible, input_error, usage_error
from sidecarctl.facts.findings import Finding, Severity, warning
from sidecarctl.facts.paths import Path, value_at
from sidecarctl.facts.reasons import Reason
from sidecarctl.facts.values import Object, Value
from sidecarctl.injection.injecting import inject
from sidecarctl.injection.options import InjectionOptions
from sidecarctl.injection.select.injection_context import InjectionContext
from sidecarctl.injection.select.pod_identity import Identity
from sidecarctl.injection.select.selection import select
from sidecarctl.inputs.located import Located
from sidecarctl.inputs.reading import Reading
from sidecarctl.inputs.reading_pods import Inputs
from sidecarctl.operations.plan import RolloutInputs
from sidecarctl.operations.planning.canary_bases import refuse_changed_bases
from sidecarctl.operations.planning.replicas import GivenReplicas, given_replicas, number_of_pods, unused_replicas
from sidecarctl.rollout.pods.trimmed_pods import trimmed_pod
from sidecarctl.rollout.simulation.kubelet import image_id
from sidecarctl.sidecarset.sets import SidecarSet

_BEGINNING = datetime(2000, 1, 1, tzinfo=UTC)


@dataclass(slots=True)
class MadePods:
    """Whole pods in the order of their workloads, then of their ordinals, and findings about them."""

    pods: list[Object] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Maker:
    """Creates the pods of workloads; `namespace` is the default namespace."""

    context: InjectionContext
    namespace: str
    workloads: Sequence[Workload]
    replicas: GivenReplicas

    def pods(self, found: Iterable[Located]) -> MadePods:
        """The pods of all workloads; InputError for a template that the API cannot decode."""
        made = MadePods()
        faults: list[Finding] = []
        for located in found:
            workload = workload_of(located.manifest, self.workloads)
            paths = pod_template_paths(located.manifest, self.workloads)
            if workload is None or not paths:
                continue
            template = value_at(located.manifest, paths[0])
            if problems := check(template, "core.Pod"):
                faults += located.findings(problem._replace(path=(*paths[0], *problem.path)) for problem in problems)
                continue
            count, remark = number_of_pods(located, workload, self.replicas, self.namespace)
            made.findings += located.findings([remark]) if remark else []
            self._add(made, located, workload, paths[0], count)
        if faults:
            raise InputError(*faults)
        return made

    def _add(self, made: MadePods, located: Located, workload: Workload, path: Path, count: int) -> None:
        template = value_at(located.manifest, path)
        name, namespace = located.reference.name, located.reference.namespace or self.namespace
        is_stateful = workload.naming == "ordinal"
        injected: Object | None = None
        for ordinal in _ordinals(located.manifest, count, is_stateful=is_stateful):
            pod = pod_name(workload, name, ordinal)
            bare = _bare_pod(template, pod, namespace, controller_labels(workload, name, ordinal))
            if injected is None or is_stateful:  # the pods of other workloads differ in their names alone
                try:
                    injected = self._injected(bare)
                except SidecarctlError as fault:
                    made.findings += _rejected(located, fault, count)
                    return
            metadata = {**injected["metadata"], "name": pod}
            moment = _moment(located.manifest, ordinal, is_stateful=is_stateful)
            made.pods.append(_running({**injected, "metadata": metadata}, moment))

    def _injected(self, pod: Object) -> Object:
        metadata = pod["metadata"]
        selection = select(pod, self.context, Identity(metadata["namespace"], metadata["name"]))
        return inject(pod, selection, self.context).pod


def rollout_of_workloads(
    inputs: Inputs, old: Inputs, how: Reading, replicas: Sequence[str], gates: frozenset[str], seed: int
) -> RolloutInputs:
    """The input of a plan without a cluster: pods of the workloads, injected by the old SidecarSets.

    UsageError for pods with a status among the inputs, and for `replicas` that no workload has.
    """
    if len(inputs.pods) > sum(workload.reference.kind == "Pod" for workload in inputs.workloads):
        raise usage_error("--from creates pods from workloads, but PATHS contain pods with a status")
    given = given_replicas(replicas)
    if unused := unused_replicas(given, inputs.workloads, how.namespace):
        raise usage_error(f"--replicas {unused[0]}: workload not found in PATHS")
    if not old.world.sidecarsets:
        raise input_error(Reason.NO_SIDECARSET, "no SidecarSet found in the paths of --from")
    refuse_changed_bases(old.world, inputs.world)
    namespaces = {**inputs.world.namespaces, **old.world.namespaces}
    context = context_of(old.world.sidecarsets, namespaces, gates, seed)
    made = Maker(context, how.namespace, how.workloads, given).pods(inputs.workloads)
    for each in (old.world, inputs.world):
        for sidecarset in each.sidecarsets:
            made.findings += each.sources[sidecarset.name].findings(unknown_label_remarks(sidecarset))
    pods = [trimmed_pod(pod, how.namespace) for pod in made.pods]
    digests = [*inputs.digests, *old.digests]
    return RolloutInputs(inputs.world, pods, lambda: made.pods, inputs.nodes, digests, made.findings, synthetic=True)


def context_of(
    old: Iterable[SidecarSet], namespaces: Mapping[str, Labels], gates: frozenset[str], seed: int
) -> InjectionContext:
    """The old SidecarSets, injected as given, ignoring their injectionStrategy."""
    sets = [
        item._replace(spec={key: item.spec[key] for key in item.spec if key != "injectionStrategy"}) for item in old
    ]
    return InjectionContext(sets, namespaces=namespaces, options=InjectionOptions(seed=seed, feature_gates=gates))


_MOST_PODS = 1_000_000
"""The largest number of pods of a workload, many times that of the largest cluster."""


def _ordinals(manifest: Object, count: int, *, is_stateful: bool) -> range:
    start = value_at(manifest, ("spec", "ordinals", "start")) if is_stateful else 0
    start = start if isinstance(start, int) else 0
    if count > _MOST_PODS or abs(start) >= 2**31:
        message = f"{count:,} pods from ordinal {start:,} are too many to simulate"
        raise impossible(Reason.TOO_LARGE, message, hint="set the number to simulate with --replicas KIND/NAME=N")
    return range(start, start + count)


def _bare_pod(template: Object, name: str, namespace: str, labels: Object) -> Object:
    metadata = template.get("metadata") or {}
    kept = {key: metadata[key] for key in ("annotations",) if metadata.get(key)}
    own = {"name": name, "namespace": namespace, "labels": {**(metadata.get("labels") or {}), **labels}, **kept}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": own, "spec": template.get("spec") or {}}


def _moment(manifest: Object, ordinal: int, *, is_stateful: bool) -> str:
    """The creation time of a pod; pods of an OrderedReady StatefulSet are created one after another."""
    policy = value_at(manifest, ("spec", "podManagementPolicy")) or "OrderedReady"
    seconds = ordinal if is_stateful and policy == "OrderedReady" else 0
    return utc_text(_BEGINNING + timedelta(seconds=seconds)) or ""


def _running(pod: Object, moment: str) -> Object:
    spec = pod["spec"]
    ready = {"type": "Ready", "status": "True", "lastTransitionTime": moment}
    status = {
        "phase": "Running",
        "conditions": [ready],
        "containerStatuses": [_status(item) for item in spec.get("containers") or () if item],
        "initContainerStatuses": [_status(item) for item in spec.get("initContainers") or () if item],
    }
    metadata = {**pod["metadata"], "creationTimestamp": moment}
    return {
        **pod,
        "metadata": metadata,
        "spec": {**spec, "nodeName": spec.get("nodeName") or "any"},
        "status": status,
    }


def _status(container: Object) -> Value:
    image = container.get("image") or ""
    return {
        "name": container.get("name") or "",
        "image": image,
        "imageID": image_id(image),
        "ready": True,
        "restartCount": 0,
    }


def _rejected(located: Located, fault: SidecarctlError, count: int) -> Iterator[Finding]:
    for finding in fault.findings:
        message = f"its {count} pods would be rejected: {finding.message}"
        yield Finding(
            Severity.WARNING,
            finding.reason,
            message,
            subject=located.reference,
            place=located.place(),
            hint=finding.hint,
        )


def unknown_label_remarks(sidecarset: SidecarSet) -> Iterator[Finding]:
    """Warnings for selectors that require labels that only a cluster knows."""
    for path in (("spec", "selector"), ("spec", "updateStrategy", "selector")):
        selector: Value = value_at({"spec": sidecarset.spec}, path) or {}
        keys = [*(selector.get("matchLabels") or ())]
        keys += [item.get("key") for item in selector.get("matchExpressions") or ()]
        for key in keys:
            if key in CONTROLLER_LABELS:
                message = f"the label {key} is set by a controller of the cluster: no pod has it here"
                yield warning(Reason.LABEL_UNKNOWN_OFFLINE, message, path)
