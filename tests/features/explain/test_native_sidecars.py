"""Which sidecars of a SidecarSet are native or could be, as `explain sidecarset/NAME` says it."""

import json
from pathlib import Path

import pytest

from sidecarctl.engine.facts.values import Object
from tests.cli.manifests import DEPLOYMENT
from tests.cli.running import run
from tests.schemas import assert_valid

SET = """\
apiVersion: apps.kruise.io/v1beta1
kind: SidecarSet
metadata: {{name: logs}}
spec:
  selector: {{matchLabels: {{app: web}}}}
  updateStrategy: {{type: {type}}}
  {rest}
  containers:
  - {{name: agent, image: 'agent:1', {container}}}
"""
IN_PLACE = "the SidecarSet needs updateStrategy.type NotUpdate: new versions come only with new pods"
BEFORE = "it starts before the app"
AFTER = "it ends after the app, so that Jobs complete"
NEEDS = "it needs Kubernetes 1.29, or 1.28 with the feature gate SidecarContainers"
BLOCKED = "every pod would wait for it to end"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "web.yaml").write_text(DEPLOYMENT)
    return tmp_path


def answers(*words: str, container: str = "", rest: str = "", strategy: str = "RollingUpdate") -> list[Object]:
    Path("set.yaml").write_text(SET.format(type=strategy, rest=rest, container=container))
    document = json.loads(run("explain", "set.yaml", "web.yaml", "sidecarset/logs", "-o", "json", *words).stdout)
    assert_valid(document, "sidecarset-explanation.json")
    found: list[Object] = document["nativeSidecars"]
    return found


@pytest.mark.parametrize(
    ("container", "strategy", "reasons"),
    [
        ("", "RollingUpdate", [IN_PLACE, BEFORE, AFTER, NEEDS]),
        ("", "NotUpdate", [BEFORE, AFTER, NEEDS]),
        (
            "startupProbe: {tcpSocket: {port: 80}}, readinessProbe: {tcpSocket: {port: 80}}",
            "NotUpdate",
            [
                f"{BEFORE}, which waits for its startupProbe",
                "its readinessProbe still decides whether the pod is ready",
                AFTER,
                NEEDS,
            ],
        ),
        (
            "readinessProbe: {tcpSocket: {port: 80}}",
            "NotUpdate",
            [
                BEFORE,
                "its readinessProbe still decides whether the pod is ready, but the app does not wait for it",
                AFTER,
                NEEDS,
            ],
        ),
        (
            "lifecycle: {postStart: {exec: {command: [wait]}}}",
            "NotUpdate",
            [f"{BEFORE}, which waits for its postStart", AFTER, NEEDS],
        ),
        (
            "env: [{name: KRUISE_CONTAINER_PRIORITY, value: '1'}]",
            "NotUpdate",
            [BEFORE, "its KRUISE_CONTAINER_PRIORITY has no effect", AFTER, NEEDS],
        ),
    ],
)
def test_what_would_change_if_it_were_native(container: str, strategy: str, reasons: list[str]) -> None:
    found = answers(container=container, strategy=strategy)
    assert found == [{"container": "agent", "answer": "Possible", "reasons": reasons}]


HOT = "upgradeStrategy: {upgradeType: HotUpgrade, hotUpgradeEmptyImage: 'empty:1'}"
RESIZED = "resizePolicy: [{resourceName: cpu, restartPolicy: NotRequired}]"


@pytest.mark.parametrize(
    ("container", "words", "reason"),
    [
        (HOT, (), "hot upgrade updates it in place, and native sidecars are never updated in place"),
        ("", ("--kruise", "1.6"), f"Kruise 1.6 drops restartPolicy from initContainers: {BLOCKED}"),
        (RESIZED, (), "it would be rejected: an initContainer has no resizePolicy"),
    ],
)
def test_what_keeps_it_from_being_native(container: str, words: tuple[str, ...], reason: str) -> None:
    assert answers(*words, container=container) == [
        {"container": "agent", "answer": "Impossible", "reasons": [reason]}
    ]


@pytest.mark.parametrize(
    ("minor", "answer", "last"),
    [
        (27, "Impossible", f"the API server of Kubernetes 1.27 drops restartPolicy: {BLOCKED}"),
        (
            28,
            "Possible",
            "unless the feature gate SidecarContainers is on, the API server of Kubernetes 1.28 drops restartPolicy: "
            + BLOCKED,
        ),
        (29, "Possible", AFTER),
    ],
)
def test_the_release_of_kubernetes_in_the_settings_counts(folder: Path, minor: int, answer: str, last: str) -> None:
    (folder / ".git").mkdir()
    (folder / ".sidecarctl.yaml").write_text(f'kubernetes: "1.{minor}"\n')
    [found] = answers()
    assert (found["answer"], found["reasons"][-1]) == (answer, last)


def test_what_is_rejected_anyway_is_no_reason() -> None:
    [found] = answers(container="imagePullPolicy: Sometimes")
    assert found["answer"] == "Possible"


def test_each_sidecar_has_a_line_and_plain_init_containers_have_none() -> None:
    native = "{name: proxy, image: 'proxy:1', restartPolicy: Always}"
    rest = f"initContainers: [{native}, {{name: setup, image: 'setup:1'}}]"
    found = answers(rest=rest, strategy="NotUpdate")
    assert [(item["container"], item["answer"]) for item in found] == [("proxy", "Native"), ("agent", "Possible")]
    lines = run("explain", "set.yaml", "web.yaml", "sidecarset/logs").stdout.splitlines()
    assert lines[1:3] == [
        "proxy is a native sidecar",
        f"agent could be a native sidecar: {BEFORE}; {AFTER}; {NEEDS}",
    ]
    text = run("explain", "set.yaml", "web.yaml", "sidecarset/logs", "-o", "markdown").stdout
    assert "\nproxy is a native sidecar.\n\nagent could be a native sidecar: " in text
