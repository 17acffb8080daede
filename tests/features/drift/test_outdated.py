"""Pods whose hash is current, and that differ from a pod created now: in every field that a pod can get."""

import json
from collections.abc import Iterable, Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sidecarctl.engine.api.field_table import Field, fields_of, item_type, value_type
from sidecarctl.engine.comparing.drift_states import DriftState
from sidecarctl.engine.facts.values import Object, Value
from sidecarctl.engine.injection.injecting import inject
from sidecarctl.engine.injection.injection_context import InjectionContext
from sidecarctl.engine.injection.selection import select
from sidecarctl.engine.rollout.summary.sidecar_comparison import differences
from sidecarctl.engine.sidecarset.admission import admit
from sidecarctl.engine.sidecarset.pod_annotations import HASH, HASH_WITHOUT_IMAGE, INPLACE_UPDATE_STATE
from sidecarctl.engine.sidecarset.revisions.controller_revisions import revision_name
from sidecarctl.engine.sidecarset.sets import SidecarSet
from tests.cli.running import run
from tests.effort import reaches_half, share
from tests.features.drift.drifting import drift_of, only, revision_of, running, states, world
from tests.features.drift.test_mutations import completed
from tests.features.drift.test_mutations import pod as app_pod
from tests.schemas import assert_valid

OUTDATED, IN_SYNC, UNKNOWN, BEHIND = DriftState.OUTDATED, DriftState.IN_SYNC, DriftState.UNKNOWN, DriftState.BEHIND
LISTS = ("volumes", "imagePullSecrets")
RULES = "example.com/rules"


def sidecarset(image: str = "log:1", **changed: Any) -> Object:
    """A SidecarSet whose one container mounts `buf`, and whose plain initContainer mounts `extra`."""
    log = {"name": "log", "image": image, "volumeMounts": [{"name": "buf", "mountPath": "/buf"}]}
    setup = {"name": "setup", "image": "setup:1", "volumeMounts": [{"name": "extra", "mountPath": "/extra"}]}
    spec: Object = {
        "selector": {"matchLabels": {"app": "web"}},
        "containers": [log],
        "initContainers": [setup],
        "volumes": [{"name": "buf", "emptyDir": {}}, {"name": "extra", "emptyDir": {}}],
        "imagePullSecrets": [{"name": "pull"}],
        "patchPodMetadata": [{"patchPolicy": "Overwrite", "annotations": {RULES: "v1"}}],
    }
    return {
        "apiVersion": "apps.kruise.io/v1beta1",
        "kind": "SidecarSet",
        "metadata": {"name": "logs"},
        "spec": {**spec, **changed},
    }


def app(**changed: Any) -> Object:
    """A pod before its injection."""
    made = app_pod([{"name": "web", "image": "app:1"}])
    return {**made, "spec": {**made["spec"], **changed}}


def admitted(manifest: Object) -> SidecarSet:
    """A SidecarSet under the name of its revision."""
    made = admit(deepcopy(manifest))
    return made._replace(latest_revision=revision_name(made))


def created(pod: Object, manifest: Object) -> Object:
    """The pod as Kruise injects it."""
    context = InjectionContext([admitted(manifest)])
    return running(deepcopy(inject(pod, select(pod, context), context).pod))


def updated(pod: Object, manifest: Object) -> Object:
    """The pod after an update in place: images and records of the version, and all else as it was."""
    newer = admitted(manifest)
    images = {item["name"]: item["image"] for item in newer.spec["containers"]}
    made: Object = deepcopy(pod)
    for item in made["spec"]["containers"]:
        item["image"] = images.get(item["name"], item["image"])
    annotations = made["metadata"]["annotations"]
    for key, text in ((HASH, newer.hash), (HASH_WITHOUT_IMAGE, newer.hash_without_image)):
        entries = json.loads(annotations[key])
        entries["logs"]["hash"] = text
        if key == HASH:
            entries["logs"]["controllerRevision"] = newer.latest_revision
        annotations[key] = json.dumps(entries)
    state = {"revision": newer.hash, "updateTimestamp": None, "lastContainerStatuses": {"log": {"imageID": "old"}}}
    annotations[INPLACE_UPDATE_STATE] = json.dumps({"logs": state})
    return running(made)


