"""Failures during a push."""

import threading
import time
from pathlib import Path

import pytest

from sidecarctl.engine.facts.errors import InputError
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.kubectl.api_requests import Answer, NoAnswerError
from sidecarctl.features.push.events import ParallelismChanged, PodFailed, PodPatched, PodRefused, PushEvent, Waiting
from tests.engine.rollout.manifests import sidecarset
from tests.features.push.fake_cluster import FakeCluster, Fate, refusal
from tests.features.push.pushes import Log, Shop, refusals, shop

PUB = 'admission webhook "vpod.kb.io" denied the request: podunavailablebudget web: unavailable allowed is 0'


class Times:
    """A hook that answers a number of times, but not dry runs."""

    def __init__(self, number: int, answer: Answer | Exception) -> None:
        self.left = number
        self._answer = answer

    def __call__(self, cluster: FakeCluster, path: str, body: Object, is_dry: bool) -> Answer | None:  # noqa: FBT001 - its caller gives it by place
        del cluster, path, body
        if is_dry or not self.left:
            return None
        self.left -= 1
        if isinstance(self._answer, Exception):
            raise self._answer
        return self._answer


class Policy:
    """A hook that refuses the patches of a pod."""

    def __init__(self, pod: str, *, is_met_in_dry_runs: bool) -> None:
        self._pod = pod
        self._is_met_in_dry_runs = is_met_in_dry_runs

    def __call__(self, cluster: FakeCluster, path: str, body: Object, is_dry: bool) -> Answer | None:  # noqa: FBT001 - its caller gives it by place
        del cluster, body
        is_meant = path.endswith(f"/{self._pod}") and (self._is_met_in_dry_runs or not is_dry)
        return refusal(403, 'admission webhook "policy" denied the request: no') if is_meant else None


def assert_complete(here: Shop) -> None:
    assert set(here.cluster.patched.values()) == {1}
    assert {here.cluster.images(name)["agent"] for _, name in here.cluster.pods} == {"agent:2"}


@pytest.mark.parametrize(
    "answer",
    [
        refusal(409, "conflict", 0.0),
        refusal(429, "too many requests", 0.0),
        refusal(503, "unavailable", 0.0),
        refusal(500, "etcd leader changed", 0.0),
        refusal(403, PUB, 0.0),
        NoAnswerError("the connection broke"),
    ],
)
def test_what_passes_is_tried_again(tmp_path: Path, answer: Answer | Exception) -> None:
    here = shop(tmp_path, 3)
    here.cluster.before = Times(2, answer)
    assert here.push().exit_code == 0
    assert_complete(here)


def test_an_answer_that_is_lost_is_looked_for_in_the_pod(tmp_path: Path) -> None:
    here = shop(tmp_path, 3)
    here.cluster.after = Times(3, NoAnswerError("the connection broke"))
    ended = here.push()
    assert (ended.exit_code, ended.facts.patched) == (0, 3)
    assert_complete(here)


def test_a_busy_server_gets_fewer_requests_at_once(tmp_path: Path) -> None:
    here = shop(tmp_path, 6, max_unavailable=6)
    here.cluster.before = Times(1, refusal(429, "too many requests", 0.0))
    assert here.push().exit_code == 0
    assert here.log.of(ParallelismChanged)[0].requests == 4


def test_a_budget_of_kruise_is_awaited_until_the_timeout(tmp_path: Path) -> None:
    here = shop(tmp_path, 2)
    here.cluster.before = Times(1000, refusal(403, PUB, 0.05))
    here.runs_out_of_time_after(Waiting)
    ended = here.push()
    assert (ended.exit_code, ended.findings[-1].reason) == (1, Reason.PUSH_TIMEOUT)
    assert "PodUnavailableBudget" in ended.findings[-1].message
    assert not here.cluster.patched


@pytest.mark.slow
def test_the_budget_that_holds_a_pod_back_is_named_and_its_time_does_not_count(tmp_path: Path) -> None:
    """It lets the pods of a wave through one by one, each within the time of a wave."""
    here = shop(tmp_path, 4, max_unavailable=4)
    said = (
        'admission webhook "vpod.kb.io" denied the request: '
        'podunavailablebudget.policy.kruise.io "web" is forbidden: pub unavailable allowed is negative'
    )
    since = [time.monotonic()]

    def hold(cluster: FakeCluster, path: str, body: Object, is_dry: bool) -> Answer | None:  # noqa: FBT001 - its caller gives it by place
        del cluster, path, body
        if is_dry or time.monotonic() - since[0] < 1.0:
            return refusal(403, said, 0.05)
        since[0] = time.monotonic()
        return None

    here.cluster.before = hold
    ended = here.push(timeout=3.0)
    assert (ended.exit_code, ended.facts.done) == (0, 4)
    why = here.log.of(Waiting)[0].why
    assert why.endswith("PodUnavailableBudget web holds it back: it has no room")


