"""Options for what a run writes: reports, documents and transformed manifests; which, in which form, and where."""

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, NamedTuple, TypeVar

import typer

from sidecarctl.cli.flags.groups import Flags
from sidecarctl.cli.flags.repository import settings
from sidecarctl.cli.invoked import asked_for
from sidecarctl.cli.terminal import ColorChoice
from sidecarctl.engine.facts.errors import SidecarctlError, unknown_word, usage_error
from sidecarctl.engine.files.inputs import STDIN, Input
from sidecarctl.engine.inputs.opening import Named, Sources
from sidecarctl.engine.report import Form
from sidecarctl.render.output import Verbosity
from sidecarctl.render.run.formats import REPORT_FORMATS


class AskedOutput(NamedTuple):
    """A format, and the file to write it to; None for a standard stream. `is_folder`: pages go to a folder."""

    form: str
    file: Path | None = None
    is_folder: bool = False


class ReportFlags(Flags):
    """Options for reports."""

    title = "Output"
    report: Annotated[
        list[str] | None,
        typer.Option(
            "--report",
            metavar="FORMAT[=FILE]",
            help=f"Report what was found and done: {', '.join(REPORT_FORMATS)}; repeatable.",
        ),
    ] = None
    strict: Annotated[bool, typer.Option("--strict", help="Treat warnings as errors.")] = False
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Report each decision.")] = False
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Report only errors.")] = False
    summary: Annotated[bool, typer.Option("--summary", help="Collapse identical lines and show a count.")] = False
    color: Annotated[
        ColorChoice,
        typer.Option(
            "--color",
            metavar="WHEN",
            help="Colors: auto (on a terminal), always or never; see NO_COLOR, FORCE_COLOR.",
        ),
    ] = ColorChoice.AUTO

    @property
    def verbosity(self) -> Verbosity:
        """The verbosity of the text report; errors are always reported."""
        if self.quiet:
            return Verbosity.QUIET
        if self.summary:
            return Verbosity.SUMMARY
        return Verbosity.VERBOSE if self.verbose else Verbosity.NORMAL

    def reports(self) -> list[AskedOutput]:
        """The requested reports; UsageError for an unknown format, or two in the same place."""
        reports = _asked("--report", self.report or ())
        for report in reports:
            if report.form not in REPORT_FORMATS:
                raise unknown_word("--report", report.form, REPORT_FORMATS)
        return reports

    def documents(self) -> list[AskedOutput]:
        """The requested documents: none for a transforming command."""
        return []


class DocumentFlags(ReportFlags):
    """The document of a reporting command, and its reports."""

    title = "Output"
    output: Annotated[
        list[str] | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FORMAT[=FILE]",
            help="Format of the document, and the file to write it to (html=DIR/: pages and an index); repeatable.",
        ),
    ] = None
    all_pods: Annotated[bool, typer.Option("--all-pods", help="List every pod.")] = False

    def documents(self) -> list[AskedOutput]:
        """The requested documents, by default a text on stdout; UsageError for two in the same place."""
        return _asked("-o", self.output or ("text",))


class EditingFlags(DocumentFlags):
    """The outputs of a command that edits files instead."""

    def documents(self) -> list[AskedOutput]:
        """None; UsageError if one was requested."""
        if self.output:
            raise usage_error("-o is for stdout, so it cannot be combined with -i")
        return []


_Word = TypeVar("_Word", bound=str)


def failing(command: str, asked: Iterable[str] | None, known: Iterable[_Word]) -> frozenset[_Word] | None:
    """What --fail-on names, or else the settings for the command: some of `known`, `any` or `none`.

    None if neither names anything; UsageError for an unknown word.
    """
    if not (texts := asked or settings().fail_on.get(command)):
        return None
    every = {str(word).lower(): word for word in known}
    named: set[_Word] = set()
    for word in (part.strip() for text in texts for part in text.split(",")):
        if word.lower() == "any":
            named |= {*every.values()}
        elif word.lower() != "none":
            if word.lower() not in every:
                raise unknown_word("--fail-on", word, ["any", "none", *every.values()])
            named.add(every[word.lower()])
    return frozenset(named)


class MessageFlags(ReportFlags):
    """The reports of a command whose output is text in a single format."""

    title = "Output"

    def documents(self) -> list[AskedOutput]:
        """The text on stdout."""
        return [AskedOutput("text")]


def _asked(option: str, asked: Sequence[str]) -> list[AskedOutput]:
    outputs = [_asked_output(option, item) for item in asked]
    places = [output.file for output in outputs]
    for place in places:
        if places.count(place) > 1:
            where = "a standard stream" if place is None else place
            raise usage_error(f"two outputs of {option} go to {where}", hint=f"such as {option} json=report.json")
    return outputs


def _asked_output(option: str, item: str) -> AskedOutput:
    form, joint, file = item.partition("=")
    if joint and not file:
        raise usage_error(f"{option} {item}: the file name is missing", hint=f"{form}=FILE, or {form} alone")
    if file in ("", STDIN):
        return AskedOutput(form)
    is_folder = file.endswith("/") or (form == "html" and Path(file).is_dir())
    if is_folder and form != "html":
        raise usage_error(f"{option} {item}: {form} is one file", hint="only html makes a folder of pages")
    return AskedOutput(form, Path(file), is_folder)


