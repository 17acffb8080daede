"""The status of sets as text for people."""

from collections.abc import Iterable, Iterator, Sequence
from textwrap import wrap

from sidecarctl.facts.paths import path_text
from sidecarctl.operations.report import Report
from sidecarctl.operations.status import PodStatus, SetStatus, StatusFacts
from sidecarctl.reports.layout.lines import shown
from sidecarctl.reports.layout.tables import table
from sidecarctl.reports.page import Page
from sidecarctl.reports.plan.rows import difference_text
from sidecarctl.rollout.pods.membership import LeftOut
from sidecarctl.rollout.summary.blocked_fields import FieldDifference
from sidecarctl.rollout.summary.pod_states import PodState

_FOLDED_FROM = 21
"""Pods from which on a set's table has a row for each group of pods, not for each pod."""

_NARROW = 60
"""Columns below which a table has fewer."""

_NAMED = 3
_RECORDED = ("matchedPods", "updatedPods", "readyPods", "updatedReadyPods")


def status_text(report: Report[StatusFacts], page: Page) -> str:
    """What a reader needs to know first: the counts, the window, the pods; very many of them folded."""
    return "\n".join(_text(_set_lines(one, page.width, all_pods=page.all_pods)) for one in report.facts.sets)


def wide_text(report: Report[StatusFacts], page: Page) -> str:
    """The same with everything that is known of each pod."""
    return "\n".join(_text([*_head(one, page.width), *_wide_table(one)]) for one in report.facts.sets)