def fields_that_differ(now: Object, new: Object) -> set[str]:
    """The fields of two injected pods that differ, but for what injection records."""
    found = {
        f"spec.{field}[{name}]"
        for field in LISTS
        for name, (before, after) in by_name(now["spec"].get(field), new["spec"].get(field)).items()
        if before != after
    }
    texts = [made["metadata"].get("annotations") or {} for made in (now, new)]
    keys = {key for text in texts for key in text if "kruise.io/" not in key}
    found |= {f"metadata.annotations[{key}]" for key in keys if said(texts[0].get(key)) != said(texts[1].get(key))}
    for field in ("containers", "initContainers"):
        lists = [made["spec"].get(field) for made in (now, new)]
        for name, (before, after) in by_name(*lists).items():
            text = f"spec.{field}[{name}]"
            if before and after:
                found |= {entry.text for entry in differences(before, after, (), text)}
            else:
                found.add(text)
        orders = [[item["name"] for item in items or ()] for items in lists]
        common = set(orders[0]) & set(orders[1])
        if [name for name in orders[0] if name in common] != [name for name in orders[1] if name in common]:
            found.add(f"spec.{field}")
    return found


def said(text: str | None) -> Value:
    """What an annotation says; the order of keys means nothing."""
    return json.loads(text) if text and text.startswith("{") else text


def by_name(now: list[Object] | None, new: list[Object] | None) -> Mapping[str, tuple[Object | None, Object | None]]:
    """The items of two lists by name."""
    sides = [{item["name"]: item for item in items or ()} for items in (now, new)]
    return {name: (sides[0].get(name), sides[1].get(name)) for name in {**sides[0], **sides[1]}}


def named(old: Object, new: Object, pod: Object, *, history: bool = True) -> tuple[list[DriftState], set[str]]:
    """The states of a pod, and the fields that its drift from `new` names."""
    found = only(drift_of(world([new, *([revision_of(old)] if history else [])]), [pod]))
    return states(found), {entry.text for each in found.drifts for entry in each.fields}


def sample(kind: str, depth: int = 0) -> Value:
    """A value of a type of the API in which no field is empty."""
    if item := item_type(kind):
        return [sample(item, depth)]
    if member := value_type(kind):
        return {"cpu": sample(member, depth)}
    if fields := fields_of(kind):
        return {field.name: sample(field.type, depth + 1) for field in fields if depth < 3}
    plain: dict[str, Value] = {
        "bool": True,
        "int32": 7,
        "int64": 7,
        "quantity": "7",
        "int-or-string": 7,
        "time": "2026-01-01T00:00:00Z",
    }
    return plain.get(kind, "seven")


_SETUP: Object = {"name": "setup", "image": "setup:1", "volumeMounts": [{"name": "extra", "mountPath": "/extra"}]}
_NO_FIELDS = {"name", "restartPolicy"}
"""Another name is another container, and a container that always restarts is one that the hash covers."""
_CONTAINER_FIELDS = [field for field in fields_of("core.Container") or () if field.name not in _NO_FIELDS]
_SOURCES = [field for field in fields_of("core.Volume") or () if field.name != "name"]


@pytest.mark.parametrize("field", _CONTAINER_FIELDS, ids=lambda field: field.name)
def test_every_field_of_an_init_container(field: Field) -> None:
    old = sidecarset()
    new = sidecarset(initContainers=[{**_SETUP, field.name: sample(field.type)}])
    pod = created(app(), old)
    assert named(old, new, pod) == ([OUTDATED], fields_that_differ(pod, created(app(), new)))
    assert any(field.name in text for text in named(old, new, pod)[1])
    assert named(new, old, created(app(), new)) == ([OUTDATED], fields_that_differ(created(app(), new), pod))


