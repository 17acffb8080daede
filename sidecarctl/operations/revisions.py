"""The revisions of SidecarSets: those that are stored, and what Kruise makes of them when it sees the SidecarSets.

Source: docs/behaviour/hash-and-revisions.md, "ControllerRevisions".
"""

from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from typing import NamedTuple

from sidecarctl.facts.errors import impossible, usage_error
from sidecarctl.facts.findings import Finding, Severity, note, warning
from sidecarctl.facts.reasons import Reason
from sidecarctl.facts.references import reference_of
from sidecarctl.facts.values import Object
from sidecarctl.inputs.located import Located
from sidecarctl.inputs.reading_pods import Inputs
from sidecarctl.inputs.world import World, refuse_unknown_sidecarsets
from sidecarctl.operations.report import Report
from sidecarctl.sidecarset.admission import admit
from sidecarctl.sidecarset.annotations.pod_annotations import HASH
from sidecarctl.sidecarset.conversion import CUSTOM_VERSION_LABEL
from sidecarctl.sidecarset.matching import Matcher
from sidecarctl.sidecarset.revisions.controller_revisions import SET_NAME_LABEL, STORED_FIELDS, Revision, new_revision
from sidecarctl.sidecarset.revisions.restored_manifest import restored_manifest
from sidecarctl.sidecarset.revisions.revision_history import (
    History,
    next_truncated,
    own_revisions,
    pinned_revisions,
    register,
)
from sidecarctl.sidecarset.revisions.revision_use import recording_pods
from sidecarctl.sidecarset.sets import GROUP, SidecarSet


class RevisionState(StrEnum):
    """What becomes of a revision when Kruise sees its SidecarSet."""

    LATEST = "Latest"
    KEPT = "Kept"
    TRUNCATED = "Truncated"
    STORED = "Stored"  # its SidecarSet was not given


class StoredRevision(NamedTuple):
    """A revision of a SidecarSet.

    - `is_new`: it is not stored yet; `stored_number`: its number before Kruise saw the SidecarSet, 0 for none.
    - `pods`: the names of the pods that record it, as `namespace/name`.
    - `is_pinned`: injectionStrategy.revision asks for it; `goes_next`: the next change of content truncates it.
    """

    revision: Revision
    state: RevisionState
    stored_number: int = 0
    pods: tuple[str, ...] = ()
    is_pinned: bool = False
    goes_next: bool = False

    @property
    def is_new(self) -> bool:
        """Whether it is not stored yet."""
        return not self.stored_number

    @property
    def custom_version(self) -> str:
        """The name that the SidecarSet gave this version; empty for none."""
        return self.revision.labels.get(CUSTOM_VERSION_LABEL, "")


class SetRevisions(NamedTuple):
    """A SidecarSet and its revisions by number; `history` is what is stored once Kruise has seen it.

    For a SidecarSet that was not given, `sidecarset` has nothing but its name.
    """

    sidecarset: SidecarSet
    is_given: bool
    rows: Sequence[StoredRevision]
    history: History


class RevisionFacts(NamedTuple):
    """The revisions of each SidecarSet, by name."""

    sets: Sequence[SetRevisions]


def revision_list(inputs: Inputs, older: Sequence[Located], only: Sequence[str]) -> Report[RevisionFacts]:
    """The revisions of the SidecarSets; UsageError for a name that none has.

    `older` are earlier manifests of SidecarSets, the oldest first: each is seen by Kruise before the present one.
    """
    names = _names(inputs.world, older)
    refuse_unknown_sidecarsets(only, names)
    sets = [set_revisions(inputs, older, name) for name in names if not only or name in only]
    return Report("revision-list", RevisionFacts(sets), list(_remarks(sets)))


def set_revisions(inputs: Inputs, older: Iterable[Located], name: str) -> SetRevisions:
    """The revisions of one SidecarSet."""
    world = inputs.world
    given = next((one for one in world.sidecarsets if one.name == name), None)
    sidecarset = given or _bare(name)
    earlier = [admit(one.manifest) for one in older if one.reference.name == name]
    before = tuple(world.revisions)
    pods = recording_pods(sidecarset, Matcher(sidecarset, world.namespaces), inputs.pods)
    for one in earlier:
        before = register(one, before, pods.keys()).revisions
    if given is None:
        rows = [StoredRevision(one, RevisionState.STORED, one.number) for one in own_revisions(sidecarset, before)]
        latest = rows[-1].revision.name if rows else ""
        return SetRevisions(sidecarset, False, rows, History(before, latest, 0))  # noqa: FBT003 - named by the type
    history = register(sidecarset, before, pods.keys())
    return SetRevisions(sidecarset, True, list(_rows(sidecarset, before, history, pods)), history)  # noqa: FBT003 - a field


def _rows(
    sidecarset: SidecarSet, before: Sequence[Revision], history: History, pods: dict[str, list[Object]]
) -> Iterator[StoredRevision]:
    numbers = {one.name: one.number for one in own_revisions(sidecarset, before)}
    after = {one.name: one for one in own_revisions(sidecarset, history.revisions)}
    pinned = pinned_revisions(sidecarset, history.revisions)
    going = next_truncated(sidecarset, history, pods.keys())
    every = [one for one in own_revisions(sidecarset, before) if one.name not in after] + [*after.values()]
    for one in sorted(every, key=lambda each: each.number):
        is_latest = one.name == history.latest
        kept = RevisionState.LATEST if is_latest else RevisionState.KEPT
        yield StoredRevision(
            revision=one,
            state=kept if one.name in after else RevisionState.TRUNCATED,
            stored_number=numbers.get(one.name, 0),
            pods=tuple(_pod_name(pod) for pod in pods.get(one.name, ())),
            is_pinned=one.name in pinned,
            goes_next=one.name in going,
        )


