"""The revisions of SidecarSets: the stored ones, and those after Kruise has seen the SidecarSets.

Source: docs/behavior/hash-and-revisions.md, "ControllerRevisions".
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from sidecarctl.engine.comparing.pod_effects import Pods
from sidecarctl.engine.comparing.set_diff import diff_report
from sidecarctl.engine.facts.errors import impossible, usage_error
from sidecarctl.engine.facts.findings import Finding, Severity, as_warning, note, reference_of, warning
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Object, natural
from sidecarctl.engine.files.inputs import Input
from sidecarctl.engine.inputs.objects import commit_of
from sidecarctl.engine.inputs.opening import Sources
from sidecarctl.engine.inputs.pods import PodInputs, older_sidecarsets, read_inputs, world_of_manifest
from sidecarctl.engine.inputs.reading import Reading, refuse_no_sidecarset
from sidecarctl.engine.releases.release import Release
from sidecarctl.engine.report import Report
from sidecarctl.engine.sidecarset.admission import admit
from sidecarctl.engine.sidecarset.conversion import CUSTOM_VERSION_LABEL
from sidecarctl.engine.sidecarset.pod_annotations import HASH
from sidecarctl.engine.sidecarset.revisions.controller_revisions import (
    SET_NAME_LABEL,
    STORED_FIELDS,
    Revision,
    new_revision,
    own_revisions,
)
from sidecarctl.engine.sidecarset.revisions.revision_history import (
    History,
    hashed_pods,
    next_truncated,
    pinned_revisions,
    recording_pods,
    register,
)
from sidecarctl.engine.sidecarset.revisions.revision_restoring import restored_manifest
from sidecarctl.engine.sidecarset.sets import GROUP, Matcher, SidecarSet
from sidecarctl.engine.sidecarset.unknown_namespaces import unknown_namespaces
from sidecarctl.engine.sidecarset.world import Located, World, refuse_unknown_sidecarsets
from sidecarctl.engine.validation.updates import update_refusals
from sidecarctl.engine.validation.warnings import gaps_among
from sidecarctl.features.inject.sidecarset_manifests import Restore

if TYPE_CHECKING:  # few runs compare revisions
    from sidecarctl.engine.comparing.set_diff import DiffFacts


class RevisionState(StrEnum):
    """What happens to a revision when Kruise sees its SidecarSet."""

    LATEST = "Latest"
    KEPT = "Kept"
    TRUNCATED = "Truncated"
    STORED = "Stored"  # its SidecarSet was not given


class StoredRevision(NamedTuple):
    """A revision of a SidecarSet.

    - `is_new`: not stored yet; `stored_number`: its number before Kruise saw the SidecarSet, 0 for none.
    - `pods`: the names of the pods that record it, as `namespace/name`; `hashed`: those that record only its hash.
    - `commit`: the last one in which a history from git gets this content; empty for none.
    - `is_pinned`: injectionStrategy.revision names it; `goes_next`: the next change of content truncates it.
    """

    revision: Revision
    state: RevisionState
    stored_number: int = 0
    pods: tuple[str, ...] = ()
    hashed: tuple[str, ...] = ()
    commit: str = ""
    is_pinned: bool = False
    goes_next: bool = False

    @property
    def is_new(self) -> bool:
        """Whether it is not stored yet."""
        return not self.stored_number

    @property
    def custom_version(self) -> str:
        """The custom version; empty for none."""
        return self.revision.labels.get(CUSTOM_VERSION_LABEL, "")


class SetRevisions(NamedTuple):
    """A SidecarSet and its revisions by number; `history` is stored once Kruise has seen it.

    If the SidecarSet is not among the inputs, `sidecarset` has only its name, and no `file`. `others` are the pods of
    the SidecarSet that record none of its revisions.
    """

    sidecarset: SidecarSet
    is_given: bool
    rows: Sequence[StoredRevision]
    history: History
    file: str = ""
    others: Sequence[str] = ()


class RevisionFacts(NamedTuple):
    """The revisions of each SidecarSet, by name."""

    sets: Sequence[SetRevisions]


def revisions(
    sources: Sources[Input], how: Reading, only: Sequence[str]
) -> tuple[Sequence[Finding], Report[RevisionFacts]]:
    """The revisions in files and a cluster, and the findings about those inputs.

    InputError if something cannot be read, or there is no SidecarSet; UsageError for an unknown name.
    """
    how = how.of_cluster(sources.live.release)
    older = older_sidecarsets(sources, how)
    read = read_inputs(sources._replace(older=()), how, keeps_templates=False).whole()
    report = _revision_list(read, older, only)
    refuse_no_sidecarset(report.facts.sets, sources, how)
    return [*sources.live.findings, *gaps_among(read.world, older, only)], report


def _revision_list(inputs: PodInputs, older: Sequence[Located], only: Sequence[str]) -> Report[RevisionFacts]:
    """The revisions of the SidecarSets; UsageError for an unknown name.

    `older` are earlier manifests of SidecarSets, oldest first: Kruise sees each before the current one.
    """
    names = _names(inputs.world, older)
    refuse_unknown_sidecarsets(only, names)
    sets = [_set_revisions(inputs, older, name) for name in names if not only or name in only]
    findings = [*inputs.world.remarks, *_remarks(sets)]
    for item in sets:
        pods = [*item.others, *(pod for row in item.rows for pod in (*row.pods, *row.hashed))]
        namespaces = {pod.partition("/")[0] for pod in pods}
        findings += unknown_namespaces([item.sidecarset], inputs.world, namespaces) if item.is_given else ()
    return Report("revision-list", RevisionFacts(sets), findings, release=inputs.world.release)


def _set_revisions(inputs: PodInputs, older: Iterable[Located], name: str) -> SetRevisions:
    """The revisions of one SidecarSet."""
    world = inputs.world
    given = world.by_name.get(name)
    sidecarset = given or _bare(name, world.release)
    matcher = Matcher(sidecarset, world.namespaces)
    pods = recording_pods(sidecarset, matcher, inputs.pods)
    before, commits = _registered([item for item in older if item.reference.name == name], world, pods.keys())
    if given is None:
        rows = [
            StoredRevision(revision, RevisionState.STORED, revision.number, commit=commits.get(revision.name, ""))
            for revision in own_revisions(sidecarset, before)
        ]
        latest = rows[-1].revision.name if rows else ""
        return SetRevisions(sidecarset, False, rows, History(before, latest, 0))  # noqa: FBT003 - named by the type
    history = register(sidecarset, before, pods.keys())
    file = world.sources[name].file
    commits.setdefault(history.latest, commit_of(file))
    rows = [
        row._replace(commit=commits.get(row.revision.name, "")) for row in _rows(sidecarset, before, history, pods)
    ]
    rows, others = _with_hashed(rows, pods, hashed_pods(sidecarset, matcher, inputs.pods))
    return SetRevisions(sidecarset, True, rows, history, file, others)  # noqa: FBT003 - a field


def _registered(
    older: Iterable[Located], world: World, recorded: Collection[str]
) -> tuple[tuple[Revision, ...], dict[str, str]]:
    """All revisions after Kruise saw the earlier manifests, and the commits that brought them, by their names."""
    revisions, commits, latest = tuple(world.revisions), dict[str, str](), ""
    for item in older:
        revisions, seen, _ = register(admit(item.manifest, world.release), revisions, recorded)
        if seen != latest:
            commits[seen] = commit_of(item.file)
        latest = seen
    return revisions, commits


def _with_hashed(
    rows: Iterable[StoredRevision], recording: Mapping[str, list[Object]], hashed: Mapping[str, list[Object]]
) -> tuple[list[StoredRevision], list[str]]:
    """The rows with the pods that record only a hash, each at the newest of its revisions; and all other pods."""
    by_hash, recording, filled = dict(hashed), dict(recording), []
    for row in reversed([*rows]):
        found = by_hash.pop(row.revision.annotations.get(HASH) or "-", ())
        recording.pop(row.revision.name, None)
        filled.append(row._replace(hashed=tuple(map(_pod_name, found))))
    others = [pod for pods in (*recording.values(), *by_hash.values()) for pod in pods]
    return filled[::-1], list(map(_pod_name, others))


def _rows(
    sidecarset: SidecarSet, before: Sequence[Revision], history: History, pods: dict[str, list[Object]]
) -> Iterator[StoredRevision]:
    numbers = {revision.name: revision.number for revision in own_revisions(sidecarset, before)}
    after = {revision.name: revision for revision in own_revisions(sidecarset, history.revisions)}
    pinned = pinned_revisions(sidecarset, history.revisions)
    going = next_truncated(sidecarset, history, pods.keys())
    every = [revision for revision in own_revisions(sidecarset, before) if revision.name not in after] + [
        *after.values()
    ]
    for item in sorted(every, key=lambda each: each.number):
        is_latest = item.name == history.latest
        kept = RevisionState.LATEST if is_latest else RevisionState.KEPT
        yield StoredRevision(
            revision=item,
            state=kept if item.name in after else RevisionState.TRUNCATED,
            stored_number=numbers.get(item.name, 0),
            pods=tuple(_pod_name(pod) for pod in pods.get(item.name, ())),
            is_pinned=item.name in pinned,
            goes_next=item.name in going,
        )


def made_revisions(report: Report[RevisionFacts], *, every: bool) -> Report[Sequence[Object]]:
    """The ControllerRevision that Kruise stores for each given SidecarSet; with `every`, all that it then has."""
    manifests: list[Object] = []
    findings = [finding for finding in report.findings if finding.severity is not Severity.NOTE]
    for item in report.facts.sets:
        if not item.is_given:
            continue
        latest = item.history.latest
        stored = [revision for revision in item.history.revisions if every or revision.name == latest]
        manifests += map(_without_unknown_uid, stored)
        if not item.sidecarset.metadata.get("uid"):
            message = "the manifest has no uid, so the ControllerRevision has no ownerReferences"
            subject = reference_of(item.sidecarset.manifest)
            findings.append(note(Reason.MISSING_FIELD, message, ("metadata", "uid"))._replace(subject=subject))
    return Report("manifests", manifests, findings)


def restored_sidecarset(report: Report[RevisionFacts], asked: str) -> Report[Sequence[Object]]:
    """The SidecarSet at a revision; ImpossibleError if its data cannot be applied."""
    item = _only_set(report.facts)
    row = _chosen_revision(item, asked)
    manifest = _manifest_of(item, row)
    admitted = admit(manifest, item.sidecarset.release)
    findings = [] if item.is_given else [_selector_missing(item.sidecarset.name)]
    refusals = list(update_refusals(item.sidecarset, admitted)) if item.is_given else []
    subject = reference_of(manifest)
    findings += [as_warning(each)._replace(subject=subject) for each in refusals]
    recorded = row.revision.annotations.get(HASH)
    if recorded and recorded != admitted.hash:
        message = f"the hash of the restored SidecarSet is {admitted.hash}, but the revision records {recorded}"
        findings.append(warning(Reason.STALE_HASH, message, hint="another version of Kruise stored it"))
    elif not refusals and new_revision(admitted, 1).data_text == row.revision.data_text:
        message = f"Kruise will reuse {row.revision.name}: the content is identical"
        findings.append(note(Reason.REVISION_RESTORED, message))
    return Report("manifests", [manifest], findings)


def _manifest_of(history: SetRevisions, row: StoredRevision) -> Object:
    """The SidecarSet at a revision, in its API version; ImpossibleError for unusable data."""
    manifest = restored_manifest(history.sidecarset, row.revision)
    if manifest is None:
        raise impossible(Reason.REVISION_NOT_FOUND, f"the data of {row.revision.name} cannot be applied", ("data",))
    if history.is_given:
        return manifest
    spec = {key: value for key, value in manifest["spec"].items() if key in {*STORED_FIELDS, "customVersion"}}
    return manifest | {"spec": spec}  # defaults that nobody wrote would look like part of the SidecarSet


def restoring(facts: RevisionFacts, asked: str) -> tuple[str, Restore]:
    """The file of the SidecarSet, and its transformation to a revision; UsageError if it is not among the inputs."""
    item = _only_set(facts)
    row = _chosen_revision(item, asked)
    if not item.is_given:
        name = item.sidecarset.name
        raise usage_error(f"-i edits the manifest of {name}, which is not in PATHS", hint="add its file to PATHS")
    return item.file, Restore(item.sidecarset, row.revision, _manifest_of(item, row)["spec"])


def _compared_revisions(facts: RevisionFacts, old: str, new: str) -> tuple[Object, Object]:
    """The SidecarSet at two of its revisions; by default the two newest."""
    item = _only_set(facts)
    if not item.rows:
        raise usage_error(f"{item.sidecarset.name} has no revision", "add its SidecarSet or its ControllerRevisions")
    if not old and len(item.rows) < 2:
        raise usage_error(
            f"{item.sidecarset.name} has only one revision, so there is nothing to compare", "--revision-from OLD"
        )
    newer = _chosen_revision(item, new) if new else item.rows[-1]
    older = _chosen_revision(item, old) if old else item.rows[max(0, item.rows.index(newer) - 1)]
    return _manifest_of(item, older), _manifest_of(item, newer)


def revision_difference(
    report: Report[RevisionFacts], old: str, new: str, how: Reading, gates: frozenset[str]
) -> "Report[DiffFacts]":
    """What changes between two revisions of a SidecarSet (`_compared_revisions`), and what that means for pods."""
    manifests = _compared_revisions(report.facts, old, new)
    before, after = map(world_of_manifest, manifests, ("--old", "--new"), (how, how))
    return diff_report(before, after, Pods(), gates)


def _chosen_revision(history: SetRevisions, asked: str) -> StoredRevision:
    """The revision with a name, a custom version (the newest) or a number; UsageError if there is none."""
    for found in (
        [row for row in history.rows if row.revision.name == asked],
        [row for row in history.rows if row.custom_version == asked],
        [row for row in history.rows if str(row.revision.number) == asked],
    ):
        if found:
            return found[-1]
    known = ", ".join(f"{row.revision.number}: {row.revision.name}" for row in history.rows)
    raise usage_error(
        f"{history.sidecarset.name} has no revision {asked}", hint=f"available: {known}" if known else ""
    )


def _only_set(facts: RevisionFacts) -> SetRevisions:
    if len(facts.sets) != 1:
        names = ", ".join(item.sidecarset.name for item in facts.sets)
        raise usage_error("this works on a single SidecarSet", hint=f"--only, one of {names}" if names else "add it")
    return facts.sets[0]


def _names(world: World, older: Iterable[Located]) -> list[str]:
    labeled = {revision.labels.get(SET_NAME_LABEL, "") for revision in world.revisions}
    return sorted(
        {*(sidecarset.name for sidecarset in world.sidecarsets), *labeled, *(item.reference.name for item in older)}
        - {""},
        key=natural,
    )


def _bare(name: str, release: Release) -> SidecarSet:
    manifest = {"apiVersion": f"{GROUP}/v1beta1", "kind": "SidecarSet", "metadata": {"name": name}, "spec": {}}
    return admit(manifest, release)


def _without_unknown_uid(revision: Revision) -> Object:
    owners = tuple(owner for owner in revision.owners if owner.get("uid"))
    return revision._replace(owners=owners).manifest


def _pod_name(pod: Object) -> str:
    metadata = pod["metadata"]
    return f"{metadata.get('namespace') or 'default'}/{metadata.get('name', '')}"


def _remarks(sets: Iterable[SetRevisions]) -> Iterator[Finding]:
    for item in sets:
        if not item.is_given:
            subject = reference_of(item.sidecarset.manifest)
            message = "the SidecarSet is not among the inputs, so it is unknown which revisions are in use"
            yield warning(Reason.NO_SIDECARSET, message, hint="add it to PATHS")._replace(subject=subject)


def _selector_missing(name: str) -> Finding:
    message = (
        f"a revision does not store the selector, namespaces and strategies of {name}: add them before you apply it"
    )
    return warning(Reason.MISSING_FIELD, message, ("spec", "selector"), hint="add the current SidecarSet to PATHS")