def test_no_pod_after_a_refused_one_is_tried_before_it(tmp_path: Path) -> None:
    """As Kruise's controller returns at the first refusal; another SidecarSet's pods would not wait."""
    here = shop(tmp_path, 4, max_unavailable=4)
    tried: list[str] = []
    refusals = [4]

    def hold(cluster: FakeCluster, path: str, body: Object, is_dry: bool) -> Answer | None:  # noqa: FBT001 - its caller gives it by place
        del cluster, body
        if is_dry:
            return None
        tried.append(path.rpartition("/")[2])
        refusals[0] -= 1
        return refusal(403, PUB, 0.05) if refusals[0] >= 0 else None

    here.cluster.before = hold
    ended = here.push(max_parallel=1)
    assert ended.exit_code == 0
    order = [step.pod[1] for step in here.plan.steps]
    assert tried == [order[0]] * 4 + order


def test_of_several_refused_pods_the_first_is_tried_alone_and_one_line_names_the_budget(tmp_path: Path) -> None:
    here = shop(tmp_path, 4, max_unavailable=4)
    tried: list[str] = []

    def hold(cluster: FakeCluster, path: str, body: Object, is_dry: bool) -> Answer | None:  # noqa: FBT001 - its caller gives it by place
        del cluster, body
        if is_dry:
            return None
        tried.append(path.rpartition("/")[2])
        return refusal(403, PUB, 0.05) if len(tried) <= 6 else None

    here.cluster.before = hold
    assert here.push(max_parallel=4).exit_code == 0
    order = [step.pod[1] for step in here.plan.steps]
    assert (sorted(tried[:4]), tried[4:]) == (sorted(order), [order[0]] * 2 + order)
    assert len([event for event in here.log.of(Waiting) if "PodUnavailableBudget" in event.why]) == 1


def test_a_webhook_that_changes_patches(tmp_path: Path) -> None:
    def pin(cluster: FakeCluster, path: str, body: Object, is_dry: bool) -> Answer | None:  # noqa: FBT001 - its caller gives it by place
        del cluster, path
        if is_dry:
            return None
        for container in body["spec"]["containers"]:
            container["image"] = f"registry.local/{container['image']}"
        return Answer(200, body)

    here = shop(tmp_path, 3)
    here.cluster.after = pin
    ended = here.push()
    assert (ended.exit_code, ended.facts.failed) == (1, 1)
    assert ended.findings[-1].reason is Reason.CHANGED_BY_ADMISSION
    assert "became registry.local/agent:2" in ended.findings[-1].message
    assert sum(here.cluster.patched.values()) == 1


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (refusal(401, "Unauthorized"), Reason.NOT_LOGGED_IN),
        (refusal(403, 'pods "p0" is forbidden: User "x" cannot patch'), Reason.FORBIDDEN),
        (refusal(403, 'admission webhook "policy" denied the request: no'), Reason.PATCH_REFUSED),
        (refusal(400, "annotation is no string"), Reason.PATCH_REFUSED),
        (refusal(422, "the server rejected our request"), Reason.PATCH_REFUSED),
    ],
)
def test_a_refusal_stops_it(tmp_path: Path, answer: Answer, reason: Reason) -> None:
    """The pod is untouched, so it has not failed."""
    here = shop(tmp_path, 3)
    here.cluster.before = Times(1000, answer)
    ended = here.push()
    assert (ended.exit_code, ended.findings[-1].reason) == (1, reason)
    assert (ended.facts.failed, ended.facts.not_reached) == (0, 3)
    assert not here.cluster.patched