@pytest.mark.parametrize("field", _CONTAINER_FIELDS, ids=lambda field: field.name)
@pytest.mark.parametrize("of", ["containers", "initContainers"])
def test_every_field_that_a_hash_covers(field: Field, of: str) -> None:
    """Of a native sidecar too: then the hash covers it."""
    plain: Object = {"name": "log", "image": "log:1"}
    before = {**plain, "name": "mesh", "restartPolicy": "Always"} if of == "initContainers" else plain
    lists: list[dict[str, Any]] = [{of: [item]} for item in (before, {**before, field.name: sample(field.type)})]
    old, new = (sidecarset(**{"containers": [plain], **each}) for each in lists)
    pods = created(app(), old), created(app(), new)
    assert named(old, new, pods[0]) == ([BEHIND], fields_that_differ(*pods))
    assert any(field.name in text for text in named(old, new, pods[0])[1])
    assert named(new, old, pods[1]) == ([BEHIND], fields_that_differ(*pods))


@pytest.mark.parametrize("field", _SOURCES, ids=lambda field: field.name)
@pytest.mark.parametrize("image", ["log:1", "log:2"])
def test_every_kind_of_volume(field: Field, image: str) -> None:
    """With another image too: an update in place brings the image, and the record of the new version."""
    old = sidecarset()
    volume = {"name": "buf", field.name: sample(field.type) if field.name != "emptyDir" else {"medium": "Memory"}}
    new = sidecarset(image, volumes=[volume, {"name": "extra", "emptyDir": {}}])
    pod = created(app(), old) if image == "log:1" else updated(created(app(), old), new)
    assert named(old, new, pod) == ([OUTDATED], {"spec.volumes[buf]"})
    assert named(new, new, created(app(), new)) == ([IN_SYNC], set())


_PATCH: Object = {"patchPolicy": "Overwrite", "annotations": {RULES: "v1"}}
_MERGE: Object = {"patchPolicy": "MergePatchJson", "annotations": {RULES: '{"a":1}'}}
_ANNOTATION = f"metadata.annotations[{RULES}]"

CHANGES: list[tuple[str, Object, Object, set[str]]] = [
    ("a volume that nothing mounts", {}, {"volumes": [*sidecarset()["spec"]["volumes"], {"name": "x"}]}, set()),
    ("another pull secret", {}, {"imagePullSecrets": [{"name": "other"}]}, {"pull", "other"}),
    ("no pull secret", {}, {"imagePullSecrets": []}, {"pull"}),
    ("the first pull secret", {"imagePullSecrets": []}, {}, {"pull"}),
    ("another annotation", {}, {"patchPodMetadata": [{**_PATCH, "annotations": {"x": "y"}}]}, {RULES, "x"}),
    ("another value", {}, {"patchPodMetadata": [{**_PATCH, "annotations": {RULES: "v2"}}]}, {RULES}),
    ("no annotation", {}, {"patchPodMetadata": []}, {RULES}),
    (
        "another value to retain",
        {"patchPodMetadata": [{**_PATCH, "patchPolicy": "Retain"}]},
        {"patchPodMetadata": [{"patchPolicy": "Retain", "annotations": {RULES: "v2"}}]},
        {RULES},
    ),
    (
        "another value to merge",
        {"patchPodMetadata": [_MERGE]},
        {"patchPodMetadata": [{**_MERGE, "annotations": {RULES: '{"b":1}'}}]},
        {RULES},
    ),
    ("a policy alone", {}, {"patchPodMetadata": [{**_PATCH, "patchPolicy": "Retain"}]}, set()),
    ("no initContainer", {}, {"initContainers": []}, {"setup", "extra"}),
    ("the first initContainer", {"initContainers": []}, {}, {"setup", "extra"}),
    (
        "an initContainer behind those of the pod",
        {},
        {"initContainers": [{**_SETUP, "podInjectPolicy": "BeforeAppContainer"}]},
        {"initContainers"},
    ),
]


