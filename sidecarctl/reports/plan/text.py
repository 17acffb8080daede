"""A plan as text: a head with the numbers that matter, the waves with a bar each, and how it ends."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from sidecarctl.reports.layout.lines import shown
from sidecarctl.reports.layout.pod_names import folded, listed
from sidecarctl.reports.layout.wrapping import wrapped
from sidecarctl.reports.plan.rows import Staying, WaveRow, images_of, short_image, staying, wave_rows
from sidecarctl.rollout.blocked import FieldDifference
from sidecarctl.rollout.plans import LargestInGroup, Plan, SetPlan
from sidecarctl.rollout.sentences import ending_sentence, number

_MOST_ROWS = 24
_MOST_IMAGES = 6
_LEAST_NAMES = 32
"""Columns that names need beside a bar; with fewer they stand below it."""


class Layout(NamedTuple):
    """How wide the text may be, what bars are made of, and whether every pod is named."""

    width: int = 100
    bar: str = "█"
    all_pods: bool = False


class Told(NamedTuple):
    """What a report says of a set besides its plan: where the numbers come from, why pods are blocked."""

    origins: Mapping[str, Mapping[str, str]]
    blocked: Mapping[str, Mapping[int, Sequence[FieldDifference]]]
    synthetic: bool = False


def plan_text(plan: Plan, told: Told, layout: Layout) -> str:
    """The whole plan; ends with a line break."""
    blocks = ["\n".join(_set_lines(plan, one, told, layout)) for one in plan.sets]
    return "\n\n".join(blocks) + "\n" if blocks else "no SidecarSet\n"


def _set_lines(plan: Plan, one: SetPlan, told: Told, layout: Layout) -> Iterator[str]:
    name = one.target.name
    yield shown(f"SidecarSet {name}")
    yield from _head(one, told, layout)
    if one.waves:
        yield ""
        yield from _waves(one, layout)
    groups = staying(plan, one, told.blocked.get(name, {}))
    for group in groups:
        yield from _group(group, layout)
    yield from _largest_lines(one.largest_in_groups, layout)
    yield ""
    yield from wrapped(shown(ending_sentence(one)), layout.width)


def _head(one: SetPlan, told: Told, layout: Layout) -> Iterator[str]:
    before, window, origins = one.before, one.window, told.origins.get(one.target.name, {})
    images = images_of(one)
    for container, old, new in images[:_MOST_IMAGES]:
        yield from _line("image", f"{container}: {old} -> {short_image(old, new)}", layout)
    if len(images) > _MOST_IMAGES:
        yield from _line("", f"and {number(len(images) - _MOST_IMAGES, 'further change')}", layout)
    made = " (made from workloads)" if told.synthetic else ""
    left = f"; {len(one.left_out):,} left out" if one.left_out else ""
    yield from _line(
        "pods", f"{before.matched:,} matched{made}: {before.updated:,} updated, {before.ready:,} ready{left}", layout
    )
    kept = f"holds back {window.partition_pods:,}"
    yield from _line("partition", f"{_written(window.partition)}: {kept}{_from(origins.get('partition'))}", layout)
    most = f"{window.max_unavailable_pods:,} at a time, {one.unavailable_before:,} taken at the start"
    from_where = _from(origins.get("maxUnavailable"))
    yield from _line("maxUnavailable", f"{_written(window.max_unavailable)}: {most}{from_where}", layout)
    yield from _line("most unavailable", f"{number(one.outcome.largest_unavailable)} at once", layout)
    if one.ties:
        text = f"{number(one.ties)} tie with others; Kruise leaves their order open, here the input's counts"
        yield from _line("order", text, layout)


def _line(label: str, text: str, layout: Layout) -> Iterator[str]:
    yield from wrapped(shown(f"  {label:<16} {text}"), layout.width, indent=19)


def _written(value: int | str) -> str:
    return f"{value:,}" if isinstance(value, int) else value


def _from(origin: str | None) -> str:
    return f" ({origin or 'default'})"


def _waves(one: SetPlan, layout: Layout) -> Iterator[str]:
    rows = wave_rows(one.waves, len(one.waves) if layout.all_pods else _MOST_ROWS)
    largest = max(row.pods for row in rows)
    with_kind = any(row.kind != "upgrade" for row in rows)
    bar_width = 8 if layout.width < 72 else 12 if layout.width < 100 else 20
    labels = [_label(row) for row in rows]
    columns = max(map(len, [*labels, "WAVE"]))
    kind_title = "KIND     " if with_kind else ""
    yield f"  {'WAVE':>{columns}}  {kind_title}{'PODS':>6}  {'':<{bar_width}}  {'DOWN':>6}  NAMES"
    for label, row in zip(labels, rows, strict=True):
        bar = layout.bar * max(1, round(row.pods * bar_width / largest))
        kind = f"{row.kind:<9}" if with_kind else ""
        start = f"  {label:>{columns}}  {kind}{row.pods:>6,}  {bar:<{bar_width}}  {row.unavailable:>6,}  "
        if layout.all_pods:
            yield start.rstrip()
            yield from _all_pods(one, row)
        elif layout.width - len(start) < _LEAST_NAMES:
            yield start.rstrip()
            yield " " * 8 + folded(row.names, layout.width - 8)
        else:
            yield start + folded(row.names, layout.width - len(start))


def _label(row: WaveRow) -> str:
    return f"{row.first:,}" if row.first == row.last else f"{row.first:,}-{row.last:,}"


def _all_pods(one: SetPlan, row: WaveRow) -> Iterator[str]:
    for wave in one.waves[row.first - 1 : row.last]:
        for patch in wave.patches:
            images = ", ".join(f"{change.container}: {change.before} -> {change.after}" for change in patch.images)
            ready = "" if patch.was_ready or patch.kind == "reset" else " (was not ready)"
            yield shown(f"      {patch.kind} {patch.pod}{ready}{'  ' if images else ''}{images}")


def _group(group: Staying, layout: Layout) -> Iterator[str]:
    yield ""
    yield from wrapped(shown(f"  {number(len(group.names))} {group.title}"), layout.width, indent=4)
    for detail in group.detail:
        yield from wrapped(shown(f"      {detail}"), layout.width, indent=8)
    if layout.all_pods:
        yield from (f"    {name}" for name in listed(group.names))
    else:
        yield "    " + folded(group.names, layout.width - 4)


def _largest_lines(groups: Sequence[LargestInGroup], layout: Layout) -> Iterator[str]:
    """The worst groups of each label first; the others are counted."""
    for by in dict.fromkeys(group.by for group in groups):
        own = sorted((group for group in groups if group.by == by), key=lambda group: (-group.largest, group.value))
        yield ""
        yield shown(f"  most unavailable at once, by {by}")
        shown_groups = own if layout.all_pods else own[:_MOST_ROWS]
        columns = max(len(_value(group)) for group in shown_groups)
        for group in shown_groups:
            yield shown(f"    {_value(group):<{columns}}  {group.largest:>6,} of {group.pods:,}")
        if len(own) > len(shown_groups):
            yield f"    and {number(len(own) - len(shown_groups), 'further value')}"


def _value(group: LargestInGroup) -> str:
    return group.value or "(none)"
