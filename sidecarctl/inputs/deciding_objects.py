"""Files to the objects in them that decide about pods."""

from collections.abc import Iterable, Iterator
from typing import Protocol

from sidecarctl.documents.document import Reader
from sidecarctl.documents.streams import Chunk
from sidecarctl.facts.errors import InputError, SidecarctlError
from sidecarctl.facts.findings import Finding
from sidecarctl.inputs.world import Located, deciding


class Source(Protocol):
    """A file: what the user calls it, and its documents."""

    @property
    def name(self) -> str:
        """The name for messages."""

    def chunks(self, size_limit: int) -> Iterable[Chunk]:
        """The texts of the documents; InputError, with the file, where one is larger."""


def located_in(sources: Iterable[Source], reader: Reader) -> Iterator[Located]:
    """Everything in some files that decides; InputError, with the file, where one cannot be read."""
    for source in sources:
        for chunk in source.chunks(reader.limits.size):
            try:
                yield from deciding(reader.documents(chunk), source.name)
            except SidecarctlError as fault:
                raise InputError(*in_file(fault, source.name)) from None


def in_file(fault: SidecarctlError, file: str) -> list[Finding]:
    """The findings of an error, with their file."""
    return [
        finding._replace(place=finding.place._replace(file=file)) if finding.place else finding
        for finding in fault.findings
    ]
