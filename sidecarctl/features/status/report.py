"""The status of SidecarSets over running pods: rows, text and Markdown, and JSON."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from textwrap import wrap
from typing import TypeVar

from sidecarctl.engine.facts.findings import document_head, findings_json
from sidecarctl.engine.facts.values import Object, natural, path_text
from sidecarctl.engine.plan_file.document import difference_document
from sidecarctl.engine.report import Report
from sidecarctl.engine.rollout.simulated_pods import PodName
from sidecarctl.engine.rollout.statuses import PodStatus, SetStatus, TouchingBudget
from sidecarctl.engine.rollout.summary.pod_states import PodState
from sidecarctl.engine.rollout.summary.sentences import number
from sidecarctl.engine.rollout.summary.sidecar_comparison import FieldDifference
from sidecarctl.engine.rollout.targets import LeftOut
from sidecarctl.features.plan.rows import difference_text
from sidecarctl.features.status.status import StatusFacts
from sidecarctl.render.lines import count, joined, named, shown
from sidecarctl.render.markdown import cell, finding_items, fitting, table_lines, with_notes
from sidecarctl.render.output import Page
from sidecarctl.render.tables import table

_NAMED = 3
_EVENTS = 2
_Pod = TypeVar("_Pod", PodStatus, LeftOut)
_RECORDED = ("matchedPods", "updatedPods", "readyPods", "updatedReadyPods")


def head_rows(status: SetStatus) -> list[str]:
    """The counts, the revision, the strategy, and differences from the status in the manifest."""
    counts, version = status.counts, f" (version {status.custom_version})" if status.custom_version else ""
    said = [
        f"{status.sidecarset.name}: {counts.updated:,} of {number(counts.matched)} updated, "
        f"{counts.ready:,} ready, {counts.updated_ready:,} updated and ready"
        + (f"; {len(status.left_out):,} left out" if status.left_out else ""),
        f"revision  {status.status['latestRevision']}{version}",
        f"strategy  {_strategy(status)}",
    ]
    said += [f"recorded  {differing}"] if (differing := _differing(status)) else []
    said += [f"condition {conditions}"] if (conditions := _conditions(status)) else []
    said += [f"budget    {budget_text(budget)}" for budget in status.budgets]
    return [*said, *(f"event     {event}" for event in status.events)]


def budget_text(budget: TouchingBudget) -> str:
    """`PodUnavailableBudget shop/web (maxUnavailable 1) covers 3 pods: it is asked before each update...`."""
    limit = f" ({budget.limit})" if budget.limit else ""
    return f"{budget.kind} {budget.namespace}/{budget.name}{limit} covers {number(budget.pods)}: it {budget.why}"


def _conditions(status: SetStatus) -> str:
    """What the pods' conditions say, if any says that a pod cannot be updated, or contradicts what is computed."""
    said = [pod for pod in status.pods if pod.condition is not None]
    false = sum(pod.condition is False for pod in said)
    others = [pod.pod for pod in said if pod.condition != (pod.updated or pod.upgradable)]
    if not (false or others):
        return ""
    compared = f"otherwise computed: {named(others)}" if others else "as computed"
    return f"SidecarSetUpgradable is false (UpdateImmutableField) on {number(false)}, {compared}"


def pod_rows(status: SetStatus) -> list[tuple[str, ...]]:
    """A row for each pod: its name, state, revision, readiness, and why."""
    name = status.sidecarset.name
    rows = [
        (str(pod.pod), pod.state, _revision(pod, name), _yes(pod.ready), _why(pod)) for pod in _sorted(status.pods)
    ]
    return [*rows, *((str(each.pod), each.reason, "-", "-", each.message) for each in _sorted(status.left_out))]


def _sorted(pods: Sequence[_Pod]) -> list[_Pod]:
    """Pods in natural order: web-2 before web-10."""
    return sorted(pods, key=lambda each: natural(str(each.pod)))


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
    return f"{pods:,}" if written == pods else f"{written} = {number(pods)}"


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


def _why(pod: PodStatus) -> str:
    """The reason for the state of the pod, after the requested images."""
    runs = [f"{name} runs {image}" for name, image in pod.images.items()]
    return "; ".join(filter(None, (*runs, why_not_updated(pod), *map(str, pod.events[:_EVENTS]))))


def why_not_updated(pod: PodStatus) -> str:
    """The reason for the state of the pod, with the first few blocking fields."""
    differences = [difference_text(entry) for entry in _blocking(pod)]
    more = f", and {len(differences) - _NAMED} more" if len(differences) > _NAMED else ""
    return f"{', '.join(differences[:_NAMED])}{more}; recreate it" if differences else pod.why


