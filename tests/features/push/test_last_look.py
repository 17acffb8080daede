"""What counts is what pods show: a journal is a memory, and the last line tells what the last look showed."""

import json
import tempfile
from pathlib import Path

import pytest

from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.plan_file.journal import Past
from sidecarctl.engine.report import Outcome
from sidecarctl.features.push.cluster.sending import Sender
from sidecarctl.features.push.deciding.machine import Machine
from sidecarctl.features.push.deciding.pod_limit import PodLimit
from sidecarctl.features.push.deciding.progress import progress_at_start
from sidecarctl.features.push.deciding.waves import End, Send
from sidecarctl.features.push.events import PodDone, PodPatched, PodSkipped, PushEvent
from sidecarctl.features.push.pods import live_pod
from tests.engine.rollout.manifests import pod, sidecarset
from tests.features.push.fake_cluster import FakeCluster, Fate
from tests.features.push.pushes import NOW, QUICK, Ended, Log, Shop, document_of, shop


def counts(ended: Ended) -> dict[str, int]:
    """Each pod in one number."""
    facts = ended.facts._asdict()
    told = {name: facts[name] for name in ("patched", "as_planned", "skipped", "failed", "not_reached")}
    return {name: number for name, number in told.items() if number}


def put_back(here: Shop, name: str) -> None:
    """Let somebody undo the patch of a pod, annotations and all."""
    before = pod(name)

    def undo(manifest: Object) -> None:
        manifest["spec"] = before["spec"]
        manifest["metadata"]["annotations"] = before["metadata"]["annotations"]
        statuses = {item["name"]: item["image"] for item in before["spec"]["containers"]}
        for item in manifest["status"]["containerStatuses"]:
            item["image"] = statuses[item["name"]]

    here.cluster.edit("shop", name, undo)


def test_a_plan_is_pushed_again_after_its_rollback(tmp_path: Path) -> None:
    here = shop(tmp_path, 3)
    assert counts(here.push()) == {"patched": 3}
    for name in ("p0", "p1", "p2"):
        put_back(here, name)
    ended = here.push()
    assert (ended.facts.result, counts(ended)) == ("Completed", {"patched": 3})
    assert {here.cluster.images(name)["agent"] for _, name in here.cluster.pods} == {"agent:2"}


def test_resume_patches_what_somebody_put_back(tmp_path: Path) -> None:
    here = shop(tmp_path, 3)
    here.push(pause_after=2)
    done = [step.pod[1] for step in here.plan.steps[:2]]
    put_back(here, done[0])
    ended = here.push(resume=True)
    assert (ended.facts.result, counts(ended)) == ("Completed", {"patched": 2, "as_planned": 1})
    assert {here.cluster.images(name)["agent"] for _, name in here.cluster.pods} == {"agent:2"}


def test_resume_waits_for_a_done_pod_that_is_not_ready_any_more(tmp_path: Path) -> None:
    here = shop(tmp_path, 2)
    here.push(pause_after=1)
    first = here.plan.steps[0].pod[1]
    here.cluster.edit("shop", first, unready)
    ended = here.push(resume=True, timeout=0.3)
    assert (ended.exit_code, ended.facts.result) == (1, "Stopped")
    assert sum(here.cluster.patched.values()) == 1


def unready(manifest: Object) -> None:
    manifest["status"]["conditions"] = [{"type": "Ready", "status": "False"}]


def test_a_done_pod_that_is_put_back_in_the_meantime_stops_it(tmp_path: Path) -> None:
    here = shop(tmp_path, 3)

    def meddle(event: PushEvent) -> None:
        if isinstance(event, PodDone) and len(here.log.of(PodDone)) == 1:
            put_back(here, event.pod.partition("/")[2])
            here.cluster.await_watches()

    here.log = Log(on_event=meddle)
    ended = here.push(settle=0.1)
    assert (ended.exit_code, ended.findings[-1].reason) == (1, Reason.STALE_PLAN)
    assert "somebody has changed it since it was patched" in ended.findings[-1].message


def test_each_pod_counts_once(tmp_path: Path) -> None:
    """One that was patched and then created again is no patched pod."""
    here = shop(tmp_path, 3)

    def recreate(event: PushEvent) -> None:
        if isinstance(event, PodPatched) and len(here.log.of(PodPatched)) == 2:
            here.cluster.create(pod(here.log.of(PodPatched)[0].pod.partition("/")[2]))
            here.cluster.await_watches()

    here.log = Log(on_event=recreate)
    ended = here.push(settle=0.1)
    assert counts(ended) == {"patched": 2, "skipped": 1}
    assert str(ended.facts) == "Completed: 2 patched, 1 skipped"
    [skipped] = [item for item in ended.report.objects if item.change.outcome is Outcome.SKIPPED]
    assert skipped.change.summary == "it was created again, and has agent with agent:1: the plan does not cover it"


def test_a_pod_created_again_with_the_planned_images(tmp_path: Path) -> None:
    here = shop(tmp_path, 2, max_unavailable=2)
    new = pod("p1")
    here.push(waves=frozenset({1}))
    there = shop(tmp_path / "there", 2, max_unavailable=2)
    fresh = here.cluster.pods["shop", "p1"]
    new = {**fresh, "metadata": {**fresh["metadata"], "uid": "another"}}
    there.cluster.create(new)
    (tmp_path / "there").mkdir()
    there.push()
    assert there.log.of(PodSkipped)[0].why == "it was created again, and is as planned"


