"""The options that name what `diff` compares."""

from collections.abc import Sequence
from typing import Annotated

import typer

from sidecarctl.cli.flags.inputs import ReadingFlags
from sidecarctl.cli.flags.upgrade import KruiseFrom, KruiseTo, Upgrade, refuse_half_an_upgrade, upgrade_of
from sidecarctl.facts.errors import usage_error
from sidecarctl.facts.named_tuples import NamedTuple
from sidecarctl.inputs.opening import Named

Versions = Annotated[
    list[str] | None,
    typer.Argument(metavar="OLD NEW [PODS]...", help="The two versions; pods or workloads.", show_default=False),
]
Before = Annotated[
    list[str] | None,
    typer.Option(
        "--before",
        metavar="DIR",
        help="A tree before the change, with its subfolders: a folder, or git:REV[:FOLDER]; repeatable.",
    ),
]
After = Annotated[
    list[str] | None, typer.Option("--after", metavar="DIR", help="The tree after the change; repeatable.")
]
ExitCode = Annotated[bool, typer.Option("--exit-code", help="Exit 1 if anything differs.")]


class Compared(NamedTuple):
    """What to compare: two versions of SidecarSets with `pods`, or two whole trees."""

    old: Named
    new: Named
    pods: Named
    trees: bool


class DiffFlags(ReadingFlags):
    """Which versions, and how to read them."""

    title = "What is compared"
    paths: Versions = None
    before: Before = None
    after: After = None
    kruise_from: KruiseFrom = ""
    kruise_to: KruiseTo = ""
    exit_code: ExitCode = False

    def upgrade(self) -> Upgrade | None:
        """The requested upgrade of Kruise; None for two versions, UsageError if a release is missing."""
        if not (self.kruise_from or self.kruise_to):
            return None
        hint = "sidecarctl diff --kruise-from 1.6 --kruise-to 1.9 SIDECARSETS [PODS...]"
        refuse_half_an_upgrade(self.kruise_from, self.kruise_to, self.kruise, hint)
        if self.before or self.after:
            raise usage_error("--kruise-from and --kruise-to exclude --before and --after", hint=hint)
        paths = self.paths or ()
        if not (paths or self.sidecarsets) or "" in paths:
            raise usage_error("no SidecarSets given", hint=hint)
        return upgrade_of(self.kruise_from, self.kruise_to, self.tree(paths))

    def compared(self) -> Compared:
        """The versions; UsageError for fewer than two. Inputs of -s belong to both."""
        if self.before or self.after:
            if not (self.before and self.after) or self.paths:
                hint = "--before DIR --after DIR"
                raise usage_error("--before and --after must be used together, and without PATHS", hint=hint)
            before, after = (self.tree(folder)._replace(recursive=True) for folder in (self.before, self.after))
            return Compared(before, after, Named(()), trees=True)
        paths: Sequence[str] = self.paths or ()
        if len(paths) < 2:
            hint = "sidecarctl diff OLD NEW [PODS...], or --before DIR --after DIR"
            raise usage_error("two versions are required", hint=hint)
        beside = Named(paths[2:], recursive=self.recursive)
        return Compared(self.tree(paths[:1]), self.tree(paths[1:2]), beside, trees=False)
