"""Two versions of manifests, or of Kruise over the same manifests: read, checked and compared."""

from collections.abc import Collection, Sequence
from typing import NamedTuple, TypeAlias

from sidecarctl.engine.comparing.cost_changes import pods_alike, same_costs
from sidecarctl.engine.comparing.kruise_upgrade import Releases, UpgradeFacts, upgrade_of_manifests
from sidecarctl.engine.comparing.pod_effects import Pods, PodsAlike
from sidecarctl.engine.comparing.set_diff import DiffFacts, diff_report
from sidecarctl.engine.comparing.verdicts import FAILS
from sidecarctl.engine.facts.errors import InputError, input_error
from sidecarctl.engine.facts.exit_codes import UNREADABLE
from sidecarctl.engine.facts.findings import Finding, Severity, has_name, warning
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.files.inputs import Input
from sidecarctl.engine.inputs.broken_files import broken_by_change, emptied_files, not_said
from sidecarctl.engine.inputs.builds import not_compared
from sidecarctl.engine.inputs.folders import without_sources
from sidecarctl.engine.inputs.opening import Named, Sources, opened
from sidecarctl.engine.inputs.pods import PodInputs, is_pod_to_be, read_inputs, unreadable_pods, whole_pods
from sidecarctl.engine.inputs.reading import Reading, listed, of_base
from sidecarctl.engine.report import Report
from sidecarctl.engine.rollout.pod_budgets import budget_notes, protection_of
from sidecarctl.engine.sidecarset.set_images import SetImage, with_images
from sidecarctl.engine.sidecarset.world import World, refuse_unknown_sidecarsets
from sidecarctl.engine.validation.baselines import new_in_change
from sidecarctl.engine.validation.warnings import checked, refuse_warnings, unsaid
from sidecarctl.features.diff.tree_diff import Tree, TreeDiffFacts, tree_diff_report


class Compared(NamedTuple):
    """What to compare: two versions of SidecarSets, or two whole trees; `pods` that run beside either.

    `deleted`: the SidecarSets that the newer version no longer has, though its files have them; `images`: those that
    its SidecarSets have in place of what its files say.
    """

    old: Named
    new: Named
    pods: Named
    trees: bool
    deleted: Sequence[str] = ()
    images: Sequence[SetImage] = ()

    @property
    def words(self) -> str:
        """`from git:main to .`, `if logs is deleted`, or `if proxy is proxy:1.3`."""
        if self.deleted or self.images:
            deleted = (
                f"{listed(self.deleted)} {'is' if len(self.deleted) == 1 else 'are'} deleted" if self.deleted else ""
            )
            images = listed([f"{item.container} is {item.image}" for item in self.images])
            return f"if {' and '.join(filter(None, (deleted, images)))}"
        return f"from {listed(self.old.paths)} to {listed(self.new.paths)}"


def compare(
    compared: Compared,
    how: Reading,
    gates: frozenset[str],
    only: Sequence[str],
    fails: Collection[str],
    *,
    strict: bool,
) -> Report[DiffFacts] | Report[TreeDiffFacts]:
    """The differences; an objection if a verdict is among `fails`. InputError if something cannot be read."""
    read = _read(compared, how, gates)
    old, new, beside = read[:3]
    _refuse_emptiness(old, new, only)
    if compared.trees and (nothing := _nothing_beside(compared, beside)):
        hint = "beside --before these are dumps of running pods; --after names the tree after the change"
        raise InputError(*(item._replace(severity=Severity.ERROR, hint=hint) for item in nothing))
    warnings = checked(_with_namespaces(new.world, beside.world), gates, only=only or None)
    report: Report[DiffFacts] | Report[TreeDiffFacts]
    if compared.trees:
        sides = [_tree(tree, beside, how, only, gates) for tree in (old, new)]
        trees = tree_diff_report(sides[0], sides[1], _pods(read[:4], how, gates, trees=True), fails, jobs=how.jobs)
        sets = trees.facts.sets._replace(compared=compared.words)
        report = trees._replace(facts=trees.facts._replace(sets=sets))
    else:
        diff = compared_inputs(read[:4], how, gates, only, fails)
        about = [*_forgotten(compared, new), *_nothing_beside(compared, beside)]
        facts = diff.facts._replace(compared=compared.words)
        report = diff._replace(facts=facts, findings=[*about, *diff.findings])
    lacking = [remark for remark in old.world.remarks if remark.reason is Reason.NO_MANIFEST or _is_sparse(remark)]
    others = [*unsaid(warnings, report.findings), *budget_notes(gates, new, beside)]
    failure = UNREADABLE if read.failures else report.failure
    before = [*checked(old.world, gates, only=only or None), *budget_notes(gates, old)] if compared.trees else ()
    fresh, of_base = new_in_change(others, before)
    if strict:
        refuse_warnings(fresh)
    return report._replace(
        findings=[*read.failures, *read.notes, *lacking, *fresh, *report.findings],
        failure=failure,
        suppressed=[*of_base, *report.suppressed],
    )


