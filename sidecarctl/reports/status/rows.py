"""The rows about a SidecarSet in the text and the Markdown of a status."""

from collections.abc import Sequence

from sidecarctl.facts.paths import path_text
from sidecarctl.operations.status import PodStatus, SetStatus
from sidecarctl.reports.plan.rows import difference_text
from sidecarctl.rollout.pods.membership import LeftOut
from sidecarctl.rollout.summary.blocked_fields import FieldDifference
from sidecarctl.rollout.summary.pod_states import PodState

_NAMED = 3
_RECORDED = ("matchedPods", "updatedPods", "readyPods", "updatedReadyPods")


def head_rows(status: SetStatus) -> list[str]:
    """The counts, the revision, the strategy, and differences from the status in the manifest."""
    counts, version = status.counts, f" (version {status.custom_version})" if status.custom_version else ""
    said = [
        f"{status.sidecarset.name}: {counts.updated:,} of {_pods(counts.matched)} updated, {counts.ready:,} ready, "
        f"{counts.updated_ready:,} updated and ready"
        + (f"; {len(status.left_out):,} left out" if status.left_out else ""),
        f"revision  {status.status['latestRevision']}{version}",
        f"strategy  {_strategy(status)}",
    ]
    return [*said, f"recorded  {differing}"] if (differing := _differing(status)) else said


def pod_rows(status: SetStatus) -> list[tuple[str, ...]]:
    """A row for each pod: its name, state, revision, readiness, and why."""
    return [*(_row(pod, status.sidecarset.name) for pod in status.pods), *map(_left_out_row, status.left_out)]


def _pods(number: int) -> str:
    return f"{number:,} pod{'' if number == 1 else 's'}"


def _strategy(status: SetStatus) -> str:
    strategy = status.sidecarset.spec.get("updateStrategy") or {}
    kind = strategy.get("type") or "RollingUpdate"
    if kind == "NotUpdate":
        return "NotUpdate: running pods are never updated"
    window = status.window
    parts = [
        f"{kind}, paused" if strategy.get("paused") else kind,
        f"partition {_amount(window.partition, window.partition_pods)}",
        f"maxUnavailable {_amount(window.max_unavailable, window.max_unavailable_pods)}",
        f"{status.unavailable:,} unavailable",
    ]
    return ", ".join(parts)


def _amount(written: int | str, pods: int) -> str:
    return f"{pods:,}" if written == pods else f"{written} = {_pods(pods)}"


def _differing(status: SetStatus) -> str:
    """Differences from the status in the manifest."""
    if not status.recorded:
        return ""
    differing = [
        f"{key} {status.recorded.get(key) or 0:,}"
        for key in _RECORDED
        if (status.recorded.get(key) or 0) != (status.status.get(key) or 0)
    ]
    return f"{', '.join(differing)} in the manifest's status" if differing else ""


def _row(pod: PodStatus, set_name: str) -> tuple[str, ...]:
    return str(pod.pod), pod.state, _revision(pod, set_name), yes(pod.ready), why(pod)


def why(pod: PodStatus) -> str:
    """The reason for the state of the pod, with the first few blocking fields."""
    differences = [difference_text(entry) for entry in _blocking(pod)]
    more = f", and {len(differences) - _NAMED} more" if len(differences) > _NAMED else ""
    return f"{', '.join(differences[:_NAMED])}{more}; recreate it" if differences else pod.why


def _blocking(pod: PodStatus) -> Sequence[FieldDifference]:
    """The fields of its spec that block the pod, if nothing else is to be reported."""
    is_blocked = pod.state is PodState.NOT_UPGRADABLE
    return [entry for entry in pod.blocked_by if entry.path[0] == "spec"] if is_blocked else []


def _left_out_row(left_out: LeftOut) -> tuple[str, ...]:
    return str(left_out.pod), left_out.reason, "-", "-", left_out.message


def _revision(pod: PodStatus, set_name: str) -> str:
    """The injected version: its revision without the name of the SidecarSet, else the start of its hash."""
    version = f" ({pod.custom_version})" if pod.custom_version else ""
    return f"{pod.revision.removeprefix(f'{set_name}-') or pod.hash[:12] or '-'}{version}"


def yes(answer: bool) -> str:  # noqa: FBT001 - a word for each of the two
    """The answer as a word."""
    return "yes" if answer else "no"


def folded_rows(status: SetStatus) -> list[tuple[str, ...]]:
    """A row for each state and revision, in the order of a rollout."""
    groups: dict[tuple[PodState, str], list[PodStatus]] = {}
    for pod in status.pods:
        groups.setdefault((pod.state, _revision(pod, status.sidecarset.name)), []).append(pod)
    order = list(PodState)
    rows = [
        (f"{len(pods):,}", state, revision, f"{sum(pod.ready for pod in pods):,}", _which(pods))
        for (state, revision), pods in sorted(groups.items(), key=lambda item: (order.index(item[0][0]), item[0][1]))
    ]
    others: dict[str, list[LeftOut]] = {}
    for left_out in status.left_out:
        others.setdefault(left_out.reason, []).append(left_out)
    left = [
        (f"{len(group):,}", reason, "-", "-", _names([each.pod for each in group]))
        for reason, group in others.items()
    ]
    return [*rows, *left]


def _which(pods: Sequence[PodStatus]) -> str:
    """The pods of a row, and the fields that block them."""
    fields = list(dict.fromkeys(path_text(entry.path) for pod in pods for entry in _blocking(pod)))
    more = f" and {len(fields) - _NAMED} more" if len(fields) > _NAMED else ""
    because = f"; because of {', '.join(fields[:_NAMED])}{more}" if fields else ""
    return _names([pod.pod for pod in pods]) + because


def _names(pods: Sequence[object]) -> str:
    """`shop/web-0, shop/web-1, shop/web-2 and 997 more`."""
    named = ", ".join(map(str, pods[:_NAMED]))
    return named if len(pods) <= _NAMED else f"{named} and {len(pods) - _NAMED:,} more"
