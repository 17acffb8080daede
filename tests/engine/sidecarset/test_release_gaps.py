"""What a SidecarSet asks for that a release does not know, and since when Kruise knows it."""

from itertools import pairwise

import pytest

from sidecarctl.engine.api.field_table import fields_of
from sidecarctl.engine.facts.findings import Severity
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Object, path_text
from sidecarctl.engine.releases.profiles import GAINED, LOST, PROFILES, release_named
from sidecarctl.engine.releases.release import MASTER
from sidecarctl.engine.sidecarset.release_gaps import gaps, unknown_gates
from tests.conformance.dropped_fields import dropped_fields


def sidecarset(version: str = "v1alpha1", *, annotations: Object | None = None, **spec: object) -> Object:
    return {
        "apiVersion": f"apps.kruise.io/{version}",
        "kind": "SidecarSet",
        "metadata": {"name": "mesh", "annotations": annotations or {}},
        "spec": spec,
    }


NATIVE = sidecarset(initContainers=[{"name": "proxy", "image": "proxy:1", "restartPolicy": "Always"}])
NAMESPACED = sidecarset(namespaceSelector={"matchLabels": {"team": "a"}})
GRPC = sidecarset(containers=[{"name": "a", "image": "a:1", "livenessProbe": {"grpc": {"port": 1}}}])
POLICY = sidecarset(containers=[{"name": "a", "image": "a:1", "resourcesPolicy": {"targetContainersMode": "sum"}}])
PINNED = sidecarset(injectionStrategy={"revision": {"revisionName": "mesh-1"}})
PARTIAL = sidecarset(injectionStrategy={"revision": {"revisionName": "mesh-1", "policy": "Partial"}})
CANARY = sidecarset(annotations={"apps.kruise.io/sidecarset-canary": "true"})


@pytest.mark.parametrize(
    ("manifest", "path", "release", "since"),
    [
        (NATIVE, "spec.initContainers[0].restartPolicy", "1.6", "1.7"),
        (NATIVE, "spec.initContainers[0].restartPolicy", "1.0", "1.7"),
        (NAMESPACED, "spec.namespaceSelector", "1.3", "1.4"),
        (GRPC, "spec.containers[0].livenessProbe.grpc", "1.4", "1.5"),
        (POLICY, "spec.containers[0].resourcesPolicy", "1.7.0", "1.9"),
        (PINNED, "spec.injectionStrategy.revision", "1.2", "1.3"),
        (PARTIAL, "spec.injectionStrategy.revision.policy", "1.7", "1.8"),
        (
            CANARY,
            "metadata.annotations[apps.kruise.io/sidecarset-canary]",
            "1.9",
            "with Kruise 1.9, as with every release",
        ),
        (sidecarset("v1beta1"), "apiVersion", "1.8", "1.9"),
    ],
)
def test_what_a_release_lacks_is_an_error_that_names_the_release_that_brought_it(
    manifest: Object, path: str, release: str, since: str
) -> None:
    [finding] = gaps(manifest, release_named(release))
    assert (finding.severity, finding.reason) == (Severity.ERROR, Reason.UNKNOWN_TO_RELEASE)
    assert path_text(finding.path) == path
    assert finding.message.startswith((f"Kruise {release} does not know", "a canary SidecarSet needs"))
    assert since in finding.message
    if since in PROFILES:
        assert gaps(manifest, release_named(since)) == []


@pytest.mark.parametrize("manifest", [NATIVE, NAMESPACED, GRPC, POLICY, PINNED, PARTIAL, CANARY])
def test_master_lacks_nothing(manifest: Object) -> None:
    assert gaps(manifest, MASTER) == []


def test_a_field_that_no_release_knows_is_not_reported_here() -> None:
    manifest = sidecarset(containers=[{"name": "a", "imagePullPolice": "Always"}])
    assert gaps(manifest, release_named("1.0")) == []
    assert [path_text(path) for path, _ in dropped_fields(manifest)] == ["spec.containers[0].imagePullPolice"]


def test_a_v1beta1_set_is_reported_once_and_its_fields_are_read_as_v1alpha1() -> None:
    manifest = sidecarset("v1beta1", customVersion="v1", namespace="shop", containers=[{"name": "a"}])
    release = release_named("1.8")
    assert [finding.hint for finding in gaps(manifest, release)] == ["sidecarctl convert --to v1alpha1"]
    assert [path_text(path) for path, _ in dropped_fields(manifest, release)] == ["spec.namespace"]


def test_an_old_release_would_not_start_with_a_gate_that_it_lacks() -> None:
    gates = {"EnableSortSidecarContainerByName", "SidecarSetPatchPodMetadataDefaultsAllowed"}
    assert len(unknown_gates(gates, release_named("1.8"))) == 1
    assert unknown_gates(gates, release_named("1.9")) == []
    assert unknown_gates(set(), release_named("1.0")) == []


@pytest.mark.parametrize(("type_name", "field"), sorted(pair for pairs in LOST.values() for pair in pairs))
def test_every_field_of_the_table_comes_with_one_release_and_stays(type_name: str, field: str) -> None:
    oldest_first = list(reversed(PROFILES.values()))
    known = [any(item.name == field for item in fields_of(type_name, release) or ()) for release in oldest_first]
    assert known[-1]
    assert not known[0]
    assert sum(before != after for before, after in pairwise(known)) == 1


@pytest.mark.parametrize(("release", "type_name"), [(name, kind) for name, kinds in GAINED.items() for kind in kinds])
def test_a_field_that_went_away_stands_last_in_the_releases_that_know_it(release: str, type_name: str) -> None:
    [(gained, _)] = GAINED[release][type_name]
    known = fields_of(type_name, release_named(release)) or ()
    assert known[-1].name == gained
    assert gained not in {field.name for field in fields_of(type_name) or ()}


def test_of_unknown_fields_inside_one_another_the_topmost_is_reported() -> None:
    manifest = sidecarset(namespaceSelector={"matchFields": {}})
    dropped = dropped_fields(manifest, release_named("1.0"))
    assert [path for path, _ in dropped if "namespaceSelector" in path] == [("spec", "namespaceSelector")]