@pytest.mark.parametrize(("old", "new", "items"), [case[1:] for case in CHANGES], ids=[case[0] for case in CHANGES])
def test_every_change_that_no_hash_covers(old: Object, new: Object, items: set[str]) -> None:
    """The state is Outdated even if the change reaches no field: the pod records an older revision."""
    before, after = sidecarset(**old), sidecarset(**new)
    bare = app(initContainers=[{"name": "wait", "image": "wait:1"}])
    pod = created(bare, before)
    found = named(before, after, pod)
    assert found == ([OUTDATED], fields_that_differ(pod, created(bare, after)))
    assert {
        text.rstrip("]").replace("[", ".").rpartition(".")[2] if RULES not in text else RULES for text in found[1]
    } == (items)


def test_an_older_revision_with_the_current_hash_says_so() -> None:
    old, new = sidecarset(), sidecarset(volumes=[{"name": "buf", "emptyDir": {}}, {"name": "extra"}, {"name": "x"}])
    (drift,) = only(drift_of(world([new, revision_of(old)]), [created(app(), old)])).drifts
    assert drift.why == f"it records the older revision {admitted(old).latest_revision}: recreate the pod"


_AGENT: Object = {"name": "agent", "image": "agent:1"}
_LOG: Object = {"name": "log", "image": "log:1"}
_MESH: Object = {"name": "mesh", "image": "mesh:1", "restartPolicy": "Always"}
_VERIFY: Object = {"name": "verify", "image": "verify:1", "restartPolicy": "Always"}

COVERED: list[tuple[str, Object, Object, set[str]]] = [
    ("the order", {"containers": [_LOG, _AGENT]}, {"containers": [_AGENT, _LOG]}, {"spec.containers"}),
    (
        "behind the containers of the pod",
        {"containers": [_LOG]},
        {"containers": [{**_LOG, "podInjectPolicy": "AfterAppContainer"}]},
        {"spec.containers"},
    ),
    ("a container less", {"containers": [_LOG, _AGENT]}, {"containers": [_LOG]}, {"spec.containers[agent]"}),
    ("a container more", {"containers": [_LOG]}, {"containers": [_LOG, _AGENT]}, {"spec.containers[agent]"}),
    (
        "another name",
        {"containers": [_LOG]},
        {"containers": [{**_LOG, "name": "logs"}]},
        {"spec.containers[log]", "spec.containers[logs]"},
    ),
    (
        "two images",
        {"containers": [_LOG, _AGENT]},
        {"containers": [{**_LOG, "image": "log:2"}, {**_AGENT, "image": "agent:2"}]},
        {"spec.containers[log].image", "spec.containers[agent].image"},
    ),
    ("the first native sidecar", {"initContainers": []}, {"initContainers": [_MESH]}, {"spec.initContainers[mesh]"}),
    (
        "no native sidecar",
        {"initContainers": [_MESH, _VERIFY]},
        {"initContainers": [_MESH]},
        {"spec.initContainers[verify]"},
    ),
    (
        "the image of a native sidecar",
        {"initContainers": [_MESH]},
        {"initContainers": [{**_MESH, "image": "mesh:2"}]},
        {"spec.initContainers[mesh].image"},
    ),
    (
        "a native sidecar that becomes a container that ends",
        {"initContainers": [_MESH]},
        {"initContainers": [{key: value for key, value in _MESH.items() if key != "restartPolicy"}]},
        {"spec.initContainers[mesh].restartPolicy"},
    ),
    (
        "a container that becomes a native sidecar",
        {"containers": [_LOG, _AGENT], "initContainers": []},
        {"containers": [_LOG], "initContainers": [{**_AGENT, "restartPolicy": "Always"}]},
        {"spec.containers[agent]", "spec.initContainers[agent]"},
    ),
]


