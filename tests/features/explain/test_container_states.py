"""`status` and `explain` say why a container is not ready, whatever else is the matter with its pod."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from sidecarctl.engine.facts.values import Object
from tests.cli.running import run

SAMPLES = Path(__file__).parents[3] / "samples" / "drift"
_ENDED = {"exitCode": 1, "startedAt": "2026-01-01T00:00:00Z", "finishedAt": "2026-01-01T00:00:14Z"}
CRASHES = {
    "restartCount": 7,
    "state": {"waiting": {"reason": "CrashLoopBackOff"}},
    "lastState": {"terminated": _ENDED},
}
SAID = "(CrashLoopBackOff, 7 restarts, last exit 1 after 14 s)"


def crash(pod: Object) -> None:
    """Let the sidecar crash."""
    pod["status"]["conditions"][0]["status"] = "False"
    (log,) = (item for item in pod["status"]["containerStatuses"] if item["name"] == "log-agent")
    log |= {"ready": False, **CRASHES}


def crash_behind(pod: Object) -> None:
    """Let the sidecar crash of a pod that is not updated: the third, held back by the partition."""
    crash(pod)


def never_pulled(pod: Object) -> None:
    """A pod that never ran: its phase is Pending."""
    crash(pod)
    pod["status"]["phase"] = "Pending"
    for item in pod["status"]["containerStatuses"]:
        item |= {"ready": False, "state": {"waiting": {"reason": "ImagePullBackOff", "message": "no such image"}}}
        item |= {"restartCount": 0, "lastState": {}}


def init_crashes(pod: Object) -> None:
    """A pod whose init container crashes, so that its containers wait."""
    crash(pod)
    pod["status"]["phase"] = "Pending"
    for item in pod["status"]["containerStatuses"]:
        item |= {"ready": False, "state": {"waiting": {"reason": "PodInitializing"}}}
        item |= {"restartCount": 0, "lastState": {}}
    pod["spec"]["initContainers"] = [{"name": name, "image": "setup:1"} for name in ("done", "setup", "later")]
    done = {"name": "done", "ready": True, "state": {"terminated": {"exitCode": 0, "reason": "Completed"}}}
    later = {"name": "later", "ready": False, "state": {"waiting": {"reason": "PodInitializing"}}}
    pod["status"]["initContainerStatuses"] = [done, {"name": "setup", "ready": False, **CRASHES}, later]


@pytest.mark.parametrize(
    ("index", "change", "said"),
    [
        (0, crash, f"not ready: log-agent {SAID}"),
        (2, crash_behind, f"not ready: log-agent {SAID}"),
        (0, never_pulled, "its phase is Pending: log-agent (ImagePullBackOff: no such image)"),
        (0, init_crashes, f"its phase is Pending: setup {SAID}"),
    ],
    ids=["crashes", "crashes before its update", "image cannot be pulled", "init container crashes"],
)
def test_a_container_that_is_not_ready(
    index: int, change: Callable[[Object], None], said: str, tmp_path: Path
) -> None:
    listed = json.loads((SAMPLES / "pods.json").read_text())
    change(listed["items"][index])
    (tmp_path / "pods.json").write_text(json.dumps(listed))
    inputs = (SAMPLES / "sidecarset.yaml", tmp_path / "pods.json", "--revision-from", SAMPLES / "older.yaml")
    assert said in run("status", *inputs).stdout
    assert said in run("explain", *inputs, f"pod/web-{index}").stdout


def test_the_revision_before_the_one_that_crashes_can_be_restored(tmp_path: Path) -> None:
    listed = json.loads((SAMPLES / "pods.json").read_text())
    crash(listed["items"][0])
    (tmp_path / "pods.json").write_text(json.dumps(listed))
    (tmp_path / "set.yaml").write_text((SAMPLES / "sidecarset.yaml").read_text())
    inputs = (tmp_path / "set.yaml", tmp_path / "pods.json", "--revision-from", SAMPLES / "older.yaml")
    said = run("explain", *inputs, "pod/web-0").stdout
    advice = (
        "with the same inputs, `sidecarctl revisions restore --revision logs-8b456bc9b` gives the revision before it"
    )
    assert advice in said
    restored = run("revisions", "restore", "--revision", "logs-8b456bc9b", *inputs)
    assert (restored.code, "log-agent:2.0" in restored.stdout) == (0, True), restored


def test_a_revision_that_kruise_rejects_as_an_update_is_no_way_back() -> None:
    """The revision before has a container that the current SidecarSet has no longer."""
    on_call = SAMPLES.parent / "on-call"
    inputs = (on_call / "sidecarset.yaml", on_call / "pods.yaml", "--revision-from", on_call / "older.yaml")
    said = run("explain", *inputs, "pod/web-1").stdout
    assert "; Kruise rejects the way back to logs-74f4b7db58: container metrics is new" in said
    assert "revisions restore" not in said