def _blocking(pod: PodStatus) -> Sequence[FieldDifference]:
    """The fields of its spec that block the pod, if nothing else is to be reported."""
    is_blocked = pod.state is PodState.NOT_UPGRADABLE
    return [entry for entry in pod.blocked_by if entry.path[0] == "spec"] if is_blocked else []


def injected_version(set_name: str, revision: str, digest: str, custom_version: str) -> str:
    """The revision without the name of the SidecarSet, else the start of its hash."""
    version = f" ({custom_version})" if custom_version else ""
    return f"{revision.removeprefix(f'{set_name}-') or digest[:12] or '-'}{version}"


def _revision(pod: PodStatus, set_name: str) -> str:
    return injected_version(set_name, pod.revision, pod.hash, pod.custom_version)


def _yes(answer: bool) -> str:  # noqa: FBT001 - a word for each of the two
    return "yes" if answer else "no"


def folded_rows(status: SetStatus) -> list[tuple[str, ...]]:
    """A row for each state and revision, in rollout order."""
    groups: dict[tuple[PodState, str], list[PodStatus]] = {}
    for pod in _sorted(status.pods):
        groups.setdefault((pod.state, _revision(pod, status.sidecarset.name)), []).append(pod)
    order = list(PodState)
    rows = [
        (f"{len(pods):,}", state, revision, f"{sum(pod.ready for pod in pods):,}", _which(pods))
        for (state, revision), pods in sorted(groups.items(), key=lambda item: (order.index(item[0][0]), item[0][1]))
    ]
    others: dict[str, list[LeftOut]] = {}
    for left_out in _sorted(status.left_out):
        others.setdefault(left_out.reason, []).append(left_out)
    left = [
        (f"{len(group):,}", reason, "-", "-", named([each.pod for each in group])) for reason, group in others.items()
    ]
    return [*rows, *left]


def _which(pods: Sequence[PodStatus]) -> str:
    """The pods of a row, and the fields that block them."""
    fields = list(dict.fromkeys(path_text(entry.path) for pod in pods for entry in _blocking(pod)))
    more = f" and {len(fields) - _NAMED} more" if len(fields) > _NAMED else ""
    because = f"; because of {', '.join(fields[:_NAMED])}{more}" if fields else ""
    return named([pod.pod for pod in pods]) + because


FOLDED_FROM = 21
"""With this many pods or more, the table of a SidecarSet has a row per group of pods, not per pod."""

_NARROW = 60
"""Narrower tables have fewer columns."""


def status_text(report: Report[StatusFacts], page: Page) -> str:
    """The counts, the window and the pods of each SidecarSet; very many pods are grouped."""
    return "\n".join(joined(_set_lines(status, page.width, all_pods=page.all_pods)) for status in report.facts.sets)


def wide_text(report: Report[StatusFacts], page: Page) -> str:
    """The same with everything known about each pod."""
    return "\n".join(
        joined([*head_lines(head_rows(status), page.width), "", *_wide_table(status)]) for status in report.facts.sets
    )


def _set_lines(status: SetStatus, width: int | None, *, all_pods: bool) -> Iterator[str]:
    yield from head_lines(head_rows(status), width)
    if len(status.pods) + len(status.left_out) < FOLDED_FROM or all_pods:
        if rows := pod_rows(status):
            yield ""
            yield from _table(("POD", "STATE", "INJECTED", "READY", "WHY"), rows, width)
    else:
        yield ""
        yield from _table(("PODS", "STATE", "INJECTED", "READY", "WHICH"), folded_rows(status), width)


def _table(header: tuple[str, ...], rows: Sequence[tuple[str, ...]], width: int | None) -> list[str]:
    """The table; in a narrow terminal, revision and readiness move to the text, so that states are not cut."""
    if width is not None and width < _NARROW:
        header, rows = (*header[:2], header[-1]), [*map(_narrowed, rows)]
    return table(header, rows, width, "  ")


def _narrowed(row: tuple[str, ...]) -> tuple[str, ...]:
    which, state, revision, ready, text = row
    said = "" if revision == ready == "-" else f"revision {revision}, ready: {ready}"
    return which, state, "; ".join(filter(None, (said, text)))


def head_lines(head: Iterable[str], width: int | None) -> Iterator[str]:
    """The first row of a SidecarSet as a title, the others below it."""
    title, *rows = map(shown, head)
    for line in (title, *(f"  {row}" for row in rows)):
        yield from wrap(line, width, subsequent_indent="            ") if width else [line]


def _wide_table(status: SetStatus) -> list[str]:
    header = ["POD", "STATE", "INJECTED", "VERSION", "UPDATED", "READY", "UPGRADABLE", "IN-FLIGHT", "WORKING", "WHY"]
    rows = [_wide_row(pod) for pod in status.pods]
    rows += [(str(each.pod), each.reason, *("-" * 7), each.message) for each in status.left_out]
    return table(header, rows, None, "  ") if rows else []


