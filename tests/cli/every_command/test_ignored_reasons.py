"""`ignore` takes reasons of warnings as it takes rules; the exit codes that come from not knowing stay."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.cli.manifests import DEPLOYMENT, SET
from tests.cli.running import run
from tests.engine.inputs.repositories import git

SELECTING = SET.replace("  selector:", "  namespaceSelector: {matchLabels: {team: a}}\n  selector:")
PLAIN = SET.replace("name: logs", "name: plain").replace("name: log-agent", "name: plain-agent")
IGNORE = "ignore: [NamespaceUnknown]\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A SidecarSet that asks for labels of a namespace, and one that does not."""
    monkeypatch.chdir(tmp_path)
    Path("sets").mkdir()
    Path("sets/logs.yaml").write_text(SELECTING)
    Path("sets/plain.yaml").write_text(PLAIN)
    Path("new.yaml").write_text(SELECTING.replace("2.4.1", "2.5.0"))
    Path("web.yaml").write_text(DEPLOYMENT)


@pytest.mark.parametrize(
    "words",
    [
        ["inject", "-s", "sets", "web.yaml"],
        ["explain", "-s", "sets", "web.yaml"],
        ["validate", "sets", "web.yaml"],
        ["cost", "sets", "web.yaml"],
        ["diff", "sets/logs.yaml", "new.yaml", "web.yaml"],
    ],
    ids=lambda words: words[0],
)
def test_the_warning_goes_and_the_exit_code_stays(words: Sequence[str]) -> None:
    before = run(*words)
    Path(".sidecarctl.yaml").write_text(IGNORE)
    after = run(*words)
    assert after.code == before.code
    assert "[NamespaceUnknown]" not in "".join(
        line for line in (after.stdout + after.stderr).splitlines() if line.startswith("warning")
    )
    assert "settings: .sidecarctl.yaml" in after.stderr


def test_injecting_nothing_for_lack_of_labels_still_fails() -> None:
    Path("sets/plain.yaml").unlink()
    for settings in ("{}\n", IGNORE):
        Path(".sidecarctl.yaml").write_text(settings)
        ended = run("inject", "-s", "sets", "web.yaml")
        assert (ended.code, ended.stdout) == (2, "")
        assert "NamespaceUnknown" in ended.stderr


def test_the_option_takes_reasons_too() -> None:
    Path("sets/Chart.yaml").write_text("apiVersion: v2\nname: chart\nversion: 0.1.0\n")
    Path("sets/templates").mkdir()
    Path("sets/templates/web.yaml").write_text("kind: {{ .Values.kind }}\n")
    Path("sets/wrong.yaml").write_text(SET.replace("name: logs", "name: Logs"))
    before, after = run("validate", "sets"), run("validate", "sets", "--ignore", "LeftOut")
    assert "[LeftOut]" in before.stdout
    assert "[LeftOut]" not in after.stdout
    assert (before.code, after.code) == (1, 1)


def test_an_unknown_name_is_refused_with_what_was_meant() -> None:
    Path(".sidecarctl.yaml").write_text("ignore: [NamespaceUnknwon]\n")
    ended = run("validate", "sets")
    assert ended.code == 2
    assert "did you mean NamespaceUnknown?" in ended.stderr


def test_the_change_of_the_settings_cannot_be_ignored() -> None:
    git(Path(), "init", "-q")
    git(Path(), "add", ".")
    git(Path(), "commit", "-qm", "first")
    Path(".sidecarctl.yaml").write_text("ignore: [ConfigChanged, NamespaceUnknown]\n")
    assert "[ConfigChanged]" in run("diff", "--before", "git:HEAD").stderr
    assert "ConfigChanged" in run("validate", "--old", "git:HEAD", ".").stdout


def test_equal_warnings_are_counted() -> None:
    many = "---\n".join(DEPLOYMENT.replace("name: web\n", f"name: web{number}\n", 1) for number in range(30))
    Path("web.yaml").write_text(many)
    ended = run("inject", "-s", "sets", "web.yaml")
    lines = [line for line in ended.stderr.splitlines() if "[NamespaceUnknown]" in line]
    assert len(lines) == 4
    assert lines[-1].startswith("warning: 27 more: ")
    assert "30 warnings" in ended.stderr
