"""Sets as admitted: defaults, hashes, and the hashes that a manifest records."""

from copy import deepcopy
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecarctl.engine.api.field_table import unknown_fields
from sidecarctl.engine.facts.errors import InputError
from sidecarctl.engine.facts.values import Object, Value
from sidecarctl.engine.releases.profiles import release_named
from sidecarctl.engine.releases.release import MASTER
from sidecarctl.engine.sidecarset.admission import admit, stale_hashes, with_recorded_hashes
from sidecarctl.engine.sidecarset.other_version import converted
from sidecarctl.engine.sidecarset.revisions.controller_revisions import new_revision
from tests.conformance.cases import FOLDER, cases_in
from tests.engine.sidecarset.manifests import sidecarset

RECORDED = [
    manifest
    for case in islice(cases_in(FOLDER / "admit" / "generated.jsonl.gz"), 40)
    for manifest in case.objects
    if manifest["kind"] == "SidecarSet"
]


def findings(manifest: Value) -> list[str]:
    with pytest.raises(InputError) as raised:
        admit(manifest)
    return [str(finding) for finding in raised.value.findings]


def test_defaults_stand_in_the_order_of_the_api() -> None:
    [container] = admit(sidecarset()).spec["containers"]
    assert list(container)[:3] == ["name", "image", "terminationMessagePath"]


def test_status_is_read() -> None:
    status = {"latestRevision": "mesh-5x", "collisionCount": 2}
    admitted = admit(sidecarset() | {"status": status})
    assert (admitted.latest_revision, admitted.collision_count) == ("mesh-5x", 2)
    assert (admit(sidecarset()).latest_revision, admit(sidecarset()).collision_count) == ("", 0)


def test_recorded_hashes_are_overwritten() -> None:
    annotations = {"kruise.io/sidecarset-hash": "stale", "team": "obs"}
    admitted = admit(sidecarset(metadata={"annotations": annotations}))
    assert admitted.metadata["annotations"] == {
        "kruise.io/sidecarset-hash": admitted.hash,
        "team": "obs",
        "kruise.io/sidecarset-hash-without-image": admitted.hash_without_image,
    }


def test_admitting_again_changes_nothing() -> None:
    for manifest in RECORDED:
        once = admit(manifest, MASTER)
        assert admit(once.manifest, MASTER).spec == once.spec


def test_manifest_is_left_as_it_was() -> None:
    before = deepcopy(RECORDED)
    for manifest in RECORDED:
        admit(manifest)
    assert before == RECORDED


def test_an_empty_regex_is_no_gap_but_an_absent_or_null_one_is() -> None:
    def regex(**policy: Value) -> Value:
        container = {"name": "proxy", "resourcesPolicy": {"targetContainersMode": "sum"} | policy}
        return (
            admit(sidecarset(containers=[container]))
            .spec["containers"][0]["resourcesPolicy"]
            .get("targetContainersNameRegex")
        )

    assert regex() == ".*"
    assert regex(targetContainersNameRegex=None) == ".*"
    assert regex(targetContainersNameRegex="") is None
    assert regex(targetContainersNameRegex="^app") == "^app"


@pytest.mark.parametrize("manifest", [None, [], "text", {}, {"kind": "Pod"}, {"kind": {}}])
def test_what_is_not_a_sidecarset_is_refused(manifest: Value) -> None:
    assert findings(manifest) == ["kind: not a SidecarSet (kind: SidecarSet)"]


@pytest.mark.parametrize("api_version", [None, "v1", "apps.kruise.io/v1", 1, ["apps.kruise.io/v1beta1"]])
def test_an_unknown_version_is_refused(api_version: Value) -> None:
    assert findings(sidecarset() | {"apiVersion": api_version}) == [
        "apiVersion: unknown API version (apps.kruise.io/v1alpha1 or apps.kruise.io/v1beta1)"
    ]


def test_every_wrong_type_is_reported_at_once() -> None:
    assert len(findings(sidecarset(containers=[{"name": 1, "image": 2}], volumes=3))) == 3


@pytest.mark.parametrize("source", [{}, {"fieldRef": None}, {"other": 1}])
def test_a_source_without_field_ref_is_refused(source: Object) -> None:
    transfer = [None, {"envName": "A"}, {"sourceContainerNameFrom": source}]
    manifest = sidecarset(initContainers=[None, {"name": "setup", "transferEnv": transfer}])
    place = "spec.initContainers[1].transferEnv[2].sourceContainerNameFrom.fieldRef"
    assert findings(manifest) == [f"{place}: fieldRef is missing (Kruise rejects the SidecarSet)"]


scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
json_values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
)


def places(value: Value) -> list[tuple[Value, str | int]]:
    """Every member and item of a value, as its holder and key."""
    if isinstance(value, dict):
        inner = list(value.items())
    else:
        inner = list(enumerate(value)) if isinstance(value, list) else []
    return [(value, key) for key, _ in inner] + [place for _, member in inner for place in places(member)]


@given(st.data())
def test_any_value_anywhere_is_admitted_or_refused_but_never_a_traceback(data: st.DataObject) -> None:
    manifest = deepcopy(data.draw(st.sampled_from(RECORDED)))
    for _ in range(data.draw(st.integers(1, 3))):
        holder, key = data.draw(st.sampled_from(places(manifest)))
        elsewhere, other = data.draw(st.sampled_from(places(manifest)))
        holder[key] = data.draw(json_values | st.just(deepcopy(elsewhere[other])))
    try:
        new_revision(admit(manifest), 1)
        converted(manifest)
    except InputError as refused:
        assert refused.findings  # noqa: PT017 - refusing is one of two right answers
    list(unknown_fields(manifest, "v1beta1.SidecarSet"))


def test_a_field_that_a_release_does_not_know_may_have_any_shape() -> None:
    manifest = sidecarset()
    manifest["spec"]["containers"][0]["resourcesPolicy"] = "1e3"
    assert "resourcesPolicy" not in admit(manifest, release_named("1.4")).spec["containers"][0]
    with pytest.raises(InputError, match="expected an object"):
        admit(manifest)


HASH, WITHOUT_IMAGE = "kruise.io/sidecarset-hash", "kruise.io/sidecarset-hash-without-image"


def test_a_hash_that_differs_is_reported_stale() -> None:
    right = admit(sidecarset())
    manifest = sidecarset(metadata={"annotations": {HASH: "old", WITHOUT_IMAGE: right.hash_without_image}})
    [finding] = stale_hashes(manifest, admit(manifest))
    assert str(finding) == (
        f'metadata.annotations[{HASH}]: the recorded hash "old" differs from the computed hash {right.hash} '
        "(it is stale, or another Kruise version wrote it)"
    )
    assert list(stale_hashes(sidecarset(), right)) == []


def test_recorded_hashes_are_taken_if_there_are_some() -> None:
    manifest = sidecarset(metadata={"annotations": {HASH: "old", WITHOUT_IMAGE: ""}})
    admitted = admit(manifest)
    trusted = with_recorded_hashes(manifest, admitted)
    assert (trusted.hash, trusted.hash_without_image) == ("old", admitted.hash_without_image)
    assert trusted.metadata["annotations"][HASH] == "old"
    assert with_recorded_hashes({}, admitted) == admitted
