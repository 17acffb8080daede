"""The metadata of a workload itself: what the API cannot decode there, no command works on."""

from pathlib import Path

import pytest

from tests.cli.manifests import DEPLOYMENT, SET
from tests.cli.running import run

HEAD = "metadata:\n  name: web\n  namespace: shop\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("set.yaml").write_text(SET)


@pytest.mark.parametrize(
    ("head", "told"),
    [
        ("metadata: -1\n", "one.yaml:4:11: Deployment: metadata: expected an object, got the number -1"),
        ("metadata: {name: web, namespace: true}\n", "metadata.namespace: expected a string, got the boolean true"),
        ("metadata: {name: 5}\n", "metadata.name: expected a string, got the number 5"),
        ("metadata: {name: web, labels: {tier: 1}}\n", "metadata.labels.tier: expected a string, got the number 1"),
        ("metadata: {name: web, annotations: []}\n", "metadata.annotations: expected"),
    ],
)
@pytest.mark.parametrize("command", [["inject"], ["explain"], ["plan", "--from", "set.yaml"]])
def test_a_head_that_cannot_be_decoded_is_refused(head: str, told: str, command: list[str]) -> None:
    Path("one.yaml").write_text(DEPLOYMENT.replace(HEAD, head))
    ended = run(*command, "-s", "set.yaml", "one.yaml")
    assert ended.code == 2
    assert told in ended.stderr


def test_what_decides_is_refused_if_nothing_was_injected_too() -> None:
    Path("one.yaml").write_text(DEPLOYMENT.replace("namespace: shop", "namespace: true"))
    ended = run("uninject", "-s", "set.yaml", "one.yaml")
    assert ended.code == 2
    assert "metadata.namespace: expected a string, got the boolean true" in ended.stderr


@pytest.mark.parametrize("head", ["", "metadata:\n", "metadata: {namespace: , labels: {tier: }}\n"])
def test_null_is_absent(head: str) -> None:
    Path("one.yaml").write_text(DEPLOYMENT.replace(HEAD, head))
    assert run("inject", "-s", "set.yaml", "one.yaml").code == 0


def test_the_labels_of_a_workload_that_no_sidecarset_selects_do_not_matter() -> None:
    text = DEPLOYMENT.replace(HEAD, "metadata: {name: web, labels: {tier: 1}}\n").replace("app: web", "app: other")
    Path("one.yaml").write_text(text)
    ended = run("inject", "-s", "set.yaml", "one.yaml")
    assert (ended.code, ended.stdout) == (0, text)
