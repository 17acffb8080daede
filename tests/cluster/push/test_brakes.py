"""A colleague changes the paused SidecarSet, before or during the push: the stricter of it and the plan holds."""

import os
import pty
import signal
import subprocess
import sys
import time

import pytest

from sidecarctl.engine.facts.values import Object
from tests.cluster.push.pushing import Pushing, begin, held, pushed, set_path, updated, waves
from tests.cluster.shop import Shop

NOBODY: Object = {"matchLabels": {"brake": "on"}}
BRAKES: dict[str, Object] = {
    "partition": {"updateStrategy": {"partition": 6}},
    "maxUnavailable": {"updateStrategy": {"maxUnavailable": 0}},
    "strategy selector": {"updateStrategy": {"selector": NOBODY}},
    "selector": {"selector": NOBODY},
    "namespaceSelector": {"namespaceSelector": NOBODY},
}
HOLDS = ("partition", "maxUnavailable", "strategy selector")


def names_of(plan: Object) -> list[str]:
    return [name for wave in waves(plan) for name in wave]


def put(shop: Shop, field: str) -> None:
    spec = {**BRAKES[field]}
    if field == "selector":
        spec["selector"] = {"matchLabels": {"app": None, "brake": "on"}}
    answer = shop.api.patch(set_path(), {"spec": spec}, "merge")
    assert answer.code == 200, answer


@pytest.mark.parametrize("field", BRAKES)
def test_before_the_push(shop: Shop, field: str) -> None:
    names = names_of(begin(shop, 6))
    put(shop, field)
    push = pushed(shop, "--timeout", "3", code=1 if field in HOLDS else 0)
    assert updated(shop, names) == []
    assert_braked(push, field, 6)


@pytest.mark.parametrize("field", BRAKES)
def test_in_the_middle(shop: Shop, field: str) -> None:
    names = names_of(begin(shop, 6))
    with held(shop, names[0], "--timeout", "15") as push:
        push.until("PodPatched")
        put(shop, field)
        time.sleep(0.5)
        shop.kubelet.held.clear()
        push.end(code=1 if field in HOLDS else 0)
    assert updated(shop, names) == names[:1]
    assert_braked(push, field, 5)


def assert_braked(push: Pushing, field: str, skipped: int) -> None:
    if field in HOLDS:
        stopping = push.until("Stopping")
        assert stopping["reason"] == "SidecarSetChanged"
        assert "in the cluster" in stopping["why"]
    else:
        assert push.events[-1]["skipped"] == skipped
        assert all(
            "in the cluster does not match its" in item["why"] for item in push.events if "Skipped" in item["event"]
        )


def test_a_namespace_that_loses_its_label(shop: Shop) -> None:
    team: Object = {"matchLabels": {"team": shop.namespace}}
    names = names_of(begin(shop, 4, namespaceSelector=team))
    with held(shop, names[0]) as push:
        push.until("PodPatched")
        path = f"/api/v1/namespaces/{shop.namespace}"
        assert shop.api.patch(path, {"metadata": {"labels": {"team": "b"}}}, "merge").code == 200
        time.sleep(0.5)
        shop.kubelet.held.clear()
        assert push.end()["skipped"] == 3
    assert updated(shop, names) == names[:1]


def test_after_a_suspend_the_view_is_read_again(shop: Shop) -> None:
    """Pods that became unready while the push was stopped count, and an unpause is seen."""
    names = names_of(begin(shop, 6))
    with held(shop, names[0]) as push:
        push.until("PodPatched")
        push.signal(signal.SIGSTOP)
        strategy = {"updateStrategy": {"paused": False}}
        assert shop.api.patch(set_path(), {"spec": strategy}, "merge").code == 200
        shop.kubelet.held.clear()
        time.sleep(3)
        push.signal(signal.SIGCONT)
        push.end(code=1)
    assert push.until("Stopping")["reason"] == "SidecarSetChanged"
    assert updated(shop, names) == names[:1]


def test_at_the_question_of_a_wave(shop: Shop) -> None:
    """With a terminal: what happens while the operator thinks is counted before the first patch."""
    names = names_of(begin(shop, 6))
    leader, follower = pty.openpty()
    words = [sys.executable, "-m", "sidecarctl", "push", f"{shop.folder}/plan.json", "--confirm", "--settle", "0"]
    environ = {**os.environ, "KUBECONFIG": str(shop.kubeconfig), "TERM": "dumb"}
    with subprocess.Popen(
        [*words, "--timeout", "5"], stdin=follower, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environ
    ) as process:
        assert process.stderr is not None
        said = b""
        while b"[y/N]" not in said:
            said += process.stderr.read(1)
        lost = {"status": {"conditions": [{"type": "Ready", "status": "False"}]}}
        for name in names[:3]:
            assert shop.api.patch(f"{shop.path(name)}/status", lost).code == 200
        os.write(leader, b"y\n")
        out, _ = process.communicate(timeout=60)
    os.close(leader)
    os.close(follower)
    assert process.returncode == 1
    assert b"pods unavailable" in out
    assert updated(shop, names[3:]) == []
