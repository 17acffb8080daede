"""Findings about a SidecarSet itself and about injected pods, in every computing command."""

from pathlib import Path

import pytest

from tests.cli.manifests import DEPLOYMENT, SET
from tests.cli.running import run
from tests.krm import calls

HOT = "    upgradeStrategy: {upgradeType: HotUpgrade}\n"
"""Without an empty image: its pods would not start."""
RULE = "[hot-upgrade-image]"
PORT = "    ports: [{containerPort: 80, hostPort: 80}]\n"
POLICY = (
    "    resourcesPolicy: {targetContainersMode: sum, resourcesExpr: {requests: {cpu: cpu*2}, limits: {cpu: cpu}}}\n"
)
APP = "image: registry.example.com/web:1.0\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "old.yaml").write_text(SET.replace(":2.4.1", ":2.4.0"))
    (tmp_path / "set.yaml").write_text(SET)
    (tmp_path / "web.yaml").write_text(DEPLOYMENT)
    return tmp_path


COMMANDS = {
    "inject": ("inject", "-s", "set.yaml", "web.yaml"),
    "plan": ("plan", "set.yaml", "web.yaml", "--from", "old.yaml"),
    "sweep": ("plan", "set.yaml", "web.yaml", "--from", "old.yaml", "--sweep", "partition=0,1"),
    "diff": ("diff", "old.yaml", "set.yaml", "web.yaml"),
}


@pytest.mark.parametrize("words", COMMANDS.values(), ids=COMMANDS)
def test_what_must_not_be_is_a_warning_and_under_strict_ends_the_run(folder: Path, words: tuple[str, ...]) -> None:
    quiet = run(*words)
    (folder / "old.yaml").write_text((SET + HOT).replace(":2.4.1", ":2.4.0"))
    (folder / "set.yaml").write_text(SET + HOT)
    told = run(*words)
    assert (
        "warning: set.yaml:12:22: SidecarSet logs: spec.containers[0].upgradeStrategy.hotUpgradeEmptyImage: "
        in told.stderr
    )
    assert RULE in told.stderr
    assert told.stdout
    strict = run(*words, "--strict")
    assert (strict.code, strict.stdout) == (1, "")
    assert strict.stderr.startswith("error: set.yaml:12:22: ")
    assert RULE not in quiet.stderr


@pytest.mark.usefixtures("folder")
def test_notes_stay_in_validate() -> None:
    assert "note" in run("validate", "set.yaml").stdout
    for words in COMMANDS.values():
        assert "note" not in run(*words).stderr


def test_strict_leaves_files_alone(folder: Path) -> None:
    (folder / "set.yaml").write_text(SET + HOT)
    for words in (("-i",), ("-d", "out")):
        assert run("inject", "-s", "set.yaml", "web.yaml", "--strict", *words).code == 1
    assert (folder / "web.yaml").read_text() == DEPLOYMENT
    assert not (folder / "out").exists()


def test_only_the_sets_that_are_requested_are_checked(folder: Path) -> None:
    (folder / "other.yaml").write_text(
        (SET + HOT).replace("name: logs", "name: other").replace("app: web", "app: shop")
    )
    words = ("inject", "-s", "set.yaml", "-s", "other.yaml", "web.yaml")
    assert RULE in run(*words).stderr
    assert RULE not in run(*words, "--only", "logs").stderr


@pytest.mark.parametrize(
    ("brought", "own", "message"),
    [
        (PORT, "        ports: [{containerPort: 80, hostPort: 80}]\n", "hostPort: the hostPort 80 is already used"),
        (POLICY, "        resources: {requests: {cpu: 1}, limits: {cpu: 1}}\n", "resources"),
    ],
    ids=["hostPort", "resourcesPolicy"],
)
def test_a_pod_that_the_api_server_would_refuse(folder: Path, brought: str, own: str, message: str) -> None:
    (folder / "set.yaml").write_text(SET + brought)
    words = ("inject", "-s", "set.yaml", "web.yaml", "-i")
    (folder / "web.yaml").write_text(DEPLOYMENT.replace(APP, APP + own))
    strict = run(*words, "--strict")
    assert strict.code == 1
    assert "error: set.yaml:" in strict.stderr
    assert strict.stderr.endswith("nothing was written\n")
    assert (folder / "web.yaml").read_text() == DEPLOYMENT.replace(APP, APP + own)
    ended = run(*words)
    assert ended.code == 0
    assert "warning: set.yaml:" in ended.stderr
    assert message in ended.stderr
    assert "(in Deployment shop/web)" in ended.stderr
    assert "[pod-invalid]" in ended.stderr


def test_two_sets_with_a_container_of_one_name(folder: Path) -> None:
    (folder / "more.yaml").write_text(SET.replace("name: logs", "name: more-logs"))
    ended = run("inject", "-s", "set.yaml", "-s", "more.yaml", "web.yaml")
    told = 'two containers are named "log-agent": SidecarSet logs injects it too (in Deployment shop/web)'
    assert told in ended.stderr
    (folder / "more.yaml").write_text(SET.replace("name: logs", "name: more-logs").replace("log-agent", "agent"))
    assert "pod-invalid" not in run("inject", "-s", "set.yaml", "-s", "more.yaml", "web.yaml").stderr


def test_the_function_says_the_same() -> None:
    [container] = calls.SET["spec"]["containers"]
    refused = [{**container, "imagePullPolicy": "always"}]
    wrong = {**calls.SET, "spec": {**calls.SET["spec"], "containers": refused}}
    injected = calls.call([wrong, calls.WEB])
    assert injected.code == 3
    assert injected.items == [wrong, calls.WEB]
    validated = calls.call([wrong, calls.WEB], calls.injection(mode="validate"))
    assert validated.code == 1
    assert "Refused" in validated.reasons("error")
    strict = calls.call([wrong, calls.WEB], calls.injection(options={"strict": True}))
    assert strict.code == 3
    assert strict.items == [wrong, calls.WEB]
