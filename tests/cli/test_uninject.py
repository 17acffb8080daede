"""`sidecarctl uninject`: what inject did, undone to the byte."""

from pathlib import Path

import pytest

from tests.cli.manifests import BAD_TYPE, DEPLOYMENT, SERVICE, SET
from tests.cli.running import run


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "set.yaml").write_text(SET)
    (tmp_path / "web.yaml").write_text(DEPLOYMENT)
    return tmp_path


def test_restores_the_text_to_the_byte(folder: Path) -> None:
    run("inject", "-s", "set.yaml", "-i", "web.yaml")
    assert (folder / "web.yaml").read_text() != DEPLOYMENT
    ended = run("uninject", "-s", "set.yaml", "web.yaml")
    assert (ended.code, ended.stdout) == (0, DEPLOYMENT)
    assert ended.stderr == "uninjected  Deployment shop/web  logs: log-agent\n1 uninjected\n"


def test_check_says_what_would_change_and_writes_nothing(folder: Path) -> None:
    run("inject", "-s", "set.yaml", "-i", "web.yaml")
    injected = (folder / "web.yaml").read_text()
    ended = run("uninject", "-s", "set.yaml", "--check", "web.yaml")
    assert (ended.code, ended.stdout) == (1, "")
    assert ended.stderr == "to uninject  Deployment shop/web  logs: log-agent\n1 to uninject\n"
    assert (folder / "web.yaml").read_text() == injected


def test_without_the_sets_what_is_marked_goes_and_doubt_is_told() -> None:
    run("inject", "-s", "set.yaml", "-i", "web.yaml")
    ended = run("uninject", "web.yaml")
    assert (ended.code, ended.stdout) == (0, DEPLOYMENT)
    assert "NotReversible" in ended.stderr


def test_one_of_several_sets(folder: Path) -> None:
    other = SET.replace("name: logs", "name: mesh").replace("log-agent", "proxy")
    (folder / "mesh.yaml").write_text(other)
    with_one = run("inject", "-s", "set.yaml", "web.yaml").stdout
    run("inject", "-s", "set.yaml", "-s", "mesh.yaml", "-i", "web.yaml")
    ended = run("uninject", "-s", "set.yaml", "-s", "mesh.yaml", "--only", "mesh", "web.yaml")
    assert (ended.code, ended.stdout) == (0, with_one)


def test_what_was_never_injected_leaves_as_it_came(folder: Path) -> None:
    (folder / "web.yaml").write_text(DEPLOYMENT + "---\n" + SERVICE)
    ended = run("uninject", "-s", "set.yaml", "web.yaml")
    assert (ended.code, ended.stdout) == (0, DEPLOYMENT + "---\n" + SERVICE)
    assert "skipped     Deployment shop/web  NotInjected" in ended.stderr


def test_refuses_what_cannot_be_decoded(folder: Path) -> None:
    (folder / "web.yaml").write_text(BAD_TYPE)
    ended = run("uninject", "-s", "set.yaml", "web.yaml")
    assert (ended.code, ended.stdout) == (2, "")
    assert "spec.template.spec.containers[0].image" in ended.stderr
