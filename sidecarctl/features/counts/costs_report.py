"""What sidecars request as text, Markdown, CSV, and documents (CostReport, schemas/cost-report.json)."""

from collections.abc import Iterator, Mapping, Sequence

from sidecarctl.engine.api.pod_resources import Amounts, Resources, in_order, quantities, shares
from sidecarctl.engine.comparing.costs import CostFacts, NamespaceCost, SetCost
from sidecarctl.engine.facts.findings import document_head, findings_json
from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.plan_file.document import unknown_document
from sidecarctl.engine.report import Report
from sidecarctl.engine.rollout.recorded_sets import NO_SET
from sidecarctl.engine.rollout.summary.sentences import doubt, number
from sidecarctl.render.amounts import amount_words, share_words, short
from sidecarctl.render.blocks import BlockDocument, Column, Counts, NoteList, Table
from sidecarctl.render.formats import Formats, block_formats
from sidecarctl.render.output import Page
from sidecarctl.render.tables import comma_separated

_MOST_NAMESPACES = 20
_UNNAMED = "(of no SidecarSet)"


def cost_blocks(report: Report[CostFacts], page: Page) -> BlockDocument:
    """What all sidecars request, then each SidecarSet and each namespace (of very many, the most expensive)."""
    facts = report.facts
    namespaces, left = _namespaces(facts, every=page.all_pods)
    tables = [table for table in cost_tables(facts.total, facts.by_set, namespaces, "namespace") if table.rows]
    more = [f"{left:,} more namespaces; --all-pods lists all of them"] if left else []
    return BlockDocument(
        title="Requests of sidecars",
        blocks=(Counts(headline(facts)), *tables, *([NoteList(tuple(more))] if more else [])),
        command="cost",
        findings=report.findings,
        behavior=report.release.behavior,
        headline=headline(facts),
    )


def cost_tables(
    total: NamespaceCost, sets: Sequence[SetCost], parts: Sequence[NamespaceCost], title: str
) -> tuple[Table, Table]:
    """The SidecarSets, then the namespaces or clusters; `total` is their sum."""
    names = _resources(total)
    return (
        Table(_columns_of(("SidecarSet", "pods"), names), _set_rows(sets, total, names), "SidecarSets"),
        Table(_columns_of((title, "pods", "injected"), names), _part_rows(parts, names), f"{title}s"),
    )


def headline(facts: CostFacts) -> str:
    """The first line, with the number of ended pods."""
    ended = f"; {facts.ended:,} ended, which count nothing" if facts.ended else ""
    unknown = f"{doubt(facts.doubtful)}; of what is known, " if facts.doubtful else ""
    return f"{unknown}{have_sentence(facts.total)}{ended}"


def have_sentence(total: NamespaceCost) -> str:
    """`400 of 412 pods have sidecars, which request 18 cores (8 % of all) and 36 GiB (7 % of all)`."""
    have = f"{total.injected:,} of {number(total.pods)} {'has' if total.injected == 1 else 'have'} sidecars"
    if not total.injected:
        return have
    asked = " and ".join(
        f"{amount_words(name, total.sidecars.requests[name])} ({share} of all)"
        for name in in_order(total.sidecars.requests)
        if (share := share_words(total.sidecars.requests[name], total.all.requests.get(name, 0)))
    )
    return f"{have}, which request {asked or 'nothing'}"


def _resources(total: NamespaceCost) -> list[str]:
    """The resources that sidecars add; cpu and memory always."""
    return list(dict.fromkeys(("cpu", "memory", *in_order(total.sidecars.requests, total.sidecars.limits))))


def _columns_of(first: Sequence[str], names: Sequence[str]) -> tuple[Column, ...]:
    numbers = [title for name in names for title in (name, f"{name} limits", "of all")]
    return (Column(first[0]), *(Column(title, is_number=True) for title in (*first[1:], *numbers)))


def _columns(added: Resources, whole: Amounts, names: Sequence[str]) -> Iterator[str]:
    for name in names:
        request = added.requests.get(name, 0)
        yield from (short(request, name), short(added.limits.get(name, 0), name))
        yield share_words(request, whole.get(name, 0))


def _set_rows(sets: Sequence[SetCost], total: NamespaceCost, names: Sequence[str]) -> list[tuple[str, ...]]:
    whole = total.all.requests
    return [
        (item.name if item.name != NO_SET else _UNNAMED, f"{item.pods:,}", *_columns(item.added, whole, names))
        for item in sets
    ]


def _namespaces(facts: CostFacts, *, every: bool) -> tuple[Sequence[NamespaceCost], int]:
    """The namespaces, or of very many those with the largest requests, and how many are left out."""
    if every or len(facts.namespaces) <= _MOST_NAMESPACES:
        return facts.namespaces, 0
    dearest = sorted(facts.namespaces, key=lambda item: -item.sidecars.requests.get("cpu", 0))
    return dearest[:_MOST_NAMESPACES], len(dearest) - _MOST_NAMESPACES


def _part_rows(found: Sequence[NamespaceCost], names: Sequence[str]) -> list[tuple[str, ...]]:
    return [
        (
            item.namespace,
            f"{item.pods:,}",
            f"{item.injected:,}",
            *_columns(item.sidecars, item.all.requests, names),
        )
        for item in found
    ]


def cost_csv(report: Report[CostFacts], _page: Page) -> str:
    """A row for each SidecarSet and namespace: cores, bytes and pieces as plain numbers."""
    names = _resources(report.facts.total)
    header = ["sidecarSet", "namespace", "pods"]
    header += [f"{name} {kind}" for name in names for kind in ("requests", "limits")]
    return comma_separated(header, [[*_cells(item, names)] for item in report.facts.sets])


def _cells(item: SetCost, names: Sequence[str]) -> Iterator[str]:
    yield from (item.name, item.namespace, str(item.pods))
    for name in names:
        for amounts in (item.added.requests, item.added.limits):
            whole, rest = divmod(amounts.get(name, 0), 10**9)
            yield f"{whole}.{rest:09}".rstrip("0").rstrip(".")


def cost_data(report: Report[CostFacts]) -> Object:
    """The costs as an object of kind CostReport."""
    facts = report.facts
    return {
        **document_head("CostReport", report.release.behavior, facts.gates),
        **report.cluster(),
        "pods": "workloads" if facts.synthetic else "running",
        "endedPods": facts.ended,
        **unknown_document(facts.doubtful),
        "total": _namespace(facts.total),
        "sidecarSets": [
            {
                "name": item.name,
                "pods": item.pods,
                "added": quantities(item.added),
                "share": shares(item.added, facts.total.all),
                "namespaces": [
                    {"namespace": each.namespace, "pods": each.pods, "added": quantities(each.added)}
                    for each in facts.sets
                    if each.name == item.name
                ],
            }
            for item in facts.by_set
        ],
        "namespaces": [{"namespace": item.namespace, **_namespace(item)} for item in facts.namespaces],
        "findings": findings_json(report.findings),
    }


def _namespace(item: NamespaceCost) -> Object:
    return {
        "pods": item.pods,
        "injectedPods": item.injected,
        "all": quantities(item.all),
        "added": quantities(item.sidecars),
        "share": shares(item.sidecars, item.all),
    }


FORMATS: Mapping[str, Formats] = {"cost": block_formats(cost_blocks, cost_data, has_page=False, csv=cost_csv)}
"""The formats of costs."""
