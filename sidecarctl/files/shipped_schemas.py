"""The JSON Schemas of sidecarctl documents, shipped with the code."""

import json
from pathlib import Path

import sidecarctl
from sidecarctl.facts.values import Object

_GENERATED = "sidecarset-v"
"""The schemas of SidecarSet are made from the field table; their files are for editors."""


def shipped_schemas() -> list[str]:
    """The kinds of documents that have one."""
    return [_kind(path) for path in _paths()]


def shipped_schema(kind: str) -> Object:
    """The schema of one of these kinds."""
    path = next(path for path in _paths() if _kind(path) == kind)
    schema: Object = json.loads(path.read_bytes())
    return schema


def _paths() -> list[Path]:
    package = Path(sidecarctl.__file__).parent
    folder = package / "schemas"  # as installed; in a checkout they are next to the package
    folder = folder if folder.is_dir() else package.parent / "schemas"
    return sorted(path for path in folder.glob("*.json") if not path.name.startswith(_GENERATED))


def _kind(path: Path) -> str:
    """`SidecarSetDiff` of `sidecarset-diff.json`."""
    words = path.stem.replace("sidecarset", "sidecar-set").split("-")
    return "".join(word.capitalize() for word in words)
