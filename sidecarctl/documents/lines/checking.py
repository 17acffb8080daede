"""The parser reads every text of a line, and of a block scalar, once: all new ones together, as items of a list."""

from collections import Counter
from collections.abc import Iterator

from sidecarctl.documents.lines.pattern import BLOCK, SCALAR, Line
from sidecarctl.documents.lines.table import LineTable
from sidecarctl.documents.reading.events import from_events
from sidecarctl.documents.reading.limits import Limits
from sidecarctl.documents.reading.values import read_value
from sidecarctl.facts.errors import InputError
from sidecarctl.facts.values import Object, Value, identical


def is_confirmed(table: LineTable) -> bool:
    """Whether the parser reads all lines and block scalars of a table as they were read by themselves.

    Where it does not, which would be a fault of ours, the table forgets everything.
    """
    if not table.unchecked_lines and not table.unchecked_blocks:
        return True
    items = list(_items(table))
    text = "".join(f"-\n{item}" for item, _ in items)
    try:
        found = from_events(text, table.parser, lambda events: read_value(text, events, Limits()))
    except InputError:
        found = None
    confirmed = identical(found, [value for _, value in items])
    if confirmed:
        table.unchecked_lines.clear()
        table.unchecked_blocks.clear()
    else:
        table.forget()
    return confirmed


def _items(table: LineTable) -> Iterator[tuple[str, Value]]:
    """Texts a blank further in, below the dash of an item, and the value of that item.

    Members with a scalar, which are most lines, share an item with others of other keys: that takes half the events.
    """
    shared: list[tuple[list[str], Object]] = []
    places: Counter[str] = Counter()  # for each key the item for the next member of that key
    for text, line in table.unchecked_lines.items():
        if line.key is None or line.dash or line.kind != SCALAR:
            # Below a header alone there is an empty text.
            yield f" {text}\n", _within(line, "" if line.kind == BLOCK else line.value)
            continue
        if places[line.key] == len(shared):
            shared.append(([], {}))
        texts, members = shared[places[line.key]]
        places[line.key] += 1
        texts.append(f" {text}\n")
        members[line.key] = line.value
    for text, (line, value) in table.unchecked_blocks.items():
        yield "".join(f" {part}\n" if part else "\n" for part in text.split("\n")), _within(line, value)
    for texts, members in shared:
        yield "".join(texts), members


def _within(line: Line, value: Value) -> Value:
    """The collections that a line begins, with its value."""
    if line.key is not None:
        value = {line.key: value}
    return [value] if line.dash else value
