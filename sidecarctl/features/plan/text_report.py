"""A plan as text, and as Markdown that is short enough for a comment."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from sidecarctl.engine.report import Report
from sidecarctl.engine.rollout.facts import PodPatch
from sidecarctl.engine.rollout.simulated_pods import SimulatedPod
from sidecarctl.engine.rollout.summary.rollout_plan import (
    LargestInGroup,
    SetRolloutPlan,
    begins_at,
    clock,
    ending_time,
)
from sidecarctl.engine.rollout.summary.sentences import ending_sentence, number, why_of, with_neighbors
from sidecarctl.features.plan.plan import PlanFacts
from sidecarctl.features.plan.rows import (
    Staying,
    WaveRow,
    budget_text,
    by_label,
    head_rows,
    idle_sentence,
    images_of,
    mood,
    plan_data,
    remark_of,
    span,
    staying,
    told_apart,
    wave_rows,
)
from sidecarctl.render.documents import LARGE
from sidecarctl.render.formats import Formats, data_formats
from sidecarctl.render.lines import shown
from sidecarctl.render.markdown import MOST_CHARACTERS, cell
from sidecarctl.render.output import Page
from sidecarctl.render.tables import folded, wrapped

if TYPE_CHECKING:
    from sidecarctl.render.page import HtmlPage

_WIDTH = 100
_MOST_ROWS = 24
_LEAST_NAMES = 32
"""Columns that names need next to a bar; with fewer they are below it."""


class _Layout(NamedTuple):
    """The width of the text, the characters of bars, and whether to list every pod."""

    width: int
    bar: str
    all_pods: bool


def plan_text(report: Report[PlanFacts], page: Page) -> str:
    """The whole plan; ends with a line break."""
    facts, layout = report.facts, _Layout(max(page.width or _WIDTH, 40), page.bar, page.all_pods)
    active, idle = told_apart(facts.plan) if not page.all_pods else (facts.plan.sets, ())
    blocks = ["\n".join(_set_lines(facts, rollout, layout)) for rollout in active]
    blocks += ["\n".join(wrapped(shown(idle_sentence(idle)), layout.width, indent=4))] if idle else []
    return "\n\n".join(blocks) + "\n" if blocks else "no SidecarSet\n"


def _set_lines(facts: PlanFacts, rollout: SetRolloutPlan, layout: _Layout) -> Iterator[str]:
    name = rollout.target.name
    yield shown(f"SidecarSet {name}")
    yield from _head(facts, rollout, layout)
    if rollout.waves:
        yield ""
        yield from _waves(facts, rollout, layout)
    groups = staying(facts.plan, rollout, facts.blocked.get(name, {}))
    for group in groups:
        yield from _group(group, layout)
    yield from _largest_lines(rollout.largest_in_groups, layout)
    yield ""
    yield from wrapped(
        shown(f"{ending_sentence(rollout)}{ending_time(rollout, facts.options.step_seconds)}"), layout.width
    )


def _head(facts: PlanFacts, rollout: SetRolloutPlan, layout: _Layout) -> Iterator[str]:
    for label, text in head_rows(facts, rollout):
        yield from wrapped(shown(f"  {label:<16} {text}"), layout.width, indent=19)


def _waves(facts: PlanFacts, rollout: SetRolloutPlan, layout: _Layout) -> Iterator[str]:
    seconds = facts.options.step_seconds
    most = len(rollout.waves) if layout.all_pods else _MOST_ROWS
    rows = wave_rows(rollout.waves, most, rollout.window.max_unavailable_pods)
    times = [clock(begins_at(row.rounds[0], seconds)) if seconds else "" for row in rows]
    at = max(map(len, [*times, "AT"])) if seconds else 0
    largest = max(row.pods for row in rows)
    with_kind = any(row.kind != "upgrade" for row in rows)
    bar_width = 8 if layout.width < 72 else 12 if layout.width < 100 else 20
    labels = [span(row.first, row.last) for row in rows]
    columns = max(map(len, [*labels, "WAVE"]))
    kind_title = "KIND     " if with_kind else ""
    at_title = f"{'AT':>{at}}  " if seconds else ""
    yield f"  {'WAVE':>{columns}}  {at_title}{kind_title}{'PODS':>6}  {'':<{bar_width}}  {'DOWN':>6}  NAMES"
    place_columns = _place_columns(rollout) if layout.all_pods else (0, 0)
    if layout.all_pods:
        yield f"      {'POD':<{place_columns[0]}}  {'IMAGES':<{place_columns[1]}}  WHY HERE"
    for label, time, row in zip(labels, times, rows, strict=True):
        bar = layout.bar * max(1, round(row.pods * bar_width / largest))
        kind = f"{row.kind:<9}" if with_kind else ""
        begins = f"{time:>{at}}  " if seconds else ""
        start = f"  {label:>{columns}}  {begins}{kind}{row.pods:>6,}  {bar:<{bar_width}}  {row.unavailable:>6,}  "
        if layout.all_pods:
            yield start.rstrip()
            yield from _beyond(row, layout)
            yield from _all_pods(rollout, facts.plan.pods, row, place_columns)
            continue
        if layout.width - len(start) < _LEAST_NAMES:
            yield start.rstrip()
            yield " " * 8 + folded(row.names, layout.width - 8)
        else:
            yield start + folded(row.names, layout.width - len(start))
        yield from _beyond(row, layout)


def _beyond(row: WaveRow, layout: _Layout) -> Iterator[str]:
    if text := remark_of(row):
        yield from wrapped(f"        {text}", layout.width, indent=8)


def _place_columns(rollout: SetRolloutPlan) -> tuple[int, int]:
    """The widths of the pod and image columns of all waves."""
    patches = [patch for wave in rollout.waves for patch in wave.patches]
    return max(len(_pod(patch)) for patch in patches), max(len(_images(patch)) for patch in patches)


def _all_pods(
    rollout: SetRolloutPlan, pods: Sequence[SimulatedPod], row: WaveRow, columns: tuple[int, int]
) -> Iterator[str]:
    strategy = rollout.target.strategy
    for index in range(row.first - 1, row.last):
        before = rollout.waves[index - 1].patches[-1] if index else None
        for patch, neighbor in with_neighbors(rollout.waves[index].patches, before):
            why = why_of(patch, neighbor, strategy, pods[patch.pod_index].labels)
            yield shown(f"      {_pod(patch):<{columns[0]}}  {_images(patch):<{columns[1]}}  {why}".rstrip())


def _pod(patch: PodPatch) -> str:
    ready = "" if patch.was_ready or patch.kind == "reset" else " (was not ready)"
    return f"{patch.kind} {patch.pod}{ready}"


def _images(patch: PodPatch) -> str:
    return ", ".join(f"{change.container}: {change.before} -> {change.after}" for change in patch.images)


def _group(group: Staying, layout: _Layout) -> Iterator[str]:
    yield ""
    yield from wrapped(shown(f"  {number(len(group.names))} {group.title}"), layout.width, indent=4)
    for detail in group.detail:
        yield from wrapped(shown(f"      {detail}"), layout.width, indent=8)
    if layout.all_pods:
        yield from (shown(f"    {name}") for name in group.names)
    else:
        yield "    " + folded(group.names, layout.width - 4)


def _largest_lines(groups: Sequence[LargestInGroup], layout: _Layout) -> Iterator[str]:
    """The worst groups of each label first; the others are only counted."""
    for by, own in by_label(groups):
        yield ""
        yield shown(f"  most unavailable at once, by {by}")
        shown_groups = own if layout.all_pods else own[:_MOST_ROWS]
        columns = max(len(group.value or "(none)") for group in shown_groups)
        for group in shown_groups:
            yield shown(f"    {group.value or '(none)':<{columns}}  {group.largest:>6,} of {group.pods:,}")
        if len(own) > len(shown_groups):
            yield f"    and {number(len(own) - len(shown_groups), 'further value')}"


_BAR = 20
_ROWS_AND_NAMES = ((40, 120), (24, 60), (12, 40), (8, 24))
"""Rows, and characters of names in each: the first pair that is short enough is used."""


def plan_markdown(report: Report[PlanFacts], _page: Page) -> str:
    """The whole plan; ends with a line break."""
    text = ""
    for rows, names in _ROWS_AND_NAMES:
        text = "\n".join(_lines(report, rows, names)) + "\n"
        if len(text) <= MOST_CHARACTERS:
            return text
    note = "\n\n(shortened)\n"
    lines = text[: MOST_CHARACTERS - len(note) - len("</details>")].rpartition("\n")[0]
    open_details = lines.count("<details>") - lines.count("</details>")
    return lines + "\n</details>" * open_details + note


def _lines(report: Report[PlanFacts], rows: int, names: int) -> Iterator[str]:
    facts, findings = report.facts, report.findings
    if not facts.plan.sets:
        yield "no SidecarSet"
    active, idle = told_apart(facts.plan)
    for rollout in active:
        yield from _set_section(facts, rollout, rows, names)
    if idle:
        yield from (cell(idle_sentence(idle)), "")
    if findings:
        yield from _details(
            number(len(findings), "finding"),
            [f"- {cell(f'{finding.severity}: {finding} [{finding.reason}]')}" for finding in findings[:rows]]
            + ([f"- and {len(findings) - rows:,} more"] if len(findings) > rows else []),
        )


def _set_section(facts: PlanFacts, rollout: SetRolloutPlan, rows: int, names: int) -> Iterator[str]:
    before, window = rollout.before, rollout.window
    origins = facts.origins.get(rollout.target.name, {})
    yield f"### {_MARKS[mood(rollout)]} Rollout of SidecarSet {cell(rollout.target.name)}"
    yield ""
    yield f"**{cell(ending_sentence(rollout) + ending_time(rollout, facts.options.step_seconds))}**"
    yield ""
    for container, old, new in images_of(rollout)[:rows]:
        yield f"- image of {cell(container)}: {cell(old)} → {cell(new)}"
    made = " (made from workloads)" if facts.synthetic else ""
    yield f"- pods: {before.matched:,} matched{made}, {before.updated:,} updated, {before.ready:,} ready" + (
        f"; {len(rollout.left_out):,} left out" if rollout.left_out else ""
    )
    held = f"holds back {window.partition_pods:,}"
    yield f"- partition {_setting(window.partition)}: {held} {_from(origins.get('partition'))}"
    yield (
        f"- maxUnavailable {_setting(window.max_unavailable)}: {window.max_unavailable_pods:,} at a time "
        f"{_from(origins.get('maxUnavailable'))}; {rollout.unavailable_before:,} taken at the start; "
        f"most at once: {rollout.outcome.largest_unavailable:,}"
    )
    for budget in rollout.budgets:
        yield f"- PUB {cell(budget_text(budget))}"
    for decided in facts.deciding.get(rollout.target.name, ()):
        origin = f" {_from(decided.origin)}" if decided.origin else ""
        yield f"- {decided.field}: {cell(decided.text)}{origin}"
    if rollout.ties:
        yield f"- {number(rollout.ties)} rank equally; Kruise does not define their order, so input order is used"
    yield ""
    if rollout.waves:
        yield from _wave_table(rollout, rows, names, facts.options.step_seconds)
    for group in staying(facts.plan, rollout, facts.blocked.get(rollout.target.name, {})):
        yield from _details(f"{number(len(group.names))} {group.title}", _group_lines(group, names))
    yield from _largest(rollout.largest_in_groups, rows)


_MARKS = {"bad": "❌", "held": "⏸", "good": "✅", "odd": "⚠️"}


def _wave_table(rollout: SetRolloutPlan, most: int, names: int, seconds: int | None) -> Iterator[str]:
    rows = wave_rows(rollout.waves, most, rollout.window.max_unavailable_pods)
    largest = max(row.pods for row in rows)
    yield f"| wave |{' at |' if seconds else ''} pods | | unavailable | names |"
    yield f"| --: |{' --: |' if seconds else ''} --: | :-- | --: | :-- |"
    for row in rows:
        label = span(row.first, row.last).replace("-", "–")  # noqa: RUF001 - a dash
        kind = "" if row.kind == "upgrade" else f" {row.kind}"
        bar = "█" * max(1, round(row.pods * _BAR / largest))
        named = cell("; ".join(filter(None, (remark_of(row), folded(row.names, names)))))
        at = f" {clock(begins_at(row.rounds[0], seconds))} |" if seconds else ""
        yield f"| {label} |{at} {row.pods:,}{kind} | {bar} | {row.unavailable:,} | {named} |"
    yield ""


def _group_lines(group: Staying, names: int) -> list[str]:
    return [
        *(f"- {cell(detail)}" for detail in group.detail),
        *([""] if group.detail else []),
        cell(folded(group.names, names * 2)),
    ]


def _largest(groups: Sequence[LargestInGroup], most: int) -> Iterator[str]:
    for by, own in by_label(groups):
        lines = [f"- {cell(group.value) or '(none)'}: {group.largest:,} of {group.pods:,}" for group in own[:most]]
        if len(own) > most:
            lines.append(f"- and {len(own) - most:,} more")
        yield from _details(f"most unavailable at once, by {cell(by)}", lines)


def _details(summary: str, lines: Sequence[str]) -> Iterator[str]:
    """A folded section."""
    yield from ("<details>", f"<summary>{_escaped(summary)}</summary>", "", *lines, "", "</details>", "")


def _escaped(text: str) -> str:
    return shown(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _setting(value: int | str) -> str:
    return f"{value:,}" if isinstance(value, int) else cell(value)


def _from(origin: str | None) -> str:
    return f"({cell(origin or 'default')})"


def _html(report: Report[Any], page: Page) -> "HtmlPage":
    from sidecarctl.features.plan.plan_page import plan_html  # loads the template engine

    return plan_html(report, page)


FORMATS: Mapping[str, Formats] = {
    "plan": data_formats(plan_data, levels=LARGE, text=plan_text, markdown=plan_markdown, html=_html)
}
"""The formats of a plan."""
