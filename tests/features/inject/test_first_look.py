"""Documents that cannot matter are copied without being parsed, and counted as if they had been."""

from pathlib import Path

import pytest

from tests.cli.manifests import DEPLOYMENT, SERVICE, SET
from tests.cli.running import run

BROKEN = "---\napiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nrules: [\n  }\n"
TWICE = "---\napiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nrules: []\nrules: []\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("set.yaml").write_text(SET)


@pytest.mark.parametrize("broken", [BROKEN, TWICE])
def test_what_is_wrong_where_it_cannot_matter_is_copied(broken: str) -> None:
    Path("all.yaml").write_text(DEPLOYMENT + broken)
    Path("deployment.yaml").write_text(DEPLOYMENT)
    alone = run("inject", "-s", "set.yaml", "deployment.yaml")
    ended = run("inject", "-s", "set.yaml", "all.yaml")
    assert (ended.code, ended.stdout) == (0, alone.stdout + broken)
    assert "1 other object" in ended.stderr


@pytest.mark.parametrize(
    "words",
    [
        ["inject"],
        ["inject", "--check"],
        ["uninject"],
        ["convert", "--to", "v1alpha1"],
        ["validate"],
        ["plan", "--from", "set.yaml"],
        ["status"],
        ["explain"],
        ["hash"],
        ["diff", "--before", "all.yaml", "--after"],
    ],
)
def test_strict_yaml_parses_everything_in_every_command(words: list[str]) -> None:
    Path("all.yaml").write_text(SET + "---\n" + DEPLOYMENT + BROKEN)
    assert run(*words, "all.yaml").code in {0, 1}
    ended = run(words[0], "--strict-yaml", *words[1:], "all.yaml")
    assert ended.code == 2
    assert "all.yaml:33:3: while parsing a flow node" in ended.stderr + ended.stdout


@pytest.mark.parametrize("words", [["-o", "json"], ["-o", "name"], ["-v"]])
def test_what_says_something_of_every_object_parses_everything(words: list[str]) -> None:
    Path("all.yaml").write_text(DEPLOYMENT + BROKEN)
    assert run("inject", "-s", "set.yaml", "all.yaml", *words).code == 2


@pytest.mark.parametrize("words", [[], ["--check"], ["--diff"], ["-o", "yaml"], ["--summary"], ["--report", "json"]])
def test_reports_count_the_same(words: list[str]) -> None:
    Path("all.yaml").write_text(f"{DEPLOYMENT}---\n{SERVICE}---\n{SERVICE}---\na: b\n---\n{SERVICE}")
    looked = run("inject", "-s", "set.yaml", "all.yaml", *words)
    parsed = run("inject", "-s", "set.yaml", "all.yaml", *words, "--strict-yaml")
    assert looked == parsed
    assert "3 other objects" in parsed.stderr + parsed.stdout or words == ["--report", "json"]


def test_validation_counts_the_same() -> None:
    Path("all.yaml").write_text("---\n".join([SET, DEPLOYMENT, SERVICE, TWICE.removesuffix("rules: []\n")]))
    assert run("validate", "all.yaml") == run("validate", "all.yaml", "--strict-yaml")


def test_a_service_is_parsed_where_it_is_looked_at() -> None:
    Path("all.yaml").write_text(SET + "---\n" + SERVICE + "spec: {}\n")
    assert run("validate", "all.yaml").code == 2
