"""What new pods get while a rollout holds back running ones: one sentence, by every command that sees the rollout."""

import json
from pathlib import Path
from typing import Any

import pytest

from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.sidecarset.admission import admit
from sidecarctl.engine.sidecarset.conversion import CUSTOM_VERSION_LABEL
from sidecarctl.engine.sidecarset.revisions.controller_revisions import new_revision, revision_name
from sidecarctl.engine.sidecarset.revisions.revision_history import register
from sidecarctl.engine.validation.practice.updates import UNPINNED
from tests.cli.running import run
from tests.engine.rollout.manifests import pod
from tests.features.drift.drifting import injected
from tests.schemas import assert_valid

_HOLDING: list[tuple[Object, str]] = [
    ({"partition": 2}, "partition 2"),
    ({"partition": "50%"}, "partition 50%"),
    ({"selector": {"matchLabels": {"canary": "yes"}}}, "updateStrategy.selector"),
    ({"paused": True}, "updateStrategy.paused"),
]
_PIN: Object = {"revision": {"customVersion": "v1"}}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    _write("old.json", _sidecarset("1"))


def _sidecarset(image: str, label: str = "", **spec: Any) -> Object:
    return {
        "apiVersion": "apps.kruise.io/v1beta1",
        "kind": "SidecarSet",
        "metadata": {"name": "logs", "labels": {CUSTOM_VERSION_LABEL: label} if label else {}},
        "spec": {
            "selector": {"matchLabels": {"app": "web"}},
            "containers": [{"name": "agent", "image": f"agent:{image}"}],
            **spec,
        },
    }


def _write(name: str, *objects: Object) -> None:
    Path(name).write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": [*objects]}))


def _said(*command: str, schema: str) -> str:
    """What the text and the document of a command say of new pods."""
    document: Object = json.loads(run(*command, "-o", "json").stdout)
    assert_valid(document, schema)
    sentence: str = document["sidecarSets"][0].get("newPods", "")
    assert (sentence or "new pods get") in " ".join(run(*command).stdout.split()) or not sentence
    return sentence


def _sentences() -> set[str]:
    _write("pods.json", *map(injected, [pod(f"p{index}") for index in range(4)], [_sidecarset("1")] * 4))
    return {
        _said("diff", "old.json", "new.json", schema="sidecarset-diff.json"),
        _said("diff", "old.json", "new.json", "pods.json", schema="sidecarset-diff.json"),
        _said("plan", "new.json", "pods.json", schema="rollout-plan.json"),
        _said("status", "new.json", "pods.json", schema="rollout-status.json"),
    }


@pytest.mark.parametrize(("strategy", "held"), _HOLDING)
def test_every_command_says_what_new_pods_get_while_running_ones_are_held_back(strategy: Object, held: str) -> None:
    new = _sidecarset("2", updateStrategy=strategy)
    _write("new.json", new)
    assert _sentences() == {f"new pods get {revision_name(admit(new))}: {held} holds back running pods only"}


@pytest.mark.parametrize(
    "spec",
    [
        {"updateStrategy": {"partition": 0}},
        {"updateStrategy": {"partition": "0%"}},
        {"updateStrategy": {"partition": 2}, "injectionStrategy": {"paused": True}},
    ],
)
def test_nothing_is_said_where_nothing_is_held_back_or_new_pods_get_nothing(spec: Object) -> None:
    _write("new.json", _sidecarset("2", **spec))
    assert _sentences() == {""}


def test_a_rollout_that_holds_back_no_pod_has_nothing_to_say() -> None:
    _write("new.json", _sidecarset("1", updateStrategy={"partition": 2}))
    assert _sentences() == {""}


def _rules(*objects: Object) -> list[str]:
    _write("set.json", *objects)
    document = json.loads(run("validate", "set.json", "-o", "json").stdout)
    return [item["hint"] for item in document["findings"] if item.get("rule") == UNPINNED.id]


def _named(version: str, api_version: str, image: str, **spec: Any) -> Object:
    """A SidecarSet with a custom version as the rule says to write it."""
    if api_version == "v1beta1":
        return _sidecarset(image, customVersion=version, **spec)
    return _sidecarset(image, version, **spec) | {"apiVersion": f"apps.kruise.io/{api_version}"}


@pytest.mark.parametrize("api_version", ["v1alpha1", "v1beta1"])
@pytest.mark.parametrize(("strategy", "held"), _HOLDING)
def test_the_fix_of_the_rule_works_as_it_is_spelled_out(strategy: Object, held: str, api_version: str) -> None:
    """The revision of the version that runs is there already, without a version."""
    [hint] = _rules(_sidecarset("2", updateStrategy=strategy))
    for each in (
        "customVersion: v1 in",
        f"the label {CUSTOM_VERSION_LABEL}: v1",
        "customVersion: v2",
        str(held and "v1}"),
    ):
        assert each in hint
    first = admit(_named("v1", api_version, "1"))
    [older] = register(first, [new_revision(admit(_sidecarset("1")), 1)], set()).revisions
    then = _named("v2", api_version, "2", updateStrategy=strategy, injectionStrategy=_PIN)
    assert not _rules(then, older.manifest)
    bare: Object = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "labels": {"app": "web"}}}
    _write("all.json", then, older.manifest, {**bare, "spec": {"containers": [{"name": "main", "image": "main:1"}]}})
    containers = json.loads(run("inject", "all.json").stdout)["items"][-1]["spec"]["containers"]
    assert {item["name"]: item["image"] for item in containers} == {"agent": "agent:1", "main": "main:1"}


def test_the_rule_is_only_for_releases_with_revisions_at_injection() -> None:
    _write("set.json", _sidecarset("2", updateStrategy={"partition": 2}) | {"apiVersion": "apps.kruise.io/v1alpha1"})
    assert "canary-without-pin" in run("validate", "set.json", "--kruise", "1.3").stdout
    assert "canary-without-pin" not in run("validate", "set.json", "--kruise", "1.2").stdout
