"""Reading by lines, and what the parser has confirmed of it so far: docs/proof.md says why that is enough."""

from sidecarctl.documents.lines.checking import is_confirmed
from sidecarctl.documents.lines.read_lines import ReadLines, read_lines
from sidecarctl.documents.lines.table import REMEMBERED, LineTable
from sidecarctl.documents.reading.events import Parser, c_parser, event_count


class LineReader:
    """The lines and the shapes of documents that were met so far."""

    def __init__(self, parser: Parser, limit: int = REMEMBERED) -> None:
        self.parser = parser
        self.table = LineTable(parser, limit)

    def read(self, text: str, depth: int) -> ReadLines | None:
        """A document, given with the break of its last line; None for one that the parser has to read."""
        return read_lines(text, self.table, depth)

    def knows(self, read: ReadLines) -> bool:
        """Whether the parser would read the same: it has read this shape, and every line."""
        if read.generation != self.table.generation or read.shape not in self.table.documents:
            return False
        return is_confirmed(self.table)

    def proves(self, read: ReadLines, text: str) -> bool:
        """The same, and it finds as many events in the text as in others of its shape."""
        if self.parser is not c_parser or not self.knows(read):
            return False
        return event_count(text) == self.table.documents[read.shape]

    def learn(self, read: ReadLines, text: str) -> None:
        """The parser has read the text, with the same result."""
        if read.generation == self.table.generation:
            self.table.learn(read.shape, event_count(text) if self.parser is c_parser else 0)
