"""Reading by lines, and what the parser has confirmed of it so far: docs/proof.md says why that is enough."""

from collections.abc import Iterator

from sidecarctl.documents.lines.checking import is_confirmed
from sidecarctl.documents.lines.read_lines import ReadLines, read_lines
from sidecarctl.documents.lines.table import REMEMBERED, LineTable
from sidecarctl.documents.reading.events import Event, Parser, c_parser, event_count, from_events
from sidecarctl.documents.reading.limits import Limits
from sidecarctl.documents.reading.values import read_value
from sidecarctl.facts.errors import InputError
from sidecarctl.facts.values import Value, identical


class LineReader:
    """The lines and the shapes of documents that were met so far."""

    def __init__(self, parser: Parser, limit: int = REMEMBERED) -> None:
        self.parser = parser
        self.table = LineTable(parser, limit)

    def read(self, text: str, depth: int, *, to_keep: bool = True) -> ReadLines | None:
        """A document, given with the break of its last line; None for one that the parser has to read."""
        return read_lines(text, self.table, depth, to_keep=to_keep)

    def knows_shape(self, read: ReadLines) -> bool:
        """Whether the parser would read the same, if it reads every line as the line reader does."""
        return read.generation == self.table.generation and read.shape in self.table.documents

    def knows(self, read: ReadLines) -> bool:
        """Whether the parser would read the same: it has read this shape, and every line."""
        return self.knows_shape(read) and is_confirmed(self.table)

    def make_room(self) -> None:
        """Forget everything if it would soon have to be: amid documents that are confirmed together it costs more."""
        if self.table.is_nearly_full:
            self.table.forget()

    def proves(self, read: ReadLines, text: str) -> bool:
        """The same, and it finds as many events in the text as in others of its shape."""
        if self.parser is not c_parser or not self.knows(read):
            return False
        return event_count(text) == self.table.documents[read.shape]

    def confirms(self, read: ReadLines, text: str, limits: Limits) -> bool:
        """Whether the parser reads the same, as it does now: then the shape is known from here on."""

        def make(events: Iterator[Event]) -> tuple[Value, int]:
            kept = list(events)
            return read_value(text, kept, limits), len(kept)

        try:
            value, count = from_events(text, self.parser, make)
        except InputError:
            return False
        if not identical(value, read.value):
            return False
        if read.generation == self.table.generation:
            self.table.learn(read.shape, count)
        return True
