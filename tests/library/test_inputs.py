"""The Python API: inputs that are read once, and the questions to ask them."""

from pathlib import Path

import pytest

from sidecarctl.facts.errors import InputError, SidecarctlError, UsageError
from sidecarctl.library.loading import load
from tests.cli.manifests import BAD_YAML, DEPLOYMENT, SET

POD = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "a", "labels": {"app": "web"}},
    "spec": {"containers": [{"name": "web", "image": "web:1"}]},
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "set.yaml").write_text(SET)
    (tmp_path / "web.yaml").write_text(DEPLOYMENT)
    return tmp_path


def test_a_pod_is_injected(folder: Path) -> None:
    inputs = load([str(folder)])
    assert inputs.sidecarsets == ("logs",)
    assert [manifest["kind"] for manifest in inputs.manifests] == ["SidecarSet", "Deployment"]
    found = inputs.inject(POD)
    assert found.changed
    assert found.sidecarsets == ("logs",)
    assert [item["name"] for item in found.manifest["spec"]["containers"]] == ["log-agent", "web"]
    assert POD["spec"] == {"containers": [{"name": "web", "image": "web:1"}]}


def test_a_workload_is_injected(folder: Path) -> None:
    inputs = load([str(folder)])
    found = inputs.inject(inputs.manifests[1])
    [pod] = found.pods
    assert pod.path == ("spec", "template")
    assert pod.sidecarsets == ("logs",)
    assert found.manifest["spec"]["template"] == pod.pod


def test_what_no_sidecarset_matches(folder: Path) -> None:
    inputs = load([str(folder)])
    other = {**POD, "metadata": {"name": "a", "labels": {"app": "other"}}}
    found = inputs.inject(other)
    assert found.manifest is other
    assert (found.changed, found.sidecarsets, found.reason) == (False, (), "PodNotSelected")
    [explained] = inputs.explain(other)
    [decision] = explained.decisions
    assert (decision.sidecarset, decision.injected, decision.reason) == ("logs", False, "PodNotSelected")
    assert decision.place
    assert (Path(decision.place.file).name, decision.place.line) == ("set.yaml", 8)


def test_what_cannot_be_decoded_stops_only_what_needs_it(folder: Path) -> None:
    (folder / "set.yaml").write_text(SET.replace("matchLabels:\n      app: web", "matchLabels: 5"))
    inputs = load([str(folder)])
    assert "error" in {finding.severity for finding in inputs.validate()}
    with pytest.raises(InputError, match=r"set.yaml:7"):
        inputs.inject(POD)


def test_errors_are_of_one_family(folder: Path) -> None:
    (folder / "bad.yaml").write_text(BAD_YAML)
    with pytest.raises(InputError, match=r"bad.yaml:3"):
        load([str(folder)])
    with pytest.raises(UsageError, match="write \\["):
        load(str(folder))
    with pytest.raises(UsageError, match=r"one of 1.0"):
        load([str(folder)], kruise="0.9")
    with pytest.raises(UsageError, match="did you mean SidecarTerminator"):
        load([str(folder)], feature_gates={"SidecarTerminatr": True})
    with pytest.raises(SidecarctlError, match="No such file"):
        load([str(folder / "none")])
