"""Bytes become documents in one place: what only wants an object, or a world, asks inputs for it."""

import ast
from collections.abc import Iterator
from pathlib import Path

import sidecarctl

ROOT = Path(sidecarctl.__file__).parent
READERS = ("engine/inputs", "engine/files", "engine/documents", "features/inject")
"""Inputs, what they are made of, and what edits the text of documents."""


def calls_of_readers(tree: ast.AST) -> Iterator[str]:
    """Calls that make documents of bytes: `reader.documents(...)`, `reader.documents_of(...)`, `split(...)`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            is_reader = "reader" in ast.unparse(node.func.value).lower()
            if is_reader and node.func.attr in ("documents", "documents_of"):
                yield ast.unparse(node)
        elif isinstance(node, ast.ImportFrom) and node.module == "sidecarctl.engine.documents.reading.streams":
            yield from (name.name for name in node.names if name.name == "split")


def test_nothing_else_reads_documents() -> None:
    found = {
        f"{file.relative_to(ROOT)}: {call}"
        for file in ROOT.rglob("*.py")
        if not str(file.relative_to(ROOT)).startswith(READERS)
        for call in calls_of_readers(ast.parse(file.read_text()))
    }
    assert found == set()


def test_it_would_be_seen() -> None:
    tree = ast.parse((ROOT / "engine" / "inputs" / "reading.py").read_text())
    assert list(calls_of_readers(tree))