def made_revisions(report: Report[RevisionFacts], *, every: bool) -> Report[Sequence[Object]]:
    """The ControllerRevision that Kruise stores of each given SidecarSet; with `every` all that are stored then."""
    manifests: list[Object] = []
    findings = [one for one in report.findings if one.severity is not Severity.NOTE]
    for one in report.facts.sets:
        if not one.is_given:
            continue
        latest = one.history.latest
        stored = [revision for revision in one.history.revisions if every or revision.name == latest]
        manifests += map(_without_unknown_uid, stored)
        if not one.sidecarset.metadata.get("uid"):
            message = "the manifest has no uid, so the ControllerRevision has no ownerReferences"
            subject = reference_of(one.sidecarset.manifest)
            findings.append(note(Reason.MISSING_FIELD, message, ("metadata", "uid"))._replace(subject=subject))
    return Report("manifests", manifests, findings)


def restored_sidecarset(report: Report[RevisionFacts], asked: str) -> Report[Sequence[Object]]:
    """The SidecarSet as a revision has it; ImpossibleError where its data cannot be applied."""
    one = _only_set(report.facts)
    row = chosen_revision(one, asked)
    manifest = manifest_of(one, row)
    admitted = admit(manifest)
    findings = [] if one.is_given else [_selector_missing(one.sidecarset.name)]
    recorded = row.revision.annotations.get(HASH)
    if recorded and recorded != admitted.hash:
        message = f"the hash of what is restored is {admitted.hash}, but the revision records {recorded}"
        findings.append(warning(Reason.STALE_HASH, message, hint="another version of Kruise stored it"))
    elif new_revision(admitted, 1).data_text == row.revision.data_text:
        message = f"Kruise will reuse {row.revision.name}: the content is identical"
        findings.append(note(Reason.REVISION_RESTORED, message))
    return Report("manifests", [manifest], findings)


def manifest_of(one: SetRevisions, row: StoredRevision) -> Object:
    """The SidecarSet as a revision has it; ImpossibleError where its data cannot be applied."""
    manifest = restored_manifest(one.sidecarset, row.revision)
    if manifest is None:
        raise impossible(Reason.REVISION_NOT_FOUND, f"the data of {row.revision.name} cannot be applied", ("data",))
    if one.is_given:
        return manifest
    spec = {key: value for key, value in manifest["spec"].items() if key in {*STORED_FIELDS, "customVersion"}}
    return manifest | {"spec": spec}  # defaults of what nobody wrote would look like what the SidecarSet said


def compared_revisions(facts: RevisionFacts, old: str, new: str) -> tuple[Object, Object]:
    """The SidecarSet as two of its revisions have it; by default the two newest."""
    one = _only_set(facts)
    if not old and len(one.rows) < 2:
        raise usage_error(
            f"{one.sidecarset.name} has only one revision, so there is nothing to compare", "--revision-from OLD"
        )
    newer = chosen_revision(one, new) if new else one.rows[-1]
    older = chosen_revision(one, old) if old else one.rows[max(0, one.rows.index(newer) - 1)]
    return manifest_of(one, older), manifest_of(one, newer)


def chosen_revision(one: SetRevisions, asked: str) -> StoredRevision:
    """The revision of a name, a custom version (the newest of it) or a number; UsageError where there is none."""
    for found in (
        [row for row in one.rows if row.revision.name == asked],
        [row for row in one.rows if row.custom_version == asked],
        [row for row in one.rows if str(row.revision.number) == asked],
    ):
        if found:
            return found[-1]
    known = ", ".join(f"{row.revision.number}: {row.revision.name}" for row in one.rows)
    raise usage_error(f"{one.sidecarset.name} has no revision {asked}", hint=f"there are {known}" if known else "")


def _only_set(facts: RevisionFacts) -> SetRevisions:
    if len(facts.sets) != 1:
        names = ", ".join(one.sidecarset.name for one in facts.sets)
        raise usage_error("this works on one SidecarSet", hint=f"--only NAME of {names}" if names else "name one")
    return facts.sets[0]


def _names(world: World, older: Iterable[Located]) -> list[str]:
    labelled = {one.labels.get(SET_NAME_LABEL, "") for one in world.revisions}
    return sorted(
        {*(one.name for one in world.sidecarsets), *labelled, *(one.reference.name for one in older)} - {""}
    )


def _bare(name: str) -> SidecarSet:
    return admit({"apiVersion": f"{GROUP}/v1beta1", "kind": "SidecarSet", "metadata": {"name": name}, "spec": {}})


def _without_unknown_uid(revision: Revision) -> Object:
    owners = tuple(owner for owner in revision.owners if owner.get("uid"))
    return revision._replace(owners=owners).manifest


def _pod_name(pod: Object) -> str:
    metadata = pod["metadata"]
    return f"{metadata.get('namespace') or 'default'}/{metadata.get('name', '')}"


def _remarks(sets: Iterable[SetRevisions]) -> Iterator[Finding]:
    for one in sets:
        if not one.is_given:
            subject = reference_of(one.sidecarset.manifest)
            message = "the SidecarSet itself is not among the inputs, so it is unknown which revisions are in use"
            yield warning(Reason.NO_SIDECARSET, message, hint="add it to PATHS")._replace(subject=subject)


def _selector_missing(name: str) -> Finding:
    message = (
        f"a revision does not store the selector, namespaces and strategies of {name}: add them before you apply it"
    )
    return warning(Reason.MISSING_FIELD, message, ("spec", "selector"), hint="add the current SidecarSet to PATHS")