def test_a_pod_that_a_policy_refuses_can_be_passed_over(tmp_path: Path) -> None:
    """It is untouched: it takes no place of the budget, counts as not reached, and --resume tries it again."""
    here = shop(tmp_path, 4, max_unavailable=1)
    here.cluster.before = Policy("p1", is_met_in_dry_runs=False)
    ended = here.push(max_failures=1)
    assert str(ended.facts).startswith("Incomplete: 3 patched, 1 not reached")
    assert (ended.exit_code, ended.facts.failed) == (1, 0)
    [refused] = here.log.of(PodRefused)
    assert (refused.pod, "denied the request: no" in refused.why) == ("shop/p1", True)
    [result] = [item for item in ended.report.objects if item.reference.name == "p1"]
    assert [item.reason for item in result.change.findings] == [Reason.PATCH_REFUSED]
    here.cluster.before = None
    assert here.push(resume=True).facts.result == "Completed"
    assert_complete(here)


def test_the_try_before_a_push_passes_over_pods_too(tmp_path: Path) -> None:
    here = shop(tmp_path, 3)
    here.cluster.before = Policy("p0", is_met_in_dry_runs=True)
    [found] = refusals(here)
    assert (found.reason, found.hint) == (
        Reason.PATCH_REFUSED,
        "--max-failures passes over pods whose patch is refused",
    )
    ended = here.push(max_failures=1)
    assert (ended.facts.patched, ended.facts.not_reached) == (2, 1)


def test_an_expired_token_is_tried_once_more(tmp_path: Path) -> None:
    here = shop(tmp_path, 3)
    here.cluster.before = Times(1, refusal(401, "Unauthorized"))
    assert here.push().exit_code == 0
    assert_complete(here)


def test_a_pod_that_kruise_has_patched_meanwhile_was_reached(tmp_path: Path) -> None:
    here = shop(tmp_path, 3)

    def meddle(event: PushEvent) -> None:
        if isinstance(event, PodPatched):
            patched = here.cluster.pods["shop", event.pod.partition("/")[2]]
            name = next(name for _, name in here.cluster.pods if here.cluster.images(name)["agent"] == "agent:1")

            def update(manifest: Object) -> None:
                manifest["spec"] = patched["spec"]
                manifest["metadata"]["annotations"] = patched["metadata"]["annotations"]

            here.cluster.edit("shop", name, update)
            here.cluster.await_watches()

    here.log = Log(on_event=meddle)
    ended = here.push()
    assert (ended.facts.result, ended.findings[-1].reason) == ("Stopped", Reason.FOREIGN_PUSH)
    assert (ended.facts.patched, ended.facts.as_planned, ended.facts.not_reached) == (1, 1, 1)


def test_a_pod_that_changes_in_a_harmless_way_is_patched_from_its_new_text(tmp_path: Path) -> None:
    def meddle(cluster: FakeCluster, path: str, body: Object, is_dry: bool) -> Answer | None:  # noqa: FBT001 - its caller gives it by place
        del body
        name = path.rpartition("/")[2]
        annotations = cluster.pods["shop", name]["metadata"]["annotations"]
        if not is_dry and "x" not in annotations:
            state = '{"mesh":{"revision":"m","lastContainerStatuses":{}}}'
            key = "kruise.io/sidecarset-inplace-update-state"
            cluster.edit("shop", name, lambda item: item["metadata"]["annotations"].update({key: state, "x": "1"}))
        return None

    here = shop(tmp_path, 2)
    here.cluster.before = meddle
    assert here.push().exit_code == 0
    assert_complete(here)
    state = here.cluster.pods["shop", "p0"]["metadata"]["annotations"]["kruise.io/sidecarset-inplace-update-state"]
    assert '"mesh":{"revision":"m"' in state
    assert '"logs":' in state


def test_a_pod_whose_image_somebody_changes_in_the_meantime_stops_it(tmp_path: Path) -> None:
    def meddle(cluster: FakeCluster, path: str, body: Object, is_dry: bool) -> Answer | None:  # noqa: FBT001 - its caller gives it by place
        del body
        if not is_dry:
            name = path.rpartition("/")[2]
            cluster.edit("shop", name, lambda item: item["spec"]["containers"][0].update(image="agent:9"))
        return None

    here = shop(tmp_path, 3)
    here.cluster.before = meddle
    ended = here.push()
    assert (ended.exit_code, ended.findings[-1].reason) == (1, Reason.STALE_PLAN)
    assert "agent:9" in ended.findings[-1].message
    assert not here.cluster.patched