class _Read(NamedTuple):
    """Both versions and the common inputs; `recreated`: as `Pods` has them, where they may cost other than now.

    `failures`: what the change breaks, or what is not there; `notes`: what was wrong before it, or is not compared.
    """

    old: PodInputs
    new: PodInputs
    beside: PodInputs
    recreated: Sequence[PodsAlike] = ()
    failures: Sequence[Finding] = ()
    notes: Sequence[Finding] = ()


def _read(compared: Compared, how: Reading, gates: frozenset[str]) -> _Read:
    """What is compared.

    InputError with everything that cannot be read, UsageError for a SidecarSet or container that does not exist.
    """
    with opened(compared.old, compared.new, compared.pods, lenient=True) as found_files:
        sources = found_files
        if compared.trees:  # whose files are reported one by one
            sources = [each._replace(left_out=without_sources(each.left_out)) for each in found_files]
        old, new, beside = [read_inputs(version, how) for version in sources]
        found = _Read(old, new, beside)
        failures = [*new.failures, *beside.failures]
        failures += unreadable_pods(
            new.world.sidecarsets, _with_namespaces(new.world, beside.world), beside.unreadable
        )
        if compared.trees:
            found = _going_on(found, failures, sources)
        elif failures := [*old.failures, *failures]:
            remarks = [remark for read in found[:3] for remark in read.world.remarks]
            raise InputError(*dict.fromkeys([*failures, *remarks]))
        if compared.deleted:
            refuse_unknown_sidecarsets(compared.deleted, new.world.sources, "--delete")
            new.world = _without(new.world, compared.deleted)
        new.world = with_images(new.world, compared.images)
        given = {_name(pod) for pod in beside.pods if has_name(pod)}
        new.pods = [pod for pod in new.pods if _name(pod) not in given]  # a dump may be below NEW, too
        counted = [beside] if compared.trees else [new, beside]
        if all(is_pod_to_be(pod) for version in counted for pod in version.pods):
            return found
        return found._replace(recreated=_recreated(found, sources[-len(counted) :], how, gates))


def _name(pod: Object) -> tuple[str, str]:
    return pod["metadata"]["namespace"], pod["metadata"]["name"]


def _going_on(read: _Read, failures: Sequence[Finding], sources: Sequence[Sources[Input]]) -> _Read:
    """Both trees without what cannot be read in them; only what the change breaks fails."""
    old, new = sources[0].every, sources[1].every
    not_there, wrong_before = of_base([item for item in read.old.failures if item not in failures], sources[0])
    broken, kept = broken_by_change(failures, read.old.failures, old, new)
    unread = {item.place.file for item in failures if item.place}
    emptied = emptied_files(old, new, read.old.holding, read.new.holding | unread)
    renders = sources[1].named.render is not None
    missed = not_compared(sources[0].found, sources[1].found, read.new.holding, renders=renders)
    return read._replace(
        failures=[*not_there, *broken, *emptied], notes=[*missed, *kept, *not_said(wrong_before, kept)]
    )


def _recreated(
    read: _Read, sources: Sequence[Sources[Input]], how: Reading, gates: frozenset[str]
) -> Sequence[PodsAlike]:
    """The running pods without sidecars, read again in full; none if they cost the same in both versions."""
    before, after = (_with_namespaces(version.world, read.beside.world) for version in (read.old, read.new))
    if same_costs(before, after):
        return ()
    whole = (pod for source in sources for pod in whole_pods(source, how))
    return pods_alike(whole, before, gates)


_Counted: TypeAlias = tuple[PodInputs, PodInputs, PodInputs, Sequence[PodsAlike]]


