"""A SidecarSet without a name is refused by every command, with the reason."""

import json
from pathlib import Path

import pytest

from tests.cli.manifests import DEPLOYMENT, SET
from tests.cli.running import run

NAMELESS = {
    "no member": (SET.replace("  name: logs\n", "  labels: {a: b}\n", 1), "the name is missing"),
    "empty": (SET.replace("  name: logs\n", '  name: ""\n', 1), "the name is missing"),
    "null": (SET.replace("  name: logs\n", "  name:\n", 1), "the name is missing"),
    "generated": (SET.replace("name: logs", "generateName: logs-", 1), "with generateName the API server"),
    "misspelt": (SET.replace("name: logs", "nmae: logs", 1), "did you mean name instead of nmae?"),
    "no metadata": (SET.replace("metadata:\n  name: logs\n", "metadata: {}\n", 1), "the name is missing"),
}
COMMANDS = (
    ["inject", "-s", "set.yaml", "app.yaml"],
    ["uninject", "-s", "set.yaml", "app.yaml"],
    ["hash", "set.yaml"],
    ["plan", "set.yaml", "app.yaml", "--from", "set.yaml"],
    ["status", "set.yaml", "app.yaml"],
    ["diff", "set.yaml", "set.yaml"],
    ["inject", "app.yaml", "good.yaml", "--revision-from", "set.yaml"],
)


@pytest.mark.parametrize("command", COMMANDS, ids=lambda words: f"{words[0]}-{len(words)}")
@pytest.mark.parametrize("text", NAMELESS)
def test_a_set_without_a_name_is_refused(
    text: str, command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    manifest, told = NAMELESS[text]
    Path("set.yaml").write_text(manifest)
    Path("good.yaml").write_text(SET)
    Path("app.yaml").write_text(DEPLOYMENT)
    ended = run(*command)
    assert ended.code == 2
    assert "[MissingField]" in ended.stderr
    assert told in ended.stderr


def test_two_nameless_sets_are_two_faults_and_no_repetition(tmp_path: Path) -> None:
    (tmp_path / "sets.yaml").write_text(f"{NAMELESS['empty'][0]}---\n{NAMELESS['generated'][0]}")
    ended = run("hash", tmp_path)
    assert ended.code == 2
    assert ended.stderr.count("[MissingField]") == 2
    assert "DuplicateSet" not in ended.stderr


def test_a_blocked_pod_beside_one_whose_metadata_is_a_list(tmp_path: Path) -> None:
    """The pods are read a second time, whole, to say why they are blocked."""
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": "web-0",
            "namespace": "shop",
            "labels": {"app": "web"},
            "annotations": {
                "kruise.io/sidecarset-injected-list": "logs",
                "kruise.io/sidecarset-hash": '{"logs":{"hash":"old"}}',
                "kruise.io/sidecarset-hash-without-image": '{"logs":{"hash":"old"}}',
            },
        },
        "spec": {"containers": [{"name": "log-agent", "image": "a:1"}, {"name": "web", "image": "b:1"}]},
        "status": {"phase": "Running"},
    }
    (tmp_path / "set.yaml").write_text(SET)
    (tmp_path / "pods.json").write_text(
        json.dumps({"kind": "List", "apiVersion": "v1", "items": [pod, {**pod, "metadata": [1]}]})
    )
    ended = run("status", tmp_path)
    assert ended.code in (0, 2), ended.stderr
    assert "InternalFault" not in ended.stderr
