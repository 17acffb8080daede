"""The parser reads every text of a line, and of a block scalar, once: all new ones together, as items of a list."""

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
    texts, values = _items(table)
    text = "".join(texts)
    try:
        found = from_events(text, table.parser, lambda events: read_value(text, events, Limits()))
    except InputError:
        found = None
    confirmed = identical(found, values)
    if confirmed:
        table.unchecked_lines.clear()
        table.unchecked_blocks.clear()
    else:
        table.forget()
    return confirmed


def _items(table: LineTable) -> tuple[list[str], list[Value]]:
    """Texts a blank further in, below the dash of an item, and the values of these items.

    Members with a scalar, which are most lines, share an item with others of other keys: that takes half the events.
    """
    texts: list[str] = []
    values: list[Value] = []
    shared: list[tuple[list[str], Object]] = []
    places: dict[str, int] = {}  # for each key the item for the next member of that key
    for text, line in table.unchecked_lines.items():
        _, dash, _, key, kind, value, _, _ = line
        if key is None or dash or kind != SCALAR:
            # Below a header alone there is an empty text.
            texts.append(f"-\n {text}\n")
            values.append(_within(line, "" if kind == BLOCK else value))
            continue
        place = places.get(key, 0)
        places[key] = place + 1
        if place == len(shared):
            shared.append((["-\n"], {}))
        own, members = shared[place]
        own.append(f" {text}\n")
        members[key] = value
    for text, (line, value) in table.unchecked_blocks.items():
        texts.append("-\n" + "".join(f" {part}\n" if part else "\n" for part in text.split("\n")))
        values.append(_within(line, value))
    for own, members in shared:
        texts += own
        values.append(members)
    return texts, values


def _within(line: Line, value: Value) -> Value:
    """The collections that a line begins, with its value."""
    if line.key is not None:
        value = {line.key: value}
    return [value] if line.dash else value
