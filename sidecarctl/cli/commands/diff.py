"""`sidecarctl diff`."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sidecarctl.cli.collector import without_collector
from sidecarctl.cli.exiting import conclude
from sidecarctl.cli.flags.diff import Compared, DiffFlags
from sidecarctl.cli.flags.groups import command as typer_command
from sidecarctl.cli.flags.injection import ChoiceFlags
from sidecarctl.cli.flags.reporting import DocumentFlags
from sidecarctl.facts.errors import InputError, input_error
from sidecarctl.facts.findings import Finding, warning
from sidecarctl.facts.reasons import Reason
from sidecarctl.inputs.emptiness import listed
from sidecarctl.inputs.opening import opened
from sidecarctl.inputs.reading import Reading
from sidecarctl.inputs.reading_pods import Inputs, is_pod_to_be, read_inputs, unreadable_pods
from sidecarctl.inputs.world import World, refuse_unknown_sidecarsets
from sidecarctl.operations.checking.sidecarset_checks import checked
from sidecarctl.operations.diff import DiffFacts, Pods, diff_report
from sidecarctl.operations.report import Report
from sidecarctl.operations.tree_diff import Tree, TreeDiffFacts, tree_diff_report

if TYPE_CHECKING:
    from sidecarctl.operations.kruise_upgrade import UpgradeFacts


@typer_command
def command(diff: DiffFlags, choice: ChoiceFlags, reporting: DocumentFlags) -> None:
    """Show what a SidecarSet change means for pods: no effect, an in-place update, or recreation.

    OLD and NEW are files or folders with SidecarSets, or git:REV:PATH. PODS is a dump of pods with their status, or
    workloads, to count the affected pods. With --before and --after, the command compares the pods of each workload,
    injected by the SidecarSets of either tree. Inputs of -s belong to both versions. With --kruise-from and
    --kruise-to: what an upgrade of Kruise means for SidecarSets and pods.
    Exit code 1: pods must be recreated, or Kruise rejects the update (a container is added or renamed, an upgradeType
    or the base of a canary changes). Formats (-o): text, markdown, json, yaml, html.

    \b
    Examples:
      sidecarctl diff old.yaml new.yaml pods.json -o markdown=comment.md -o text
      sidecarctl diff --before git:origin/main --after . -o markdown=comment.md
      sidecarctl diff --kruise-from 1.6 --kruise-to 1.9 sidecarsets/ pods.json -o markdown=ticket.md
    """  # noqa: D301 - click takes this for lines that are not to be wrapped

    def run() -> "Report[DiffFacts] | Report[TreeDiffFacts] | Report[UpgradeFacts]":
        if upgrade := diff.upgrade():
            from sidecarctl.cli.upgrading import upgraded  # the simulation, which other diffs do not need

            report = upgraded(upgrade, diff.reading(), choice.gates(), choice.names)
            return report._replace(is_objection=report.is_objection or (diff.exit_code and report.facts.differs))
        return compare()

    def compare() -> Report[DiffFacts] | Report[TreeDiffFacts]:
        compared, how, gates = diff.compared(), diff.reading(), choice.gates()
        old, new, beside = _read(compared, how)
        _refuse_emptiness(old, new, choice.names)
        whole = _with_namespaces(new.world, beside.world)
        warnings = checked(whole, gates, strict=reporting.strict, only=choice.names or None)
        report: Report[DiffFacts] | Report[TreeDiffFacts]
        if compared.trees:
            report = tree_diff_report(*(_tree(tree, how, choice.names, gates) for tree in (old, new)))
        else:
            report = _sets(compared, (old, new, beside), how, gates, choice.names)
        return report._replace(
            findings=[*warnings, *report.findings],
            is_objection=report.is_objection or (diff.exit_code and report.facts.differs),
        )

    is_upgrade = diff.kruise_from or diff.kruise_to
    kind = "kruise-upgrade" if is_upgrade else "tree-diff" if diff.before or diff.after else "diff"
    conclude(run, reporting, kind)


def _read(compared: Compared, how: Reading) -> Sequence[Inputs]:
    """Both versions and the common inputs; InputError with everything that cannot be read."""
    with opened(compared.old, compared.new, compared.pods, lenient=True) as sources, without_collector():
        found = [read_inputs(version, how) for version in sources]
    new, beside = found[1:]
    failures = [finding for read in found for finding in read.failures]
    failures += unreadable_pods(new.world.sidecarsets, _with_namespaces(new.world, beside.world), beside.unreadable)
    if failures:
        remarks = [remark for read in found for remark in read.world.remarks]
        raise InputError(*dict.fromkeys([*failures, *remarks]))
    return found


def _sets(
    compared: Compared, read: Sequence[Inputs], how: Reading, gates: frozenset[str], only: Sequence[str]
) -> Report[DiffFacts]:
    old, new, beside = read
    before, after = (_with_namespaces(read.world, beside.world) for read in (old, new))
    report = diff_report(before, after, _pods(new, beside, how), gates, only)
    return report._replace(
        findings=[*_forgotten(compared, new), *_nothing_beside(compared, beside), *report.findings]
    )


def _refuse_emptiness(old: Inputs, new: Inputs, only: Sequence[str]) -> None:
    names = {*old.world.sources, *new.world.sources}
    if not names:
        raise input_error(Reason.NO_SIDECARSET, "no SidecarSet found in either version")
    refuse_unknown_sidecarsets(only, names)


def _tree(read: Inputs, how: Reading, only: Sequence[str], gates: frozenset[str]) -> Tree:
    chosen = tuple(sidecarset for sidecarset in read.world.sidecarsets if not only or sidecarset.name in only)
    return Tree(read.world._replace(sidecarsets=chosen), read.workloads, how.namespace, how.workloads, gates)


def _forgotten(compared: Compared, new: Inputs) -> list[Finding]:
    """A warning if the new version has no SidecarSet, which may mean a forgotten path."""
    if new.world.sources:
        return []
    old_names, new_names = (listed(named.paths) for named in (compared.old, compared.new))
    message = f"no SidecarSet found in {new_names}, so all SidecarSets in {old_names} count as removed"
    hint = "is NEW missing? sidecarctl diff OLD NEW [PODS...]"
    return [warning(Reason.NO_SIDECARSET, message, hint=hint)]


def _nothing_beside(compared: Compared, beside: Inputs) -> list[Finding]:
    """A warning if pods were given but none were found."""
    if not compared.pods.paths or beside.pods or beside.workloads or beside.unreadable:
        return []
    message = f"no pods or workloads found in {listed(compared.pods.paths)}"
    return [warning(Reason.NO_MANIFEST, message, hint="-R descends into subfolders")]


def _with_namespaces(world: World, beside: World) -> World:
    return world._replace(namespaces={**beside.namespaces, **world.namespaces})


def _pods(new: Inputs, beside: Inputs, how: Reading) -> Pods:
    """The pods and workloads of NEW and of the common inputs."""
    running = [pod for pod in (*new.pods, *beside.pods) if not is_pod_to_be(pod)]
    return Pods(running, [*new.workloads, *beside.workloads], how.namespace, how.workloads)
