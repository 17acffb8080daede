"""The drift of pods as text, as Markdown, and as a document of kind DriftReport (schemas/drift-report.json)."""

from collections.abc import Iterator, Mapping, Sequence

from sidecarctl.engine.comparing.drift_states import DriftState
from sidecarctl.engine.facts.findings import document_head, findings_json
from sidecarctl.engine.facts.values import Object, natural, pointer_text
from sidecarctl.engine.plan_file.document import difference_document
from sidecarctl.engine.report import Report
from sidecarctl.engine.rollout.recorded_sets import NO_SET
from sidecarctl.engine.rollout.statuses import PodStatus
from sidecarctl.engine.rollout.summary.sentences import number
from sidecarctl.engine.rollout.summary.sidecar_comparison import FieldDifference
from sidecarctl.features.drift.drifts import ClusterSets, Drift, DriftFacts, PodDrift, SetDifference, SetDrift, Whose
from sidecarctl.features.plan.rows import value_text
from sidecarctl.features.status.report import (
    FOLDED_FROM,
    MOST_PODS,
    head_items,
    head_lines,
    injected_version,
    why_not_updated,
)
from sidecarctl.render.lines import count, joined, named, shown
from sidecarctl.render.markdown import cell, finding_items, fitting, table_lines, with_notes
from sidecarctl.render.output import Page
from sidecarctl.render.tables import table

_HEADER = ("POD", "STATE", "INJECTED", "SINCE", "WHY")
_FOLDED_HEADER = ("PODS", "STATE", "INJECTED", "WHICH", "WHY")
_NAMED = 3


def head_rows(item: SetDrift) -> list[str]:
    """The SidecarSet and the pods in each state, then its revision, and what was not compared."""
    pods = number(len(item.pods))
    name = item.name if item.name != NO_SET else "of no SidecarSet"
    counts = ", ".join(f"{pods:,} {state}" for state, pods in item.counts.items())
    rows = [f"{name}: {pods}: {counts}" if counts else f"{name}: {pods}"]
    if item.status:
        version = f" (version {item.status.custom_version})" if item.status.custom_version else ""
        rows.append(f"revision  {item.status.status['latestRevision']}{version}")
    if item.left_out:
        said = ", ".join(f"{pods:,} {reason}" for reason, pods in item.left_out.items())
        rows.append(f"left out  {said}")
    return rows


def drifted_pods(item: SetDrift, *, every: bool) -> list[PodDrift]:
    """The pods in natural order; those in sync only if all pods are requested."""
    found = [pod for pod in item.pods if every or pod.state is not DriftState.IN_SYNC]
    return sorted(found, key=lambda pod: natural(str(pod.pod)))


def pod_rows(item: SetDrift, pods: Sequence[PodDrift]) -> list[tuple[str, ...]]:
    """A row for each pod: its name, states, revision, the time of injection or update, and why."""
    return [(str(pod.pod), _states(pod), _revision(pod, item), pod.since or "-", why(pod)) for pod in pods]


def folded_rows(item: SetDrift, pods: Sequence[PodDrift]) -> list[tuple[str, ...]]:
    """A row for all pods that have the same states for the same reasons, the worst first."""
    groups: dict[tuple[int, str, str, str], list[PodDrift]] = {}
    order = list(DriftState)
    for pod in pods:
        key = order.index(pod.state), _states(pod), _revision(pod, item), why(pod)
        groups.setdefault(key, []).append(pod)
    return [
        (f"{len(group):,}", states, revision, named([pod.pod for pod in group]), reason)
        for (_, states, revision, reason), group in sorted(groups.items(), key=lambda entry: entry[0])
    ]


def why(pod: PodDrift) -> str:
    """The causes, with the first few fields: what runs, and what is recorded."""
    return "; ".join(filter(None, (_cause(pod, each) for each in pod.drifts)))


def _cause(pod: PodDrift, each: Drift) -> str:
    if each.state is DriftState.BEHIND and pod.standing:
        return f"{pod.standing.state}: {said}" if (said := why_not_updated(pod.standing)) else each.why
    if not each.fields:
        return each.why
    more = f", and {len(each.fields) - _NAMED} more" if len(each.fields) > _NAMED else ""
    return ", ".join(map(_field_text, each.fields[:_NAMED])) + more


def _field_text(entry: FieldDifference) -> str:
    """`spec.containers[log].image: runs ..., recorded ...`."""
    return f"{entry.text}: runs {value_text(entry.now)}, recorded {value_text(entry.new)}"


def _states(pod: PodDrift) -> str:
    return ", ".join(dict.fromkeys(str(each.state) for each in pod.drifts))


def _revision(pod: PodDrift, item: SetDrift) -> str:
    return injected_version(item.name, pod.revision, pod.hash, pod.version)


def cluster_rows(cluster: ClusterSets) -> list[str]:
    """A line for each SidecarSet that files and cluster do not share, each lag, and revisions of no SidecarSet."""
    rows = [f"{item.name}: {_WHOSE[item.whose]}" + _fields(item) for item in cluster.differences]
    rows += [f"{lag.name}: status.{lag.field} is {lag.recorded:,}, not {lag.actual:,}" for lag in cluster.lags]
    names = cluster.orphaned_revisions
    return [*rows, *([f"ControllerRevisions of no SidecarSet: {named(names)}"] if names else [])]


