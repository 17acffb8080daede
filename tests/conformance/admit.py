"""Recorded cases of `admit`: the defaulted set, both hashes, dropped fields, and what is refused."""

from collections.abc import Iterator

from sidecarctl.engine.facts.findings import RuleSettings, Severity
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Object, Path, path_text
from sidecarctl.engine.releases.release import Release
from sidecarctl.engine.sidecarset.admission import admit
from sidecarctl.engine.sidecarset.conversion import as_known_to
from sidecarctl.engine.sidecarset.release_gaps import gaps
from sidecarctl.engine.sidecarset.revisions.controller_revisions import read_revision
from sidecarctl.engine.sidecarset.world import World
from sidecarctl.engine.validation.checking import check
from tests.conformance.admit_paths import covers, patterns_of
from tests.conformance.cases import Case
from tests.conformance.difference import first_difference
from tests.conformance.dropped_fields import dropped_fields
from tests.conformance.stripping import stripped
from tests.engine.inputs.worlds import located
from tests.engine.validation.examples import whitelist_of

OURS = {"hot-upgrade-image", "hot-pair-name", "hot-upgrade-host-port", "image-form", "probe-port-undeclared"}
"""Errors of our own, which Kruise does not know."""
CLEARED = {"metadata.namespace", "metadata.generation"}
"""What the API server clears or writes itself before it calls the webhook, which the recordings called directly."""


def run(case: Case) -> str | None:
    manifests = [manifest for manifest in case.objects if manifest.get("kind") == "SidecarSet"]
    got = [_admitted(manifest, case.release) for manifest in manifests]
    expected = [_recorded(recorded, case.release) for recorded in case.expect["sets"]]
    if case.kruise:  # the small cases of old releases were recorded without what is dropped
        got, expected = _without_unknown(got), _without_unknown(expected)
    difference = first_difference({"sets": expected}, {"sets": got})
    return difference or next(_misjudged(case), None)


def crashes(case: Case) -> bool:
    """Whether it is said that the webhook crashes at a set."""
    findings = (finding for checked in check(given_of(case)) for finding in checked.findings)
    return any(finding.reason is Reason.WEBHOOK_CRASHES for finding in findings)


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
    return [{name: member for name, member in item.items() if name != "unknownFields"} for item in sets]


def _recorded(recorded: Object, release: Release) -> Object:
    kept = {name: recorded[name] for name in ("name", "hash", "hashWithoutImage")}
    defaulted = {name: member for name, member in recorded["defaulted"].items() if name != "status"}
    unknown = sorted(recorded.get("unknownFields", []))
    return kept | {"defaulted": stripped(as_known_to(release, defaulted)), "unknownFields": unknown}


def given_of(case: Case) -> World:
    """The whole input of a case."""
    by_kind: dict[str, list[Object]] = {}
    for item in case.objects:
        by_kind.setdefault(item["kind"], []).append(item)
    old = case.params.get("old")
    older = [admit(old, case.release)] if old else []
    gates = case.params.get("gates") or {}
    return World(
        sidecarsets=[admit(item, case.release) for item in by_kind.get("SidecarSet", ())],
        sources={item["metadata"].get("name", ""): located(item) for item in by_kind.get("SidecarSet", ())},
        namespaces={
            item["metadata"]["name"]: item["metadata"].get("labels") or {} for item in by_kind.get("Namespace", ())
        },
        revisions=tuple(read_revision(item) for item in by_kind.get("ControllerRevision", ())),
        others=whitelist_of(by_kind.get("ConfigMap", ())),
        gates=frozenset(gates if isinstance(gates, list) else [gate for gate, on in gates.items() if on]),
        older={item.name: item for item in older},
        rules=RuleSettings(strict=True),
    )


def _misjudged(case: Case) -> Iterator[str]:
    """Each set that is refused here and not by Kruise, or the other way round, or at another field."""
    given = given_of(case)
    for recorded, checked in zip(case.expect["sets"], check(given), strict=True):
        errors = [
            finding for finding in checked.findings if finding.severity is Severity.ERROR and finding.rule not in OURS
        ]
        every = [*(recorded.get("errors") or ()), *(recorded.get("schemaErrors") or ())]
        told = [item for item in every if item["field"] not in CLEARED]
        if bool(told) != bool(errors):
            yield f"{recorded['name']}: Kruise told {[item['field'] for item in told]}, we {list(map(str, errors))}"
        paths: list[Path] = [error.path for error in errors]
        for field in [item["field"] for item in told]:
            if not any(covers(pattern, path) for pattern in patterns_of(field) for path in paths):
                yield f"{recorded['name']}: nothing is said at {field}, only at {list(map(path_text, paths))}"
        unknown = gaps(given.sources[checked.sidecarset.name].manifest, case.release)
        said = [finding.path for finding in (*checked.findings, *unknown)]
        for field in recorded.get("unknownFields", ()):
            if field not in map(path_text, said):
                yield f"{recorded['name']}: nothing is said of the unknown field {field}"
