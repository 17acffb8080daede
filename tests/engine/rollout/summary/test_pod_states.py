"""What is said of containers that are not ready."""

import pytest

from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.rollout.summary.pod_states import troubles

ENDED: Object = {"exitCode": 1, "reason": "Error"}
TIMES = {"startedAt": "2026-01-01T00:00:00Z", "finishedAt": "2026-01-01T00:00:14Z"}


@pytest.mark.parametrize(
    ("status", "said"),
    [
        ({}, "log"),
        ({"state": {"running": {}}}, "log"),
        ({"state": {"waiting": {"reason": "ContainerCreating"}}}, "log (ContainerCreating)"),
        (
            {
                "state": {"waiting": {"reason": "CrashLoopBackOff", "message": "back-off 5m0s restarting"}},
                "restartCount": 7,
                "lastState": {"terminated": ENDED | TIMES},
            },
            "log (CrashLoopBackOff, 7 restarts, last exit 1 after 14 s)",
        ),
        (
            {"state": {"waiting": {"reason": "ErrImagePull", "message": "no such host"}}},
            "log (ErrImagePull: no such host)",
        ),
        (
            {"state": {"terminated": {"exitCode": 137, "reason": "OOMKilled"}}, "restartCount": 1},
            "log (ended with exit 137 (OOMKilled), 1 restart)",
        ),
    ],
)
def test_what_the_status_says(status: Object, said: str) -> None:
    assert troubles(["log"], [None, {"name": "log", **status}]) == said
    assert troubles(["log", "other"], [{"name": "log", **status}]) == f"{said}, other"
