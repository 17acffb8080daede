"""A page, and the JSON document and text of the same run."""

import json
from pathlib import Path
from typing import NamedTuple

from sidecarctl.engine.facts.values import Object
from tests.cli.running import run


class MadePage(NamedTuple):
    """The page's file, the document, the text."""

    file: Path
    document: Object
    text: str

    @classmethod
    def of(cls, folder: Path, command: str, *words: str | Path) -> "MadePage":
        """Run a command that writes all three."""
        file = folder / "page.html"
        ended = run(command, *words, "-o", f"html={file}", "-o", f"json={folder}/document.json", "-o", "text")
        assert ended.code in (0, 1), ended.stderr
        return cls(file, json.loads((folder / "document.json").read_text()), ended.stdout)

    @property
    def source(self) -> str:
        """The HTML."""
        return self.file.read_text()
