"""`sidecarctl test --update` writes the current values, and leaves everything else as it is."""

from pathlib import Path

import pytest

from tests.cli.manifests import DEPLOYMENT, SET
from tests.cli.running import run

TESTS = """\
# of the platform team
apiVersion: sidecarctl.dev/v1alpha1
kind: SidecarTest
inputs: {sidecarsets: [set.yaml], manifests: [web.yaml]}
cases:
# why: the shop asked for it
- name: web has logs   # and only these
  select: {name: web}
  expect:
    injected: [logs]
    containers: {log-agent: {image: '*/log-agent:1.*'}}   # never 3
    order: [web, log-agent]
- {name: nothing else, select: {}, expect: {injected: []}}
- {name: a bump, change: {sidecarset: logs, image: {log-agent: "a:2"}}, expect: {verdicts: [Recreate], updated: 5}}
---
apiVersion: sidecarctl.dev/v1alpha1
kind: SidecarTest
inputs: {sidecarsets: [set.yaml], manifests: [web.yaml]}
cases: [{name: no mesh, select: {}, expect: {containers: {mesh: {image: x}}}}]
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("set.yaml").write_text(SET)
    Path("web.yaml").write_text(DEPLOYMENT)
    Path("a.sidecartest.yaml").write_text(TESTS)


def test_values_are_replaced_and_comments_stay() -> None:
    ended = run("test", "--update")
    wanted = (
        TESTS.replace("'*/log-agent:1.*'", '"registry.example.com/log-agent:2.4.1"')
        .replace("[web, log-agent]", "[log-agent, web]")
        .replace("injected: []", "injected: [logs]")
        .replace("[Recreate]", "[InPlace]")
        .replace("updated: 5", "updated: 2")
    )
    assert Path("a.sidecartest.yaml").read_text() == wanted
    assert ended.code == 1
    assert "--- a/a.sidecartest.yaml\n+++ b/a.sidecartest.yaml\n" in ended.stdout
    assert "+    order: [log-agent, web]\n" in ended.stdout
    assert "containers.mesh: expected mesh" in ended.stdout  # no value says that a container is there
    assert ended.stdout.endswith("3 passed, 1 failed\n")


def test_only_chosen_cases_are_updated() -> None:
    run("test", "--update", "-k", "nothing")
    assert Path("a.sidecartest.yaml").read_text() == TESTS.replace("injected: []", "injected: [logs]")


def test_what_is_so_for_some_objects_only_stays() -> None:
    other = DEPLOYMENT.replace("name: web\n  namespace", "name: api\n  namespace").replace("app: web", "app: api")
    Path("web.yaml").write_text(f"{DEPLOYMENT}---\n{other}")
    run("test", "--update", "-k", "nothing")
    assert Path("a.sidecartest.yaml").read_text() == TESTS


def test_nothing_is_written_if_everything_holds() -> None:
    run("test", "--update")
    before = Path("a.sidecartest.yaml").stat()
    ended = run("test", "--update")
    assert Path("a.sidecartest.yaml").stat().st_mtime_ns == before.st_mtime_ns
    assert "+++" not in ended.stdout