def test_a_pod_that_is_deleted_or_created_again_in_the_meantime_is_skipped(tmp_path: Path) -> None:
    def delete(cluster: FakeCluster, path: str, body: Object, is_dry: bool) -> Answer | None:  # noqa: FBT001 - its caller gives it by place
        del body
        name = path.rpartition("/")[2]
        if not is_dry and name == "p0":
            cluster.delete("shop", name)
        if not is_dry and name == "p1" and cluster.pods["shop", name]["metadata"]["uid"] != "another":
            fresh = {**cluster.pods["shop", name]}
            fresh["metadata"] = {**fresh["metadata"], "uid": "another"}
            cluster.create(fresh)
        return None

    here = shop(tmp_path, 3, max_unavailable=3)
    here.cluster.before = delete
    ended = here.push()
    assert (ended.exit_code, ended.facts.patched, ended.facts.skipped) == (0, 1, 2)


@pytest.mark.parametrize("fate", [Fate.CRASHES, Fate.NEVER_PULLED])
def test_failures_are_seen_at_once(tmp_path: Path, fate: Fate) -> None:
    here = shop(tmp_path, 3)
    here.cluster.fates["p0"] = fate
    ended = here.push(timeout=60.0)
    assert (ended.exit_code, ended.findings[-1].reason) == (1, Reason.PODS_FAILED)


def test_a_crash_after_ready_is_seen_while_it_settles(tmp_path: Path) -> None:
    here = shop(tmp_path, 3)
    here.cluster.fates["p0"] = Fate.CRASHES_LATER

    def crash(event: PushEvent) -> None:
        if isinstance(event, PodPatched):
            threading.Timer(0.1, here.cluster.kubelet, ("shop", "p0")).start()

    here.log = Log(on_event=crash)
    ended = here.push(settle=60.0, timeout=100.0)
    assert (ended.exit_code, ended.facts.failed) == (1, 1)
    assert "CrashLoopBackOff" in ended.findings[-1].message
    assert sum(here.cluster.patched.values()) == 1


@pytest.mark.parametrize("fate", [Fate.NEVER_READY, Fate.HANGS])
def test_a_pod_that_is_never_ready_ends_with_the_timeout(tmp_path: Path, fate: Fate) -> None:
    here = shop(tmp_path, 3)
    here.cluster.fates["p0"] = fate
    here.runs_out_of_time_after(PodPatched)
    ended = here.push()
    assert (ended.exit_code, ended.facts.failed, ended.facts.not_reached) == (1, 1, 2)
    assert ended.findings[-1].reason is Reason.PUSH_TIMEOUT


def test_the_first_pod_goes_alone(tmp_path: Path) -> None:
    here = shop(tmp_path, 5, max_unavailable=5)
    here.cluster.fates |= {f"p{index}": Fate.NEVER_READY for index in range(5)}
    here.runs_out_of_time_after(PodPatched)
    ended = here.push(first_pod_alone=True)
    assert (ended.exit_code, sum(here.cluster.patched.values())) == (1, 1)


def test_more_failures_can_be_allowed(tmp_path: Path) -> None:
    here = shop(tmp_path, 5, max_unavailable=3)
    here.cluster.fates["p0"] = Fate.CRASHES
    ended = here.push(max_failures=1)
    assert (ended.exit_code, ended.facts.failed, ended.facts.done) == (1, 1, 4)
    assert ended.facts.result == "Incomplete"


def test_a_failed_pod_never_counts_as_ready_again(tmp_path: Path) -> None:
    here = shop(tmp_path, 3)
    here.cluster.fates["p0"] = Fate.CRASHES

    def recover(event: PushEvent) -> None:
        if isinstance(event, PodFailed):
            here.cluster.edit("shop", "p0", ready_again)

    here.log = Log(on_event=recover)
    here.runs_out_of_time_after(PodFailed)
    ended = here.push(max_failures=1)
    assert (ended.exit_code, ended.findings[-1].reason) == (1, Reason.PUSH_TIMEOUT)
    assert sum(here.cluster.patched.values()) == 1


def ready_again(manifest: Object) -> None:
    for status in manifest["status"]["containerStatuses"]:
        status |= {"ready": True, "state": {"running": {}}}
    manifest["status"]["conditions"] = [{"type": "Ready", "status": "True"}]