class WritingFlags(Flags):
    """The destination of transformed manifests."""

    title = "Where it goes"
    in_place: Annotated[
        bool, typer.Option("--in-place", "-i", help="Edit files in place, after every result has been verified.")
    ] = False
    output_folder: Annotated[
        str | None,
        typer.Option("--output-folder", "-d", metavar="DIR", help="Write to a folder, with the same relative paths."),
    ] = None
    prune: Annotated[
        bool,
        typer.Option(
            "--prune",
            help="With -d: remove what an earlier run wrote there and this one does not; never what changed.",
        ),
    ] = False
    output: Annotated[
        Form | None,
        typer.Option("--output", "-o", help="Output format. [default: the edited input]", show_default=False),
    ] = None
    diff: Annotated[bool, typer.Option("--diff", help="Print a unified diff instead of the manifests.")] = False
    check: Annotated[bool, typer.Option("--check", help="Write nothing; exit 1 if anything would change.")] = False
    keep_going: Annotated[
        bool,
        typer.Option("--keep-going", help="If documents fail, write the rest; the exit code reports the failure."),
    ] = False
    jobs: Annotated[
        int | None,
        typer.Option(
            "--jobs",
            "-j",
            min=1,
            metavar="N",
            help="Number of worker processes. [default: 1; from 200 files or 2 MB on, up to the number of usable "
            "cores]",
            show_default=False,
        ),
    ] = None

    @property
    def form(self) -> Form:
        """The requested form."""
        return self.output or Form.TEXT

    @property
    def writes_files(self) -> bool:
        """Whether the results go into files."""
        return self.in_place or bool(self.output_folder)

    @property
    def leaves_stdout(self) -> bool:
        """Whether nothing goes to stdout."""
        return (self.writes_files or self.check) and not self.diff

    @property
    def prints_manifests(self) -> bool:
        """Whether stdout gets the manifests themselves."""
        return not (self.writes_files or self.check or self.diff)

    def refuse_contradictions(self, named: Named) -> None:
        """UsageError for options that exclude each other, and for a folder without a name."""
        if self.output_folder == "":
            raise usage_error("-d needs a folder", hint="name a folder; . is the current folder")
        if self.in_place and not (asked_for("paths") or asked_for("filename")):
            raise usage_error("-i needs PATHS: it edits only files that the command line names")
        if self.in_place and self.output_folder:
            raise usage_error("-i and -d cannot be combined", hint="-i edits the files, -d writes to a folder")
        self._refuse_to_prune(named)
        if STDIN in named.paths and self.writes_files:
            raise usage_error("standard input (-) cannot be written back", hint="omit -i or -d")
        for path in named.paths if self.writes_files else ():
            if Path(path).is_fifo():  # before it is waited for
                raise _not_to_write_back(path)
        if self.writes_files and self.check:
            raise usage_error("--check writes nothing", hint="omit -i or -d")
        if self.output and not self.prints_manifests:
            raise usage_error("-o is for stdout, so it cannot be combined with -i, -d, --diff or --check")
        if self.in_place and len(set(named.paths)) < len(named.paths):
            raise usage_error("the same path is given twice, and -i would write it twice")

    def _refuse_to_prune(self, named: Named) -> None:
        """UsageError for --prune without a folder of -d, and with one that overlaps an input."""
        if not self.prune:
            return
        if not self.output_folder:
            raise usage_error("--prune removes files from the folder of -d", hint="-d DIR --prune")
        folder = Path(os.path.realpath(self.output_folder))
        for name in (*named.paths, *named.deciders, *named.older, *named.usual):
            path = Path(os.path.realpath(name))
            if path.is_relative_to(folder) or folder.is_relative_to(path):
                hint = "write to a folder beside the inputs"
                raise usage_error(f"--prune: {self.output_folder} and {name} overlap", hint=hint)

    def refuse_targets(self, sources: Sources[Input]) -> None:
        """UsageError for files that cannot be written back, that -d would overwrite, or that share one place.

        Files in subfolders are edited only if the user asked to descend into them.
        """
        if not self.writes_files:
            return
        if self.in_place and sources.named.recursive is None:
            for source in sources.paths:
                if not source.is_named and len(source.within.parts) > 1:
                    message = f"{source.name} is in a subfolder of a named folder, and -i would edit it"
                    raise usage_error(message, hint="-R edits subfolders too, --no-recursive leaves them alone")
        targets: dict[Path, str] = {}
        for source in sources.paths:
            if source.is_copy:
                raise _not_to_write_back(source.name)
            if self.output_folder and (first := targets.get(source.within)):
                target = Path(self.output_folder, source.within)
                message = f"{first} and {source.name} would both be written to {target}"
                raise usage_error(message, hint="name the folder that contains both")
            if self.output_folder and _is_same(Path(self.output_folder, source.within), source.path):
                message = f"-d {self.output_folder} would overwrite {source.name}"
                raise usage_error(message, hint="-i edits the files, -d writes to another folder")
            targets[source.within] = source.name


def _not_to_write_back(name: str) -> SidecarctlError:
    return usage_error(f"{name} is not a file that can be written back", hint="omit -i or -d")


def _is_same(target: Path, source: Path) -> bool:
    return target.exists() and source.exists() and target.samefile(source)
