"""A planned set over five pods, and helpers for tests of `sidecarctl plan`."""

import json
from collections.abc import Sequence
from pathlib import Path

from sidecarctl.engine.facts.values import Object
from tests.cli.running import Ended, run
from tests.schemas import assert_valid

SET = """\
apiVersion: apps.kruise.io/v1beta1
kind: SidecarSet
metadata: {name: logs}
spec:
  selector: {matchLabels: {app: web}}
  containers:
  - {name: agent, image: "agent:2"}
  updateStrategy:
    maxUnavailable: 2
"""


def dump(path: Path, pods: Sequence[Object], *more: Object) -> Path:
    path.write_text(json.dumps({"apiVersion": "v1", "items": [*pods, *more], "kind": "List"}))
    return path


def planned(folder: Path, *options: str | Path, code: int = 0) -> Object:
    ended = run("plan", folder / "set.yaml", folder / "pods.json", "-o", "json", *options)
    assert ended.code == code, ended.stderr
    document: Object = json.loads(ended.stdout)
    assert_valid(document, "rollout-plan.json")
    return document


def waves(document: Object) -> list[list[str]]:
    return [[pod["name"] for pod in wave["pods"]] for wave in document["sidecarSets"][0]["waves"]]


def told(ended: Ended, *words: str) -> None:
    for word in words:
        assert word in ended.stderr
