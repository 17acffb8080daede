"""`inject --check` of a dump says of each pod what `drift` says of it."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.sidecarset.pod_annotations import HASH, INJECTED_LIST
from tests.cli.running import run
from tests.effort import reaches_half, share
from tests.features.drift.drifting import revision_of, running
from tests.features.drift.test_outdated import PODS, SETS, app, created, sidecarset, updated
from tests.schemas import assert_valid

OLD = sidecarset()
NEW = sidecarset("log:2", volumes=[{"name": "buf", "configMap": {"name": "v2"}}, {"name": "extra", "emptyDir": {}}])


def written(folder: Path, new: Object, old: Object, pods: Sequence[Object]) -> list[Path]:
    """The paths of a SidecarSet, and of a dump with pods, each under its own name, and the earlier revision."""
    items = [{**pod, "metadata": {**pod["metadata"], "name": f"web-{index}"}} for index, pod in enumerate(pods)]
    made = {
        "set.json": new,
        "dump.json": {"apiVersion": "v1", "kind": "List", "items": [*items, revision_of(old)]},
    }
    for name, manifest in made.items():
        (folder / name).write_text(json.dumps(manifest))
    return [folder / name for name in made]


def assert_both_agree(paths: Sequence[Path]) -> list[str]:
    """The states of the pods, of which both commands say the same; empty for a pod that drift does not list."""
    drifted = json.loads(run("drift", *paths, "-o", "json").stdout)
    states: dict[str, set[str]] = {}
    for item in drifted["sidecarSets"]:
        for pod in item["pods"]:
            states.setdefault(pod["name"], set()).update(each["state"] for each in pod["drifts"])
    ended = run("inject", "--check", "-s", paths[0], paths[1], "--report", f"json={paths[0].parent / 'report'}")
    report = json.loads((paths[0].parent / "report").read_text())
    assert_valid(report, "run-report.json")
    found = [item for item in report["objects"] if item["object"]["kind"] == "Pod"]
    assert found
    for item in found:
        own = states.get(item["object"]["name"], set())
        assert (item["outcome"] == "drifted") == bool(own - {"InSync"}), item
        assert (item["outcome"] == "unchanged") == (own == {"InSync"}), item
        assert all(state in item["summary"] for state in own - {"InSync"}), item
    assert ended.code == run("drift", *paths, "--exit-code").code
    return [*{state for item in states.values() for state in item}]


def changed(change: Callable[[Object], None]) -> Object:
    """A pod of the current version, changed."""
    pod: Object = json.loads(json.dumps(created(app(), NEW)))
    change(pod)
    return pod


def without_sidecar(pod: Object) -> None:
    pod["spec"]["containers"] = [item for item in pod["spec"]["containers"] if item["name"] != "log"]


def other_command(pod: Object) -> None:
    next(item for item in pod["spec"]["containers"] if item["name"] == "log")["command"] = ["other"]


def of_a_former_set(pod: Object) -> None:
    pod["metadata"]["annotations"][INJECTED_LIST] = "logs,former"
    entries = json.loads(pod["metadata"]["annotations"][HASH])
    entries["former"] = {**entries["logs"], "sidecarSetName": "former", "sidecarList": ["gone"]}
    pod["metadata"]["annotations"][HASH] = json.dumps(entries)


def damaged(pod: Object) -> None:
    pod["metadata"]["annotations"][HASH] = "{"


def updating() -> Object:
    """A pod in the middle of an update in place."""
    pod = updated(created(app(), OLD), NEW)
    statuses = [{**item, "image": "log:1", "imageID": "old"} for item in pod["status"]["containerStatuses"]]
    return {**pod, "status": {**pod["status"], "containerStatuses": statuses}}


def ended(pod: Object) -> None:
    pod["status"]["phase"] = "Succeeded"


KINDS: list[tuple[str, Object, set[str]]] = [
    ("in sync", created(app(), NEW), {"InSync"}),
    ("never injected", running(app()), {"Missing"}),
    ("without its sidecar", changed(without_sidecar), {"Missing"}),
    ("changed by hand", changed(other_command), {"Changed"}),
    ("of a SidecarSet that is gone", changed(of_a_former_set), {"InSync", "Orphan"}),
    ("damaged annotations", changed(damaged), {"Unknown"}),
    ("of the earlier version", created(app(), OLD), {"Behind"}),
    ("updated in place", updated(created(app(), OLD), NEW), {"Outdated"}),
    ("in the middle of an update", updating(), {"Outdated", "Updating"}),
    ("ended", changed(ended), set()),
]


@pytest.mark.parametrize(("pod", "states"), [kind[1:] for kind in KINDS], ids=[kind[0] for kind in KINDS])
def test_of_every_kind_of_pod(pod: Object, states: set[str], tmp_path: Path) -> None:
    assert set(assert_both_agree(written(tmp_path, NEW, OLD, [pod]))) == states


def test_of_all_of_them_in_one_dump(tmp_path: Path) -> None:
    paths = written(tmp_path, NEW, OLD, [pod for _, pod, _ in KINDS])
    assert_both_agree(paths)
    text = run("inject", "--check", "-s", *paths).stderr
    assert "drifted" in text
    assert "SidecarSet logs: Outdated: no update changes that: recreate the pod (spec.volumes[buf])" in text
    assert text.rstrip().splitlines()[-1].startswith("0 to inject, 8 drifted, 1 unchanged, 1 skipped")


def test_fields_that_may_differ_are_ignored_by_both(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".sidecarctl.yaml").write_text("ignoreFields: [spec.volumes, command]\n")
    monkeypatch.chdir(tmp_path)
    pods = [changed(other_command), updated(created(app(), OLD), NEW)]
    assert assert_both_agree(written(tmp_path, NEW, OLD, pods)) == ["InSync"]


def test_a_pod_of_a_file_is_injected_as_before(tmp_path: Path) -> None:
    paths = written(tmp_path, NEW, OLD, [app()])
    assert "to inject" in run("inject", "--check", "-s", *paths).stderr


@reaches_half
@given(old=SETS, new=SETS, bare=st.lists(PODS, min_size=1, max_size=3), is_updated=st.booleans())
@share(20)
def test_of_random_pods(
    old: Object,
    new: Object,
    bare: list[Object],
    is_updated: bool,  # noqa: FBT001 - hypothesis gives it by name
) -> None:
    pods = [created(pod, old) for pod in bare]
    pods = [updated(pod, new) for pod in pods] if is_updated else pods
    with TemporaryDirectory() as folder:
        paths = written(Path(folder), new, old, pods)
        assume(run("inject", "--check", "-s", *paths).code < 2)  # Kruise's webhook may reject the SidecarSet
        assert_both_agree(paths)
