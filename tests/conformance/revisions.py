"""Recorded cases of `revisions`: what is stored when a set is seen, and after each of its updates."""

from collections.abc import Sequence

from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.sidecarset.admission import admit
from sidecarctl.engine.sidecarset.revisions.controller_revisions import Revision, read_revision
from sidecarctl.engine.sidecarset.revisions.revision_history import recorded_revisions, register
from sidecarctl.engine.sidecarset.sets import Matcher
from tests.conformance.cases import Case
from tests.conformance.difference import first_difference
from tests.conformance.stripping import stripped


def run(case: Case) -> str | None:
    stored: Sequence[Revision] = [read_revision(manifest) for manifest in _of_kind(case, "ControllerRevision")]
    seen: set[str] = set()
    steps = []
    for manifest in [*_of_kind(case, "SidecarSet")[:1], *case.params.get("updates", [])]:
        sidecarset = admit(manifest, case.release)
        recorded = recorded_revisions(sidecarset, Matcher(sidecarset, _namespaces(case)), _of_kind(case, "Pod"))
        stored, latest, collisions = register(sidecarset, stored, recorded)
        in_order = sorted(stored, key=lambda revision: revision.number)
        shown = [_shown(revision.manifest, seen) for revision in in_order]
        steps.append({"latest": latest, "collisionCount": collisions, "revisions": shown})
    return first_difference(_recorded(case.expect["steps"]), steps)


def _of_kind(case: Case, kind: str) -> list[Object]:
    return [manifest for manifest in case.objects if manifest["kind"] == kind]


def _namespaces(case: Case) -> dict[str, dict[str, str]]:
    metadata = [manifest["metadata"] for manifest in _of_kind(case, "Namespace")]
    return {item["name"]: item.get("labels") or {} for item in metadata}


def _shown(manifest: Object, seen: set[str]) -> Object:
    """A revision as the cases hold it: data and annotations only where its name appears first."""
    shown = _compared(manifest)
    if shown["name"] in seen:
        shown = {key: member for key, member in shown.items() if key not in {"data", "annotations"}}
    seen.add(shown["name"])
    return shown


def _compared(manifest: Object) -> Object:
    metadata = manifest["metadata"]
    members = {key: metadata.get(key) for key in ("name", "namespace", "labels", "annotations")}
    members |= {"data": stripped(manifest.get("data")), "revision": manifest["revision"]}
    return {key: member for key, member in members.items() if member is not None}


def _recorded(steps: list[Object]) -> list[Object]:
    seen: set[str] = set()
    return [step | {"revisions": [_shown(revision, seen) for revision in step["revisions"]]} for step in steps]
