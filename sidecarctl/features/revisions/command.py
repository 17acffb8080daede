"""`sidecarctl revisions`."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from sidecarctl.cli.exiting import conclude
from sidecarctl.cli.flags.cluster import ClusterFlags, opened_with_cluster
from sidecarctl.cli.flags.groups import Flags
from sidecarctl.cli.flags.groups import command as typer_command
from sidecarctl.cli.flags.inputs import DumpFlags
from sidecarctl.cli.flags.kruise import ChoiceFlags
from sidecarctl.cli.flags.outputs import DocumentFlags, EditingFlags, WritingFlags
from sidecarctl.engine.facts.errors import usage_error
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.files.inputs import STDIN
from sidecarctl.engine.inputs.opening import Named
from sidecarctl.engine.inputs.reading import Reading
from sidecarctl.engine.report import Report
from sidecarctl.features.inject.run import TransformRequest
from sidecarctl.features.inject.sinks import run_transformation
from sidecarctl.features.revisions.revisions import (
    RevisionFacts,
    made_revisions,
    restored_sidecarset,
    restoring,
    revision_difference,
    revisions,
)


class Action(StrEnum):
    """What to do with revisions."""

    LIST = "list"
    MAKE = "make"
    DIFF = "diff"
    RESTORE = "restore"


_KINDS = {Action.LIST: "revision-list", Action.MAKE: "manifests", Action.DIFF: "diff", Action.RESTORE: "manifests"}

REVISION = "A revision by name, custom version or number"


class ActionFlags(Flags):
    """The action."""

    action: Annotated[Action, typer.Argument(metavar="ACTION", help="list, make, diff or restore")]


class RevisionFlags(ChoiceFlags):
    """The SidecarSets, their earlier manifests, and which of their revisions."""

    title = "Revisions"
    revision_from: Annotated[
        list[str] | None,
        typer.Option(
            "--revision-from",
            metavar="PATH",
            help="Earlier SidecarSet manifests, oldest first; git:A..B:FILE for all versions of a file; repeatable.",
        ),
    ] = None
    revision: Annotated[str, typer.Option("--revision", metavar="REVISION", help=f"restore: {REVISION}.")] = ""
    old: Annotated[str, typer.Option("--old", metavar="REVISION", help="diff: the older revision.")] = ""
    new: Annotated[
        str, typer.Option("--new", metavar="REVISION", help="diff: the newer revision. [default: latest]")
    ] = ""
    in_place: Annotated[
        bool, typer.Option("--in-place", "-i", help="restore: edit the file of the SidecarSet, in its API version.")
    ] = False
    every: Annotated[bool, typer.Option("--every", help="make: all revisions that are then stored.")] = False

    def refuse_misplaced(self, action: Action) -> None:
        """UsageError for an option of another action, and for `restore` without a revision."""
        options = {"--revision": (self.revision, Action.RESTORE), "--old": (self.old, Action.DIFF)}
        options |= {"-i": (str(self.in_place or ""), Action.RESTORE)}
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
    list     the pods of each revision, and which is pinned or truncated next
    make     the ControllerRevision of each SidecarSet (--every: all it keeps)
    diff     the changes between two revisions (--old, --new), for pods too
    restore  the SidecarSet at a revision (--revision): the edited file, if given

    Refer to a revision by its name, its custom version or its number.

    \b
    Examples:
      sidecarctl revisions list sidecarsets/ revisions.yaml pods.yaml
      sidecarctl revisions list set.yaml --revision-from git:..main:set.yaml
      sidecarctl revisions restore set.yaml revs.yaml --revision 3 > set-3.yaml
      sidecarctl revisions restore set.yaml revs.yaml --revision 3 -i
    """  # noqa: D301 - click takes this for lines that are not to be wrapped

    def run() -> Report[Any]:
        choice.refuse_misplaced(action.action)
        live = cluster.options(inputs.namespace, inputs.kruise)
        how = inputs.reading()
        named = inputs.named(choice.revision_from or (), optional=live is not None)
        with opened_with_cluster(live, named, lenient=True) as (sources,):
            remarks, listed = revisions(sources, how, choice.names)
        if choice.in_place or (action.action is Action.RESTORE and not reporting.output and _is_in_a_file(listed)):
            report = _edited(listed, choice, how)
        else:
            report = _report(action.action, listed, choice, how)
        left_out = [
            item for item in listed.findings if item.reason is Reason.LEFT_OUT and item not in report.findings
        ]
        return report._replace(findings=[*remarks, *left_out, *report.findings])

    if choice.in_place:
        conclude(run, EditingFlags(**vars(reporting)), "run")
    conclude(run, reporting, _KINDS[action.action])


def _report(action: Action, listed: Report[RevisionFacts], choice: RevisionFlags, how: Reading) -> Report[Any]:
    match action:
        case Action.LIST:
            return listed
        case Action.MAKE:
            return made_revisions(listed, every=choice.every)
        case Action.RESTORE:
            return restored_sidecarset(listed, choice.revision)
        case Action.DIFF:
            return revision_difference(listed, choice.old, choice.new, how, choice.gates())


def _is_in_a_file(listed: Report[RevisionFacts]) -> bool:
    """Whether the SidecarSet to restore is in a file of PATHS."""
    given = [item.file for item in listed.facts.sets if item.is_given]
    return len(given) == 1 and Path(given[0]).is_file()


def _edited(listed: Report[RevisionFacts], choice: RevisionFlags, how: Reading) -> Report[Any]:
    """The file of the SidecarSet, with the content of the revision; written to stdout without -i."""
    told = restored_sidecarset(listed, choice.revision).findings
    name, restore = restoring(listed.facts, choice.revision)
    file = name if name != "stdin" or Path(name).exists() else STDIN  # which is refused
    request = TransformRequest(
        reading=how,
        verb="restore",
        done="restored",
        prepare=lambda _world: restore,
        look_at=lambda _world: [*told],
        needs_sidecarsets=True,
        allow_empty=False,
        stands_alone=True,
    )
    return run_transformation(Named([file]), request, WritingFlags(in_place=choice.in_place))
