"""`status` and `explain` say why a container is not ready."""

import json
from pathlib import Path

from tests.cli.running import run

SAMPLES = Path(__file__).parents[3] / "samples" / "drift"


def test_a_container_that_crashes(tmp_path: Path) -> None:
    listed = json.loads((SAMPLES / "pods.json").read_text())
    status = listed["items"][0]["status"]
    status["conditions"][0]["status"] = "False"
    (log,) = (item for item in status["containerStatuses"] if item["name"] == "log-agent")
    ended = {"exitCode": 1, "startedAt": "2026-01-01T00:00:00Z", "finishedAt": "2026-01-01T00:00:14Z"}
    waiting = {"waiting": {"reason": "CrashLoopBackOff"}}
    log |= {"ready": False, "restartCount": 7, "state": waiting, "lastState": {"terminated": ended}}
    (tmp_path / "pods.json").write_text(json.dumps(listed))
    said = "not ready: log-agent (CrashLoopBackOff, 7 restarts, last exit 1 after 14 s)"
    inputs = (SAMPLES / "sidecarset.yaml", tmp_path / "pods.json")
    assert said in run("status", *inputs).stdout
    assert said in run("explain", *inputs, "web-0").stdout
