"""The difference between two versions of SidecarSets as text."""

from collections.abc import Iterator
from textwrap import wrap

from sidecarctl.operations.comparing.judging import SetDiff
from sidecarctl.operations.comparing.sidecarset_changes import SetChange
from sidecarctl.operations.diff import DiffFacts
from sidecarctl.operations.report import Report
from sidecarctl.reports.diff.sentences import SHOWN_FIELDS, field_note, field_value, heading, reasons
from sidecarctl.reports.layout.lines import shown
from sidecarctl.reports.layout.tables import table
from sidecarctl.reports.page import Page
from sidecarctl.sidecarset.sets import SidecarSet

_HASH = 12


def diff_text(report: Report[DiffFacts], page: Page) -> str:
    """The verdict of every SidecarSet that differs, its reasons, pods and fields; then the number of the others."""
    return facts_text(report.facts, page.width)


def facts_text(facts: DiffFacts, width: int | None) -> str:
    """The same, from the facts alone."""
    differing = [difference for difference in facts.sets if difference.change.change != "unchanged"]
    parts = ["".join(f"{line}\n" for line in _set_lines(difference, width)) for difference in differing]
    parts.append(sets_summary(facts))
    return "\n".join(parts)


def _set_lines(difference: SetDiff, width: int | None) -> Iterator[str]:
    change = difference.change
    yield from _wrapped(f"{change.name}: {heading(change)}", width, "    ")
    for reason in reasons(difference):
        yield from _wrapped(f"  - {reason}", width, "    ")
    if change.old and change.new:
        yield from _versions(change, change.old, change.new)
    if change.fields:
        yield ""
        rows = [(field.text, _values(change, index)) for index, field in enumerate(change.fields[:SHOWN_FIELDS])]
        yield from table(("FIELD", "BEFORE -> AFTER"), rows, width, "  ")
        if len(change.fields) > SHOWN_FIELDS:
            yield f"  {len(change.fields) - SHOWN_FIELDS} more fields; -o json has all of them"


def _versions(change: SetChange, old: SidecarSet, new: SidecarSet) -> Iterator[str]:
    pairs = {
        "hash": (old.hash[:_HASH], new.hash[:_HASH]),
        "hash without image": (old.hash_without_image[:_HASH], new.hash_without_image[:_HASH]),
        "revision": change.revisions,
    }
    yield ""
    for name, (before, after) in pairs.items():
        yield shown(
            f"  {name:<18}  {before} -> {after}" if before != after else f"  {name:<18}  {before} (unchanged)"
        )


def _values(change: SetChange, index: int) -> str:
    field = change.fields[index]
    note = field_note(change, field)
    return f"{field_value(field.before)} -> {field_value(field.after)}{f' ({note})' if note else ''}"


def _wrapped(text: str, width: int | None, indent: str) -> list[str]:
    line = shown(text)
    return wrap(line, width, subsequent_indent=indent, break_on_hyphens=False) if width else [line]


def sets_summary(facts: DiffFacts) -> str:
    """`4 SidecarSets: 1 Recreate, 3 unchanged`, as a line."""
    counts: dict[str, int] = {}
    for difference in facts.sets:
        word = str(difference.change.verdict) if difference.change.change == "changed" else difference.change.change
        counts[word] = counts.get(word, 0) + 1
    said = ", ".join(f"{number} {word}" for word, number in counts.items())
    return f"{len(facts.sets)} SidecarSet{'' if len(facts.sets) == 1 else 's'}: {said or 'none'}\n"
