"""`push` against a real API server."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml

from sidecarctl.engine.facts.values import Object
from tests.cli.running import Ended, run
from tests.cluster.api import PATIENCE, Api
from tests.cluster.control_plane import ControlPlane
from tests.cluster.kubelet import Fault
from tests.cluster.shop import Shop, images
from tests.cluster.test_patches import HOT, start
from tests.engine.rollout.manifests import pod, sidecarset
from tests.features.push.replaying import assert_matches_schemas
from tests.schemas import assert_valid

_ON_A_TERMINAL = "import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))"
RBAC = "/apis/rbac.authorization.k8s.io/v1"


def paused(tag: str = "2", *, most: int = 2, hot: bool = False) -> Object:
    return sidecarset(tag, hot=hot, updateStrategy={"maxUnavailable": most, "paused": True}).manifest


def words(shop: Shop, *options: str) -> tuple[str, ...]:
    return ("push", f"{shop.folder}/plan.json", "--settle", "0", "--timeout", "60", *options)


def pushed(shop: Shop, *options: str, code: int = 0) -> Ended:
    ended = run(*words(shop, *options), env={"KUBECONFIG": str(shop.kubeconfig)})
    assert ended.code == code, (ended.stdout, ended.stderr)
    return ended


def planned(shop: Shop, count: int = 4, *, most: int = 2) -> None:
    start(shop, [pod(f"p{index}") for index in range(count)], paused(most=most))
    shop.plan("--no-paused")


def tags(shop: Shop, count: int = 4) -> list[str]:
    return [images(shop.pod(f"p{index}"))["agent"] for index in range(count)]


def test_a_cold_plan(shop: Shop) -> None:
    planned(shop)
    ended = pushed(shop)
    assert "Completed: 4 patched" in ended.stdout
    assert tags(shop) == ["agent:2"] * 4
    assert "Completed: 0 patched, 4 already as planned" in pushed(shop, "--resume").stdout
    assert shop.plan("--no-paused")["sidecarSets"][0]["ending"] == "NothingToDo"


def test_a_hot_plan_and_its_conditions(shop: Shop) -> None:
    shop.hold(paused(hot=True))
    shop.run_pods([pod(f"p{index}", hot=True, images=HOT) for index in range(2)])
    shop.plan("--no-paused")
    pushed(shop, "--force", "controller", "--write-conditions")
    for name in ("p0", "p1"):
        now = shop.pod(name)
        assert images(now) == {"agent-1": "empty:1", "agent-2": "agent:2", "app": "app:1"}
        told = {condition["type"]: condition["status"] for condition in now["status"]["conditions"]}
        assert told["SidecarSetUpgradable"] == "True"
    assert shop.plan("--no-paused")["sidecarSets"][0]["ending"] == "NothingToDo"


def test_events_and_report_for_programs(shop: Shop) -> None:
    planned(shop)
    ended = pushed(shop, "-o", "json", "--report", f"json={shop.folder}/report.json")
    assert_matches_schemas(ended.stdout, shop.folder / "plan.json.journal")
    report = json.loads((shop.folder / "report.json").read_text())
    assert report["summary"] == "Completed: 4 patched"
    assert [item["outcome"] for item in report["objects"]] == ["changed"] * 4


@pytest.mark.parametrize("side", ["client", "server"])
def test_a_dry_run_changes_nothing(shop: Shop, side: str) -> None:
    planned(shop)
    before = [shop.pod(f"p{index}") for index in range(4)]
    assert pushed(shop, "--dry-run", side).stdout == "Checked: 4 pods to patch; nothing was changed\n"
    assert_valid(json.loads(pushed(shop, "--dry-run", side, "-o", "json").stdout), "push-event.json")
    assert [shop.pod(f"p{index}") for index in range(4)] == before
    assert not (shop.folder / "plan.json.journal").exists()


def test_a_crash_loop_stops_it(shop: Shop) -> None:
    planned(shop)
    shop.kubelet.faults["agent:2"] = Fault.CRASH_LOOP
    ended = pushed(shop, "--settle", "30", code=1)  # it crashes before
    assert "CrashLoopBackOff" in ended.stderr
    assert tags(shop).count("agent:2") == 1


def test_with_the_least_rights(shop: Shop, api: Api, control_plane: ControlPlane) -> None:
    planned(shop)
    printed = pushed(shop, "--print-rbac").stdout
    roles = list(yaml.safe_load_all(printed))
    api.ask("POST", "/api/v1/namespaces", {"metadata": {"name": "kruise-system"}})
    user = f"pusher-{shop.namespace}"
    for role in roles:
        bind(api, role, user)
    kubeconfig = control_plane.kubeconfig(shop.folder / "pusher", user=user)
    ended = run(*words(shop), env={"KUBECONFIG": str(kubeconfig)})
    assert ended.code == 0, ended.stderr
    assert tags(shop) == ["agent:2"] * 4


def bind(api: Api, role: Object, user: str) -> None:
    namespace = role["metadata"].get("namespace", "")
    base = f"{RBAC}/namespaces/{namespace}/" if namespace else f"{RBAC}/cluster"
    name = {"name": user, **({"namespace": namespace} if namespace else {})}
    api.create(f"{base}roles", {**role, "metadata": name})
    subject = {"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": user}
    reference = {"apiGroup": "rbac.authorization.k8s.io", "kind": role["kind"], "name": user}
    api.create(f"{base}rolebindings", {"metadata": name, "roleRef": reference, "subjects": [subject]})
    api.await_rights(user, role)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_interrupted_it_waits_for_its_answers_and_continues_later(shop: Shop, number: int, code: int) -> None:
    planned(shop, most=1)
    shop.kubelet.held.add("agent:2")
    environ = {**os.environ, "KUBECONFIG": str(shop.kubeconfig)}
    command = [sys.executable, "-m", "sidecarctl", *words(shop)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if "patched" in line and "push" not in line:
                process.send_signal(number)
                break
        told = process.stdout.read()
        assert process.wait(PATIENCE) == code
    shop.kubelet.held.clear()
    assert "Interrupted: 1 patched" in told
    assert tags(shop).count("agent:2") == 1
    assert "Completed: 3 patched, 1 already as planned" in pushed(shop, "--resume").stdout


def on_a_terminal(shop: Shop, answer: str, *options: str) -> Ended:
    ended = subprocess.run(
        [sys.executable, "-c", _ON_A_TERMINAL, sys.executable, "-m", "sidecarctl", *words(shop, *options)],
        input=answer,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
        env={**os.environ, "KUBECONFIG": str(shop.kubeconfig), "TERM": "xterm", "CI": ""},
    )
    return Ended(ended.returncode, ended.stdout, ended.stderr)


def test_on_a_terminal_a_table_lives(shop: Shop) -> None:
    planned(shop)
    ended = on_a_terminal(shop, "")
    assert ended.code == 0
    for told in ("updating", "of at most 2 pods", "elapsed", "Completed: 4 patched"):
        assert told in ended.stdout


def test_each_wave_is_confirmed_on_a_terminal_alone(shop: Shop) -> None:
    planned(shop)
    assert "--confirm needs a terminal" in pushed(shop, "--confirm", code=2).stderr
    assert on_a_terminal(shop, "n\n", "--confirm").code == 1
    assert tags(shop) == ["agent:1"] * 4
    assert on_a_terminal(shop, "y\ny\n", "--confirm", "--resume").code == 0
    assert tags(shop) == ["agent:2"] * 4


def test_a_new_plan_is_shown_and_asked_for(shop: Shop) -> None:
    planned(shop)
    shop.api.patch(shop.path("p1"), {"spec": {"containers": [{"name": "agent", "image": "agent:0"}]}})
    shop.await_pod("p1", lambda item: bool(item["status"]["containerStatuses"][0]["image"] == "agent:0"))
    assert "[StalePlan]" in pushed(shop, "--replan", code=3).stderr
    assert on_a_terminal(shop, "n\n", "--replan").code == 3
    assert on_a_terminal(shop, "y\n", "--replan").code == 0
    assert tags(shop) == ["agent:2"] * 4
    assert (shop.folder / "plan.replanned.json.journal").exists()


def test_killed_it_continues(shop: Shop) -> None:
    planned(shop, 6, most=1)
    environ = {**os.environ, "KUBECONFIG": str(shop.kubeconfig)}
    for moment in (1.0, 1.5, 2.0):
        options = ["--resume"] if (shop.folder / "plan.json.journal").exists() else []
        command = [sys.executable, "-m", "sidecarctl", *words(shop, *options, "--settle", "0.3")]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, env=environ) as process:
            time.sleep(moment)
            process.kill()
    options = ["--resume"] if Path(shop.folder / "plan.json.journal").exists() else []
    assert "Completed" in pushed(shop, *options).stdout
    assert tags(shop, 6) == ["agent:2"] * 6
