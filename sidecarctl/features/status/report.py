"""The status of SidecarSets over running pods: blocks, and a document of kind RolloutStatus."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from sidecarctl.engine.facts.findings import document_head, findings_json, named
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Object, natural, path_text
from sidecarctl.engine.plan_file.document import difference_document, unknown_document
from sidecarctl.engine.report import Report
from sidecarctl.engine.rollout.simulated_pods import PodName
from sidecarctl.engine.rollout.statuses import PodStatus, SetStatus, TouchingBudget
from sidecarctl.engine.rollout.summary.pod_states import PodState
from sidecarctl.engine.rollout.summary.sentences import doubt, number
from sidecarctl.engine.rollout.summary.sidecar_comparison import FieldDifference, kept_in_place
from sidecarctl.engine.rollout.summary.together import sharing_text
from sidecarctl.engine.rollout.targets import LeftOut
from sidecarctl.features.plan.rows import difference_text
from sidecarctl.features.status.status import StatusFacts
from sidecarctl.render.blocks import Block, BlockDocument, FactList, Items, PodList, PodRow, Section, Table, columns
from sidecarctl.render.formats import Formats, block_formats
from sidecarctl.render.output import Page

_NAMED = 3
_EVENTS = 2
_Pod = TypeVar("_Pod", PodStatus, LeftOut)
_RECORDED = ("matchedPods", "updatedPods", "readyPods", "updatedReadyPods")


def head_rows(status: SetStatus) -> list[str]:
    """The counts, the revision, the strategy, and differences from the status in the manifest."""
    counts, version = status.counts, f" (version {status.custom_version})" if status.custom_version else ""
    unknown = f"{doubt(status.doubtful)}; " if status.doubtful else ""
    said = [
        f"{status.sidecarset.name}: {unknown}{counts.updated:,} of {number(counts.matched)} updated, "
        f"{counts.ready:,} ready, {counts.updated_ready:,} updated and ready"
        + (f"; {len(status.left_out):,} left out" if status.left_out else ""),
        f"revision  {status.status['latestRevision']}{version}",
        f"strategy  {_strategy(status)}",
    ]
    said += [f"meanwhile {status.new_pods}"] if status.new_pods else []
    if status.outdated:
        differ = "differs" if status.outdated == 1 else "differ"
        of = " of the current hash" if status.sidecarset.brings_containers else ""
        said.append(f"outdated  {number(status.outdated)}{of} {differ} from a new pod: see drift")
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


def _pod_cells(status: SetStatus) -> Iterator[tuple[PodName, tuple[str, ...]]]:
    """Each pod: its name, state, revision, readiness, and why."""
    name = status.sidecarset.name
    for pod in _sorted(status.pods):
        yield pod.pod, (str(pod.pod), pod.state, _revision(pod, name), _yes(pod.ready), _why(pod))
    for each in _sorted(status.left_out):
        yield each.pod, (str(each.pod), each.reason, "-", "-", each.message)


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
    return f"{named(differences, _NAMED, ', and')}; {_remedy(pod)}" if differences else pod.why


def _remedy(pod: PodStatus) -> str:
    kept = kept_in_place(_blocking(pod))
    return f"{pod.recreation}, or {kept}" if kept else pod.recreation


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
    because = f"; because of {named(fields, _NAMED)}" if fields else ""
    return named([pod.pod for pod in pods]) + because


_COLORS = {
    PodState.UPDATED: "updated",
    PodState.UPDATING: "updating",
    PodState.RESETTING: "updating",
    PodState.NOT_READY: "not_ready",
    PodState.WAITING: "waiting",
    PodState.BUSY: "in_flight",
    PodState.NOT_UPGRADABLE: "not_upgradable",
    PodState.OTHER_IMAGES: "not_upgradable",
    PodState.STATIC_POD: "not_upgradable",
}
"""The color of each state; all other states are `held_back`, and anything else is `left_out`."""
_LACKING = (Reason.NEVER_INJECTED, Reason.SIDECAR_MISSING)
"""Pods that run without their sidecars: what matters most, so they come first and in the loudest color."""
_GRAVEST_FIRST: tuple[PodState | Reason, ...] = (
    *_LACKING,
    PodState.NOT_READY,
    PodState.NOT_UPGRADABLE,
    PodState.OTHER_IMAGES,
    PodState.WAITING_FOR_BUDGET,
    PodState.BUSY,
    PodState.UPDATING,
    PodState.RESETTING,
    PodState.WAITING,
    PodState.PAUSED,
    PodState.HELD_BY_SELECTOR,
    PodState.HELD_BY_PARTITION,
    PodState.NOT_UPDATE,
    PodState.STATIC_POD,
    PodState.UPDATED,
)
_RANKS = {str(state): rank for rank, state in enumerate(_GRAVEST_FIRST)}


def color_of(state: str) -> str:
    """The name of the color of a state."""
    if state in _LACKING:
        return "lacking"
    if state not in list(PodState):
        return "left_out"
    return _COLORS.get(PodState(state), "held_back")


def status_blocks(report: Report[StatusFacts], _page: Page) -> BlockDocument:
    """A section for each SidecarSet: the counts, the window, the pods."""
    facts = report.facts
    shared = [Items(tuple(_shared_text(facts, names, pods) for names, pods in facts.shared.items()))]
    sections = [_section(item, facts.workloads) for item in facts.sets]
    return sections_of_sets(report, "Status of", sections, *(shared if facts.shared else ()))


def _shared_text(facts: StatusFacts, set_names: Sequence[str], pods: Collection[PodName]) -> str:
    """`logs and mix share 10 pods: 1 is unavailable`."""
    down = len(facts.unavailable.intersection(pods))
    return f"{sharing_text(set_names, len(pods))}: {down:,} {'is' if down == 1 else 'are'} unavailable"


def sections_of_sets(report: Report[Any], of: str, sections: Sequence[Section], *others: Block) -> BlockDocument:
    """A document with a section for each SidecarSet."""
    what = sections[0].title if len(sections) == 1 else number(len(sections), "SidecarSet")
    return BlockDocument(
        title=f"{of} {what}",
        blocks=(*sections, *others),
        command=report.kind,
        of=of,
        findings=report.findings,
        behavior=report.release.behavior,
    )


def _section(status: SetStatus, workloads: Mapping[PodName, str]) -> Section:
    name = f"SidecarSet {status.sidecarset.name}"
    pods = PodList(
        name,
        "ready",
        len(status.pods) + len(status.left_out),
        lambda: [_row(*cells, workload=workloads.get(pod, "")) for pod, cells in _pod_cells(status)],
        lambda: Table(
            columns("pods", "state", "injected", "ready", "which"), folded_rows(status), f"Pods of {name} by state"
        ),
    )
    return set_section(status.sidecarset.name, head_rows(status), pods)


def set_section(name: str, head: Sequence[str], pods: PodList) -> Section:
    """The section of a SidecarSet: the first row of its head is its title, the others are facts about it."""
    title, *facts = head
    rows = tuple((row[:_LABEL].rstrip(), row[_LABEL:]) for row in facts)
    blocks = (FactList(rows, _LABEL), pods) if rows else (pods,)
    return Section(f"SidecarSet {name}", title.removeprefix(f"{name}: "), blocks, label=name)


_LABEL = 10
"""The width of the labels of facts."""


def _row(pod: str, state: str, revision: str, ready: str, why: str, *, workload: str) -> PodRow:
    return PodRow(pod, state, revision, ready, why, color_of(state), _RANKS.get(state, len(_RANKS)), workload)


def wide_blocks(report: Report[StatusFacts], page: Page) -> BlockDocument:
    """The blocks, with everything that is known about each pod."""
    document = status_blocks(report, page)
    tables = [_wide_table(status) for status in report.facts.sets]
    sections = (
        section._replace(blocks=(*section.blocks[:-1], *([table] if table.rows else [])))
        for section, table in zip(document.sections, tables, strict=True)
    )
    return document._replace(blocks=tuple(sections))


def _wide_table(status: SetStatus) -> Table:
    header = ("pod", "state", "injected", "version", "updated", "ready", "upgradable", "in-flight", "working", "why")
    rows = [_wide_row(pod) for pod in status.pods]
    rows += [(str(each.pod), each.reason, *("-" * 7), each.message) for each in status.left_out]
    return Table(columns(*header), rows, is_wide=True)


def _wide_row(pod: PodStatus) -> tuple[str, ...]:
    answers = map(_yes, (pod.updated, pod.ready, pod.upgradable, pod.in_flight))
    revision = pod.revision or pod.hash[:12] or "-"
    working = ",".join(pod.working.values()) or "-"
    return (str(pod.pod), pod.state, revision, pod.custom_version or "-", *answers, working, _why(pod))


def status_data(report: Report[StatusFacts]) -> Object:
    """The status as an object of kind RolloutStatus."""
    return {
        **document_head("RolloutStatus", report.release.behavior, report.facts.gates),
        **report.cluster(),
        "sidecarSets": [_set(status, report.facts.workloads) for status in report.facts.sets],
        **({"sharedPods": _shared(report.facts)} if report.facts.shared else {}),
        "findings": findings_json(report.findings),
    }


def _shared(facts: StatusFacts) -> list[Object]:
    return [
        {"sidecarSets": [*names], "pods": len(pods), "unavailable": len(facts.unavailable.intersection(pods))}
        for names, pods in facts.shared.items()
    ]


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
        **({"newPods": status.new_pods} if status.new_pods else {}),
        **({"outdated": status.outdated} if status.outdated else {}),
        "pods": [_pod(pod) | _workload(pod.pod, workloads) for pod in status.pods],
        "leftOut": [_left_out(pod) | _workload(pod.pod, workloads) for pod in status.left_out],
        **unknown_document(status.doubtful),
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


FORMATS: Mapping[str, Formats] = {"status": block_formats(status_blocks, status_data, wide=wide_blocks)}
"""The formats of the reports of `status`."""
