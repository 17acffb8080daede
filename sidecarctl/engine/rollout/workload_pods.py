"""The pods that workloads would have in a cluster, injected by the old SidecarSets: a rollout without a cluster.

All pods are ready, with simple times; names that only a controller can know are invented.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from types import MappingProxyType
from typing import NamedTuple, TypeAlias

from sidecarctl.engine.api.made_pods import PodCount, as_created
from sidecarctl.engine.api.text_forms import utc_text
from sidecarctl.engine.api.workload_rows import WorkloadKind
from sidecarctl.engine.api.workloads import CONTROLLER_LABELS, invented_uid, pod_templates, workload_of
from sidecarctl.engine.facts.errors import InputError, SidecarctlError, impossible, input_error, usage_error
from sidecarctl.engine.facts.findings import Finding, Severity, note, warning
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.start_up import lazy_pattern
from sidecarctl.engine.facts.values import Object, Value, value_at
from sidecarctl.engine.injection.decisions import InjectionOptions
from sidecarctl.engine.injection.injection_context import InjectionContext, injection_context
from sidecarctl.engine.injection.pod_sorts import PodSort, patch_problems, pod_sorts, split_problem
from sidecarctl.engine.injection.pod_templates import pod_problems
from sidecarctl.engine.injection.pod_webhook import admitted, template_of
from sidecarctl.engine.injection.selection import Identity, select
from sidecarctl.engine.inputs.pods import PodInputs
from sidecarctl.engine.inputs.reading import Reading
from sidecarctl.engine.inputs.references import with_references
from sidecarctl.engine.inputs.trimmed_pods import trimmed_pod
from sidecarctl.engine.rollout.kubelet import image_id
from sidecarctl.engine.rollout.simulated import RolloutInputs
from sidecarctl.engine.sidecarset.sets import SidecarSet
from sidecarctl.engine.sidecarset.webhook_scope import with_gates
from sidecarctl.engine.sidecarset.world import Located, World

GivenReplicas: TypeAlias = Mapping[tuple[str, str, str], int]
"""Numbers of pods by namespace (empty for any), lower-case kind, and name."""

_GIVEN = lazy_pattern(r"(?:([^/=]+)/)?([^/=]+)/([^/=]+)=([0-9]{1,7})")


def _given_replicas(texts: Sequence[str]) -> GivenReplicas:
    """The numbers in `[NS/]KIND/NAME=N`; UsageError for anything else."""
    given = {}
    for text in texts:
        found = _GIVEN.fullmatch(text)
        if found is None:
            raise usage_error(f"--replicas {text} is malformed", hint="such as shop/DaemonSet/agent=40")
        given[found[1] or "", found[2].lower(), found[3]] = int(found[4])
    return given


def uncounted(located: Located, workload: WorkloadKind) -> Finding | None:
    """Why the manifest does not say how many pods there are, if it does not."""
    kind = located.reference.kind
    if workload.pods == "none":
        article = "an" if kind[0] in "AEIOU" else "a"
        return warning(Reason.REPLICAS_UNKNOWN, f"{article} {kind} has no pods of its own; it is left out")
    if workload.pods in _DEPENDS:
        name = "/".join(filter(None, (located.reference.namespace, kind, located.reference.name)))
        message = f"the number of pods of a {kind} depends on {_DEPENDS[workload.pods]}; it is left out"
        return warning(Reason.REPLICAS_UNKNOWN, message, hint=f"--replicas {name}=N")
    return None


_DEPENDS = {"nodes": "the nodes of the cluster", "scaled": "what scales it"}


def remark_on(count: PodCount) -> Finding | None:
    """A note on a number of pods that is the default of the API."""
    return note(Reason.REPLICAS_UNKNOWN, *count.assumed) if count.assumed else None


def _keys(located: Located, namespace: str) -> tuple[tuple[str, str, str], ...]:
    reference = located.reference
    kind = reference.kind.lower()
    return ((reference.namespace or namespace, kind, reference.name), ("", kind, reference.name))


_BEGINNING = datetime(2000, 1, 1, tzinfo=UTC)


class _Maker(NamedTuple):
    """Creates the pods of workloads; `namespace` is the default namespace."""

    context: InjectionContext
    namespace: str
    kinds: Sequence[WorkloadKind]
    replicas: GivenReplicas = MappingProxyType({})

    def pods(self, found: Iterable[Located]) -> tuple[list[Object], list[Finding]]:
        """Whole pods in the order of their workloads, then of their ordinals, and findings about them.

        InputError for a template that the API cannot decode.
        """
        workloads, findings = with_references(found, self.namespace)
        pods: list[Object] = []
        faults: list[Finding] = []
        for located in workloads:
            workload = workload_of(located.manifest, self.kinds)
            templates = pod_templates(located.manifest, self.kinds)
            if workload is None or not templates:
                continue
            paths = dict.fromkeys(template.path for template in templates)
            problems = [finding for path in paths for finding in pod_problems(located.manifest, path)]
            number = next(
                (self.replicas[key] for key in _keys(located, self.namespace) if key in self.replicas), None
            )
            sorts = [] if problems else pod_sorts(located, templates, number)
            problems += [finding for sort in sorts for finding in patch_problems(sort)]
            if problems:
                faults += located.findings(dict.fromkeys(problems))
                continue
            if number is None and (remark := uncounted(located, workload) or split_problem(located)):
                findings += located.findings([remark])
                continue
            told = [remark_on(template.pods) for template in templates] if number is None else []
            findings += located.findings(dict.fromkeys(remark for remark in told if remark))
            for sort in sorts:
                pods += self._of_sort(located, sort, findings)
        if faults:
            raise InputError(*faults)
        return pods, findings

    def _of_sort(self, located: Located, sort: PodSort, findings: list[Finding]) -> Iterator[Object]:
        """The running pods, up to one that Kruise would reject, which is a finding."""
        found, template, name = sort.template, sort.pod, sort.name
        namespace = located.reference.namespace or self.namespace
        own = (template.get("metadata") or {}).get("labels") or {}
        owners = _owner_references(located)
        of_kruise = template_of(located.reference, found.path)
        injected: Object | None = None
        for ordinal in _ordinals(located, sort.number):
            pod = found.pod_name(name, ordinal)
            if injected is None or found.differ:  # the pods of other workloads differ only in their names
                created = as_created(located.manifest, found.path, template, pod, ordinal)
                labels = found.labels(own, name, ordinal, namespace)
                bare = _bare_pod(created, pod, namespace, labels, found.annotations(ordinal))
                try:
                    selection = select(bare, self.context, Identity(namespace, pod))
                    injected = admitted(bare, selection, self.context, of_kruise).pod
                except SidecarctlError as fault:
                    findings += _rejected(located, fault, sort.number)
                    return
            metadata = {**injected["metadata"], "name": pod, **owners}
            yield _running({**injected, "metadata": metadata}, _moment(located, ordinal))


def _owner_references(located: Located) -> Object:
    """The owner of the pods that are made, by which PodUnavailableBudgets find them; a bare pod has none."""
    reference = located.reference
    if reference.kind == "Pod":
        return {}
    uid = value_at(located.manifest, ("metadata", "uid")) or invented_uid(reference.kind, reference.name)
    owner = {"apiVersion": reference.api_version, "kind": reference.kind, "name": reference.name, "uid": uid}
    return {"ownerReferences": [{**owner, "controller": True}]}


def rollout_of_workloads(
    inputs: PodInputs, old: PodInputs, how: Reading, replicas: Sequence[str], gates: frozenset[str], seed: int
) -> tuple[RolloutInputs, list[Object]]:
    """The input of a plan without a cluster: pods of the workloads, injected by the old SidecarSets; and these whole.

    Where `old` are the inputs themselves, the pods are as they are created now, and injectionStrategy counts.
    UsageError for pods with a status among the inputs, and for `replicas` that no workload has.
    """
    if len(inputs.pods) > sum(workload.reference.kind == "Pod" for workload in inputs.workloads):
        raise usage_error("--from creates pods from workloads, but PATHS contain pods with a status")
    given = _given_replicas(replicas)
    known = {key for workload in inputs.workloads for key in _keys(workload, how.namespace)}
    for key in given:
        if key not in known:
            name = "/".join(filter(None, key))
            raise usage_error(f"--replicas {name}={given[key]}: workload not found in PATHS")
    if not old.world.sidecarsets and old is not inputs:
        raise input_error(Reason.NO_SIDECARSET, "no SidecarSet found in the paths of --from")
    options = InjectionOptions(seed=seed, feature_gates=gates)
    same = old is inputs
    context = injection_context(old.world, options) if same else context_of(old.world, inputs.world, gates, seed)
    whole, findings = _Maker(context, how.namespace, how.workloads, given).pods(inputs.workloads)
    for each in (old.world, inputs.world):
        for sidecarset in each.sidecarsets:
            findings += each.sources[sidecarset.name].findings(_unknown_label_remarks(sidecarset))
    pods = [trimmed_pod(pod, how.namespace) for pod in whole]
    digests = [*inputs.digests, *old.digests]
    return RolloutInputs(inputs.world, pods, inputs.nodes, digests, findings, synthetic=True), whole


def pods_of_workloads(
    old: World,
    new: World,
    workloads: Sequence[Located],
    namespace: str,
    kinds: Sequence[WorkloadKind],
    gates: frozenset[str],
) -> tuple[list[Object], list[Finding]]:
    """The pods of workloads (trimmed), injected by the old SidecarSets, and findings about them.

    SidecarctlError if one cannot be made.
    """
    pods, findings = _Maker(context_of(old, new, gates), namespace, kinds).pods(workloads)
    remarks = [item for item in findings if item.reason is not Reason.REPLICAS_UNKNOWN]
    return [trimmed_pod(pod, namespace) for pod in pods], remarks


def context_of(old: World, new: World, gates: frozenset[str], seed: int = 0) -> InjectionContext:
    """The old SidecarSets, injected as given, ignoring their injectionStrategy."""
    sets = [
        item._replace(spec={key: item.spec[key] for key in item.spec if key != "injectionStrategy"})
        for item in old.sidecarsets
    ]
    namespaces = {**new.namespaces, **old.namespaces}
    options = InjectionOptions(seed=seed, feature_gates=gates)
    return InjectionContext(
        sets, namespaces=namespaces, options=options, release=old.release, webhook=with_gates(old.webhook, gates)
    )


_MOST_PODS = 1_000_000
"""The largest number of pods of a workload, many times that of the largest cluster."""


def _ordinals(located: Located, count: int) -> range:
    is_stateful = located.reference.kind == "StatefulSet"
    start = value_at(located.manifest, ("spec", "ordinals", "start")) if is_stateful else 0
    start = start if isinstance(start, int) else 0
    if count > _MOST_PODS or abs(start) >= 2**31:
        message = f"{count:,} pods from ordinal {start:,} are too many to simulate"
        raise impossible(Reason.TOO_LARGE, message, hint="set the number to simulate with --replicas KIND/NAME=N")
    return range(start, start + count)


def _bare_pod(template: Object, name: str, namespace: str, labels: Object, added: Object) -> Object:
    annotations = {**((template.get("metadata") or {}).get("annotations") or {}), **added}
    kept = {"annotations": annotations} if annotations else {}
    own = {"name": name, "namespace": namespace, "labels": labels, **kept}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": own, "spec": template.get("spec") or {}}


def _moment(located: Located, ordinal: int) -> str:
    """The creation time of a pod; pods of an OrderedReady StatefulSet are created one after another."""
    policy = value_at(located.manifest, ("spec", "podManagementPolicy")) or "OrderedReady"
    seconds = ordinal if located.reference.kind == "StatefulSet" and policy == "OrderedReady" else 0
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


def _unknown_label_remarks(sidecarset: SidecarSet) -> Iterator[Finding]:
    """Warnings for selectors that require labels that only a cluster knows."""
    for path in (("spec", "selector"), ("spec", "updateStrategy", "selector")):
        selector: Value = value_at({"spec": sidecarset.spec}, path) or {}
        keys = [*(selector.get("matchLabels") or ())]
        keys += [item.get("key") for item in selector.get("matchExpressions") or ()]
        for key in keys:
            if key in CONTROLLER_LABELS:
                message = f"the label {key} is set by a controller of the cluster: no pod has it here"
                yield warning(Reason.LABEL_UNKNOWN_OFFLINE, message, path)
