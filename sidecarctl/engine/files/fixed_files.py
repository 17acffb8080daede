"""The repository that a command runs in: its top, and `.sidecarctl.yaml`."""

import json
import os
from collections.abc import Iterable
from pathlib import Path

import sidecarctl
from sidecarctl.engine.facts.values import Object

CONFIG = ".sidecarctl.yaml"
"""The file with the settings of a repository."""

_MISNAMED = ".sidecarctl.yml"


def top_of(folder: Path) -> Path | None:
    """The nearest folder at or above an absolute one that git works in; None outside of repositories."""
    return next((above for above in (folder, *folder.parents) if (above / ".git").exists()), None)


def config_above(folder: Path) -> Path | None:
    """The nearest `.sidecarctl.yaml` at or above an absolute folder, not above the top of its repository.

    One with the other ending is found too, since it would be silently missed.
    """
    top = top_of(folder)
    for above in (folder, *folder.parents):
        for name in (CONFIG, _MISNAMED):
            if (above / name).is_file():
                return above / name
        if above == top:
            return None
    return None


def whole_path(name: str) -> str:
    """The absolute path of an input that the user calls so; that of a git revision as if it were checked out."""
    if not name.startswith("git:"):
        return os.path.abspath(name)  # noqa: PTH100 - links are not followed
    here = Path.cwd()
    return str((top_of(here) or here) / name.partition(":")[2].partition(":")[2])


def is_below(path: str, folders: Iterable[str]) -> bool:
    """Whether an absolute path is one of these, or below it."""
    return any(path == folder or path.startswith(f"{folder}/") for folder in folders)


_GENERATED = "sidecarset-v"
"""The schemas of SidecarSet are made from the field table; their files are for editors."""


def shipped_schemas() -> list[str]:
    """The kinds of documents that have one."""
    return [_kind(path) for path in sorted(_folder().glob("*.json")) if not path.name.startswith(_GENERATED)]


def shipped_schema(kind: str) -> Object:
    """The schema of one of these kinds."""
    schema: Object = json.loads((_folder() / f"{_stem(kind)}.json").read_bytes())
    return schema


def _folder() -> Path:
    package = Path(sidecarctl.__file__).parent
    folder = package / "schemas"  # as installed; in a checkout they are next to the package
    return folder if folder.is_dir() else package.parent / "schemas"


def _kind(path: Path) -> str:
    """`SidecarSetDiff` of `sidecarset-diff.json`."""
    words = path.stem.replace("sidecarset", "sidecar-set").split("-")
    return "".join(word.capitalize() for word in words)


def _stem(kind: str) -> str:
    """`sidecarset-diff` of `SidecarSetDiff`."""
    words = "".join(f"-{letter.lower()}" if letter.isupper() else letter for letter in kind)
    return words.removeprefix("-").replace("sidecar-set", "sidecarset")
