"""What is stored of sets; the recorded cases of `revisions` show the rest."""

import pytest

from sidecarctl.engine.facts.errors import InputError
from sidecarctl.engine.facts.values import Object, Value
from sidecarctl.engine.sidecarset.admission import admit
from sidecarctl.engine.sidecarset.revisions.controller_revisions import (
    Revision,
    new_revision,
    own_revisions,
    read_revision,
    revision_hash,
    revision_name,
)
from sidecarctl.engine.sidecarset.revisions.revision_history import recorded_revisions, register
from sidecarctl.engine.sidecarset.revisions.revision_restoring import restored
from sidecarctl.engine.sidecarset.sets import Matcher, SidecarSet
from tests.engine.sidecarset.manifests import sidecarset

LABELS = {"kruise.io/sidecarset-name": "mesh"}


def made(**spec: Value) -> SidecarSet:
    return admit(sidecarset(metadata={"name": "mesh", "uid": "u1"}, **spec))


def image(tag: str, **spec: Value) -> SidecarSet:
    return made(containers=[{"name": "proxy", "image": f"mesh/proxy:{tag}"}], **spec)


def owned_by(uid: str, *, controller: bool = True) -> Object:
    return {
        "apiVersion": "apps.kruise.io/v1beta1",
        "kind": "SidecarSet",
        "name": "mesh",
        "uid": uid,
        "controller": controller,
    }


def stored(data: Value, **members: Value) -> Revision:
    return Revision("r", "kruise-system", LABELS, {}, data, 1)._replace(**members)


def test_hash_is_fnv_1_of_data_and_count() -> None:
    assert revision_hash("", 0) == "d8bfb7bc"  # FNV-1 of "0" is 0x050c5d2f, in decimal 84696367
    assert revision_hash("a", 0) != revision_hash("a", 1)


def test_name_follows_from_what_is_stored_alone() -> None:
    name = revision_name(made())
    assert name.startswith("mesh-")
    assert revision_name(made(selector={"matchLabels": {"app": "other"}}, revisionHistoryLimit=3)) == name
    assert revision_name(made(imagePullSecrets=[{"name": "p"}])) != name


def test_manifest_reads_back_as_the_same_revision() -> None:
    revision = new_revision(made(customVersion="v1"), 3)
    assert read_revision(revision.manifest) == revision
    assert revision.manifest["metadata"]["labels"]["apps.kruise.io/sidecarset-custom-version"] == "v1"
    created = revision._replace(created="2026-01-01T00:00:00Z")
    assert read_revision(created.manifest) == created


@pytest.mark.parametrize(
    "manifest", [None, [], {"kind": "SidecarSet"}, {"kind": "ControllerRevision", "revision": "1"}]
)
def test_what_is_no_revision_is_refused(manifest: Value) -> None:
    with pytest.raises(InputError):
        read_revision(manifest)


def test_revisions_of_other_owners_names_or_namespaces_are_not_the_sets() -> None:
    revisions = [
        stored({}, name="own", owners=(owned_by("u1"),)),
        stored({}, name="orphan", number=0),
        stored({}, name="not-controlled", number=2, owners=(owned_by("u2", controller=False),)),
        stored({}, name="other-owner", owners=(owned_by("u2"),)),
        stored({}, name="other-set", labels={}),
        stored({}, name="elsewhere", namespace="default"),
    ]
    assert [revision.name for revision in own_revisions(made(), revisions)] == ["orphan", "own", "not-controlled"]


def test_a_set_that_never_was_in_a_cluster_owns_by_name() -> None:
    revision = stored({}, owners=(owned_by("u2"),))
    assert own_revisions(admit(sidecarset()), [revision]) == [revision]


def test_a_name_that_another_owner_has_with_equal_data_is_used_as_it_is() -> None:
    foreign = new_revision(made(), 7)._replace(owners=(owned_by("u2"),))
    assert register(made(), [foreign], ()) == ((foreign,), foreign.name, 0)


def test_a_name_taken_by_other_data_costs_a_collision_but_not_the_label() -> None:
    new = new_revision(made(), 1)
    history = register(made(), [new._replace(data={}, labels={})], ())
    latest = history.revisions[-1]
    assert (history.latest, history.collision_count) == (latest.name, 1)
    assert latest.name != new.name
    assert latest.labels == new.labels


