"""The revisions of SidecarSets as a table, and as a document: kind RevisionList (schemas/revision-list.json)."""

from collections.abc import Iterator

from sidecarctl.facts.document_head import document_head
from sidecarctl.facts.finding_json import findings_json
from sidecarctl.facts.values import Object
from sidecarctl.operations.report import Report
from sidecarctl.operations.revisions import RevisionFacts, RevisionState, SetRevisions, StoredRevision
from sidecarctl.reports.layout.documents import json_text, yaml_text
from sidecarctl.reports.layout.lines import shown
from sidecarctl.reports.layout.tables import table
from sidecarctl.reports.page import Page
from sidecarctl.sidecarset.annotations.pod_annotations import HASH, HASH_WITHOUT_IMAGE

_NAMED = 3
_HASH = 12


def revisions_text(report: Report[RevisionFacts], page: Page) -> str:
    """A table of revisions for each SidecarSet, oldest first."""
    return "\n".join("".join(f"{line}\n" for line in _lines(history, page)) for history in report.facts.sets)


def revisions_json(report: Report[RevisionFacts], page: Page) -> str:
    """The revisions as JSON."""
    del page
    return json_text(_document(report))


def revisions_yaml(report: Report[RevisionFacts], page: Page) -> str:
    """The revisions as YAML."""
    del page
    return yaml_text(_document(report))


def _lines(history: SetRevisions, page: Page) -> Iterator[str]:
    limit = history.sidecarset.spec["revisionHistoryLimit"]
    kept = f", revisionHistoryLimit {limit}" if history.is_given else ""
    count = len(history.rows)
    yield shown(f"{history.sidecarset.name}: {count} revision{'' if count == 1 else 's'}{kept}")
    rows = [_row(row, all_pods=page.all_pods) for row in history.rows]
    if rows:
        yield from table(("NUMBER", "NAME", "VERSION", "HASH", "PODS", "STATE"), rows, page.width, "  ")


def _row(row: StoredRevision, *, all_pods: bool) -> tuple[str, ...]:
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
        str(len(row.pods)),
        _state(row, all_pods=all_pods),
    )


def _state(row: StoredRevision, *, all_pods: bool) -> str:
    said = [_STATES[row.state]]
    if row.is_new:
        said.append("not stored yet")
    if row.is_pinned:
        said.append("pinned by injectionStrategy.revision")
    if row.pods:
        named = row.pods if all_pods else row.pods[:_NAMED]
        more = len(row.pods) - len(named)
        said.append(f"recorded by {', '.join(named)}" + (f" and {more} more" if more else ""))
    if row.goes_next:
        said.append("the next change truncates it")
    return "; ".join(said)


_STATES = {
    RevisionState.LATEST: "latest",
    RevisionState.KEPT: "kept",
    RevisionState.TRUNCATED: "truncated now",
    RevisionState.STORED: "stored",
}


def _document(report: Report[RevisionFacts]) -> Object:
    return {
        **document_head("RevisionList", behaviour=report.release.behaviour),
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
    }
