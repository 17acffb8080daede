"""What is tried on edits of any text: other readers see what was intended, and tampering is noticed."""

import random
from collections.abc import Iterator
from unittest.mock import patch

import yaml

from sidecarctl.engine.documents.editing.document_edits import EditedText, edited_text, prove
from sidecarctl.engine.documents.reading import values
from sidecarctl.engine.documents.reading.document import Document, Reader
from sidecarctl.engine.documents.reading.streams import split
from sidecarctl.engine.facts.errors import ImpossibleError, InputError, InternalFaultError, SidecarctlError
from sidecarctl.engine.facts.memory import LARGE
from sidecarctl.engine.facts.values import Value, applied, identical
from tests.engine.documents.readers import pyyaml_value
from tests.fuzz.mutations import mutated
from tests.fuzz.random_edits import random_edits

_SIZE = 1 << 16
_READER = Reader()
_TRIES = 5


def edits(data: bytes) -> None:
    """Edits are proven, and PyYAML reads what was intended, if it reads as we do."""
    for document, edited, intended in _edited(data):
        try:
            _prove(document, edited, intended)
        except ImpossibleError:
            continue
        if _by_pyyaml(document.text, document.value):
            assert _by_pyyaml(edited.text, intended), edited.text


def proof(data: bytes) -> None:
    """An edited text that is changed further passes only if it reads the same, and what the edits keep is in it."""
    chance = random.Random(data)  # noqa: S311 - the same changes for the same text
    for document, edited, intended in _edited(data):
        text = mutated(edited.text.encode(), chance).decode()
        try:
            _prove(document, edited._replace(text=text), intended)
        except (ImpossibleError, InternalFaultError):
            continue
        (again,) = _READER.documents_of(document.prefix + text)
        assert identical(again.value, intended)
        for start, end, moved in edited.kept:
            assert document.layout.text[start:end] == again.layout.text[moved : moved + end - start]


def _prove(document: Document, edited: EditedText, intended: Value) -> None:
    """Prove an edit as that of a small document and of a large one, whose values are held once: both end alike."""
    faults: list[SidecarctlError | None] = []
    for large in (LARGE, 0):
        with patch.object(values, "LARGE", large):
            try:
                prove(_READER, document, edited, intended)
                faults.append(None)
            except (ImpossibleError, InternalFaultError) as fault:
                faults.append(fault)
    small, as_large = faults
    assert str(small) == str(as_large), edited.text
    if small:
        raise small


def _edited(data: bytes) -> Iterator[tuple[Document, EditedText, Value]]:
    """Each document, random edits made in it, and the value that they are to make."""
    chance = random.Random(data)  # noqa: S311 - the same edits for the same text
    try:
        documents = [document for chunk in split([data], _SIZE) for document in _READER.documents(chunk)]
    except InputError:
        return
    for document in documents:
        for _ in range(_TRIES):
            if made := random_edits(document.value, chance):
                try:
                    yield document, edited_text(document, made), applied(document.value, made)
                except ImpossibleError:
                    continue


def _by_pyyaml(text: str, value: Value) -> bool:
    """Whether PyYAML reads that value."""
    try:
        return identical(pyyaml_value(text), value)
    except (yaml.YAMLError, ValueError, AssertionError, TypeError, AttributeError, RecursionError):
        return False
