"""Recorded cases of `admit`: the defaulted set, both hashes, dropped fields, and what is refused."""

from sidecarctl.api.unknown_fields import unknown_fields
from sidecarctl.facts.paths import path_text
from sidecarctl.facts.values import Object
from sidecarctl.sidecarset.admission import admit
from sidecarctl.sidecarset.decoding import type_of
from tests.conformance.cases import Case
from tests.conformance.difference import first_difference
from tests.conformance.stripping import stripped


def run(case: Case) -> str | None:
    manifests = [manifest for manifest in case.objects if manifest.get("kind") == "SidecarSet"]
    got = {"sets": [_admitted(manifest) for manifest in manifests]}
    expected = {"sets": [_recorded(recorded) for recorded in case.expect["sets"]]}
    return first_difference(expected, got)


def _admitted(manifest: Object) -> Object:
    admitted = admit(manifest)
    return {
        "name": admitted.name,
        "hash": admitted.hash,
        "hashWithoutImage": admitted.hash_without_image,
        "defaulted": stripped(admitted.manifest),
        "unknownFields": sorted(path_text(path) for path, _ in unknown_fields(manifest, type_of(admitted.version))),
    }


def _recorded(recorded: Object) -> Object:
    kept = {name: recorded[name] for name in ("name", "hash", "hashWithoutImage")}
    defaulted = {name: member for name, member in recorded["defaulted"].items() if name != "status"}
    unknown = sorted(recorded.get("unknownFields", []))
    return kept | {"defaulted": stripped(defaulted), "unknownFields": unknown}