def compared_inputs(
    read: _Counted,
    how: Reading,
    gates: frozenset[str],
    only: Sequence[str] = (),
    fails: Collection[str] = FAILS,
    *,
    always: bool = False,
) -> Report[DiffFacts]:
    """The differences of two versions, over the pods of the newer one and of common inputs.

    `read` has all three and the `recreated` pods; these and `always` are those of `Pods`.
    """
    before, after = (_with_namespaces(version.world, read[2].world) for version in read[:2])
    return diff_report(before, after, _pods(read, how, gates, always=always), gates, only, fails)


def _pods(read: _Counted, how: Reading, gates: frozenset[str], *, always: bool = False, trees: bool = False) -> Pods:
    """The pods that are counted; of two `trees`, whose dumps are versions too, only those beside them run."""
    old, new, beside, recreated = read
    running = [pod for pod in (*(() if trees else new.pods), *beside.pods) if not is_pod_to_be(pod)]
    further = [] if trees else beside.workloads
    workloads, earlier = ([*version.workloads, *further] for version in (new, old))
    protection = protection_of(gates, how.release, new, beside)
    return Pods(running, workloads, how.namespace, how.workloads, earlier, protection, always, recreated, trees)


def _is_sparse(remark: Finding) -> bool:
    return remark.reason is Reason.LEFT_OUT and "sparse checkout" in remark.message


def _refuse_emptiness(old: PodInputs, new: PodInputs, only: Sequence[str]) -> None:
    names = {*old.world.sources, *new.world.sources}
    if not names:
        raise input_error(Reason.NO_SIDECARSET, "no SidecarSet found in either version")
    refuse_unknown_sidecarsets(only, names)


def _tree(side: PodInputs, beside: PodInputs, how: Reading, only: Sequence[str], gates: frozenset[str]) -> Tree:
    chosen = tuple(sidecarset for sidecarset in side.world.sidecarsets if not only or sidecarset.name in only)
    world = _with_namespaces(side.world, beside.world)._replace(sidecarsets=chosen)
    return Tree(world, side.workloads, how.namespace, how.workloads, gates)


def _forgotten(compared: Compared, new: PodInputs) -> list[Finding]:
    """A warning if the new version has no SidecarSet, which may mean a forgotten path."""
    if new.world.sources or compared.deleted:
        return []
    old_names, new_names = (listed(named.paths) for named in (compared.old, compared.new))
    message = f"no SidecarSet found in {new_names}, so all SidecarSets in {old_names} count as removed"
    hint = "is NEW missing? sidecarctl diff OLD NEW [PODS...]"
    return [warning(Reason.NO_SIDECARSET, message, hint=hint)]


def _nothing_beside(compared: Compared, beside: PodInputs) -> list[Finding]:
    """A warning if pods were given but none were found."""
    if not compared.pods.paths or beside.pods or beside.workloads or beside.unreadable:
        return []
    message = f"no pods or workloads found in {listed(compared.pods.paths)}"
    return [warning(Reason.NO_MANIFEST, message, hint="name the folder or file that holds them")]


def _without(world: World, names: Collection[str]) -> World:
    kept = tuple(sidecarset for sidecarset in world.sidecarsets if sidecarset.name not in names)
    return world._replace(
        sidecarsets=kept, sources={name: found for name, found in world.sources.items() if name not in names}
    )


def _with_namespaces(world: World, beside: World) -> World:
    return world._replace(
        namespaces={**beside.namespaces, **world.namespaces},
        others={**beside.others, **world.others},
        remarks=tuple(dict.fromkeys((*world.remarks, *beside.remarks))),
    )


def upgraded(
    releases: Releases,
    named: Named,
    how: Reading,
    gates: frozenset[str],
    only: Sequence[str],
    fails: Collection[str] | None = None,
) -> Report[UpgradeFacts]:
    """The effects of the upgrade; an objection if something breaks, or, if `fails` are given, a verdict among these.

    InputError if something cannot be read, or there is no SidecarSet.
    """
    with opened(named, lenient=True) as (sources,):
        report = upgrade_of_manifests(sources, releases, named, how, gates, only)
    if fails is None:
        return report
    return report._replace(is_objection=any(item.verdict in fails for item in report.facts.sets))
