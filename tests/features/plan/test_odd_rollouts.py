"""Any value of a field gives a plan, or a finding that names the field; never an internal error."""

import json
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path as File

from hypothesis import given
from hypothesis import strategies as st

from sidecarctl.engine.facts.values import Edit, Object, Path, Value, applied
from sidecarctl.engine.sidecarset.pod_annotations import (
    HASH,
    HASH_WITHOUT_IMAGE,
    INJECTED_LIST,
    INPLACE_UPDATE_STATE,
)
from tests.cli.running import run
from tests.effort import share
from tests.engine.rollout.manifests import pod, sidecarset

ANNOTATIONS = (HASH, HASH_WITHOUT_IMAGE, INJECTED_LIST, INPLACE_UPDATE_STATE)
ODD: st.SearchStrategy[Value] = st.sampled_from(
    [
        *(None, True, 0, -1, 10**30, 1.5, "", "x", "100%", "-5%", "2026-13-01T00:00:00Z", "\ud7ff\u2028"),
        *("null", "[]", "{}", '{"logs": 5}', '{"logs": {"hash": 1}}', '{"logs": {"lastContainerStatuses": 5}}'),
        *([], {}, [None], [{}], [[]], {"a": None}, {"logs": "x"}),
    ]
)
STRATEGY: Object = {
    "type": "RollingUpdate",
    "partition": 1,
    "maxUnavailable": "50%",
    "paused": False,
    "selector": {
        "matchLabels": {"app": "web"},
        "matchExpressions": [{"key": "a", "operator": "NotIn", "values": ["b"]}],
    },
    "priorityStrategy": {
        "orderPriority": [{"orderedKey": "app"}],
        "weightPriority": [{"weight": 1, "matchSelector": {"matchLabels": {"app": "web"}}}],
    },
    "scatterStrategy": [{"key": "app", "value": "*"}],
}


def paths_in(value: Value, path: Path = ()) -> Iterator[Path]:
    if path:
        yield path
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, member in members:
        yield from paths_in(member, (*path, step))


def rich_pod(name: str, *, hot: bool) -> Object:
    manifest = pod(name, hot=hot, uid="u", creationTimestamp="2026-01-01T00:00:00Z")
    condition = {"type": "SidecarSetUpgradable", "status": "True", "reason": "x", "message": '{"other": true}'}
    ready = {"type": "Ready", "status": "True", "lastTransitionTime": "2026-01-01T00:00:00Z"}
    init = [{"name": "init", "image": "i:1", "restartPolicy": "Always"}]
    spec = {**manifest["spec"], "initContainers": init}
    statuses = [{**item, "restartCount": 1} for item in manifest["status"]["containerStatuses"]]
    status = {**manifest["status"], "conditions": [ready, condition], "containerStatuses": statuses}
    status["initContainerStatuses"] = [{"name": "init", "restartCount": 2}]
    for key in ANNOTATIONS:
        manifest["metadata"]["annotations"].setdefault(key, "{}")
    return {**manifest, "spec": spec, "status": status}


@st.composite
def inputs(draw: st.DrawFn) -> tuple[Object, list[Object]]:
    hot = draw(st.booleans())
    chosen = sidecarset("2", hot=hot, updateStrategy=STRATEGY).manifest
    pods = [rich_pod("p0", hot=hot), rich_pod("p1", hot=hot)]
    if draw(st.booleans()):
        chosen = changed(draw, chosen)
    for _ in range(draw(st.integers(1, 2))):
        pods[0] = changed(draw, pods[0])
    return chosen, pods


def changed(draw: Callable[[st.SearchStrategy[Value]], Value], manifest: Object) -> Object:
    path = draw(st.sampled_from(sorted(paths_in(manifest), key=str)))
    after: Object = applied(manifest, [Edit("set", path, draw(ODD))])
    return after


@share(150)
@given(inputs(), st.sampled_from(["text", "markdown", "json"]))
def test_no_value_of_any_field_is_an_internal_fault(drawn: tuple[Object, list[Object]], form: str) -> None:
    chosen, pods = drawn
    with tempfile.TemporaryDirectory() as folder:
        dump, plan = File(folder, "dump.json"), File(folder, "plan.json")
        dump.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": [chosen, *pods]}))
        outputs = ["-o", f"json={plan}", *(["-o", form] if form != "json" else [])]
        ended = run("plan", dump, "--by", "app", *outputs)
        assert ended.code in (0, 1, 2, 3), ended.stderr
        if ended.code in (2, 3):
            assert "[" in ended.stderr
            assert not plan.exists()
            return
        for kind in ("jsonpatch", "strategic", "kubectl", "merge", "pods"):
            rendered = run("render", plan, dump, "-o", kind, "--simulated")
            refused = kind == "merge" and patches_a_pod_twice(json.loads(plan.read_text()))
            assert rendered.code == (3 if refused else 0), rendered.stderr


def patches_a_pod_twice(plan: Object) -> bool:
    waves = [wave for item in plan["sidecarSets"] for wave in item["waves"]]
    names = [(item["namespace"], item["name"]) for wave in waves for item in wave["pods"]]
    return len(names) > len(set(names))


@given(st.data())
def test_no_damage_to_a_plan_is_an_internal_fault(data: st.DataObject) -> None:
    with tempfile.TemporaryDirectory() as folder:
        dump, plan = File(folder, "dump.json"), File(folder, "plan.json")
        items = [sidecarset("2").manifest, rich_pod("p0", hot=False)]
        dump.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": items}))
        run("plan", dump, "-o", f"json={plan}")
        document = changed(partial(data.draw), json.loads(plan.read_text()))
        plan.write_text(json.dumps(document))
        form = data.draw(st.sampled_from(["jsonpatch", "strategic", "kubectl", "merge", "pods"]))
        options = [] if form in ("kubectl", "pods") else ["--write-conditions"]
        ended = run("render", plan, dump, "-o", form, "--simulated", *options)
        assert ended.code in (0, 2, 3), ended.stderr
