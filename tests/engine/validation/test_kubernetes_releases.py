"""Fields that releases of Kubernetes drop."""

import pytest

from sidecarctl.engine.facts.errors import UsageError
from sidecarctl.engine.facts.values import Object, path_text
from sidecarctl.engine.validation.practice.kubernetes import kubernetes_findings, parse_kubernetes
from tests.engine.validation.examples import sound_set

SPEC: Object = sound_set(
    containers=[
        {
            "name": "agent",
            "image": "agent:1",
            "lifecycle": {"preStop": {"sleep": {"seconds": 5}}},
            "securityContext": {"appArmorProfile": {"type": "RuntimeDefault"}},
            "volumeMounts": [{"name": "a", "mountPath": "/a", "readOnly": True, "recursiveReadOnly": "Enabled"}],
        }
    ],
    initContainers=[{"name": "proxy", "image": "proxy:1", "restartPolicy": "Always"}],
    volumes=[{"name": "a", "image": {"reference": "a:1"}}],
)["spec"]


@pytest.mark.parametrize(
    ("minor", "errors", "warnings"),
    [
        (27, {"restartPolicy", "sleep"}, {"appArmorProfile", "recursiveReadOnly", "image"}),
        (28, {"sleep"}, {"restartPolicy", "appArmorProfile", "recursiveReadOnly", "image"}),
        (29, set(), {"sleep", "appArmorProfile", "recursiveReadOnly", "image"}),
        (30, set(), {"recursiveReadOnly", "image"}),
        (31, set(), {"image"}),
        (34, set(), {"image"}),
        (35, set(), set()),
    ],
)
def test_fields_by_release(minor: int, errors: set[str], warnings: set[str]) -> None:
    found = list(kubernetes_findings(SPEC, minor))
    fields = {
        severity: {path_text(item.path).rpartition(".")[2] for item in found if item.severity == severity}
        for severity in ("error", "warning")
    }
    assert fields == {"error": errors, "warning": warnings}


def test_what_a_gate_decides_is_reported() -> None:
    said = [item.message for item in kubernetes_findings(SPEC, 28) if item.rule == "native-sidecar-release"]
    gate = "unless the feature gate SidecarContainers is on, the API server of Kubernetes 1.28 drops it"
    assert said == [f"{gate}: pods with proxy never get beyond Init"]


@pytest.mark.parametrize(("text", "minor"), [("", None), ("1.27", 27), ("v1.27.3", 27), ("1.30.1-gke.100+a", 30)])
def test_how_releases_are_written(text: str, minor: int | None) -> None:
    assert parse_kubernetes(text) == minor


@pytest.mark.parametrize("text", ["27", "1", "2.1", "1.x", "latest"])
def test_what_is_no_release(text: str) -> None:
    with pytest.raises(UsageError, match="is not a release of Kubernetes"):
        parse_kubernetes(text)
