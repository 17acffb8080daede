"""The revisions of SidecarSets: a table, a document of kind RevisionList (schemas/revision-list.json), manifests."""

from collections.abc import Iterator, Mapping, Sequence

from sidecarctl.engine.documents.writing import block_text
from sidecarctl.engine.facts.findings import document_head, findings_json, named, reference_of
from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.report import Report
from sidecarctl.engine.sidecarset.pod_annotations import HASH, HASH_WITHOUT_IMAGE
from sidecarctl.features.revisions.revisions import RevisionFacts, RevisionState, SetRevisions, StoredRevision
from sidecarctl.render.documents import as_json
from sidecarctl.render.formats import Formats, data_formats
from sidecarctl.render.lines import count, joined, shown
from sidecarctl.render.output import Page
from sidecarctl.render.tables import table

_NAMED = 3
_HASH = 12


def revisions_text(report: Report[RevisionFacts], page: Page) -> str:
    """A table of revisions for each SidecarSet, oldest first."""
    return "\n".join(joined(_lines(history, page)) for history in report.facts.sets)


def _lines(history: SetRevisions, page: Page) -> Iterator[str]:
    limit = history.sidecarset.spec["revisionHistoryLimit"]
    kept = f", revisionHistoryLimit {limit}" if history.is_given else ""
    yield shown(f"{history.sidecarset.name}: {count(len(history.rows), 'revision')}{kept}")
    has_commits = any(row.commit for row in history.rows)
    rows = [_row(row, all_pods=page.all_pods, has_commit=has_commits) for row in history.rows]
    if rows:
        commit = ("COMMIT",) if has_commits else ()
        yield from table(("NUMBER", "NAME", "VERSION", "HASH", *commit, "PODS", "STATE"), rows, page.width, "  ")
    if history.others:
        what = "1 pod records" if len(history.others) == 1 else f"{len(history.others):,} pods record"
        yield shown(f"  {what} none of these: {named(history.others, None if page.all_pods else _NAMED)}")


def _row(row: StoredRevision, *, all_pods: bool, has_commit: bool) -> tuple[str, ...]:
    revision = row.revision
    recorded = revision.annotations.get(HASH, "")[:_HASH] or "-"
    number = str(revision.number)
    if row.stored_number and row.stored_number != revision.number:
        number = f"{row.stored_number} -> {revision.number}"
    return (
        number,
        revision.name,
        row.custom_version or "-",
        recorded,
        *((row.commit or "-",) if has_commit else ()),
        str(len(row.pods) + len(row.hashed)),
        _state(row, all_pods=all_pods),
    )


def _state(row: StoredRevision, *, all_pods: bool) -> str:
    said = [_STATES[row.state]]
    if row.is_new:
        said.append("not among the inputs" if row.pods else "not stored yet")  # pods record only what is stored
    if row.is_pinned:
        said.append("pinned by injectionStrategy.revision")
    if row.pods:
        said.append(f"recorded by {named(row.pods, None if all_pods else _NAMED)}")
    if row.hashed:
        said.append(f"its hash is recorded by {named(row.hashed, None if all_pods else _NAMED)}")
    if row.goes_next:
        said.append("the next change truncates it")
    return "; ".join(said)


_STATES = {
    RevisionState.LATEST: "latest",
    RevisionState.KEPT: "kept",
    RevisionState.TRUNCATED: "truncated now",
    RevisionState.STORED: "stored",
}


def revisions_data(report: Report[RevisionFacts]) -> Object:
    """All revisions of all SidecarSets."""
    return {
        **document_head("RevisionList", report.release.behavior),
        "sidecarSets": [_set(history) for history in report.facts.sets],
        "findings": findings_json(report.findings),
    }


def _set(history: SetRevisions) -> Object:
    return {
        "name": history.sidecarset.name,
        "given": history.is_given,
        "latestRevision": history.history.latest,
        "collisionCount": history.history.collision_count,
        "revisionHistoryLimit": history.sidecarset.spec["revisionHistoryLimit"] if history.is_given else None,
        "revisions": [_revision(row) for row in history.rows],
        "otherPods": list(history.others),
    }


def _revision(row: StoredRevision) -> Object:
    annotations = row.revision.annotations
    return {
        "name": row.revision.name,
        "number": row.revision.number,
        "storedNumber": row.stored_number or None,
        "customVersion": row.custom_version,
        "hash": annotations.get(HASH, ""),
        "hashWithoutImage": annotations.get(HASH_WITHOUT_IMAGE, ""),
        "state": str(row.state),
        "pinned": row.is_pinned,
        "truncatedByNextChange": row.goes_next,
        "pods": list(row.pods),
        "podsByHash": list(row.hashed),
        "commit": row.commit,
    }


def manifests_yaml(report: Report[Sequence[Object]], _page: Page) -> Iterator[str]:
    """A YAML document per object."""
    for index, manifest in enumerate(report.facts):
        yield ("---\n" if index else "") + block_text(manifest)


def manifests_list(report: Report[Sequence[Object]]) -> Object:
    """A single object on its own; several, or none, as a List."""
    if len(report.facts) == 1:
        return report.facts[0]
    return {"apiVersion": "v1", "kind": "List", "items": list(report.facts)}


def manifest_names(report: Report[Sequence[Object]], _page: Page) -> Iterator[str]:
    """A line per object, `controllerrevision.apps/NAME`."""
    for manifest in report.facts:
        reference = reference_of(manifest)
        group = reference.api_version.rpartition("/")[0]
        kind = f"{reference.kind.lower()}.{group}" if group else reference.kind.lower()
        yield shown(f"{kind}/{reference.name}") + "\n"


FORMATS: Mapping[str, Formats] = {
    "revision-list": data_formats(revisions_data, text=revisions_text),
    "manifests": {
        "text": manifests_yaml,
        "yaml": manifests_yaml,
        "json": as_json(manifests_list),
        "name": manifest_names,
    },
}
"""The formats of lists of revisions, and of manifests that `revisions` makes."""
