"""Pods that a SidecarSet may match, since the labels of their namespaces are not among the inputs."""

import json
from pathlib import Path

import pytest

from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.sidecarset.unknown_namespaces import DUMP
from tests.cli.running import Ended, run
from tests.engine.rollout.manifests import pod, sidecarset
from tests.schemas import assert_valid

UNKNOWN = "Unknown: 2 pods (shop/web-0, shop/web-1) match only if the labels of namespace shop do"
PODS = [pod("web-0"), pod("web-1"), pod("ended", status={"phase": "Succeeded"})]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def ask(*words: str, selector: Object | None = None, pods: list[Object] = PODS) -> Ended:
    """The answer of a command about pods of a namespace without a manifest."""
    for name, tag in (("old.yaml", "1"), ("set.yaml", "2")):
        manifest = sidecarset(tag, namespaceSelector=selector or {"matchLabels": {"team": "a"}}).manifest
        Path(name).write_text(json.dumps(manifest))
    Path("pods.json").write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": pods}))
    inputs = ("old.yaml", "set.yaml") if words[0] == "diff" else ("set.yaml",)
    return run(words[0], *inputs, "pods.json", *words[1:])


@pytest.mark.parametrize("form", ["text", "markdown", "json", "yaml", "html"])
@pytest.mark.parametrize("command", ["plan", "status", "diff"])
def test_every_format_says_what_is_not_known(command: str, form: str) -> None:
    ended = ask(command, "-o", form, "-q")
    assert ended.code == 1
    said = " ".join(ended.stdout.split())
    assert UNKNOWN in said
    assert f"({DUMP})" in said
    assert "no pods" not in said
    assert "no running pod" not in said


@pytest.mark.parametrize("form", ["text", "markdown", "json", "yaml"])
def test_images_has_no_page(form: str) -> None:
    test_every_format_says_what_is_not_known("images", form)


@pytest.mark.parametrize(
    ("command", "schema"),
    [("plan", "rollout-plan"), ("status", "rollout-status"), ("images", "image-report"), ("diff", "sidecarset-diff")],
)
def test_documents_are_valid(command: str, schema: str) -> None:
    document = json.loads(ask(command, "-o", "json").stdout)
    assert_valid(document, f"{schema}.json")
    (item,) = document["sidecarSets"]
    if command == "diff":
        assert item["verdicts"] == ["Unknown", "InPlace"]
    else:
        names = [{"namespace": "shop", "name": f"web-{number}"} for number in (0, 1)]
        assert item["unknown"]["pods"] == names


@pytest.mark.parametrize("command", ["plan", "status", "images", "diff"])
def test_labels_decide(command: str) -> None:
    for labels in ("shop=team:a", "shop=team:b"):
        ended = ask(command, "--namespace-labels", labels)
        assert (ended.code, "Unknown" in ended.stdout) == (0, False)


@pytest.mark.parametrize(
    ("selector", "is_known"),
    [
        ({"matchLabels": {"kubernetes.io/metadata.name": "shop"}}, True),
        ({"matchLabels": {"kubernetes.io/metadata.name": "bank", "team": "a"}}, True),
        ({"matchLabels": {"kubernetes.io/metadata.name": "shop", "team": "a"}}, False),
        ({"matchExpressions": [{"key": "team", "operator": "NotIn", "values": ["b"]}]}, False),
        ({"matchExpressions": [{"key": "team", "operator": "DoesNotExist"}]}, False),
    ],
)
def test_what_the_name_of_a_namespace_decides(selector: Object, is_known: bool) -> None:  # noqa: FBT001 - a table
    ended = ask("plan", selector=selector)
    assert ("Unknown" not in ended.stdout, ended.code) == (is_known, 0 if is_known else 1)


def test_pods_that_cannot_match_are_known() -> None:
    ended = ask("plan", pods=[pod("ended", status={"phase": "Failed"}), pod("other", labels={"app": "other"})])
    assert (ended.code, "Unknown" in ended.stdout) == (0, False)


def test_fail_on() -> None:
    assert ask("plan", "--fail-on", "none").code == 0
    assert ask("diff", "--fail-on", "Recreate").code == 0
    assert ask("diff", "--fail-on", "Unknown").code == 1
