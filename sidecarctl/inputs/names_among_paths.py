"""Words of a command line that name an object of the inputs, among those that name files."""

import re
from collections.abc import Iterable
from pathlib import Path

from sidecarctl.facts.named_tuples import NamedTuple
from sidecarctl.files.inputs import EXTENSIONS, STDIN

_NAME = r"(?:[A-Za-z0-9][A-Za-z0-9.-]*/)?[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?"
"""`[KIND/|NAMESPACE/]NAME`, as the API allows names."""

_SETS = ("sidecarset", "sidecarsets", "sidecarsets.apps.kruise.io")


class Words(NamedTuple):
    """What words name: files and folders, SidecarSets by `sidecarset/NAME`, and objects of any kind."""

    paths: list[str]
    sidecarsets: list[str]
    names: list[str]


def words_of(words: Iterable[str]) -> Words:
    """The words apart: what exists is a path, whatever its name; so is what no object can be called."""
    found = Words([], [], [])
    for word in words:
        kind, slash, name = word.partition("/")
        if _is_path(word):
            found.paths.append(word)
        elif slash and kind.lower() in _SETS:
            found.sidecarsets.append(name)
        else:
            found.names.append(word)
    return found


def _is_path(word: str) -> bool:
    looks_so = word == STDIN or word.startswith("git:") or word.endswith(EXTENSIONS)
    return looks_so or Path(word).exists() or not re.fullmatch(_NAME, word)
