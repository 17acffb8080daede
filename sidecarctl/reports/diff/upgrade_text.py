"""The effects of a Kruise upgrade as text."""

from collections.abc import Iterator
from textwrap import wrap

from sidecarctl.operations.comparing.recreated_pods import RecreatedPods
from sidecarctl.operations.kruise_upgrade import SetUpgrade, UpgradeFacts
from sidecarctl.operations.report import Report
from sidecarctl.reports.diff.sentences import field_value
from sidecarctl.reports.diff.upgrade_sentences import (
    SHOWN_FIELDS,
    applied_sentence,
    effect_sentence,
    heading,
    recreated_heading,
    running_sentence,
    summary,
    title,
)
from sidecarctl.reports.layout.lines import shown
from sidecarctl.reports.layout.tables import table
from sidecarctl.reports.page import Page


def upgrade_text(report: Report[UpgradeFacts], page: Page) -> str:
    """The SidecarSets that change, the pods that are injected differently, the counts."""
    facts, width = report.facts, page.width
    parts = [title(facts) + "\n"]
    parts += [_block(_set_lines(upgrade, width)) for upgrade in facts.sets if upgrade.effects]
    parts += [_block(_pod_lines(recreated, width)) for recreated in facts.recreated]
    return "\n".join([*parts, summary(facts) + "\n"])


def _block(lines: Iterator[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def _set_lines(upgrade: SetUpgrade, width: int | None) -> Iterator[str]:
    yield from _wrapped(f"{upgrade.name}: {heading(upgrade)}", width)
    for effect in upgrade.effects:
        yield from _wrapped(f"  - {effect_sentence(effect)}", width)
    if upgrade.running:
        yield from _wrapped(f"  - {running_sentence(upgrade.running)}", width)


def _pod_lines(recreated: RecreatedPods, width: int | None) -> Iterator[str]:
    yield from _wrapped(f"{recreated_heading(recreated)}: injected differently when recreated", width)
    for sentence in applied_sentence(recreated):
        yield from _wrapped(f"  - {sentence}", width)
    if recreated.fields:
        rows = [
            (field.text, f"{field_value(field.before)} -> {field_value(field.after)}")
            for field in recreated.fields[:SHOWN_FIELDS]
        ]
        yield from table(("FIELD", "BEFORE -> AFTER"), rows, width, "  ")
    if len(recreated.fields) > SHOWN_FIELDS:
        yield f"  {len(recreated.fields) - SHOWN_FIELDS} more fields; -o json has all of them"


def _wrapped(text: str, width: int | None) -> list[str]:
    line = shown(text)
    return wrap(line, width, subsequent_indent="    ", break_on_hyphens=False) if width else [line]
