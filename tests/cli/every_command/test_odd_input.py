"""`status` and `diff` over odd input: each oddity is a named finding, never a fault of the program."""

import copy
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Object, Value
from sidecarctl.engine.sidecarset.pod_annotations import HASH, INPLACE_UPDATE_STATE
from tests.cli.manifests import DEPLOYMENT
from tests.cli.running import Ended, run
from tests.effort import share
from tests.engine.rollout.manifests import pod, sidecarset
from tests.schemas import assert_valid


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def status(*objects: Value) -> Ended:
    Path("dump.json").write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}))
    return run("status", "dump.json", "-o", "json")


@pytest.mark.parametrize(
    ("strategy", "manifest", "reason"),
    [
        ({}, {**pod(), "status": {}}, Reason.POD_WITHOUT_STATUS),
        ({}, pod(status={"phase": "Hibernating"}), Reason.UNKNOWN_PHASE),
        ({}, pod(annotations={HASH: "{"}), Reason.ANNOTATION_UNREADABLE),
        ({}, pod(annotations={HASH: '{"logs": "x", "mesh": {}}'}), Reason.ANNOTATION_UNREADABLE),
        ({}, pod(annotations={INPLACE_UPDATE_STATE: "[]"}), Reason.ANNOTATION_UNREADABLE),
        ({}, pod(labels={"app": "api"}), Reason.NO_PODS),
        ({"selector": {"matchLabels": {"app": "nobody"}}}, pod(), Reason.NO_PODS),
        ({"maxUnavailable": "0%"}, pod(), Reason.NOTHING_ALLOWED),
        ({"maxUnavailable": "ten"}, pod(), Reason.NOT_A_PERCENTAGE),
        ({"partition": "1%"}, pod(), Reason.NOTHING_ALLOWED),
        ({"partition": 1, "selector": {"matchLabels": {"app": "web"}}}, pod(), Reason.STRATEGY_REFUSED),
        ({"partition": "half"}, pod(), Reason.NOT_A_PERCENTAGE),
        (
            {
                "priorityStrategy": {
                    "weightPriority": [{"weight": 1, "matchSelector": {"matchLabels": {"a": "b"}}}],
                    "orderPriority": [{"orderedKey": "a"}],
                }
            },
            pod(),
            Reason.HAS_NO_EFFECT,
        ),
    ],
)
def test_odd_pods_and_strategies_are_named(strategy: Object, manifest: Object, reason: Reason) -> None:
    ended = status(sidecarset(updateStrategy=strategy).manifest, manifest)
    written = json.loads(ended.stdout)
    assert ended.code == 0
    assert reason in [finding["reason"] for finding in written["findings"]]
    assert f"[{reason}]" in ended.stderr


def test_names_of_others_do_not_control_the_terminal() -> None:
    Path("dump.json").write_text(json.dumps(pod("\x1b[2Jp\nq")))
    Path("set.json").write_text(json.dumps(sidecarset().manifest))
    for form in ("text", "wide"):
        ended = run("status", "set.json", "dump.json", "-o", form)
        assert "\x1b" not in ended.stdout + ended.stderr


_JUNK: st.SearchStrategy[Value] = st.sampled_from(
    [
        None,
        True,
        0,
        -1,
        1.5,
        10**30,
        "",
        "x",
        "99%",
        "\ud7ff",
        [],
        {},
        [None],
        [[]],
        {"name": None},
        [{"name": "agent"}],
    ]
)


def _places(value: Value) -> Iterator[tuple[Value, str | int]]:
    """Every member and item below a value, by what holds it."""
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, member in members:
        yield value, key
        yield from _places(member)


@st.composite
def _damaged(draw: st.DrawFn, whole: Object) -> Object:
    """An object in which a few values are junk."""
    result = copy.deepcopy(whole)
    for _ in range(draw(st.integers(1, 3))):
        places = list(_places(result))
        around, key = places[draw(st.integers(0, len(places) - 1))]
        around[key] = copy.deepcopy(draw(_JUNK))
    return result


_SET = sidecarset(
    hot=True,
    namespaceSelector={"matchLabels": {"team": "a"}},
    updateStrategy={
        "partition": "10%",
        "selector": {"matchExpressions": [{"key": "app", "operator": "In", "values": ["web"]}]},
        "scatterStrategy": [{"key": "app", "value": "web"}],
        "priorityStrategy": {"orderPriority": [{"orderedKey": "app"}]},
    },
    injectionStrategy={"paused": False},
    patchPodMetadata=[{"annotations": {"a": "b"}}],
).manifest
_NAMESPACE: Object = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop", "labels": {"team": "a"}}}
# The folder of the function may be shared: every example writes all of its files anew.
_QUIETLY = share(60, [HealthCheck.function_scoped_fixture])


@_QUIETLY
@given(_damaged(_SET), _damaged(pod(hot=True)), _damaged(_NAMESPACE))
def test_status_never_fails_of_itself(item: Object, other: Object, namespace: Object) -> None:
    ended = status(item, other, pod("p1", hot=True), namespace)
    assert ended.code in (0, 1, 2), ended.stderr
    if ended.stdout:
        assert_valid(json.loads(ended.stdout), "rollout-status.json")
    else:
        assert "error: " in ended.stderr


@_QUIETLY
@given(_damaged(_SET), _damaged(_SET), _damaged(pod(hot=True)))
def test_diff_never_fails_of_itself(old: Object, new: Object, manifest: Object) -> None:
    for name, value in (("old.json", old), ("new.json", new), ("pods.json", manifest)):
        Path(name).write_text(json.dumps(value))
    ended = run("diff", "old.json", "new.json", "pods.json", "-o", "json", "-o", "markdown=m.md", "-o", "text=t.txt")
    assert ended.code in (0, 1, 2), ended.stderr
    if ended.stdout:
        assert_valid(json.loads(ended.stdout), "sidecarset-diff.json")
    else:
        assert "error: " in ended.stderr


@_QUIETLY
@given(_damaged(_SET), _damaged(yaml.safe_load(DEPLOYMENT)))
def test_diff_of_trees_never_fails_of_itself(item: Object, deployment: Object) -> None:
    for name, value in (("old", _SET), ("new", item)):
        Path(name).mkdir(exist_ok=True)
        Path(name, "set.json").write_text(json.dumps(value))
        Path(name, "web.json").write_text(json.dumps(deployment))
    ended = run("diff", "--before", "old", "--after", "new", "-o", "json", "-o", "markdown=m.md", "-o", "text=t.txt")
    assert ended.code in (0, 1, 2), ended.stderr
    if ended.code != 2 or ended.stdout:  # what the change does not break is reported
        assert_valid(json.loads(ended.stdout), "injection-diff.json")
