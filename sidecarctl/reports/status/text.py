"""The status of sets as text for people."""

from collections.abc import Iterable, Iterator, Sequence
from textwrap import wrap

from sidecarctl.operations.report import Report
from sidecarctl.operations.status import PodStatus, SetStatus, StatusFacts
from sidecarctl.reports.layout.lines import shown
from sidecarctl.reports.layout.tables import table
from sidecarctl.reports.page import Page
from sidecarctl.reports.status.rows import folded_rows, head_rows, pod_rows, why, yes

_FOLDED_FROM = 21
"""Pods from which on a set's table has a row for each group of pods, not for each pod."""

_NARROW = 60
"""Columns below which a table has fewer."""


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
        if rows := pod_rows(one):
            yield from _table(("POD", "STATE", "REVISION", "READY", "WHY"), rows, width)
    else:
        yield from _table(("PODS", "STATE", "REVISION", "READY", "WHICH"), folded_rows(one), width)


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
    title, *rows = map(shown, head_rows(one))
    for line in (title, *(f"  {row}" for row in rows)):
        yield from wrap(line, width, subsequent_indent="            ") if width else [line]
    yield ""


def _wide_table(one: SetStatus) -> list[str]:
    header = ("POD", "STATE", "REVISION", "VERSION", "UPDATED", "READY", "UPGRADABLE", "IN-FLIGHT", "WORKING", "WHY")
    rows = [_wide_row(pod) for pod in one.pods]
    rows += [(str(each.pod), each.reason, *("-" * 7), each.message) for each in one.left_out]
    return table(header, rows, None, "  ") if rows else []


def _wide_row(pod: PodStatus) -> tuple[str, ...]:
    answers = map(yes, (pod.updated, pod.ready, pod.upgradable, pod.in_flight))
    revision = pod.revision or pod.hash[:12] or "-"
    working = ",".join(pod.working.values()) or "-"
    return (str(pod.pod), pod.state, revision, pod.custom_version or "-", *answers, working, why(pod))
