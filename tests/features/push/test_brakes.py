"""The SidecarSet in the cluster is a brake: the stricter of it and the plan holds at every patch."""

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.plan_file.reading import DIGEST, digest_of
from sidecarctl.engine.sidecarset.pod_annotations import HASH
from sidecarctl.features.push.events import PodPatched, PodSkipped, PushEvent, PushStarted, Waiting
from sidecarctl.features.push.plan import LIMITS
from tests.engine.rollout.manifests import pod, sidecarset
from tests.features.push.fake_cluster import FakeCluster, Fate
from tests.features.push.pushes import Log, Shop, shop

NOBODY: Object = {"matchLabels": {"brake": "on"}}
MANY = 6
HOLDING: list[tuple[Object, str]] = [
    ({"partition": MANY}, f"its partition {MANY} in the cluster holds back {MANY} of {MANY} pods"),
    ({"maxUnavailable": 0}, "maxUnavailable is 0 in the cluster: 0 of at most 0 pods unavailable"),
    ({"selector": NOBODY}, "the selector of updateStrategy in the cluster does not match shop/p"),
]
LEAVING: list[tuple[Object, str]] = [
    ({"selector": NOBODY}, "the selector of SidecarSet logs in the cluster does not match its labels"),
    ({"namespaceSelector": NOBODY}, "SidecarSet logs in the cluster does not match its namespace"),
]
NAMES = ["partition", "maxUnavailable", "selector of the strategy"]


def brake(here: Shop, strategy: Object | None = None, **spec: Any) -> None:
    """Let a colleague change the paused SidecarSet."""
    spec["updateStrategy"] = {"maxUnavailable": 4, "paused": True, **(strategy or {})}
    here.cluster.hold(sidecarset("2", **spec).manifest)


def after_first(here: Shop, act: Callable[[], object]) -> None:
    """Do something once the first pod is patched."""

    def watch(event: PushEvent) -> None:
        if isinstance(event, PodPatched) and len(here.log.of(PodPatched)) == 1:
            act()
            here.cluster.await_watches()

    here.log = Log(on_event=watch)


@pytest.mark.parametrize(("strategy", "why"), HOLDING, ids=NAMES)
def test_what_is_stricter_before_the_push_holds(tmp_path: Path, strategy: Object, why: str) -> None:
    here = shop(tmp_path, MANY, max_unavailable=4)
    brake(here, strategy)
    ended = here.push(timeout=0.3)
    assert (ended.exit_code, sum(here.cluster.patched.values())) == (1, 0)
    assert ended.findings[-1].reason is Reason.SIDECARSET_CHANGED
    assert why in ended.findings[-1].message
    assert "--resume" in ended.findings[-1].hint
    [started] = here.log.of(PushStarted)
    [field] = strategy
    assert started.remarks[0].startswith(f"SidecarSet logs: updateStrategy.{field} is ")


@pytest.mark.parametrize(("strategy", "why"), HOLDING, ids=NAMES)
def test_what_becomes_stricter_holds(tmp_path: Path, strategy: Object, why: str) -> None:
    here = shop(tmp_path, MANY, max_unavailable=4)
    after_first(here, lambda: brake(here, strategy))
    ended = here.push(timeout=1.0, settle=0.1, first_pod_alone=True)
    assert (ended.exit_code, sum(here.cluster.patched.values())) == (1, 1)
    assert ended.findings[-1].reason is Reason.SIDECARSET_CHANGED
    assert why.partition(" in the cluster")[0] in ended.findings[-1].message
    brake(here)
    ended = here.push(resume=True)
    assert (ended.facts.result, ended.facts.patched) == ("Completed", MANY - 1), ended.findings


@pytest.mark.parametrize(("spec", "why"), LEAVING, ids=["selector", "namespaceSelector"])
@pytest.mark.parametrize("is_before", [True, False])
def test_pods_that_it_no_longer_matches_are_skipped(
    tmp_path: Path, spec: Object, why: str, *, is_before: bool
) -> None:
    cluster = FakeCluster(kruise="1.9.0")
    cluster.label("shop", team="a")
    here = shop(tmp_path, MANY, max_unavailable=4, cluster=cluster)
    if is_before:
        brake(here, **spec)
    else:
        after_first(here, lambda: brake(here, **spec))
    ended = here.push(settle=0.1, first_pod_alone=True)
    patched = 0 if is_before else 1
    assert (sum(cluster.patched.values()), ended.facts.skipped) == (patched, MANY - patched)
    assert {event.why for event in here.log.of(PodSkipped)} == {why}


def test_what_is_looser_changes_nothing(tmp_path: Path) -> None:
    here = shop(tmp_path, 3, max_unavailable=1)
    brake(here, {"maxUnavailable": "100%"})
    ended = here.push()
    assert (ended.exit_code, ended.facts.patched) == (0, 3)


@pytest.mark.parametrize("respects_pdb", [True, False])
def test_a_pod_that_loses_its_label_is_skipped(tmp_path: Path, *, respects_pdb: bool) -> None:
    here = shop(tmp_path, 3)
    last = here.plan.steps[-1].pod
    after_first(here, lambda: here.cluster.edit(*last, lambda item: item["metadata"].update(labels={"app": "else"})))
    ended = here.push(respect_pdb=respects_pdb)
    assert (here.cluster.patched[last], ended.facts.skipped) == (0, 1)


