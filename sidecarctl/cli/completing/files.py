"""Names of files and folders as completions."""

import os
from collections.abc import Iterator

from sidecarctl.cli.completing.candidate import Candidate


def paths(incomplete: str, *, folders_alone: bool = False) -> Iterator[Candidate]:
    """The files that begin so; folders end with a slash. Hidden ones are only for who types their dot."""
    folder, _, begin = incomplete.rpartition("/")
    folder = f"{folder}/" if "/" in incomplete else ""
    try:
        with os.scandir(os.path.expanduser(folder) or ".") as found:  # noqa: PTH111 - a text stays a text
            entries = sorted((item.name, item.is_dir()) for item in found)
    except OSError:
        return
    for name, is_folder in entries:
        is_hidden = name.startswith(".") and not begin.startswith(".")
        if name.startswith(begin) and not is_hidden and (is_folder or not folders_alone):
            yield Candidate(f"{folder}{name}{'/' if is_folder else ''}")
