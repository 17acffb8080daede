"""The waves of a rollout, and the pods that it leaves, as lines of text and of Markdown."""

from collections.abc import Iterator, Sequence

from sidecarctl.render.blocks import PatchLine, PodGroup, Ranking, WaveLine, WaveList
from sidecarctl.render.lines import count, shown
from sidecarctl.render.output import Page
from sidecarctl.render.tables import folded, wrapped

_MOST_ROWS = 24
_LEAST_NAMES = 32
"""Columns that names need next to a bar; with fewer they are below it."""


def wave_text(block: WaveList, page: Page) -> Iterator[str]:
    """A row for each wave, or for equal ones: its pods as a bar and by name; with all pods, each pod below it."""
    width = page.width or 0
    most = block.number if page.all_pods else _MOST_ROWS
    rows = block.lines(most, most)
    at = max(map(len, [*(row.at for row in rows), "AT"])) if block.step_seconds else 0
    with_kind = any(row.kind != "upgrade" for row in rows)
    kinds = max(map(len, [*(row.kind for row in rows), "KIND"])) if with_kind else 0
    largest = max(row.pods for row in rows)
    bar_width = 8 if width < 72 else 12 if width < 100 else 20
    columns = max(map(len, [*(row.span for row in rows), "WAVE"]))
    at_title = f"{'AT':>{at}}  " if at else ""
    kind_title = f"{'KIND':<{kinds}}  " if with_kind else ""
    yield f"  {'WAVE':>{columns}}  {at_title}{kind_title}{'PODS':>6}  {'':<{bar_width}}  {'DOWN':>6}  NAMES"
    patches = [list(block.patches(row)) for row in rows] if page.all_pods else []
    sizes = _sizes([patch for own in patches for patch in own])
    if patches:
        yield f"      {'POD':<{sizes[0]}}  {'IMAGES':<{sizes[1]}}  WHY HERE"
    for index, row in enumerate(rows):
        bar = page.bar * max(1, round(row.pods * bar_width / largest))
        kind = f"{row.kind:<{kinds}}  " if with_kind else ""
        begins = f"{row.at:>{at}}  " if at else ""
        start = f"  {row.span:>{columns}}  {begins}{kind}{row.pods:>6,}  {bar:<{bar_width}}  {row.unavailable:>6,}  "
        yield from [start.rstrip()] if patches else _named(start, row, width)
        if row.remark:
            yield from wrapped(f"        {row.remark}", width, indent=8)
        for patch in patches[index] if patches else ():
            yield shown(f"      {_pod(patch):<{sizes[0]}}  {_images(patch):<{sizes[1]}}  {patch.why}".rstrip())


def _named(start: str, row: WaveLine, width: int) -> Iterator[str]:
    if width - len(start) < _LEAST_NAMES:
        yield start.rstrip()
        yield " " * 8 + folded(row.names, width - 8)
    else:
        yield start + folded(row.names, width - len(start))


def _sizes(patches: Sequence[PatchLine]) -> tuple[int, int]:
    return max((len(_pod(patch)) for patch in patches), default=0), max(map(len, map(_images, patches)), default=0)


def _pod(patch: PatchLine) -> str:
    return f"{patch.kind} {patch.pod}{f' ({patch.note})' if patch.note else ''}"


def _images(patch: PatchLine) -> str:
    return ", ".join(f"{container}: {before} -> {after}" for container, before, after in patch.images)


def group_text(block: PodGroup, page: Page) -> Iterator[str]:
    """The heading, its details, and the names."""
    width = page.width or 0
    yield from wrapped(shown(f"  {block.title}"), width, indent=4)
    for detail in block.details:
        yield from wrapped(shown(f"      {detail}"), width, indent=8)
    yield from (shown(f"      {command}") for command in block.commands)
    if page.all_pods:
        yield from (shown(f"    {name}") for name in block.names)
    else:
        yield "    " + folded(block.names, width - 4)


def ranking_text(block: Ranking, page: Page) -> Iterator[str]:
    """The worst values first; the others are only counted."""
    yield shown(f"  most unavailable at once, by {block.by}")
    rows = block.rows if page.all_pods else block.rows[:_MOST_ROWS]
    size = max(len(value) for value, _, _ in rows)
    yield from (shown(f"    {value:<{size}}  {largest:>6,} of {pods:,}") for value, largest, pods in rows)
    if more := len(block.rows) - len(rows):
        yield f"    and {count(more, 'further value')}"
