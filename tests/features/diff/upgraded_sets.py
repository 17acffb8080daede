"""SidecarSets with fields that releases of Kruise treat differently, and upgrades of them."""

import json
from pathlib import Path

from sidecarctl.engine.facts.values import Object, Value
from tests.cli.running import Ended, run
from tests.engine.rollout.manifests import EMPTY
from tests.schemas import assert_valid

AGENT: Object = {"name": "agent", "image": "agent:2"}
NATIVE: Object = {"name": "native", "image": "native:1", "restartPolicy": "Always"}
PROBED: Object = {**AGENT, "livenessProbe": {"grpc": {"port": 80}}}
HOT: Object = {**AGENT, "upgradeStrategy": {"upgradeType": "HotUpgrade", "hotUpgradeEmptyImage": EMPTY}}


def sidecarset(version: str = "v1alpha1", *, name: str = "logs", **spec: Value) -> Object:
    return {
        "apiVersion": f"apps.kruise.io/{version}",
        "kind": "SidecarSet",
        "metadata": {"name": name},
        "spec": {"selector": {"matchLabels": {"app": "web"}}, "containers": [AGENT], **spec},
    }


def upgrade(before: str, after: str, *objects: Object, options: tuple[str, ...] = ()) -> Ended:
    Path("sets.json").write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}))
    return run("diff", "--kruise-from", before, "--kruise-to", after, "sets.json", *options)


def document(before: str, after: str, *objects: Object) -> Object:
    written: Object = json.loads(upgrade(before, after, *objects, options=("-o", "json")).stdout)
    assert_valid(written, "kruise-upgrade.json")
    return written
