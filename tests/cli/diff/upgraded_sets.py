"""SidecarSets with fields that releases of Kruise treat differently."""

from sidecarctl.facts.values import Object, Value
from tests.rollout.manifests import EMPTY

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
