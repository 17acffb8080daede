"""`sidecarctl diff`."""

from typing import TYPE_CHECKING

from sidecarctl.cli.exiting import conclude
from sidecarctl.cli.flags.diff import DiffFlags
from sidecarctl.cli.flags.groups import command as typer_command
from sidecarctl.cli.flags.kruise import ChoiceFlags
from sidecarctl.cli.flags.outputs import DocumentFlags
from sidecarctl.cli.flags.repository import changes_since
from sidecarctl.files.process import WithoutCollector
from sidecarctl.operations.comparing.versions import compare
from sidecarctl.operations.report import Report

if TYPE_CHECKING:
    from sidecarctl.operations.comparing.kruise_upgrade import UpgradeFacts
    from sidecarctl.operations.comparing.set_diff import DiffFacts
    from sidecarctl.operations.comparing.tree_diff import TreeDiffFacts


@typer_command
def command(diff: DiffFlags, choice: ChoiceFlags, reporting: DocumentFlags) -> None:
    """Show what a SidecarSet change means for pods: no effect, an in-place update, or recreation.

    OLD and NEW are files or folders with SidecarSets, or git:REV:PATH. PODS is a dump of pods with their status, or
    workloads, to count the affected pods. With --before and --after, the command compares the pods of each workload,
    injected by the SidecarSets of either tree. With --delete, PATHS are compared with what they are without a
    SidecarSet. Inputs of -s belong to both versions. With --kruise-from and --kruise-to: what an upgrade of Kruise
    means for SidecarSets and pods.
    Verdicts, most severe first: Rejected (by Kruise), SidecarLost, Recreate, InPlace, RolloutHalts, RolloutAdvances,
    SidecarGained, PaceChanges, NoEffect. The numbers of pods are those of `plan`. Exit code 1: Rejected, SidecarLost,
    Recreate, or what --fail-on names. Formats (-o): text, markdown, json, yaml, html.

    \b
    Examples:
      sidecarctl diff old.yaml new.yaml pods.json -o markdown=comment.md -o text
      sidecarctl diff --before git:origin/main -o markdown=comment.md
      sidecarctl diff --delete logs sidecarsets/ pods.json
      sidecarctl diff --kruise-from 1.6 --kruise-to 1.9 sidecarsets/ pods.json -o markdown=ticket.md
    """  # noqa: D301 - click takes this for lines that are not to be wrapped

    def run() -> "Report[DiffFacts] | Report[TreeDiffFacts] | Report[UpgradeFacts]":
        how, gates, fails = diff.reading(), choice.gates(), diff.fails()
        report: Report[DiffFacts] | Report[TreeDiffFacts] | Report[UpgradeFacts]
        with WithoutCollector():
            if upgrade := diff.upgrade():
                from sidecarctl.operations.comparing.upgrade_run import upgraded  # other diffs do not need it

                report = upgraded(upgrade.releases, upgrade.named, how, gates, choice.names, diff.named_fails())
            else:
                report = compare(diff.compared(), how, gates, choice.names, fails, strict=reporting.strict)
        report = report._replace(findings=[*changes_since(diff.before or ()), *report.findings])
        return report._replace(is_objection=report.is_objection or (diff.exit_code and report.facts.differs))

    is_upgrade = diff.kruise_from or diff.kruise_to
    kind = "kruise-upgrade" if is_upgrade else "tree-diff" if diff.before or diff.after else "diff"
    conclude(run, reporting, kind, link_base=diff.link_base)
