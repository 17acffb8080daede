"""What a change does in several clusters, as one report: once for all of them, then where clusters differ."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import starmap
from typing import NamedTuple, TypeVar

from sidecarctl.cli.clusters.matrix import FleetFacts
from sidecarctl.cli.clusters.rows import ClusterRow
from sidecarctl.engine.comparing.verdicts import Verdict
from sidecarctl.engine.facts.findings import Finding, ObjectReference, Place, Severity, named
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.releases.release import DEFAULT
from sidecarctl.engine.report import Report
from sidecarctl.engine.rollout.summary.sentences import number
from sidecarctl.features.diff.sentences import SHOWN_FIELDS, field_value, mood_of
from sidecarctl.features.diff.sets import with_gaps
from sidecarctl.render.blocks import (
    Block,
    BlockDocument,
    Code,
    Column,
    Counts,
    Diff,
    FieldRow,
    Fields,
    Items,
    Lines,
    Names,
    NoteList,
    Overview,
    Section,
    Table,
    columns,
)
from sidecarctl.render.run.findings import BASE, most_severe_first

KINDS = ("SidecarSetDiff", "InjectionDiff")
"""The kinds of documents that say what changes."""
_MOST_CLUSTERS = 5
_Fact = TypeVar("_Fact")
_Key = TypeVar("_Key")


class ClusterChange(NamedTuple):
    """What happens to a SidecarSet in a cluster, as its document says."""

    cluster: str
    item: Object

    @property
    def words(self) -> tuple[str, ...]:
        """What happens to the SidecarSet, and its verdicts."""
        happens = (self.item["change"],) if self.item["change"] in ("added", "removed") else ()
        return (*happens, *(word for word in self.item["verdicts"] if word != Verdict.NO_EFFECT or not happens))

    @property
    def what(self) -> str:
        """The fields that change, in words."""
        return str(self.item.get("summary", {}).get("what", ""))

    def said(self, key: str) -> tuple[str, ...]:
        """What each verdict means, or the reasons."""
        return tuple(text.rstrip(".") for text in self.item.get("summary", {}).get(key, ()))


def change_blocks(report: Report[FleetFacts], title: str) -> BlockDocument:
    """The SidecarSets and workloads that differ, each once with its clusters; a section for each SidecarSet."""
    facts = report.facts
    every = [ClusterChange(row.name, item) for row in facts.clusters for item in row.further.get("changes", ())]
    by_set = _grouped(every, lambda each: str(each.item["name"]))
    numbers = len(facts.clusters)
    rows = [row for changes in by_set.values() for row in _overview_rows(changes, numbers)]
    head = columns("SidecarSet", "verdict", "what changes", "what it means for pods", "clusters")
    by_change = _grouped(
        (ClusterChange(row.name, item) for row in facts.clusters for item in row.further.get("workloads", ())),
        lambda each: str(each.item.get("what", "")),
    )
    workloads = [*starmap(_workload_row, by_change.items())]
    counted = (Column("number", is_number=True), *columns("workloads", "what changes in their pods", "clusters"))
    findings = most_severe_first(cluster_findings(facts.clusters, lambda row: row.findings))
    blocks: tuple[Block, ...] = (
        Overview(Table(head, rows)),
        *([Overview(Table(counted, workloads))] if workloads else []),
        Counts(title),
        *(_section(name, changes, numbers) for name, changes in by_set.items()),
        *starmap(_workload_section, by_change.items()),
        NoteList(tuple(_notes(facts))),
    )
    return BlockDocument(
        title="Changes in clusters",
        blocks=blocks,
        command="diff",
        findings=findings,
        known=[item._replace(suppressed_by=BASE) for item in cluster_findings(facts.clusters, _of_base)],
        is_idle=not (
            any(map(_has_effect, facts.clusters)) or any(item.severity != Severity.NOTE for item in findings)
        ),
        headline=with_gaps(_headline(by_set, facts), report),
        is_comment=True,
    )


def _grouped(items: Iterable[_Fact], key: Callable[[_Fact], _Key]) -> dict[_Key, list[_Fact]]:
    groups: dict[_Key, list[_Fact]] = {}
    for item in items:
        groups.setdefault(key(item), []).append(item)
    return groups


def _clusters(changes: Iterable[ClusterChange], every: int = 0) -> str:
    """The clusters in words; all of them are not named."""
    names = list(dict.fromkeys(each.cluster for each in changes))
    return _all(every) if len(names) == every > 1 else named(names, _MOST_CLUSTERS)


def _all(clusters: int) -> str:
    return "both clusters" if clusters == 2 else f"all {clusters:,} clusters"


def _headline(by_set: Mapping[str, Sequence[ClusterChange]], facts: FleetFacts) -> str:
    """`1 SidecarSet changes in 2 of 3 clusters: logs InPlace`."""
    if not by_set:
        return f"No SidecarSet changes in {number(len(facts.clusters), 'cluster')}"
    where = {each.cluster for changes in by_set.values() for each in changes}
    every = len(facts.clusters)
    among = f"{len(where):,} of {number(every, 'cluster')}" if len(where) < every else _all(every)
    verdicts = {
        name: dict.fromkeys(word for each in changes for word in each.words) for name, changes in by_set.items()
    }
    said = named([f"{name} {' + '.join(words)}" for name, words in verdicts.items()])
    change = f"{number(len(by_set), 'SidecarSet')} {'changes' if len(by_set) == 1 else 'change'}"
    return f"{change} in {among}: {said}"


def _overview_rows(changes: Sequence[ClusterChange], numbers: int) -> Iterator[tuple[Code, Lines, str, Lines, str]]:
    """A row for each group of clusters with the same verdicts and the same change."""
    for (words, what), group in _grouped(changes, lambda each: (each.words, each.what)).items():
        means = _once(group, lambda each: each.said("means"))
        yield (
            Code(str(group[0].item["name"]), _place(group[0].item)),
            Lines(words),
            what,
            means,
            _clusters(group, numbers),
        )


def _once(changes: Sequence[ClusterChange], said: Callable[[ClusterChange], tuple[str, ...]]) -> Lines:
    """The sentences that all of the clusters share, then those of some of them."""
    having: dict[str, list[ClusterChange]] = {}
    for change in changes:
        for sentence in said(change):
            having.setdefault(sentence, []).append(change)
    shared = [sentence for sentence, group in having.items() if len(group) == len(changes)]
    some = [f"{_clusters(group)}: {sentence}" for sentence, group in having.items() if len(group) < len(changes)]
    return Lines((*shared, *some))


def _section(name: str, changes: Sequence[ClusterChange], numbers: int) -> Section:
    """What happens to a SidecarSet: its verdicts, what they mean, the reasons, the fields."""
    by_words = _grouped(changes, lambda each: each.words)
    said = "; ".join(f"{', '.join(words)} in {_clusters(group, numbers)}" for words, group in by_words.items())
    blocks: list[Block] = [
        Items(
            (
                *_once(changes, lambda each: each.said("means")).lines,
                *_once(changes, lambda each: each.said("reasons")).lines,
            )
        )
    ]
    by_fields = _grouped(changes, lambda each: repr(each.item.get("fields", ())))
    for group in by_fields.values():
        rows = [*map(_field, group[0].item.get("fields", ()))]
        where = [NoteList((f"in {_clusters(group)}:",))] if len(by_fields) > 1 and rows else []
        blocks += [*where, Fields(name, rows, SHOWN_FIELDS)] if rows else []
    worst = next(
        (verdict for verdict in Verdict if any(verdict in each.words for each in changes)), Verdict.NO_EFFECT
    )
    return Section(
        f"SidecarSet {name}", said, tuple(blocks), label=name, badge=said, mood=mood_of(worst), heading=said
    )


def _field(field: Object) -> FieldRow:
    note = "by default" if field["default"] else "order" if field["order"] else ""
    structures = isinstance(field["before"], dict | list), isinstance(field["after"], dict | list)
    return FieldRow(field["path"], field_value(field["before"]), field_value(field["after"]), note, structures)


def _workload_row(what: str, changes: Sequence[ClusterChange]) -> tuple[str, Names, str, str]:
    names = Names("workloads with this change", tuple(dict.fromkeys(map(_workload, changes))))
    return f"{len(changes):,}", names, what, _clusters(changes)


def _workload_section(what: str, changes: Sequence[ClusterChange]) -> Section:
    """What the pods of the first workload with a change get."""
    name, text = _workload(changes[0]), str(changes[0].item.get("diff", ""))
    blocks = (Diff(name, text),) if text else ()
    return Section(f"{name} in {_clusters(changes)}", what, blocks, group="What the pods get", is_dense=True)


def _workload(change: ClusterChange) -> str:
    item = change.item
    return f"{item['kind']} {'/'.join(filter(None, (item.get('namespace'), item['name'])))}"


def _notes(facts: FleetFacts) -> Iterator[str]:
    """The clusters with no effect, and with another Kruise than the default."""
    idle = [row.name for row in facts.clusters if not (row.further.get("changes") or row.further.get("workloads"))]
    if idle:
        yield f"no effect in {number(len(idle), 'cluster')}: {named(idle, _MOST_CLUSTERS)}"
    others = [row for row in facts.clusters if row.behavior != DEFAULT.behavior]
    for behavior, group in _grouped(others, lambda row: row.behavior).items():
        yield f"{behavior} in {named([row.name for row in group], _MOST_CLUSTERS)}"


def cluster_findings(
    clusters: Iterable[ClusterRow], of_row: Callable[[ClusterRow], Iterable[Object]]
) -> Iterator[Finding]:
    """The findings of all clusters, each once, with its clusters."""
    every = [ClusterChange(row.name, item) for row in clusters for item in of_row(row)]
    for group in _grouped(every, lambda each: repr(each.item)).values():
        item, names = group[0].item, list(dict.fromkeys(each.cluster for each in group))
        among = (
            f"cluster {names[0]}" if len(names) == 1 else f"{len(names):,} clusters ({named(names, _MOST_CLUSTERS)})"
        )
        path = f"{item['path']}: " if item.get("path") else ""
        about = item.get("object")
        subject = about and ObjectReference(
            *(about.get(key, "") for key in ("apiVersion", "kind", "namespace", "name"))
        )
        yield Finding(
            Severity(item["severity"]),
            Reason(item["reason"]),
            f"{path}{among}: {item['message']}",
            subject=subject,
            place=_place(item),
            hint=item.get("hint", ""),
            rule=item.get("rule", ""),
        )


def _of_base(row: ClusterRow) -> Sequence[Object]:
    found: Sequence[Object] = row.further.get("baseFindings", ())
    return found


def _place(item: Object) -> Place | None:
    return Place(item["file"], item.get("line"), item.get("column")) if "file" in item else None


def _has_effect(row: ClusterRow) -> bool:
    """Whether the change means anything for the pods of a cluster."""
    verdicts = {verdict for item in row.further.get("changes", ()) for verdict in item["verdicts"]}
    workloads = row.further.get("workloads", ())
    return bool(verdicts - {Verdict.NO_EFFECT}) or any(item.get("sidecarsChange") for item in workloads)