def test_what_injection_asks_for_by_name_or_version_stays() -> None:
    revisions: tuple[Revision, ...] = ()
    for tag in "1234":
        revisions = register(image(tag, customVersion="stable" if tag in "12" else "next"), revisions, ()).revisions
    by_version = {"revision": {"customVersion": "stable"}}
    by_name = {"revision": {"revisionName": revisions[0].name}}
    for strategy, numbers in ((by_version, [2, 5]), (by_name, [1, 5])):
        history = register(image("5", revisionHistoryLimit=2, injectionStrategy=strategy), revisions, ())
        assert [revision.number for revision in history.revisions] == numbers


def test_recorded_revisions_stay_beyond_the_limit() -> None:
    revisions: tuple[Revision, ...] = ()
    for tag in "123":
        revisions = register(image(tag), revisions, ()).revisions
    first = revisions[0].name
    history = register(image("4", revisionHistoryLimit=2), revisions, recorded=[first])
    assert [revision.number for revision in history.revisions] == [1, 4]


def pod(annotation: str, **members: Value) -> Object:
    annotations = {"kruise.io/sidecarset-injected-list": "logs,mesh", "kruise.io/sidecarset-hash": annotation}
    return {
        "metadata": {"labels": {"app": "web"}, "annotations": annotations},
        "spec": {"containers": [{"name": "app"}, {"name": "proxy"}, None, {"name": "hot-1"}, {"name": "hot-2"}]},
    } | members


def test_revisions_that_pods_record() -> None:
    hot = {"name": "hot", "upgradeStrategy": {"upgradeType": "HotUpgrade"}}
    mesh = made(containers=[{"name": "proxy"}, hot])
    entry = '{"mesh":{"controllerRevision":"mesh-1"}}'
    counted = pod(entry)
    not_counted = [
        pod(entry, status={"phase": "Succeeded"}),
        pod(entry, metadata=counted["metadata"] | {"deletionTimestamp": "2026-01-01T00:00:00Z"}),
        pod(entry, metadata=counted["metadata"] | {"labels": {"app": "api"}}),
        pod(entry, metadata=counted["metadata"] | {"annotations": None}),
        pod(entry, spec={"containers": [{"name": "proxy"}]}),
        pod(""), pod("{"), pod("[" * 100_000), pod("[]"), pod('{"mesh":"oldhash"}'),
        pod('{"mesh":{"controllerRevision":1}}'),
        {},
    ]  # a table, a case a line  # fmt: skip
    matcher = Matcher(mesh, {})
    assert recorded_revisions(mesh, matcher, [counted]) == {"mesh-1"}
    assert recorded_revisions(mesh, matcher, not_counted) == set()


def test_restoring_takes_the_stored_fields_without_defaults() -> None:
    data = {"spec": {"$patch": "replace", "containers": [{"name": "old"}], "volumes": None}}
    annotations = {"kruise.io/sidecarset-hash": "h1"}
    back = restored(made(customVersion="v2"), stored(data, annotations=annotations))
    assert back is not None
    assert back.spec == {"containers": [{"name": "old"}]}
    assert (back.hash, back.latest_revision) == ("h1", "r")
    assert back.metadata["annotations"]["kruise.io/sidecarset-hash-without-image"] == back.hash_without_image
    assert len(back.hash_without_image) == 64


def test_restoring_the_newest_revision_gives_the_same_hashes() -> None:
    for mesh in (made(), made(containers=[]), made(containers=None), image("2")):
        revision = new_revision(mesh, 1)
        carried = restored(mesh, revision)
        recomputed = restored(mesh, revision._replace(annotations={}))
        assert carried is not None
        assert recomputed is not None
        assert carried.hash == mesh.hash
        if mesh.spec.get("containers"):
            assert recomputed.hash == mesh.hash


def test_restoring_data_without_the_marker_merges_it_over_the_set() -> None:
    mesh = admit(
        sidecarset("v1alpha1", containers=[{"name": "proxy", "image": "p:2"}, {"name": "added", "image": "a:1"}])
    )
    back = restored(mesh, stored({"spec": {"containers": [{"name": "proxy", "image": "p:1"}], "volumes": None}}))
    assert back is not None
    assert [(container["name"], container["image"]) for container in back.spec["containers"]] == [
        ("proxy", "p:1"),
        ("added", "a:1"),
    ]
    assert back.spec["selector"] == mesh.spec["selector"]
    assert back.version == "v1beta1"


@pytest.mark.parametrize(
    "data",
    [
        [],
        {},
        {"spec": None},
        {"spec": {"$patch": "merge"}},
        {"spec": {"$patch": "replace", "containers": {}}},
    ],
)
def test_data_that_cannot_be_applied_restores_nothing(data: Value) -> None:
    assert restored(made(), stored(data)) is None
