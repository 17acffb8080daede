"""The two versions that `diff` compares."""

from collections.abc import Sequence
from typing import Annotated, NamedTuple

import typer

from sidecarctl.cli.flags.inputs import ReadingFlags
from sidecarctl.cli.flags.kruise import named_release
from sidecarctl.facts.errors import usage_error
from sidecarctl.inputs.opening import Named
from sidecarctl.releases.release import Release

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
KruiseFrom = Annotated[
    str, typer.Option("--kruise-from", metavar="VERSION", help="The release of Kruise that runs now.")
]
KruiseTo = Annotated[
    str, typer.Option("--kruise-to", metavar="VERSION", help="The release that it is to be upgraded to.")
]
ExitCode = Annotated[bool, typer.Option("--exit-code", help="Exit 1 if anything differs.")]


class Compared(NamedTuple):
    """What is compared: two versions of SidecarSets with `pods` beside them, or two whole trees."""

    old: Named
    new: Named
    pods: Named
    trees: bool


class Upgrade(NamedTuple):
    """An upgrade of Kruise, and the SidecarSets and pods that it meets."""

    before: Release
    after: Release
    named: Named


class DiffFlags(ReadingFlags):
    """Which versions, and how they are read."""

    paths: Versions = None
    before: Before = None
    after: After = None
    kruise_from: KruiseFrom = ""
    kruise_to: KruiseTo = ""
    exit_code: ExitCode = False

    def upgrade(self) -> Upgrade | None:
        """The upgrade of Kruise that is asked about; None for two versions, UsageError for half an upgrade."""
        if not (self.kruise_from or self.kruise_to):
            return None
        hint = "sidecarctl diff --kruise-from 1.6 --kruise-to 1.9 SIDECARSETS [PODS...]"
        if not (self.kruise_from and self.kruise_to):
            raise usage_error("--kruise-from and --kruise-to go together", hint=hint)
        if self.before or self.after:
            raise usage_error("--kruise-from and --kruise-to exclude --before and --after", hint=hint)
        paths = self.paths or ()
        if not (paths or self.sidecarsets) or "" in paths:
            raise usage_error("the SidecarSets are missing", hint=hint)
        releases = named_release("--kruise-from", self.kruise_from), named_release("--kruise-to", self.kruise_to)
        return Upgrade(*releases, self.tree(paths))

    def compared(self) -> Compared:
        """The versions; UsageError for fewer than two. What -s names belongs to both."""
        if self.before or self.after:
            if not (self.before and self.after) or self.paths:
                hint = "--before DIR --after DIR"
                raise usage_error("--before and --after must be used together, and without PATHS", hint=hint)
            before, after = (self.tree(one)._replace(recursive=True) for one in (self.before, self.after))
            return Compared(before, after, Named(()), trees=True)
        paths: Sequence[str] = self.paths or ()
        if len(paths) < 2:
            hint = "sidecarctl diff OLD NEW [PODS...], or --before DIR --after DIR"
            raise usage_error("two versions are required", hint=hint)
        beside = Named(paths[2:], recursive=self.recursive)
        return Compared(self.tree(paths[:1]), self.tree(paths[1:2]), beside, trees=False)
