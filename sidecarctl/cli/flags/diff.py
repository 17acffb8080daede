"""The options that name what `diff` compares."""

from collections.abc import Sequence
from typing import Annotated

import typer

from sidecarctl.cli.flags.inputs import ReadingFlags
from sidecarctl.cli.flags.kruise import KruiseFrom, KruiseTo, Upgrade, refuse_half_an_upgrade, upgrade_of
from sidecarctl.cli.flags.outputs import failing
from sidecarctl.cli.flags.repository import as_it_was, completed, repository, settings
from sidecarctl.facts.errors import usage_error
from sidecarctl.inputs.opening import Named
from sidecarctl.inputs.reading import refuse_no_paths
from sidecarctl.operations.comparing.verdicts import FAILS, Verdict
from sidecarctl.operations.comparing.versions import Compared

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
    list[str] | None,
    typer.Option(
        "--after",
        metavar="DIR",
        help="The tree after the change; repeatable. [default: what .sidecarctl.yaml names, or the current folder]",
    ),
]
Delete = Annotated[
    list[str] | None,
    typer.Option(
        "--delete",
        metavar="NAME",
        help="What if this SidecarSet of PATHS were deleted? repeatable.",
    ),
]
ExitCode = Annotated[bool, typer.Option("--exit-code", help="Exit 1 if anything differs.")]


FailOn = Annotated[
    list[str] | None,
    typer.Option(
        "--fail-on",
        metavar="VERDICT,...",
        help="Exit 1 for these verdicts, any or none; by default for Rejected, SidecarLost and Recreate.",
    ),
]


LinkBase = Annotated[
    str,
    typer.Option(
        "--link-base",
        metavar="URL",
        help="Link files in Markdown to this address of the repository's top, such as "
        "https://github.com/acme/platform/blob/main; by default as GitHub and GitLab say in CI.",
    ),
]


class DiffFlags(ReadingFlags):
    """Which versions, and how to read them."""

    title = "What is compared"
    paths: Versions = None
    before: Before = None
    after: After = None
    delete: Delete = None
    kruise_from: KruiseFrom = ""
    kruise_to: KruiseTo = ""
    exit_code: ExitCode = False
    fail_on: FailOn = None
    link_base: LinkBase = ""

    def fails(self) -> frozenset[str]:
        """The verdicts for which the command exits with 1; UsageError for an unknown one."""
        named = self.named_fails()
        return frozenset(FAILS) if named is None else named

    def named_fails(self) -> frozenset[str] | None:
        """The verdicts of --fail-on; None without the option."""
        every = [verdict for verdict in Verdict if verdict is not Verdict.NO_EFFECT]
        asked = self.fail_on or settings().fail_on.get("diff")
        return failing(asked, every) if asked else None

    def upgrade(self) -> Upgrade | None:
        """The requested upgrade of Kruise; None for two versions, UsageError if a release is missing."""
        if not (self.kruise_from or self.kruise_to):
            return None
        hint = "sidecarctl diff --kruise-from 1.6 --kruise-to 1.9 SIDECARSETS [PODS...]"
        refuse_half_an_upgrade(self.kruise_from, self.kruise_to, self.kruise, hint)
        if self.before or self.after or self.delete:
            said = "--kruise-from and --kruise-to cannot be combined with --before, --after and --delete"
            raise usage_error(said, hint=hint)
        paths = self.paths or ()
        if not (paths or self.sidecarsets or repository()) or "" in paths:
            raise usage_error("no SidecarSets given", hint=hint)
        return upgrade_of(self.kruise_from, self.kruise_to, completed(self.tree(paths)))

    def _trees(self, names: Sequence[str]) -> tuple[Named, Named]:
        """Both trees; without --after the repository as it is now, or else the current folder."""
        if self.after:
            return self.tree(names), self.tree(self.after)
        now = completed(self.tree(()))
        return as_it_was(names, self.tree(())), now if now.paths else now._replace(paths=["."])

    def compared(self) -> Compared:
        """The versions; UsageError for fewer than two. Inputs of -s belong to both."""
        if self.before or self.after:
            if not self.before or self.paths or self.delete:
                hint = "--before DIR --after DIR"
                said = "--after needs --before, and neither PATHS nor --delete can be combined with either"
                raise usage_error(said, hint=hint)
            before, after = self._trees(self.before)
            return Compared(before, after, Named(()), trees=True)
        paths: Sequence[str] = self.paths or ()
        if self.delete:
            every = completed(self.tree(paths))
            refuse_no_paths(every)
            return Compared(every, every, Named(()), trees=False, deleted=self.delete)
        if len(paths) < 2:
            hint = "sidecarctl diff OLD NEW [PODS...], or --before DIR --after DIR"
            raise usage_error("diff needs two versions", hint=hint)
        beside = self.alone(paths[2:])
        return Compared(self.tree(paths[:1]), self.tree(paths[1:2]), beside, trees=False)
