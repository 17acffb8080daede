"""The Python API: inputs that are read once, and the questions to ask them."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sidecarctl.engine.facts.errors import InputError, SidecarctlError, UsageError
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


def test_a_change_without_effect_counts_the_pods(folder: Path) -> None:
    inputs = load([str(folder)])
    [manifest] = [item for item in inputs.manifests if item["kind"] == "SidecarSet"]
    noted = {**manifest, "metadata": {**manifest["metadata"], "annotations": {"note": "x"}}}
    [change] = inputs.with_sidecarset(noted).diff(inputs)
    assert change.verdicts == ("NoEffect",)
    assert (change.matched, change.updated, change.recreated, change.lost, change.gained) == (2, 0, 0, 0, 0)


untyped_load: Any = load
"""Scripts without types may pass anything."""

WRONG_ARGUMENTS: dict[str, Callable[[Any], object]] = {
    "paths is a list of paths": lambda _: untyped_load(Path("a")),
    "kruise is a text": lambda _: untyped_load(["a"], kruise=1.9),
    "feature_gates is a mapping": lambda _: untyped_load(["a"], feature_gates=["X"]),
    "SidecarTerminator is True or False": lambda _: untyped_load(
        ["a"],
        feature_gates={"SidecarTerminator": "yes"},
    ),
    r"namespace_labels\[shop\] is a mapping": lambda _: untyped_load(["a"], namespace_labels={"shop": "a"}),
    "a manifest is a dict, not a list": lambda inputs: inputs.inject([]),
    "takes a SidecarSet, not Pod a": lambda inputs: inputs.with_sidecarset(POD),
    "before is what load returns": lambda inputs: inputs.diff("git:main"),
    "fail is a list of patterns": lambda inputs: inputs.plan("logs", fail="web-*"),
    "unknown field partiton": lambda inputs: inputs.plan("logs", update_strategy={"partiton": 5}),
    "update_strategy is a dict": lambda inputs: inputs.plan("logs", update_strategy=5),
}


@pytest.mark.parametrize("message", WRONG_ARGUMENTS)
def test_wrong_arguments_are_of_that_family_too(folder: Path, message: str) -> None:
    inputs = load([str(folder)])
    with pytest.raises(UsageError, match=message):
        WRONG_ARGUMENTS[message](inputs)


def test_values_that_no_manifest_has(folder: Path) -> None:
    tuples = {**POD, "spec": {"containers": ({"name": "web"},)}}
    with pytest.raises(InputError, match=r"spec.containers: expected a list, got a Python tuple"):
        load([str(folder)]).inject(tuples)


def test_a_rollout_has_the_template_of_its_deployment(folder: Path) -> None:
    rollout = {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Rollout",
        "metadata": {"name": "by-ref", "namespace": "shop"},
        "spec": {"workloadRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}},
    }
    [explained] = load([str(folder)]).explain(rollout)
    assert (explained.pod, explained.outcome) == ("Rollout shop/by-ref", "Injected")
