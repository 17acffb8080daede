"""Where a document or report goes, and how detailed it is."""

import posixpath
from enum import IntEnum
from typing import NamedTuple

from sidecarctl.engine.facts.exit_codes import COMPLETED
from sidecarctl.engine.facts.findings import Finding, Place
from sidecarctl.engine.files.inputs import FROM


class Links(NamedTuple):
    """Where files of the repository are shown: the address of its top; the paths of the top and of this folder."""

    base: str = ""
    top: str = ""
    folder: str = ""

    def to(self, place: Place | None) -> str:
        """The address of a line; empty if there is none, as for files outside of the working tree."""
        if not (self.base and place and place.file) or place.file.startswith(_NO_FILES):
            return ""
        within = _from_the_top(place.file, self.folder, self.top)
        if within.startswith("/"):
            return ""
        from urllib.parse import quote

        return f"{self.base}/{quote(within)}" + (f"#L{place.line}" if place.line else "")


_NO_FILES = ("git:", "stdin")
"""The prefixes of names of inputs that are not files."""


def _from_the_top(file: str, folder: str, top: str) -> str:
    """The path of a file from the top of the repository; absolute if it is elsewhere."""
    _, rendered, origin = file.rpartition(FROM)
    if rendered:
        return origin.removesuffix(")")
    return posixpath.normpath(posixpath.join(folder, file)).removeprefix(posixpath.join(top, ""))


class Verbosity(IntEnum):
    """From only errors to every decision."""

    QUIET = 0
    SUMMARY = 1
    NORMAL = 2
    VERBOSE = 3


class Page(NamedTuple):
    """The width of the text (None for no limit), the characters of bars, whether to list every pod.

    `json_file`: the JSON document that the same run writes, as a relative link from this one; empty for none.
    `made_by`: the program's version and the command line. `links`: the addresses of files. `config`: the file with
    the settings that were used. `verbosity`: how many of its findings a text lists; `strict`: warnings are errors.
    `rows`, `names`: the rows of a list in Markdown, and the characters of names in a row.
    """

    width: int | None = None
    bar: str = "█"
    all_pods: bool = False
    json_file: str = ""
    made_by: str = ""
    links: Links = Links()
    config: str = ""
    verbosity: Verbosity = Verbosity.NORMAL
    strict: bool = False
    rows: int = 40
    names: int = 120


class RunEnd(NamedTuple):
    """The end of a run, as the command line knows it.

    `strict`: warnings count as errors. `folder`: the absolute path of the folder that the command was started in;
    `top`: that of its repository, which paths in reports for programs count from. `links`: the addresses of files.
    `config`: the file with the settings that were used.
    """

    command: str = ""
    exit_code: int = COMPLETED
    strict: bool = False
    verbosity: Verbosity = Verbosity.NORMAL
    folder: str = ""
    links: Links = Links()
    config: str = ""
    top: str = ""

    @property
    def config_from_the_top(self) -> str:
        """The file with the settings, as `file_of` names files."""
        return self.file_of(Place(self.config))

    def placed(self, finding: Finding) -> Finding:
        """The finding with the path of its file from the top of the repository, where that has it."""
        file = self.file_of(finding.place)
        return finding._replace(place=finding.place._replace(file=file)) if finding.place and file else finding

    def file_of(self, place: Place | None) -> str:
        """The path of a file from the top of the repository; absolute if it is elsewhere.

        Empty for anything that is not a file here: standard input, and files of git revisions.
        """
        if place is None or not place.file or place.file.startswith(_NO_FILES):
            return ""
        return _from_the_top(place.file, self.folder, self.top or self.folder)
