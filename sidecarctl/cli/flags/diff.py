"""The two versions that `diff` compares."""

from collections.abc import Sequence
from typing import Annotated, NamedTuple

import typer

from sidecarctl.cli.flags.inputs import ReadingFlags
from sidecarctl.facts.errors import usage_error
from sidecarctl.inputs.opening import Named

Versions = Annotated[
    list[str] | None,
    typer.Argument(metavar="OLD NEW [PODS]...", help="The two versions; pods or workloads.", show_default=False),
]
Before = Annotated[
    list[str] | None, typer.Option("--before", metavar="DIR", help="A tree before the change; repeatable.")
]
After = Annotated[
    list[str] | None, typer.Option("--after", metavar="DIR", help="The tree after the change; repeatable.")
]
ExitCode = Annotated[bool, typer.Option("--exit-code", help="Exit 1 if anything differs.")]


class Compared(NamedTuple):
    """What is compared: two versions of SidecarSets with `pods` beside them, or two whole trees."""

    old: Named
    new: Named
    pods: Named
    trees: bool


class DiffFlags(ReadingFlags):
    """Which versions, and how they are read."""

    paths: Versions = None
    before: Before = None
    after: After = None
    exit_code: ExitCode = False

    def compared(self) -> Compared:
        """The versions; UsageError for fewer than two. What -s names belongs to both."""
        if "" in (*(self.paths or ()), *(self.before or ()), *(self.after or ())):
            raise usage_error("a path is empty", hint="name a file or folder; . is the current folder")
        if self.before or self.after:
            if not (self.before and self.after) or self.paths:
                hint = "--before DIR --after DIR"
                raise usage_error("--before and --after must be used together, and without PATHS", hint=hint)
            return Compared(self.tree(self.before), self.tree(self.after), Named(()), trees=True)
        paths: Sequence[str] = self.paths or ()
        if len(paths) < 2:
            hint = "sidecarctl diff OLD NEW [PODS...], or --before DIR --after DIR"
            raise usage_error("two versions are required", hint=hint)
        beside = Named(paths[2:], recursive=self.recursive)
        return Compared(self.tree(paths[:1]), self.tree(paths[1:2]), beside, trees=False)
