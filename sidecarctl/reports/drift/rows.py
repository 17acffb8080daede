"""The rows about a SidecarSet in the text and the Markdown of a drift."""

from collections.abc import Iterator, Sequence

from sidecarctl.facts.values import natural
from sidecarctl.operations.drifting.cluster_sets import ClusterSets, SetDifference, Whose
from sidecarctl.operations.drifting.drifts import Drift, DriftState, PodDrift, SetDrift
from sidecarctl.operations.drifting.orphans import NO_SET
from sidecarctl.reports.plan.rows import value_text
from sidecarctl.reports.status import names_text, pods_text, why_not_updated
from sidecarctl.rollout.summary.sidecar_comparison import FieldDifference

HEADER = ("POD", "STATE", "INJECTED", "SINCE", "WHY")
FOLDED_HEADER = ("PODS", "STATE", "INJECTED", "WHY", "WHICH")
_NAMED = 3


def head_rows(item: SetDrift) -> list[str]:
    """The SidecarSet and the pods in each state, then its revision, and what was not compared."""
    pods = pods_text(len(item.pods))
    name = item.name if item.name != NO_SET else "of no SidecarSet"
    counts = ", ".join(f"{number:,} {state}" for state, number in item.counts.items())
    rows = [f"{name}: {pods}: {counts}" if counts else f"{name}: {pods}"]
    if item.status:
        version = f" (version {item.status.custom_version})" if item.status.custom_version else ""
        rows.append(f"revision  {item.status.status['latestRevision']}{version}")
    if item.left_out:
        said = ", ".join(f"{number:,} {reason}" for reason, number in item.left_out.items())
        rows.append(f"left out  {said}")
    return rows


def drifted_pods(item: SetDrift, *, every: bool) -> list[PodDrift]:
    """The pods as people look for them, those in sync only if every pod is wanted."""
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
        (f"{len(group):,}", states, revision, reason, names_text([pod.pod for pod in group]))
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
    return ", ".join(map(field_text, each.fields[:_NAMED])) + more


def field_text(entry: FieldDifference) -> str:
    """`spec.containers[log].image: runs ..., recorded ...`."""
    return f"{entry.text}: runs {value_text(entry.now)}, recorded {value_text(entry.new)}"


def _states(pod: PodDrift) -> str:
    return ", ".join(dict.fromkeys(str(each.state) for each in pod.drifts))


def _revision(pod: PodDrift, item: SetDrift) -> str:
    """The injected version: its revision without the name of the SidecarSet, else the start of its hash."""
    version = f" ({pod.version})" if pod.version else ""
    return f"{pod.revision.removeprefix(f'{item.name}-') or pod.hash[:12] or '-'}{version}"


def cluster_rows(cluster: ClusterSets) -> list[str]:
    """A line for each SidecarSet that files and cluster do not share, each lag, and revisions of no SidecarSet."""
    rows = [f"{item.name}: {_WHOSE[item.whose]}" + _fields(item) for item in cluster.differences]
    rows += [f"{lag.name}: status.{lag.field} is {lag.recorded:,}, not {lag.actual:,}" for lag in cluster.lags]
    names = cluster.orphaned_revisions
    return [*rows, *([f"ControllerRevisions of no SidecarSet: {names_text(names)}"] if names else [])]


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


def ignored_rows(ignored: Iterator[tuple[str, int]]) -> list[str]:
    """A line for each field that was ignored, with how often it differs."""
    return [f"ignored: {field} differs {number:,} time{'s' * (number != 1)}" for field, number in ignored]