def test_a_wave_ends_only_while_its_pods_are_seen_as_they_are() -> None:
    """A watch that broke may hide what has happened to pods that are done."""
    with tempfile.TemporaryDirectory() as folder:
        here = shop(Path(folder), 1)
        plan, live = here.plan, live_pod(here.cluster.pods["shop", "p0"])
        machine = Machine(
            plan, QUICK, {"logs": PodLimit(plan.targets["logs"], {})}, progress_at_start(plan, Past(), {})
        )
        machine.see(live.key, live, 0.0)
        [send] = machine.decide(0.0, NOW)
        assert isinstance(send, Send)
        machine.set_outdated("pods", "the watch of pods broke")
        sent = Sender(here.cluster, plan.targets).send(send.step, live, NOW)
        machine.answered(0, sent, 1.0)
        machine.see(live.key, live_pod(here.cluster.pods["shop", "p0"]), 1.0)
        assert machine.decide(2.0, NOW) == []
        machine.set_outdated("pods", "")
        assert machine.decide(3.0, NOW) == [End()]


def sick(here: Shop, *names: str) -> None:
    """Pods that are not ready, for a reason that the sidecar has nothing to do with, and never will be."""
    for name in names:
        here.cluster.fates[name] = Fate.NEVER_READY
        here.cluster.edit("shop", name, lambda item: _fail(item, "app"))
    here.document = document_of(
        [sidecarset("2", updateStrategy={"maxUnavailable": 2})], [*here.cluster.pods.values()]
    )


def _fail(manifest: Object, container: str) -> None:
    unready(manifest)
    for item in manifest["status"]["containerStatuses"]:
        item["ready"] = item["name"] != container


def test_a_pod_that_is_never_ready_blocks_nothing(tmp_path: Path) -> None:
    """Kruise takes it without a place in the budget, and continues."""
    here = shop(tmp_path, 4, max_unavailable=2)
    sick(here, "p1")
    ended = here.push(first_pod_alone=True, settle=0.1)
    assert here.log.of(PodPatched)[0].pod != "shop/p1"
    assert (ended.exit_code, ended.facts.result, ended.facts.waiting) == (0, "Completed", 1)
    assert str(ended.facts) == "Completed: 4 patched; 1 not ready"
    [listed] = [item for item in ended.findings if item.reason is Reason.POD_NOT_READY]
    assert (str(listed.subject), "not ready before" in listed.message) == ("Pod shop/p1", True)


def test_a_sick_pod_does_not_stop_a_resumed_push(tmp_path: Path) -> None:
    here = shop(tmp_path, 4, max_unavailable=2)
    sick(here, "p1")
    here.push(first_pod_alone=True, pause_after=1)
    ended = here.push(first_pod_alone=True, resume=True)
    assert (ended.exit_code, ended.facts.result) == (0, "Completed")


def test_timeouts_count_as_failures_that_may_be_allowed(tmp_path: Path) -> None:
    here = shop(tmp_path, 4, max_unavailable=2)
    first = here.plan.steps[0].pod[1]
    here.cluster.fates[first] = Fate.NEVER_READY
    stopped = here.push(timeout=0.5, first_pod_alone=True)
    assert stopped.findings[-1].reason is Reason.PUSH_TIMEOUT
    assert f"shop/{first}" in stopped.findings[-1].message
    assert "--max-failures 1" in stopped.findings[-1].message
    ended = here.push(timeout=0.5, first_pod_alone=True, resume=True, max_failures=1)
    assert (ended.exit_code, ended.facts.result) == (1, "Incomplete")
    assert counts(ended) == {"patched": 3, "failed": 1}


def test_the_journal_says_that_it_is_incomplete(tmp_path: Path) -> None:
    here = shop(tmp_path, 3, max_unavailable=2)
    here.cluster.fates["p0"] = Fate.CRASHES
    here.push(max_failures=1)
    assert json.loads(here.journal.read_text().splitlines()[-1]) == {"record": "end", "result": "Incomplete"}


@pytest.mark.parametrize("most", [1, 2])
def test_a_pod_that_becomes_unready_after_planning_blocks_nothing(tmp_path: Path, most: int) -> None:
    """It has its place among those that are unavailable already, and need not become ready: its patch is not why."""
    here = shop(tmp_path, 1 + most, max_unavailable=most)
    last = here.plan.steps[-1].pod[1]
    here.cluster.fates[last] = Fate.NEVER_READY

    def fall(event: PushEvent) -> None:
        if isinstance(event, PodPatched) and len(here.log.of(PodPatched)) == most:
            here.cluster.edit("shop", last, lambda item: _fail(item, "app"))
            here.cluster.await_watches()

    here.log = Log(on_event=fall)
    ended = here.push(settle=0.1)
    assert (ended.exit_code, ended.facts.result) == (0, "Completed")
    assert str(ended.facts) == f"Completed: {1 + most} patched; 1 not ready"


def test_a_pod_that_becomes_unready_unseen_just_before_its_patch(tmp_path: Path) -> None:
    """The answer to the patch shows how it was."""
    here = shop(tmp_path, 1)
    here.cluster.fates["p0"] = Fate.NEVER_READY

    def fall(cluster: FakeCluster, path: str, body: Object, is_dry: bool) -> None:  # noqa: FBT001 - its caller gives it by place
        del path, body
        if not is_dry and not cluster.patched:
            _fail(cluster.pods["shop", "p0"], "app")

    here.cluster.before = fall
    ended = here.push(settle=0.1)
    assert (ended.exit_code, str(ended.facts)) == (0, "Completed: 1 patched; 1 not ready")
