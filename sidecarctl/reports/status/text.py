"""The status of SidecarSets as text."""

from collections.abc import Iterable, Iterator, Sequence
from textwrap import wrap

from sidecarctl.operations.report import Report
from sidecarctl.operations.status import PodStatus, SetStatus, StatusFacts
from sidecarctl.reports.layout.lines import shown
from sidecarctl.reports.layout.tables import table
from sidecarctl.reports.page import Page
from sidecarctl.reports.status.rows import folded_rows, head_rows, pod_rows, why, yes

_FOLDED_FROM = 21
"""With this many pods or more, the table of a SidecarSet has a row per group of pods, not per pod."""

_NARROW = 60
"""Narrower tables have fewer columns."""


def status_text(report: Report[StatusFacts], page: Page) -> str:
    """The counts, the window and the pods of each SidecarSet; very many pods are grouped."""
    return "\n".join(_text(_set_lines(status, page.width, all_pods=page.all_pods)) for status in report.facts.sets)


def wide_text(report: Report[StatusFacts], page: Page) -> str:
    """The same with everything known about each pod."""
    return "\n".join(_text([*_head(status, page.width), *_wide_table(status)]) for status in report.facts.sets)


def _text(lines: Iterable[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def _set_lines(status: SetStatus, width: int | None, *, all_pods: bool) -> Iterator[str]:
    yield from _head(status, width)
    if len(status.pods) + len(status.left_out) < _FOLDED_FROM or all_pods:
        if rows := pod_rows(status):
            yield from _table(("POD", "STATE", "INJECTED", "READY", "WHY"), rows, width)
    else:
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


def _head(status: SetStatus, width: int | None) -> Iterator[str]:
    title, *rows = map(shown, head_rows(status))
    for line in (title, *(f"  {row}" for row in rows)):
        yield from wrap(line, width, subsequent_indent="            ") if width else [line]
    yield ""


def _wide_table(status: SetStatus) -> list[str]:
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
    rows = [_wide_row(pod) for pod in status.pods]
    rows += [(str(each.pod), each.reason, *("-" * 7), each.message) for each in status.left_out]
    return table(header, rows, None, "  ") if rows else []


def _wide_row(pod: PodStatus) -> tuple[str, ...]:
    answers = map(yes, (pod.updated, pod.ready, pod.upgradable, pod.in_flight))
    revision = pod.revision or pod.hash[:12] or "-"
    working = ",".join(pod.working.values()) or "-"
    return (str(pod.pod), pod.state, revision, pod.custom_version or "-", *answers, working, why(pod))
