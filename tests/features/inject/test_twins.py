"""Two containers of one name in a pod: Kruise lets them pass, the API server does not; `inject` writes nothing."""

import json
from pathlib import Path

import pytest

from sidecarctl.engine.sidecarset.sets import BASE, CANARY
from tests.cli.manifests import DEPLOYMENT, SET
from tests.cli.running import run

OTHER = SET.replace("name: logs", "name: other")
HALF_A_CANARY = SET.replace("name: logs", f"name: logs-canary\n  annotations: {{{BASE}: logs}}")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("web.yaml").write_text(DEPLOYMENT)
    return tmp_path


@pytest.mark.parametrize("other", [OTHER, HALF_A_CANARY])
@pytest.mark.parametrize("options", [(), ("-i",), ("-d", "out"), ("--strict",)])
def test_nothing_is_written(other: str, options: tuple[str, ...]) -> None:
    Path("sets.yaml").write_text(f"{SET}---\n{other}")
    ended = run("inject", "-s", "sets.yaml", "web.yaml", *options)
    assert (ended.code, ended.stdout) == (3, "")
    assert 'two containers are named "log-agent"' in ended.stderr
    assert Path("web.yaml").read_text() == DEPLOYMENT
    assert not Path("out").exists()


def test_a_canary_replaces_its_base() -> None:
    canary = HALF_A_CANARY.replace("{", f"{{{CANARY}: 'true', ", 1)
    Path("sets.yaml").write_text(f"{SET}---\n{canary}  updateStrategy: {{type: NotUpdate}}\n")
    assert run("inject", "-s", "sets.yaml", "web.yaml", "--kruise", "master").code == 0
    assert run("inject", "-s", "sets.yaml", "web.yaml", "--allow-unknown").code == 3


@pytest.mark.parametrize("release", ["1.9", "master"])
def test_validate_names_the_annotation_that_is_missing(release: str) -> None:
    Path("sets.yaml").write_text(f"{SET}---\n{HALF_A_CANARY}")
    found = json.loads(run("validate", "sets.yaml", "--kruise", release, "-o", "json").stdout)["findings"]
    said = [item for item in found if item["rule"] == "conflict" and "log-agent" in item["message"]]
    assert len(said) == 2
    for item in said:
        assert f'logs-canary is not a canary of logs without the annotation {CANARY}: "true"' in item["message"]
        assert (item["hint"] == f"add it to logs-canary, or remove {BASE}") is (release == "master")
        assert ("and Kruise 1.9 does not know canaries" in item["message"]) is (release == "1.9")