@pytest.mark.parametrize(("old", "new", "fields"), [case[1:] for case in COVERED], ids=[case[0] for case in COVERED])
def test_every_change_that_a_hash_covers(old: Object, new: Object, fields: set[str]) -> None:
    """Of a pod that lacks a container, the state Missing or Orphan says so too."""
    volumes: list[Object] = []
    before, after = (sidecarset(**{"volumes": volumes, "initContainers": [], **each}) for each in (old, new))
    pod = created(app(), before)
    assert fields_that_differ(pod, created(app(), after)) == fields
    found = named(before, after, pod)
    assert BEHIND in found[0]
    assert found[1] == fields


_OWN: Object = {"name": "buf", "hostPath": {"path": "/own"}}


def test_what_is_the_pods_own_is_no_drift() -> None:
    """Injection leaves a volume, and an annotation that it retains, as the pod has them."""
    retains = sidecarset(patchPodMetadata=[{**_PATCH, "patchPolicy": "Retain"}])
    bare = app(volumes=[_OWN])
    bare["metadata"]["annotations"] = {RULES: "own"}
    assert named(retains, retains, created(bare, retains)) == ([IN_SYNC], set())
    newer = {**retains, "spec": {**retains["spec"], "volumes": [{"name": "buf", "hostPath": {"path": "/"}}]}}
    state, fields = named(retains, newer, created(bare, retains))
    assert (state, fields) == ([OUTDATED], {"spec.volumes[extra]"})


def test_without_history_nothing_is_guessed() -> None:
    old = sidecarset()
    new = sidecarset("log:2", volumes=[{"name": "buf", "configMap": {"name": "c"}}, {"name": "extra"}])
    patched = updated(created(app(), old), new)
    found = only(drift_of(world([new]), [patched]))
    assert states(found) == [UNKNOWN]
    assert "whether spec.volumes[buf] is the pod's own or of an earlier version" in found.drifts[0].why
    same_hash = {**new, "spec": {**new["spec"], "containers": old["spec"]["containers"]}}
    assert named(old, same_hash, created(app(), old), history=False)[0] == [UNKNOWN]
    more = sidecarset(imagePullSecrets=[{"name": "pull"}, {"name": "more"}])
    assert named(old, more, created(app(), old), history=False) == ([OUTDATED], {"spec.imagePullSecrets[more]"})
    fewer = sidecarset(imagePullSecrets=[])
    assert named(old, fewer, created(app(), old), history=False) == ([UNKNOWN], set())


def test_defaults_of_the_api_server_are_no_drift() -> None:
    config: Object = {"name": "buf", "configMap": {"name": "c"}}
    volumes = [config, {"name": "extra", "hostPath": {"path": "/x"}}]
    log = {**sidecarset()["spec"]["containers"][0], "resources": {"limits": {"cpu": "0.5"}}}
    old = sidecarset(containers=[{**log, "livenessProbe": {"httpGet": {"port": 80}}}], volumes=volumes)
    made = created(app(), old)
    completed(made)
    by = {item["name"]: item for item in made["spec"]["volumes"]}
    by["buf"]["configMap"]["defaultMode"] = 420
    by["extra"]["hostPath"]["type"] = ""
    made["spec"]["volumes"].append({"name": "kube-api-access-x7k2p", "projected": {"sources": []}})
    for item in made["spec"]["initContainers"]:
        item |= {"terminationMessagePath": "/dev/termination-log", "imagePullPolicy": "IfNotPresent"}
    made["metadata"]["annotations"]["sidecar.istio.io/status"] = "{}"
    assert named(old, old, made) == ([IN_SYNC], set())


def test_a_new_pod_that_gets_the_older_revision_is_what_counts() -> None:
    """With injectionStrategy.revision a recreated pod has the same fields again."""
    old = sidecarset()
    name = revision_of(old)["metadata"]["name"]
    new = sidecarset(imagePullSecrets=[], injectionStrategy={"revision": {"revisionName": name}})
    assert named(old, new, created(app(), old)) == ([IN_SYNC], set())