def test_old_pods_that_join_are_counted_at_the_end(tmp_path: Path) -> None:
    here = shop(tmp_path, 3)
    after_first(here, partial(here.cluster.create, pod("new")))
    ended = here.push(settle=0.1)
    assert ended.facts.result == "Completed"
    [said] = [item.message for item in ended.findings if item.reason is Reason.POD_NOT_PLANNED]
    assert said == "1 old pod joined SidecarSet logs during the push, and stay old: shop/new"


def test_pods_become_unready_while_the_operator_thinks(tmp_path: Path) -> None:
    """The budget is counted anew after the question."""
    here = shop(tmp_path, 6, max_unavailable=3)

    class Thinking(Log):
        def confirm(self, wave: int, steps: Any) -> bool:
            if wave == 2:
                for step in here.plan.steps[:3]:
                    here.cluster.edit(*step.pod, unready)
            return super().confirm(wave, steps)

    here.log = Thinking([True, True])
    ended = here.push(confirms=True, timeout=0.5)
    assert (ended.exit_code, sum(here.cluster.patched.values())) == (1, 3)
    assert here.log.of(Waiting)[-1].why.startswith("3 of at most 3 pods unavailable: ")


def unready(manifest: Object) -> None:
    manifest["status"]["conditions"] = [{"type": "Ready", "status": "False"}]


def test_a_failed_pod_that_takes_the_only_place_gets_no_advice_that_cannot_help(tmp_path: Path) -> None:
    here = shop(tmp_path, 3, max_unavailable=1)
    here.cluster.fates[here.plan.steps[0].pod[1]] = Fate.CRASHES
    message = here.push().findings[-1].message
    assert "--max-failures" not in message
    assert "it takes the only place that maxUnavailable allows" in message


def test_a_failed_pod_that_is_ready_now_is_done(tmp_path: Path) -> None:
    """The app restarts once while its pod settles, and is healthy ever after."""
    here = shop(tmp_path, 3)

    def restart(item: Object) -> None:
        for status in item["status"]["containerStatuses"]:
            status["restartCount"] += status["name"] == "app"

    first = here.plan.steps[0].pod
    after_first(here, lambda: here.cluster.edit(*first, restart))
    stopped = here.push(settle=0.5)
    assert (stopped.exit_code, stopped.facts.failed) == (1, 1)
    ended = here.push(resume=True)
    assert (ended.facts.result, ended.facts.patched, ended.facts.as_planned) == ("Completed", 2, 1)


def test_a_restart_for_another_sidecarset_is_no_failure(tmp_path: Path) -> None:
    here = shop(tmp_path, 3)
    first = here.plan.steps[0].pod

    def restart(item: Object) -> None:
        hashes = json.loads(item["metadata"]["annotations"][HASH])
        hashes["other"] = {**hashes["logs"], "sidecarSetName": "other", "sidecarList": ["app"]}
        item["metadata"]["annotations"][HASH] = json.dumps(hashes)
        for status in item["status"]["containerStatuses"]:
            status["restartCount"] += status["name"] == "app"

    after_first(here, lambda: here.cluster.edit(*first, restart))
    ended = here.push(settle=0.5)
    assert (ended.facts.result, ended.facts.patched) == ("Completed", 3)


def test_a_resumed_push_keeps_its_limits(tmp_path: Path) -> None:
    here = shop(tmp_path, 6, max_unavailable=2)
    here.push(waves=frozenset({1, 2}), max_unavailable=1, pause_after=1)
    ended = here.push(resume=True, kept=LIMITS)
    assert (ended.facts.patched, ended.facts.as_planned) == (2, 2)
    assert "kept from the journal: --max-unavailable 1" in here.log.of(PushStarted)[-1].remarks
    assert "kept from the journal: --waves 1,2" in here.log.of(PushStarted)[-1].remarks


def test_a_plan_that_stalls_is_no_success(tmp_path: Path) -> None:
    here = shop(tmp_path, 3)
    sets = here.document["sidecarSets"]
    sets[0] |= {"ending": "Stalled", "message": "2 of 3 pods stay old"}
    here.document = {**here.document, DIGEST: digest_of(here.document)}
    ended = here.push()
    assert ended.exit_code == 1
    assert str(ended.facts) == "Completed: 3 patched; SidecarSet logs: 2 of 3 pods stay old"


def test_resume_patches_a_pod_whose_image_was_put_back(tmp_path: Path) -> None:
    """Its annotations say that it is updated, and its image is the old one."""
    here = shop(tmp_path, 3)
    here.push(pause_after=2)

    def put_back(item: Object) -> None:
        for part in (item["spec"]["containers"], item["status"]["containerStatuses"]):
            next(entry for entry in part if entry["name"] == "agent")["image"] = "agent:1"

    here.cluster.edit(*here.plan.steps[0].pod, put_back)
    ended = here.push(resume=True)
    assert (ended.facts.result, ended.facts.patched) == ("Completed", 2)
    assert {here.cluster.images(name)["agent"] for _, name in here.cluster.pods} == {"agent:2"}
