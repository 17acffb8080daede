"""What a plan is made from, gathered out of files."""

import json
from collections.abc import Iterator

import pytest

from sidecarctl.engine.documents.reading.document import Reader
from sidecarctl.engine.documents.writing import block_text
from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.inputs import objects
from sidecarctl.engine.inputs.pods import Gatherer, PodInputs
from sidecarctl.engine.sidecarset.world import Located
from tests.engine.rollout.manifests import pod

SET = {
    "apiVersion": "apps.kruise.io/v1beta1",
    "kind": "SidecarSet",
    "metadata": {"name": "logs"},
    "spec": {"containers": []},
}


@pytest.fixture(params=[False, True], ids=["whole", "streamed"])
def streamed(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether lists are read item by item, as large ones are."""
    if request.param:
        monkeypatch.setattr(objects, "LONG", 1)


def gathered(text: str) -> PodInputs:
    def blocks() -> Iterator[bytes]:
        yield text.encode()

    return Gatherer(Reader(), "home").gathered("dump.json", blocks)


@pytest.mark.usefixtures("streamed")
def test_pods_and_what_decides() -> None:
    node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n", "labels": {"zone": "a"}}}
    deployment = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d"}, "spec": {"template": {}}}
    config = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}}
    found = gathered(json.dumps({"kind": "List", "items": [pod("p0"), SET, node, deployment, config, 5]}))
    assert [item["metadata"]["name"] for item in found.pods] == ["p0"]
    assert [decider.reference.name for decider in found.deciders] == ["logs"]
    assert found.nodes == {"n": {"zone": "a"}}
    assert [workload.reference.name for workload in found.workloads] == ["d"]
    assert found.has_templates
    assert str(found.deciders[0].place(("spec",))).startswith("dump.json:1:")


@pytest.mark.usefixtures("streamed")
def test_items_may_have_their_kind_from_the_list() -> None:
    bare = {key: value for key, value in pod("p0").items() if key not in ("kind", "apiVersion")}
    found = gathered(json.dumps({"kind": "PodList", "apiVersion": "v1", "items": [bare]}))
    assert [item["metadata"]["name"] for item in found.pods] == ["p0"]


@pytest.mark.usefixtures("streamed")
def test_objects_of_other_groups_are_others() -> None:
    other = {**pod("p0"), "apiVersion": "example.com/v1"}
    found = gathered(json.dumps({"kind": "List", "items": [other, {**SET, "apiVersion": "example.com/v1"}]}))
    assert not found.pods
    assert not found.deciders


@pytest.mark.usefixtures("streamed")
def test_text_that_cannot_be_read_is_among_the_failures() -> None:
    [failure] = gathered('{"kind": "List", "items": [1').failures
    assert failure.place is not None
    assert failure.place.file == "dump.json"


def test_kinds_that_follow_their_items_are_found_too(monkeypatch: pytest.MonkeyPatch) -> None:
    bare = {key: value for key, value in pod("p0").items() if key not in ("kind", "apiVersion")}
    text = json.dumps({"items": [bare], "kind": "PodList", "apiVersion": "v1"})
    monkeypatch.setattr(objects, "LONG", 1)
    assert [item["metadata"]["name"] for item in gathered(text).pods] == ["p0"]
    monkeypatch.setattr(objects, "_LARGE", 1)
    [failure] = gathered(text).failures
    assert (
        failure.message == "a JSON file of this size must be a single valid list: the kind of its items follows them"
    )


def test_a_yaml_list_is_read_item_by_item_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(objects, "LONG", 1)
    text = block_text({"apiVersion": "v1", "items": [pod("p0"), SET, 5], "kind": "List"})
    found = gathered(text)
    assert [item["metadata"]["name"] for item in found.pods] == ["p0"]
    assert found.deciders[0].place(()).line == text.splitlines().index("- apiVersion: apps.kruise.io/v1beta1") + 1


def test_a_yaml_list_that_cannot_be_cut_is_read_as_a_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(objects, "LONG", 1)
    bare = {key: value for key, value in pod("p1").items() if key not in ("kind", "apiVersion")}
    text = block_text({"apiVersion": "v1", "items": [pod("p0"), bare], "kind": "PodList"})
    assert [item["metadata"]["name"] for item in gathered(text).pods] == ["p0", "p1"]
    again = objects.every_object("f", lambda: [text.encode()], Reader())
    names = [item.reference.name for item in again if isinstance(item, Located)]
    assert names == ["p0", "p1"]


def test_a_document_that_is_too_large() -> None:
    reader = Reader(Reader().limits._replace(size=10))
    found = Gatherer(reader).gathered("a.yaml", lambda: [b"a: 1\n---\n", b"b: 12345678901\n"])
    assert [str(failure.reason) for failure in found.failures] == ["TooLarge"]


def test_the_digest_is_of_all_bytes() -> None:
    from hashlib import sha256

    text = json.dumps(pod("p0"))
    [entry] = gathered(text).digests
    assert entry == ("dump.json", sha256(text.encode()).hexdigest(), 1)


def test_what_no_rollout_needs_is_dropped() -> None:
    whole: Object = pod("p0", managedFields=[{}], ownerReferences=[{"uid": "o", "blockOwnerDeletion": True}], uid="u")
    whole["metadata"]["annotations"]["kubectl.kubernetes.io/last-applied-configuration"] = "{}"
    whole["spec"] |= {"volumes": [], "initContainers": [None, {"name": "i", "image": "i:1", "env": []}]}
    whole["status"] |= {"podIP": "10.0.0.1", "initContainerStatuses": [{"name": "i", "restartCount": 2, "state": {}}]}
    del whole["metadata"]["namespace"]
    [kept] = gathered(json.dumps(whole)).pods
    assert kept["metadata"].keys() == {"name", "namespace", "labels", "annotations", "uid", "ownerReferences"}
    assert kept["metadata"]["ownerReferences"] == [{"uid": "o"}]
    assert kept["metadata"]["namespace"] == "home"
    assert len(kept["metadata"]["annotations"]) == 3
    assert kept["spec"]["initContainers"] == [{}, {"name": "i", "image": "i:1"}]
    assert kept["status"]["initContainerStatuses"] == [{"name": "i", "restartCount": 2}]


@pytest.mark.parametrize("keeps_templates", [True, False])
def test_templates_are_kept_only_for_who_needs_them(*, keeps_templates: bool) -> None:
    future = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "f"}, "spec": {"containers": []}}
    found = Gatherer(Reader(), keeps_templates=keeps_templates).gathered(
        "all.json", lambda: [json.dumps({"kind": "List", "items": [future, pod("p0")]}).encode()]
    )
    assert [item["metadata"]["name"] for item in found.pods] == ["f", "p0"]
    assert [item.reference.name for item in found.workloads] == (["f"] if keeps_templates else [])
    assert found.has_templates
    running = Gatherer(Reader()).gathered("pods.json", lambda: [json.dumps(pod("p0")).encode()])
    assert not running.has_templates