_EXTRA: Object = {"name": "extra", "emptyDir": {}}


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    """A SidecarSet, its earlier version, and three pods: of the earlier one, updated in place, and of the new one."""
    old, new = sidecarset(), sidecarset("log:2", volumes=[{"name": "buf", "configMap": {"name": "log-v2"}}, _EXTRA])
    first = created(app(), old)
    pods = [first, updated(first, new), created(app(), new)]
    for index, pod in enumerate(pods):
        pod["metadata"] = {**pod["metadata"], "name": f"web-{index}"}
    made = {"new.json": new, "pods.json": {"apiVersion": "v1", "kind": "List", "items": pods}, "old.json": old}
    for name, manifest in made.items():
        (tmp_path / name).write_text(json.dumps(manifest, indent=1))
    return [tmp_path / "new.json", tmp_path / "pods.json", tmp_path / "old.json"]


def test_the_reports_of_drift_and_status(files: list[Path]) -> None:
    new, pods, old = files
    inputs = (new, pods, "--revision-from", old)
    made = json.loads(run("drift", *inputs, "-o", "json").stdout)
    assert_valid(made, "drift-report.json")
    (item,) = made["sidecarSets"]
    assert item["counts"] == {"Behind": 1, "Outdated": 1, "InSync": 1}
    (behind,) = item["pods"][0]["drifts"]
    assert [entry["field"] for entry in behind["fields"]] == ["spec.containers[log].image", "spec.volumes[buf]"]
    (drift,) = item["pods"][1]["drifts"]
    line = next(at for at, text in enumerate(new.read_text().splitlines(), 1) if "configMap" in text) - 2
    assert drift["fields"] == [
        {
            "field": "spec.volumes[buf]",
            "pointer": "/spec/volumes/2",
            "running": {"name": "buf", "emptyDir": {}},
            "newPods": {"name": "buf", "configMap": {"name": "log-v2", "defaultMode": 420}},
            "place": f"{new}:{line}:4",
            "from": admitted(sidecarset()).latest_revision,
        }
    ]
    text = run("drift", *inputs).stdout
    assert 'spec.volumes[buf]: runs {"emptyDir": {}}, new pods get {"configMap": {"name": "log-v2"' in text
    assert f"({new}:{line}:4)" in text
    status = run("status", *inputs, "-o", "json").stdout
    assert_valid(json.loads(status), "rollout-status.json")
    assert json.loads(status)["sidecarSets"][0]["outdated"] == 1
    assert "outdated  1 pod of the current hash differs from a new pod: see drift" in run("status", *inputs).stdout


def test_the_exit_code_is_that_of_behind(files: list[Path]) -> None:
    new, pods, old = files
    inputs = ("drift", new, pods, "--revision-from", old)
    codes = {state: run(*inputs, "--fail-on", state).code for state in ("none", "Behind", "Outdated", "Missing")}
    assert codes == {"none": 0, "Behind": 1, "Outdated": 1, "Missing": 0}
    assert run(*inputs, "--fail-on", "Outdated", "--ignore", "spec.volumes").code == 0


