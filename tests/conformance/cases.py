"""Reading recorded cases: one a file (`NAME.json`), or one a line (`*.jsonl`, also compressed)."""

import gzip
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from sidecarctl.engine.facts.values import Object, Value
from sidecarctl.engine.releases.release import MASTER, Release

FOLDER = Path(__file__).parent
NOW = "2026-01-01T00:00:00Z"
"""What the recordings have where Kruise took the time from the clock."""


@dataclass(frozen=True, slots=True)
class Case:
    """One recorded case; `kruise` is the tag that it was recorded with, empty for master's."""

    name: str
    operation: str
    objects: list[Object]
    params: Object
    expect: Object
    kruise: str = ""
    release: Release = MASTER

    @property
    def key(self) -> str:
        """The name by which the recordings of other releases know it."""
        return f"{self.operation}/{self.name.rpartition('/')[2]}"


def cases_in(path: Path) -> Iterator[Case]:
    """All cases of a file, or of every case file below a folder, in lexical order."""
    if path.is_dir():
        for file in sorted(path.rglob("*.json*")):
            yield from cases_in(file)
    elif path.suffix == ".json":
        yield _case(f"{path.parent.name}/{path.stem}", json.loads(path.read_bytes()))
    else:
        data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        for line in data.splitlines():  # of bytes: as text, a line would also end at U+0085 and U+2028
            recorded = json.loads(line)
            yield _case(f"{path.parent.name}/{path.name.split('.')[0]}/{recorded['id']}", recorded)


def _case(name: str, recorded: Value) -> Case:
    return Case(
        name,
        recorded["op"],
        recorded.get("objects") or [],
        recorded.get("params") or {},
        recorded["expect"],
        recorded.get("kruise", ""),
    )
