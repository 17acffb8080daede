"""What may follow the words so far."""

from pathlib import Path

import pytest
import typer

from sidecarctl.cli.app import app
from sidecarctl.features.reference.completing import Candidate, as_bash_replaces, candidates, words_of_line
from tests.cli.manifests import SET
from tests.cli.running import run_process

TOP = typer.main.get_command(app)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "apps").mkdir()
    (tmp_path / ".hidden.yaml").touch()
    (tmp_path / "a b.yaml").touch()
    (tmp_path / "sets.yaml").write_text(SET + "---\n" + SET.replace("name: logs", "name: metrics"))
    (tmp_path / "broken.yaml").write_text("{")
    return tmp_path


def found(*words: str) -> list[str]:
    return [candidate.value for candidate in candidates(TOP, ["sidecarctl", *words])]


@pytest.mark.parametrize(
    ("words", "values"),
    [
        (["val"], ["validate"]),
        (["plan", "--kru"], ["--kruise"]),
        (["plan", "-o", "j"], ["json"]),
        (["plan", "--output", "h"], ["html"]),
        (["plan", "--output=h"], ["--output=html"]),
        (["inject", "-o", "json"], ["json", "jsonpatch"]),
        (["status", "-o", "w"], ["wide"]),
        (["validate", "--report", "sa"], ["sarif"]),
        (["plan", "-o", "html=a"], ["html=a b.yaml", "html=apps/"]),
        (["plan", "a"], ["a b.yaml", "apps/"]),
        (["plan", "."], [".hidden.yaml"]),
        (["inject", "-d", ""], ["apps/"]),
        (["revisions", "re"], ["restore"]),
        (["revisions", "list", "s"], ["sets.yaml"]),
        (["help", "conv"], ["convert"]),
        (["completion", "f"], ["fish"]),
        (["rules", "native-sidecar-ro"], ["native-sidecar-rolling-update"]),
        (["schema", "RolloutP"], ["RolloutPlan"]),
        (["plan", "--in-flight", ""], ["finish", "stuck"]),
        (["plan", "--color", "n"], ["never"]),
        (["plan", "sets.yaml", "--only", ""], ["logs", "metrics"]),
        (
            ["plan", "--feature-gates", "Enable"],
            ["EnableSortSidecarContainerByName=true", "EnablePodProbeMarkerOnServerless=true"],
        ),
        (["plan", "--feature-gates", "PodW"], ["PodWebhook=false"]),
        (["plan", "-s", "sets.yaml", "--only", "m"], ["metrics"]),
        (["plan", "broken.yaml", "nowhere.yaml", "sets.yaml", "--only", "l"], ["logs"]),
        (["plan", "broken.yaml", "--only", ""], []),
        (["rules", "no-such-"], []),
        (["nonsense", ""], []),
    ],
)
def test_completions(words: list[str], values: list[str]) -> None:
    assert found(*words) == values


def test_every_command_has_its_options_and_they_are_reported() -> None:
    for name in TOP.list_commands(None):  # type: ignore[attr-defined] # a group, seen as a command
        options = candidates(TOP, ["sidecarctl", name, "--"])
        assert {"--help", "--report", "--quiet", "--summary"} <= {option.value for option in options}
        assert all(option.meaning for option in options)


def test_rules_complete_with_what_they_require() -> None:
    rules = candidates(TOP, ["sidecarctl", "validate", "--ignore", "conflict-"])
    assert [rule.value for rule in rules] == ["conflict-unseen"]
    assert rules[0].meaning


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("sidecarctl plan ", ["sidecarctl", "plan", ""]),
        ("sidecarctl plan 'a b", ["sidecarctl", "plan", "a b"]),
        ("sidecarctl plan a\\ b", ["sidecarctl", "plan", "a b"]),
        ("kubectl get pods | /usr/bin/sidecarctl plan -", ["/usr/bin/sidecarctl", "plan", "-"]),
    ],
)
def test_words_of_a_line(line: str, words: list[str]) -> None:
    assert words_of_line(line) == words


@pytest.mark.parametrize(
    ("value", "incomplete", "replaced"),
    [("plan", "pl", "plan"), ("html=a b", "html=a", "a\\ b"), ("a$b'c", "a", "a\\$b\\'c"), ("git:x", "git:", "x")],
)
def test_what_bash_puts_in(value: str, incomplete: str, replaced: str) -> None:
    assert as_bash_replaces(value, incomplete) == replaced


def test_nonsense_completes_to_nothing_without_an_error() -> None:
    for words in (["bash"], ["bash", ""], ["zsh"], [], ["zsh", "sidecarctl", "nope", "x"]):
        ended = run_process("__complete", *words)
        assert (ended.code, ended.stderr) == (0, "")


def test_template_path_offers_what_teaches_the_kinds_of_the_files(tmp_path: Path) -> None:
    pod = "{spec: {containers: [{name: a, image: 'a:1'}]}}"
    file = tmp_path / "w.yaml"
    file.write_text(f"apiVersion: example.com/v1\nkind: Widget\nmetadata: {{name: w}}\nspec: {{main: {pod}}}\n")
    top = typer.main.get_command(app)
    found = candidates(top, ["sidecarctl", "inject", str(file), "--template-path", ""])
    assert found[0].value == "Widget.example.com=spec.main"
    assert found[0].meaning == "a pod template of Widget w"
    assert Candidate("RayCluster.ray.io=", "a kind that is known") in found
    assert [item.value for item in candidates(top, ["sidecarctl", "kinds", "--template-path", "Fl"])] == [
        "Fleet.agones.dev=", "FlinkDeployment.flink.apache.org=",
    ]  # a table, a case a line  # fmt: skip


def test_only_cluster_offers_the_clusters_of_the_repository(folder: Path) -> None:
    for name in ("eu", "us"):
        (folder / "clusters" / name).mkdir(parents=True)
    (folder / ".git").mkdir()
    (folder / ".sidecarctl.yaml").write_text("clusters: [clusters/*]\n")
    assert found("status", "--only-cluster", "") == ["eu", "us"]
    (folder / ".sidecarctl.yaml").write_text("clusters: {")
    assert found("status", "--only-cluster", "") == []
