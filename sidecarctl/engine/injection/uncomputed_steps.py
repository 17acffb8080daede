"""The steps of the pod webhook that are reported, not computed: what other objects would add to a pod.

Source: docs/behavior/pod-webhook.md, "Order".
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from sidecarctl.engine.api.decoding import check
from sidecarctl.engine.api.label_selectors import Labels, as_labels, is_empty, matches
from sidecarctl.engine.api.workloads import WITHOUT_SCALE
from sidecarctl.engine.facts.findings import Finding, ObjectReference, note
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Object, Value
from sidecarctl.engine.injection.webhook_steps import top_workload
from sidecarctl.engine.releases.feature_gates import (
    BUDGETS_FOR_DELETIONS,
    BUDGETS_FOR_UPDATES,
    PROBE_MARKERS,
    WORKLOAD_SPREADS,
    is_on,
)
from sidecarctl.engine.releases.release import Release

_SUBSET_PARTS = {
    "tolerations": "tolerations",
    "requiredNodeSelectorTerm": "node affinity",
    "preferredNodeSelectorTerms": "node affinity",
    "patch": "patch",
}
_STATES = {"requiredPersistentTopology": "nodeSelector", "preferredPersistentTopology": "preferred node affinity"}


class Webhooked(NamedTuple):
    """A pod as these steps look at it: only its labels need to be type-checked.

    `workload` is what controls it in the end: empty parts if nothing does. `name` is empty for a template.
    """

    namespace: str
    name: str
    labels: Labels
    workload: ObjectReference
    containers: frozenset[str]


def webhooked(pod: Value, namespace: str, workload: ObjectReference | None) -> Webhooked:
    """A pod, or the template of a workload, in a namespace."""
    metadata = pod.get("metadata") or {}
    spec = pod.get("spec")
    lists = [_member(spec, field) for field in ("containers", "initContainers")]
    items = [item for found in lists if isinstance(found, list) for item in found]
    names = frozenset(str(_member(item, "name")) for item in items)
    labels = as_labels(metadata.get("labels"))
    name = "" if workload else metadata.get("name") or ""
    return Webhooked(namespace, name, labels, workload or top_workload(pod, labels), names)


def uncomputed(
    pod: Webhooked, others: Iterable[tuple[ObjectReference, Object]], gates: frozenset[str], release: Release
) -> Iterator[Finding]:
    """A note for each object for which the webhook would add something to a pod; `others` are in the order of names.

    Of several budgets, or spreads, or states the webhook takes the first.
    """
    told: set[str] = set()
    for reference, manifest in others:
        if reference.namespace != pod.namespace or (reference.kind in told and reference.kind != "PodProbeMarker"):
            continue
        what = _added(reference.kind, manifest, pod, gates, release)
        if what:
            told.add(reference.kind)
            yield note(Reason.NOT_COMPUTED, f"{reference}: Kruise's webhook also adds {what}; this is not computed")


def _added(kind: str, manifest: Object, pod: Webhooked, gates: frozenset[str], release: Release) -> str:
    """What the webhook adds to a pod because of an object; empty for nothing."""
    spec = _member(manifest, "spec")
    match kind:
        case "WorkloadSpread" if is_on(WORKLOAD_SPREADS, gates, release) and _is_target(spec, pod):
            return _of_subset(_member(spec, "subsets"))
        case "PodUnavailableBudget" if release.adds_later_steps and _asks_budgets(gates, release):
            return _of_budget(release) if _is_given_budget(manifest, pod, release) else ""
        case "PersistentPodState" if release.adds_later_steps and _is_target(spec, pod):
            return _of_state(spec, _member(_member(manifest, "status"), "podStates"), pod)
        case "PodProbeMarker" if is_on(PROBE_MARKERS, gates, release) and release.probe_marker_gate:
            return _of_marker(spec, pod)
    return ""


def _of_subset(subsets: Value) -> str:
    listed = subsets if isinstance(subsets, list) else []
    parts = {text: None for subset in listed for key, text in _SUBSET_PARTS.items() if _member(subset, key)}
    of_subset = f"{', '.join(parts)} of the subset that its status decides, and " if parts else ""
    return f"{of_subset}the annotation apps.kruise.io/matched-workloadspread"


def _asks_budgets(gates: frozenset[str], release: Release) -> bool:
    return is_on(BUDGETS_FOR_DELETIONS, gates, release) or is_on(BUDGETS_FOR_UPDATES, gates, release)


def _is_given_budget(budget: Object, pod: Webhooked, release: Release) -> bool:
    """Whether a new pod gets the annotations; old releases need a workload, for the number of pods."""
    is_selected = not _member(_member(budget, "spec"), "targetRef")
    has_number = bool(pod.workload.kind) and pod.workload.kind not in WITHOUT_SCALE
    return covers(budget, pod) and (release.budget_of_any_pod or has_number or not is_selected)


def _of_budget(release: Release) -> str:
    new = " and pub.kruise.io/related-pub" if release.budget_fields else ""
    return f"the annotation{'s' if new else ''} kruise.io/related-pub{new}"


def _of_state(spec: Value, states: Value, pod: Webhooked) -> str:
    known = states if isinstance(states, dict) else {}
    chosen = [known.get(pod.name)] if pod.name else known.values()
    parts = [text for key, text in _STATES.items() if _member(spec, key)]
    if not parts or not any(_member(state, "nodeTopologyLabels") for state in chosen):
        return ""
    return f"{' and '.join(parts)} from its status, and the annotation kruise.io/injected-persistent-pod-state"


def _of_marker(spec: Value, pod: Webhooked) -> str:
    probes = _member(spec, "probes")
    listed = probes if isinstance(probes, list) else []
    names = {str(_member(probe, "containerName")) for probe in listed if _member(probe, "podConditionType")}
    if not (names & pod.containers and _selects(_member(spec, "selector"), pod)):
        return ""
    return "the annotations kruise.io/podprobe and kruise.io/podprobemarker-list"


def covers(budget: Object, pod: Webhooked) -> bool:
    """Whether a PodUnavailableBudget is for a pod of its namespace, when that is created."""
    spec = _member(budget, "spec")
    return _is_target(spec, pod) if _member(spec, "targetRef") else _selects(_member(spec, "selector"), pod)


def _is_target(spec: Value, pod: Webhooked) -> bool:
    """Whether an object's targetRef is the workload of a pod: by group, kind and name."""
    target = _member(spec, "targetRef")
    group = str(_member(target, "apiVersion") or "").rpartition("/")[0]
    wanted = group, _member(target, "kind"), _member(target, "name")
    return bool(wanted[1]) and wanted == (
        pod.workload.api_version.rpartition("/")[0],
        pod.workload.kind,
        pod.workload.name,
    )


def _selects(selector: Value, pod: Webhooked) -> bool:
    if not isinstance(selector, dict) or check(selector, "meta.LabelSelector") or is_empty(selector):
        return False
    return matches(selector, pod.labels)


def _member(value: Value, name: str) -> Value:
    return value.get(name) if isinstance(value, dict) else None