_WHOSE = {
    Whose.FILES: "only in the files",
    Whose.CLUSTER: "only in the cluster",
    Whose.DIFFERENT: "the cluster differs from the files",
}


def _fields(item: SetDifference) -> str:
    said = [
        f"{field.text}: {value_text(field.before)} in the cluster, {value_text(field.after)} in the files"
        for field in item.fields
    ]
    return f": {'; '.join(said)}" if said else ""


def ignored_rows(ignored: Mapping[str, int]) -> list[str]:
    """A line for each field that was ignored, with how often it differs."""
    return [f"ignored: {field} differs {number(times, 'time')}" for field, times in ignored.items()]


def drift_text(report: Report[DriftFacts], page: Page) -> str:
    """The counts of each SidecarSet, and its drifted pods; very many are grouped."""
    sets = [joined(_set_lines(item, page)) for item in report.facts.sets]
    ignored = joined(ignored_rows(report.facts.ignored))
    cluster = joined(map(shown, cluster_rows(report.facts.cluster)))
    return "\n".join(filter(None, [cluster, *sets, ignored]))


def _set_lines(item: SetDrift, page: Page) -> Iterator[str]:
    yield from head_lines(head_rows(item), page.width)
    pods = drifted_pods(item, every=page.all_pods)
    if not pods:
        return
    yield ""
    if len(pods) < FOLDED_FROM or page.all_pods:
        yield from table(_HEADER, pod_rows(item, pods), page.width, "  ")
    else:
        yield from table(_FOLDED_HEADER, folded_rows(item, pods), page.width, "  ")


def drift_markdown(report: Report[DriftFacts], page: Page) -> str:
    """A section for each SidecarSet, the ignored fields, then the findings."""
    head = f"### Drift from {count(len(report.facts.sets), 'SidecarSet')}\n"
    sections = ["\n".join(_section(item, page)) + "\n" for item in report.facts.sets]
    general = [*cluster_rows(report.facts.cluster), *ignored_rows(report.facts.ignored)]
    notes = [*(f"- {cell(line)}\n" for line in general), *finding_items(report.findings)]
    return with_notes(fitting(head, sections, "SidecarSet"), notes)


def _section(item: SetDrift, page: Page) -> Iterator[str]:
    yield from head_items(head_rows(item))
    if pods := drifted_pods(item, every=page.all_pods):
        yield ""
        is_folded = len(pods) > MOST_PODS and not page.all_pods
        header = _FOLDED_HEADER if is_folded else _HEADER
        rows = folded_rows(item, pods) if is_folded else pod_rows(item, pods)
        yield from table_lines([name.lower() for name in header], rows)


def drift_data(report: Report[DriftFacts]) -> Object:
    """The drift as an object of kind DriftReport."""
    return {
        **document_head("DriftReport", report.release.behavior, report.facts.gates),
        **report.cluster(),
        "sidecarSets": [_set(item) for item in report.facts.sets],
        "differingSets": [_difference(item) for item in report.facts.cluster.differences],
        "lags": [
            {"name": lag.name, "field": lag.field, "recorded": lag.recorded, "actual": lag.actual}
            for lag in report.facts.cluster.lags
        ],
        "orphanedRevisions": list(report.facts.cluster.orphaned_revisions),
        "ignoredFields": dict(report.facts.ignored),
        "findings": findings_json(report.findings),
    }


def _difference(item: SetDifference) -> Object:
    fields = [{"field": field.text, "cluster": field.before, "files": field.after} for field in item.fields]
    return {"name": item.name, "where": str(item.whose), "fields": fields}


def _set(item: SetDrift) -> Object:
    status = item.status
    return {
        "name": item.name,
        "exists": status is not None,
        "hash": status.sidecarset.hash if status else "",
        "revision": status.status["latestRevision"] if status else "",
        "counts": {str(state): pods for state, pods in item.counts.items()},
        "leftOut": dict(item.left_out),
        "pods": [_pod(pod) for pod in item.pods],
    }


def _pod(pod: PodDrift) -> Object:
    return {
        "namespace": pod.pod.namespace,
        "name": pod.pod.name,
        "states": list(dict.fromkeys(str(each.state) for each in pod.drifts)),
        "recorded": {
            "hash": pod.hash,
            "revision": pod.revision,
            "customVersion": pod.version,
            "updateTimestamp": pod.since,
        },
        "running": dict(pod.runs),
        "wanted": dict(pod.wanted),
        "drifts": [
            {"state": str(each.state), "why": each.why, "fields": [*map(_field, each.fields)]} for each in pod.drifts
        ],
        **({"rollout": _standing(pod.standing)} if pod.standing else {}),
    }


def _field(entry: FieldDifference) -> Object:
    return {
        "field": entry.text,
        "pointer": pointer_text(entry.path),
        "running": entry.now,
        "recorded": entry.new,
    }


def _standing(standing: PodStatus) -> Object:
    return {
        "state": str(standing.state),
        "why": standing.why,
        "blockedBy": [difference_document(entry) for entry in standing.blocked_by],
    }
