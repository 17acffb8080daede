"""`sidecarctl revisions`."""

from collections.abc import Sequence
from enum import StrEnum
from typing import Annotated, Any

import typer

from sidecarctl.cli.collector import without_collector
from sidecarctl.cli.exiting import conclude
from sidecarctl.cli.flags.cluster import ClusterFlags
from sidecarctl.cli.flags.groups import Flags
from sidecarctl.cli.flags.groups import command as typer_command
from sidecarctl.cli.flags.injection import ChoiceFlags
from sidecarctl.cli.flags.inputs import DumpFlags
from sidecarctl.cli.flags.reporting import DocumentFlags
from sidecarctl.facts.errors import usage_error
from sidecarctl.facts.findings import Finding
from sidecarctl.inputs.emptiness import no_sidecarset
from sidecarctl.inputs.opening import opened
from sidecarctl.inputs.reading import Reading
from sidecarctl.inputs.reading_pods import older_sidecarsets, read_inputs, world_of_manifest
from sidecarctl.kubectl.live import live_inputs
from sidecarctl.operations.checking.release_findings import gaps_among
from sidecarctl.operations.report import Report
from sidecarctl.operations.revisions import (
    RevisionFacts,
    compared_revisions,
    made_revisions,
    restored_sidecarset,
    revision_list,
)


class Action(StrEnum):
    """What to do with revisions."""

    LIST = "list"
    MAKE = "make"
    DIFF = "diff"
    RESTORE = "restore"


_KINDS = {Action.LIST: "revision-list", Action.MAKE: "manifests", Action.DIFF: "diff", Action.RESTORE: "manifests"}

RevisionFrom = Annotated[
    list[str] | None,
    typer.Option(
        "--revision-from",
        metavar="PATH",
        help="Earlier SidecarSet manifests, oldest first; git:A..B:FILE for all versions of a file; repeatable.",
    ),
]
REVISION = "A revision by name, custom version or number"


class ActionFlags(Flags):
    """The action."""

    action: Annotated[Action, typer.Argument(metavar="ACTION", help="list, make, diff or restore")]


class RevisionFlags(ChoiceFlags):
    """The SidecarSets, their earlier manifests, and which of their revisions."""

    title = "Revisions"
    revision_from: RevisionFrom = None
    revision: Annotated[str, typer.Option("--revision", metavar="REVISION", help=f"restore: {REVISION}.")] = ""
    old: Annotated[str, typer.Option("--old", metavar="REVISION", help="diff: the older revision.")] = ""
    new: Annotated[
        str, typer.Option("--new", metavar="REVISION", help="diff: the newer revision. [default: latest]")
    ] = ""
    every: Annotated[bool, typer.Option("--every", help="make: all revisions that are then stored.")] = False

    def refuse_misplaced(self, action: Action) -> None:
        """UsageError for an option of another action, and for `restore` without a revision."""
        options = {"--revision": (self.revision, Action.RESTORE), "--old": (self.old, Action.DIFF)}
        options |= {"--new": (self.new, Action.DIFF), "--every": (str(self.every or ""), Action.MAKE)}
        for option, (value, owner) in options.items():
            if value and owner is not action:
                raise usage_error(f"{option} is an option of revisions {owner}, not {action}")
        if action is Action.RESTORE and not self.revision:
            raise usage_error("no revision given to restore", hint=f"--revision REVISION: {REVISION.lower()}")


@typer_command
def command(
    action: ActionFlags, inputs: DumpFlags, choice: RevisionFlags, cluster: ClusterFlags, reporting: DocumentFlags
) -> None:
    """List, make, compare and restore the revisions that Kruise stores of SidecarSets.

    PATHS hold SidecarSets, ControllerRevisions and pods; --revision-from names earlier manifests of SidecarSets, such
    as the versions that a file had in git: git:v1..main:set.yaml, or all of them: git:..main:set.yaml.

    \b
    list     which pods record which revision, which is pinned, which the next change truncates
    make     the ControllerRevision that Kruise stores for each SidecarSet (--every: all that are then stored)
    diff     the changes between two revisions (--old, --new), and what they mean for pods
    restore  the SidecarSet at a revision (--revision)

    Refer to a revision by its name, its custom version or its number.

    \b
    Examples:
      sidecarctl revisions list sidecarsets/ revisions.yaml pods.yaml
      sidecarctl revisions list set.yaml --revision-from git:..main:set.yaml
      sidecarctl revisions restore set.yaml revisions.yaml --revision 3 > set-3.yaml
    """  # noqa: D301 - click takes this for lines that are not to be wrapped

    def run() -> Report[Any]:
        choice.refuse_misplaced(action.action)
        found, listed = _listed(inputs, choice, cluster)
        report = _report(action.action, listed, choice, inputs.reading())
        return report._replace(findings=[*found, *report.findings])

    conclude(run, reporting, _KINDS[action.action])


def _listed(
    inputs: DumpFlags, choice: RevisionFlags, cluster: ClusterFlags
) -> tuple[Sequence[Finding], Report[RevisionFacts]]:
    live, how = cluster.options(inputs.namespace, inputs.kruise), inputs.reading()
    named = inputs.named(choice.revision_from or (), optional=live is not None)
    with (
        opened(named, lenient=True) as (sources,),
        live_inputs(live) as found,
        without_collector(),
    ):
        how = how.of_cluster(found.release)
        older = older_sidecarsets(sources, how)
        read = read_inputs(sources._replace(older=()), how, found.inputs, keeps_templates=False).whole()
    report = revision_list(read, older, choice.names)
    if not (report.facts.sets or inputs.allow_empty):
        raise no_sidecarset(named)
    return [*found.findings, *gaps_among(read.world, older, choice.names)], report


def _report(action: Action, listed: Report[RevisionFacts], choice: RevisionFlags, how: Reading) -> Report[Any]:
    match action:
        case Action.LIST:
            return listed
        case Action.MAKE:
            return made_revisions(listed, every=choice.every)
        case Action.RESTORE:
            return restored_sidecarset(listed, choice.revision)
        case Action.DIFF:
            return _difference(listed, choice, how)


def _difference(listed: Report[RevisionFacts], choice: RevisionFlags, how: Reading) -> Report[Any]:
    from sidecarctl.operations.diff import Pods, diff_report

    old, new = compared_revisions(listed.facts, choice.old, choice.new)
    before, after = world_of_manifest(old, "--old", how), world_of_manifest(new, "--new", how)
    return diff_report(before, after, Pods(), choice.gates())