def _wide_row(pod: PodStatus) -> tuple[str, ...]:
    answers = map(_yes, (pod.updated, pod.ready, pod.upgradable, pod.in_flight))
    revision = pod.revision or pod.hash[:12] or "-"
    working = ",".join(pod.working.values()) or "-"
    return (str(pod.pod), pod.state, revision, pod.custom_version or "-", *answers, working, _why(pod))


MOST_PODS = 50
"""With this many pods or more, a table has a row per group of pods."""


def status_markdown(report: Report[StatusFacts], page: Page) -> str:
    """A section for each SidecarSet, then the findings."""
    head = f"### Status of {count(len(report.facts.sets), 'SidecarSet')}\n"
    sections = ["\n".join(_section(status, all_pods=page.all_pods)) + "\n" for status in report.facts.sets]
    return with_notes(fitting(head, sections, "SidecarSet"), finding_items(report.findings), "Findings")


def head_items(head: Iterable[str]) -> Iterator[str]:
    """The same as Markdown: a title, and a list."""
    title, *rows = head
    yield f"#### {cell(title)}"
    yield ""
    yield from (f"- {cell(row)}" for row in rows)


def _section(status: SetStatus, *, all_pods: bool) -> Iterator[str]:
    yield from head_items(head_rows(status))
    yield ""
    if len(status.pods) + len(status.left_out) > MOST_PODS and not all_pods:
        yield from table_lines(("pods", "state", "revision", "ready", "which"), folded_rows(status))
    elif rows := pod_rows(status):
        yield from table_lines(("pod", "state", "revision", "ready", "why"), rows)


def status_data(report: Report[StatusFacts]) -> Object:
    """The status as an object of kind RolloutStatus."""
    return {
        **document_head("RolloutStatus", report.release.behavior, report.facts.gates),
        **report.cluster(),
        "sidecarSets": [_set(status, report.facts.workloads) for status in report.facts.sets],
        "findings": findings_json(report.findings),
    }


def _set(status: SetStatus, workloads: Mapping[PodName, str]) -> Object:
    sidecarset, window = status.sidecarset, status.window
    strategy = sidecarset.spec.get("updateStrategy") or {}
    return {
        "name": sidecarset.name,
        "hash": sidecarset.hash,
        "hashWithoutImage": sidecarset.hash_without_image,
        "customVersion": status.custom_version,
        "status": status.status,
        "recordedStatus": status.recorded,
        "window": {
            "type": strategy.get("type") or "RollingUpdate",
            "paused": bool(strategy.get("paused")),
            "partition": window.partition,
            "partitionPods": window.partition_pods,
            "maxUnavailable": window.max_unavailable,
            "maxUnavailablePods": window.max_unavailable_pods,
            "unavailable": status.unavailable,
        },
        "pods": [_pod(pod) | _workload(pod.pod, workloads) for pod in status.pods],
        "leftOut": [_left_out(pod) | _workload(pod.pod, workloads) for pod in status.left_out],
        **({"events": [event.document() for event in status.events]} if status.events else {}),
        **({"budgets": [*map(_budget, status.budgets)]} if status.budgets else {}),
    }


def _workload(pod: PodName, workloads: Mapping[PodName, str]) -> Object:
    return {"workload": workloads[pod]} if pod in workloads else {}


def _pod(pod: PodStatus) -> Object:
    return {
        "namespace": pod.pod.namespace,
        "name": pod.pod.name,
        "state": str(pod.state),
        "why": pod.why,
        "revision": pod.revision,
        "customVersion": pod.custom_version,
        "hash": pod.hash,
        "updated": pod.updated,
        "ready": pod.ready,
        "available": pod.available,
        "upgradable": pod.upgradable,
        "inFlight": pod.in_flight,
        "workingContainers": dict(pod.working),
        **({"blockedBy": [difference_document(entry) for entry in pod.blocked_by]} if pod.blocked_by else {}),
        **({"images": dict(pod.images)} if pod.images else {}),
        **({"events": [event.document() for event in pod.events]} if pod.events else {}),
        **({} if pod.condition is None else {"upgradableCondition": pod.condition}),
    }


def _budget(budget: TouchingBudget) -> Object:
    return {
        "kind": budget.kind,
        "namespace": budget.namespace,
        "name": budget.name,
        "limit": budget.limit,
        "pods": budget.pods,
        "asked": budget.asked,
        "message": budget.why,
    }


def _left_out(left_out: LeftOut) -> Object:
    return {
        "namespace": left_out.pod.namespace,
        "name": left_out.pod.name,
        "reason": str(left_out.reason),
        "message": left_out.message,
    }