def test_pods_lost_with_their_node_hold_the_budget(tmp_path: Path) -> None:
    """There are more of them than may be unavailable, so nothing is sent."""
    here = shop(tmp_path, 5, max_unavailable=2)

    def lose(event: PushEvent) -> None:
        if isinstance(event, PodPatched) and len(here.log.of(PodPatched)) == 2:
            for name in ("p2", "p3", "p4"):
                here.cluster.edit("shop", name, unready)
            here.cluster.await_watches()

    here.log = Log(on_event=lose)
    here.runs_out_of_time_after(Waiting)
    ended = here.push(settle=0.2)
    assert (ended.exit_code, ended.findings[-1].reason) == (1, Reason.PUSH_TIMEOUT)
    assert sum(here.cluster.patched.values()) == 2
    assert here.log.of(Waiting)[-1].why == "3 of at most 2 pods unavailable: shop/p2, shop/p3, shop/p4"


def unready(manifest: Object) -> None:
    manifest["status"]["conditions"] = [{"type": "Ready", "status": "False"}]


def test_new_pods_that_are_unavailable_hold_the_budget(tmp_path: Path) -> None:
    here = shop(tmp_path, 2)
    new = {**here.cluster.pods["shop", "p0"]}
    new["metadata"] = {**new["metadata"], "name": "new", "uid": "new"}
    here.cluster.create(new)
    here.cluster.edit("shop", "new", unready)
    assert here.push(timeout=0.3).exit_code == 1
    assert not here.cluster.patched


@pytest.mark.parametrize("what", ["unpaused", "changed", "deleted", "created again"])
def test_the_set_is_watched(tmp_path: Path, what: str) -> None:
    here = shop(tmp_path, 4)
    paused = {"paused": True}

    def meddle(event: PushEvent) -> None:
        if not isinstance(event, PodPatched) or len(here.log.of(PodPatched)) > 1:
            return
        if what in ("deleted", "created again"):
            here.cluster.drop("logs")
        if what != "deleted":
            tag, strategy = ("3" if what == "changed" else "2"), ({} if what == "unpaused" else paused)
            here.cluster.hold(sidecarset(tag, updateStrategy=strategy).manifest)

    here.log = Log(on_event=meddle)
    here.cluster.fates |= {f"p{index}": Fate.HANGS for index in range(4)}
    ended = here.push()
    assert (ended.exit_code, ended.findings[-1].reason) == (1, Reason.SIDECARSET_CHANGED)
    assert sum(here.cluster.patched.values()) == 1
    assert "--resume" in ended.findings[-1].hint


def test_a_full_disk_stops_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = shop(tmp_path, 4)

    def fill(event: PushEvent) -> None:
        if isinstance(event, PodPatched):
            monkeypatch.setattr("sidecarctl.features.push.journal.os.write", full)

    here.log = Log(on_event=fill)
    ended = here.push()
    assert (ended.exit_code, ended.findings[-1].reason) == (1, Reason.JOURNAL_UNWRITABLE)
    intended = {record["pod"] for record in here.records() if record["record"] == "intent"}
    assert {"/".join(key) for key in here.cluster.patched} <= intended
    assert len(intended) < 4
    monkeypatch.undo()
    here.log = Log()
    assert here.push(resume=True).facts.result == "Completed"
    assert_complete(here)


def test_a_disk_that_is_full_before_the_journal_exists(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """--resume would find nothing."""
    here = shop(tmp_path, 2)
    monkeypatch.setattr("sidecarctl.features.push.journal.os.write", full)
    with pytest.raises(InputError) as caught:
        here.push()
    assert caught.value.findings[0].hint == "make room, then push again"
    assert not here.journal.exists()
    monkeypatch.undo()
    assert here.push().exit_code == 0


def test_a_journal_in_a_folder_that_is_missing(tmp_path: Path) -> None:
    here = shop(tmp_path / "missing", 2)
    with pytest.raises(InputError) as caught:
        here.push()
    assert caught.value.findings[0].hint == "--journal names another file"
    assert not here.cluster.patched


def test_one_error_of_the_server_at_the_start_is_no_end(tmp_path: Path) -> None:
    here = shop(tmp_path, 2)
    path = "/api/v1/namespaces/kube-system"
    here.cluster.refuses[path] = refusal(500, "etcd leader changed")
    threading.Timer(0.2, here.cluster.refuses.pop, (path,)).start()
    assert here.push().exit_code == 0


def full(_file: int, _data: bytes) -> int:
    raise OSError(28, "No space left on device")
