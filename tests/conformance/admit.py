"""Recorded cases of `admit`: the defaulted set, both hashes, dropped fields, and what is refused."""

from sidecarctl.facts.paths import path_text
from sidecarctl.facts.values import Object
from sidecarctl.releases.release import Release
from sidecarctl.sidecarset.admission import admit
from sidecarctl.sidecarset.conversion import as_known_to
from sidecarctl.sidecarset.release_gaps import dropped_fields
from tests.conformance.cases import Case
from tests.conformance.difference import first_difference
from tests.conformance.stripping import stripped


def run(case: Case) -> str | None:
    manifests = [manifest for manifest in case.objects if manifest.get("kind") == "SidecarSet"]
    got = [_admitted(manifest, case.release) for manifest in manifests]
    expected = [_recorded(recorded, case.release) for recorded in case.expect["sets"]]
    if case.kruise:  # the small cases of old releases were recorded without what is dropped
        got, expected = _without_unknown(got), _without_unknown(expected)
    return first_difference({"sets": expected}, {"sets": got})


def _admitted(manifest: Object, release: Release) -> Object:
    admitted = admit(manifest, release)
    dropped = dropped_fields(manifest, release)
    return {
        "name": admitted.name,
        "hash": admitted.hash,
        "hashWithoutImage": admitted.hash_without_image,
        "defaulted": stripped(admitted.manifest),
        "unknownFields": sorted(path_text(path) for path, _ in dropped),
    }


def _without_unknown(sets: list[Object]) -> list[Object]:
    return [{name: member for name, member in one.items() if name != "unknownFields"} for one in sets]


def _recorded(recorded: Object, release: Release) -> Object:
    kept = {name: recorded[name] for name in ("name", "hash", "hashWithoutImage")}
    defaulted = {name: member for name, member in recorded["defaulted"].items() if name != "status"}
    unknown = sorted(recorded.get("unknownFields", []))
    return kept | {"defaulted": stripped(as_known_to(release, defaulted)), "unknownFields": unknown}
