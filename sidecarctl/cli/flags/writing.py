"""Where to write transformed manifests, and in which form."""

from pathlib import Path
from typing import Annotated

import typer

from sidecarctl.cli.flags.groups import Flags
from sidecarctl.facts.errors import usage_error
from sidecarctl.files.inputs import STDIN, Input
from sidecarctl.inputs.opening import Named, Sources
from sidecarctl.operations.transforming.forms import Form

InPlace = Annotated[
    bool, typer.Option("--in-place", "-i", help="Edit files in place, after every result has been verified.")
]
OutputFolder = Annotated[
    str | None,
    typer.Option("--output-folder", "-d", metavar="DIR", help="Write to a folder, with the same relative paths."),
]
FormOption = Annotated[
    Form | None,
    typer.Option("--output", "-o", help="Output format. [default: the edited input]", show_default=False),
]
Diff = Annotated[bool, typer.Option("--diff", help="Print a unified diff instead of the manifests.")]
Check = Annotated[bool, typer.Option("--check", help="Write nothing; exit 1 if anything would change.")]
KeepGoing = Annotated[
    bool, typer.Option("--keep-going", help="If documents fail, write the rest; the exit code reports the failure.")
]
Jobs = Annotated[int, typer.Option("--jobs", "-j", min=1, metavar="N", help="Number of worker processes.")]


class WritingFlags(Flags):
    """What to do with transformed manifests."""

    title = "Where it goes"
    in_place: InPlace = False
    output_folder: OutputFolder = None
    output: FormOption = None
    diff: Diff = False
    check: Check = False
    keep_going: KeepGoing = False
    jobs: Jobs = 1

    @property
    def form(self) -> Form:
        """The requested form."""
        return self.output or Form.TEXT

    @property
    def writes_files(self) -> bool:
        """Whether the results go into files."""
        return self.in_place or bool(self.output_folder)

    @property
    def prints_manifests(self) -> bool:
        """Whether stdout gets the manifests themselves."""
        return not (self.writes_files or self.check or self.diff)

    def refuse_contradictions(self, named: Named) -> None:
        """UsageError for options that exclude each other, and for a folder without a name."""
        if self.output_folder == "":
            raise usage_error("-d names no folder", hint="name a folder; . is the current folder")
        if self.in_place and self.output_folder:
            raise usage_error("-i and -d cannot be combined", hint="-i edits the files, -d writes to a folder")
        if STDIN in named.paths and self.writes_files:
            raise usage_error("standard input (-) cannot be written back", hint="omit -i or -d")
        if self.writes_files and self.check:
            raise usage_error("--check writes nothing", hint="omit -i or -d")
        if self.output and not self.prints_manifests:
            raise usage_error("-o is for stdout, so it cannot be combined with -i, -d, --diff or --check")
        if self.in_place and len(set(named.paths)) < len(named.paths):
            raise usage_error("the same path is given twice, and -i would write it twice")

    def refuse_targets(self, sources: Sources[Input]) -> None:
        """UsageError for files that cannot be written back, that -d would overwrite, or that share one place."""
        if not self.writes_files:
            return
        targets: dict[Path, str] = {}
        for source in sources.paths:
            if source.is_copy:
                raise usage_error(f"{source.name} is not a file that can be written back", hint="omit -i or -d")
            if self.output_folder and (first := targets.get(source.within)):
                target = Path(self.output_folder, source.within)
                message = f"{first} and {source.name} would both be written to {target}"
                raise usage_error(message, hint="name the folder that contains both, with -R")
            if self.output_folder and _is_same(Path(self.output_folder, source.within), source.path):
                message = f"-d {self.output_folder} would overwrite {source.name}"
                raise usage_error(message, hint="-i edits the files, -d writes to another folder")
            targets[source.within] = source.name


def _is_same(target: Path, source: Path) -> bool:
    return target.exists() and source.exists() and target.samefile(source)