def _text(lines: Iterable[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def _set_lines(one: SetStatus, width: int | None, *, all_pods: bool) -> Iterator[str]:
    yield from _head(one, width)
    if len(one.pods) + len(one.left_out) < _FOLDED_FROM or all_pods:
        rows = [*(_row(pod, one.sidecarset.name) for pod in one.pods), *map(_left_out_row, one.left_out)]
        if rows:
            yield from _table(("POD", "STATE", "INJECTED", "READY", "WHY"), rows, width)
    else:
        yield from _table(("PODS", "STATE", "INJECTED", "READY", "WHICH"), _folded(one), width)


def _table(header: tuple[str, ...], rows: Sequence[tuple[str, ...]], width: int | None) -> list[str]:
    """The table; where there is little room, revision and readiness stand in the text, so that states stay whole."""
    if width is not None and width < _NARROW:
        header, rows = (*header[:2], header[-1]), [*map(_narrowed, rows)]
    return table(header, rows, width, "  ")


def _narrowed(row: tuple[str, ...]) -> tuple[str, ...]:
    which, state, revision, ready, text = row
    said = "" if revision == ready == "-" else f"revision {revision}, ready: {ready}"
    return which, state, "; ".join(filter(None, (said, text)))


def _head(one: SetStatus, width: int | None) -> Iterator[str]:
    counts, version = one.counts, f" (version {one.custom_version})" if one.custom_version else ""
    said = [
        f"{one.sidecarset.name}: {counts.updated:,} of {_pods(counts.matched)} updated, {counts.ready:,} ready, "
        f"{counts.updated_ready:,} updated and ready" + (f"; {len(one.left_out):,} left out" if one.left_out else ""),
        f"  revision  {one.status['latestRevision']}{version}",
        f"  strategy  {_strategy(one)}",
    ]
    if differing := _differing(one):
        said.append(f"  recorded  {differing}")
    for line in map(shown, said):
        yield from wrap(line, width, subsequent_indent="            ") if width else [line]
    yield ""


def _pods(number: int) -> str:
    return f"{number:,} pod{'' if number == 1 else 's'}"


def _strategy(one: SetStatus) -> str:
    strategy = one.sidecarset.spec.get("updateStrategy") or {}
    kind = strategy.get("type") or "RollingUpdate"
    if kind == "NotUpdate":
        return "NotUpdate: running pods are never updated"
    window = one.window
    parts = [
        f"{kind}, paused" if strategy.get("paused") else kind,
        f"partition {_amount(window.partition, window.partition_pods)}",
        f"maxUnavailable {_amount(window.max_unavailable, window.max_unavailable_pods)}",
        f"{one.unavailable:,} unavailable",
    ]
    return ", ".join(parts)


def _amount(written: int | str, pods: int) -> str:
    return f"{pods:,}" if written == pods else f"{written} = {_pods(pods)}"


def _differing(one: SetStatus) -> str:
    """Where the status that the manifest holds is another one."""
    if not one.recorded:
        return ""
    differing = [
        f"{key} {one.recorded.get(key) or 0:,}"
        for key in _RECORDED
        if (one.recorded.get(key) or 0) != (one.status.get(key) or 0)
    ]
    return f"{', '.join(differing)} in the manifest's status" if differing else ""


def _row(pod: PodStatus, set_name: str) -> tuple[str, ...]:
    return str(pod.pod), pod.state, _revision(pod, set_name), _yes(pod.ready), _why(pod)


def _why(pod: PodStatus) -> str:
    """Why the pod stands where it does; of the fields that block it the first few."""
    told = [difference_text(entry) for entry in _blocking(pod)]
    more = f", and {len(told) - _NAMED} more" if len(told) > _NAMED else ""
    return f"{', '.join(told[:_NAMED])}{more}; recreate it" if told else pod.why


def _blocking(pod: PodStatus) -> Sequence[FieldDifference]:
    """The fields of its spec that block the pod, where that is all that is to be said of it."""
    is_blocked = pod.state is PodState.NOT_UPGRADABLE
    return [entry for entry in pod.blocked_by if entry.path[0] == "spec"] if is_blocked else []


def _left_out_row(left_out: LeftOut) -> tuple[str, ...]:
    return str(left_out.pod), left_out.reason, "-", "-", left_out.message


def _revision(pod: PodStatus, set_name: str) -> str:
    """What names the injected version: its revision without the set's name, else the start of its hash."""
    version = f" ({pod.custom_version})" if pod.custom_version else ""
    return f"{pod.revision.removeprefix(f'{set_name}-') or pod.hash[:12] or '-'}{version}"


def _yes(answer: bool) -> str:  # noqa: FBT001 - a word for each of the two
    return "yes" if answer else "no"


def _folded(one: SetStatus) -> list[tuple[str, ...]]:
    """A row for each state and revision, in the order of a rollout."""
    groups: dict[tuple[PodState, str], list[PodStatus]] = {}
    for pod in one.pods:
        groups.setdefault((pod.state, _revision(pod, one.sidecarset.name)), []).append(pod)
    order = list(PodState)
    rows = [
        (f"{len(pods):,}", state, revision, f"{sum(pod.ready for pod in pods):,}", _which(pods))
        for (state, revision), pods in sorted(groups.items(), key=lambda item: (order.index(item[0][0]), item[0][1]))
    ]
    others: dict[str, list[LeftOut]] = {}
    for left_out in one.left_out:
        others.setdefault(left_out.reason, []).append(left_out)
    left = [
        (f"{len(group):,}", reason, "-", "-", _names([each.pod for each in group]))
        for reason, group in others.items()
    ]
    return [*rows, *left]


def _which(pods: Sequence[PodStatus]) -> str:
    """The pods of a row, and the fields that block any of them."""
    fields = list(dict.fromkeys(path_text(entry.path) for pod in pods for entry in _blocking(pod)))
    more = f" and {len(fields) - _NAMED} more" if len(fields) > _NAMED else ""
    because = f"; because of {', '.join(fields[:_NAMED])}{more}" if fields else ""
    return _names([pod.pod for pod in pods]) + because


def _names(pods: Sequence[object]) -> str:
    """`shop/web-0, shop/web-1, shop/web-2 and 997 more`."""
    named = ", ".join(map(str, pods[:_NAMED]))
    return named if len(pods) <= _NAMED else f"{named} and {len(pods) - _NAMED:,} more"


def _wide_table(one: SetStatus) -> list[str]:
    header = (
        "POD",
        "STATE",
        "INJECTED",
        "VERSION",
        "UPDATED",
        "READY",
        "UPGRADABLE",
        "IN-FLIGHT",
        "WORKING",
        "WHY",
    )
    rows = [_wide_row(pod) for pod in one.pods]
    rows += [(str(each.pod), each.reason, *("-" * 7), each.message) for each in one.left_out]
    return table(header, rows, None, "  ") if rows else []


def _wide_row(pod: PodStatus) -> tuple[str, ...]:
    answers = map(_yes, (pod.updated, pod.ready, pod.upgradable, pod.in_flight))
    revision = pod.revision or pod.hash[:12] or "-"
    working = ",".join(pod.working.values()) or "-"
    return (str(pod.pod), pod.state, revision, pod.custom_version or "-", *answers, working, _why(pod))