SOURCES: st.SearchStrategy[Object] = st.sampled_from(
    [{"emptyDir": {}}, {"configMap": {"name": "c"}}, {"hostPath": {"path": "/h"}}, {"emptyDir": {"medium": "Memory"}}]
)
VOLUMES = st.dictionaries(st.sampled_from(["buf", "extra", "more"]), SOURCES, min_size=3).map(
    lambda made: [{"name": name, **source} for name, source in made.items()]
)
SECRETS = st.lists(
    st.sampled_from(["a", "b", "c"]).map(lambda name: {"name": name}), unique_by=lambda item: item["name"]
)
PATCHES = st.lists(
    st.one_of(
        st.fixed_dictionaries(
            {
                "patchPolicy": st.sampled_from(["Retain", "Overwrite"]),
                "annotations": st.dictionaries(st.sampled_from(["x", "y"]), st.sampled_from(["1", "2"]), min_size=1),
            }
        ),
        st.sampled_from(['{"a":1}', '{"a":2}', '{"a":1,"b":{"c":1}}']).map(
            lambda text: {"patchPolicy": "MergePatchJson", "annotations": {"json": text}}
        ),
    ),
    max_size=3,
)
SETUPS = st.lists(
    st.fixed_dictionaries(
        {
            "name": st.sampled_from(["setup", "a-setup", "z-setup"]),
            "image": st.sampled_from(["setup:1", "setup:2"]),
            "podInjectPolicy": st.sampled_from(["BeforeAppContainer", "AfterAppContainer"]),
        },
        optional={
            "command": st.just(["run"]),
            "env": st.sampled_from(["1", "2"]).map(lambda text: [{"name": "E", "value": text}]),
            "volumeMounts": st.sampled_from(["extra", "more"]).map(lambda name: [{"name": name, "mountPath": "/m"}]),
            "restartPolicy": st.just("Always"),
        },
    ),
    max_size=3,
    unique_by=lambda item: item["name"],
)
CONTAINERS = st.permutations(["log", "agent"]).flatmap(
    lambda names: st.tuples(
        *(
            st.fixed_dictionaries(
                {"name": st.just(name), "image": st.sampled_from([f"{name}:1", f"{name}:1", f"{name}:2"])},
                optional={
                    "env": st.sampled_from(["1", "2"]).map(lambda text: [{"name": "E", "value": text}]),
                    "volumeMounts": st.just([{"name": "buf", "mountPath": "/buf"}]),
                    "podInjectPolicy": st.just("AfterAppContainer"),
                },
            )
            for name in names
        )
    ).map(list)
)
SETS = st.builds(
    lambda containers, volumes, secrets, patches, setups: sidecarset(
        containers=containers,
        volumes=volumes,
        imagePullSecrets=secrets,
        patchPodMetadata=patches,
        initContainers=setups,
    ),
    st.one_of(st.just([{"name": "log", "image": "log:1"}, {"name": "agent", "image": "agent:1"}]), CONTAINERS),
    VOLUMES,
    SECRETS,
    PATCHES,
    SETUPS,
)
PODS = st.builds(
    lambda volumes, secrets, annotations, init: {
        **app(volumes=volumes, imagePullSecrets=secrets, initContainers=init),
        "metadata": {**app()["metadata"], "annotations": annotations},
    },
    st.sampled_from([[], [{"name": "data", "emptyDir": {}}], [_OWN]]),
    st.sampled_from([[], [{"name": "own"}]]),
    st.dictionaries(st.sampled_from(["x", "z"]), st.just("own")).flatmap(
        lambda made: st.sampled_from([made, {**made, "json": '{"own":1}'}])
    ),
    st.sampled_from([[], [{"name": "wait", "image": "wait:1"}]]),
)


def overwritten(manifest: Object) -> Iterable[str]:
    """The annotations of which a pod's own value is lost."""
    items = manifest["spec"]["patchPodMetadata"]
    return (key for item in items if item["patchPolicy"] == "Overwrite" for key in item["annotations"])


@reaches_half
@given(old=SETS, new=SETS, bare=PODS)
@share(300)
def test_drift_names_exactly_what_a_new_pod_gets_otherwise(old: Object, new: Object, bare: Object) -> None:
    """Of pods with an annotation of their own that was overwritten nobody knows what it was."""
    assume(bare["metadata"]["annotations"].keys().isdisjoint(overwritten(old)))
    pod, again = created(bare, old), created(bare, new)
    before, after = admitted(old), admitted(new)
    is_covered = before.hash != after.hash
    if is_covered:
        state, fields = named(old, new, pod)
        assert BEHIND in state
        assert fields == fields_that_differ(pod, again)
        if before.hash_without_image != after.hash_without_image:
            return
        pod = updated(pod, new)
    fields = fields_that_differ(pod, again)
    is_older = not is_covered and before.latest_revision != after.latest_revision
    assert named(old, new, pod) == ([OUTDATED] if fields or is_older else [IN_SYNC], fields)
