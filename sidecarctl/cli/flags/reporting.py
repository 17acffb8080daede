"""Options for reports and documents: which, in which form, and where."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from sidecarctl.cli.flags.groups import Flags
from sidecarctl.cli.terminal import ColorChoice
from sidecarctl.facts.errors import usage_error
from sidecarctl.facts.named_tuples import NamedTuple
from sidecarctl.files.inputs import STDIN
from sidecarctl.reports.formats import DOCUMENT_FORMS, REPORT_FORMS
from sidecarctl.reports.verbosity import Verbosity

Output = Annotated[
    list[str] | None,
    typer.Option(
        "--output",
        "-o",
        metavar="FORM[=FILE]",
        help="Format of the document, and the file to write it to; repeatable.",
    ),
]
ReportOption = Annotated[
    list[str] | None,
    typer.Option(
        "--report",
        metavar="FORM[=FILE]",
        help=f"Report what was found and done: {', '.join(REPORT_FORMS)}; repeatable.",
    ),
]
Strict = Annotated[bool, typer.Option("--strict", help="Treat warnings as errors.")]
Verbose = Annotated[bool, typer.Option("--verbose", "-v", help="Report each decision.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Report only errors.")]
Summary = Annotated[
    bool, typer.Option("--summary", help="Report equal lines about many objects once, with their number.")
]
Color = Annotated[
    ColorChoice,
    typer.Option(
        "--color", metavar="WHEN", help="Colors: auto (on a terminal), always or never; see NO_COLOR, FORCE_COLOR."
    ),
]
AllPods = Annotated[bool, typer.Option("--all-pods", help="List every pod.")]


class AskedOutput(NamedTuple):
    """A form, and the file that it goes to; None for a standard stream."""

    form: str
    file: Path | None = None


class ReportFlags(Flags):
    """Options for reports."""

    title = "Output"
    report: ReportOption = None
    strict: Strict = False
    verbose: Verbose = False
    quiet: Quiet = False
    summary: Summary = False
    color: Color = ColorChoice.AUTO

    @property
    def verbosity(self) -> Verbosity:
        """How much the text report says; errors are always reported."""
        if self.quiet:
            return Verbosity.QUIET
        if self.summary:
            return Verbosity.SUMMARY
        return Verbosity.VERBOSE if self.verbose else Verbosity.NORMAL

    def reports(self) -> list[AskedOutput]:
        """The requested reports; UsageError for an unknown form, or two in the same place."""
        return _asked("--report", self.report or (), REPORT_FORMS)

    def documents(self) -> list[AskedOutput]:
        """The requested documents: none for a transforming command."""
        return []


class DocumentFlags(ReportFlags):
    """The document of a reporting command, and its reports."""

    title = "Output"
    output: Output = None
    all_pods: AllPods = False

    def documents(self) -> list[AskedOutput]:
        """The requested documents, by default a text on stdout."""
        return _asked("-o", self.output or ("text",), DOCUMENT_FORMS)


class MessageFlags(ReportFlags):
    """The reports of a command that prints a text and has no other form of it."""

    title = "Output"

    def documents(self) -> list[AskedOutput]:
        """The text on stdout."""
        return [AskedOutput("text")]


def _asked(option: str, asked: Sequence[str], forms: Sequence[str]) -> list[AskedOutput]:
    outputs = [_asked_output(option, item, forms) for item in asked]
    places = [output.file for output in outputs]
    for place in places:
        if places.count(place) > 1:
            where = "a standard stream" if place is None else place
            raise usage_error(f"two outputs of {option} go to {where}", hint=f"such as {option} json=report.json")
    return outputs


def _asked_output(option: str, item: str, forms: Sequence[str]) -> AskedOutput:
    form, joint, file = item.partition("=")
    if form not in forms:
        raise usage_error(f"{option} {item}: unknown form", hint=f"one of {', '.join(forms)}")
    if joint and not file:
        raise usage_error(f"{option} {item}: the file name is missing", hint=f"{form}=FILE, or {form} alone")
    return AskedOutput(form, None if file in ("", STDIN) else Path(file))
