"""`validate --live`: what a cluster holds is checked for the releases of Kruise and Kubernetes that run there."""

import json
from pathlib import Path

import pytest

from sidecarctl.engine.facts.values import Object
from tests.cli.running import Ended, run
from tests.engine.kubectl.stand_in import PODS, SETS, VERSION, StandIn
from tests.engine.rollout.manifests import sidecarset
from tests.schemas import assert_valid

NATIVE: Object = {"name": "proxy", "image": "proxy:1", "restartPolicy": "Always"}
FORBIDDEN = "Error from server (Forbidden): access is forbidden\n"


def native_set() -> Object:
    return sidecarset(initContainers=[NATIVE], updateStrategy={"type": "NotUpdate"}).manifest


def version(minor: str, text: str) -> str:
    """What the version endpoint says, as kube-apiserver writes it."""
    return json.dumps(
        {"major": "1", "minor": minor, "gitVersion": text, "goVersion": "go1.20.8", "platform": "linux"}
    )


@pytest.fixture(autouse=True)
def cluster(kubectl: StandIn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> StandIn:
    monkeypatch.chdir(tmp_path)
    kubectl.holds(SETS, native_set())
    kubectl.says(VERSION, stdout=version("27", "v1.27.3"))
    return kubectl


def live(*options: str) -> Ended:
    return run("validate", "--live", *options)


@pytest.mark.parametrize(
    ("minor", "text", "code"),
    [
        ("27", "v1.27.3", 1),
        ("27+", "v1.27.16-eks-a18cd3a", 1),
        ("28", "v1.28.0", 0),
        ("29", "v1.29.0-rc.1+k3s1", 0),
    ],
)
def test_the_servers_release_of_kubernetes_counts(cluster: StandIn, minor: str, text: str, code: int) -> None:
    cluster.says(VERSION, stdout=version(minor, text))
    ended = live()
    assert ended.code == code
    assert ("native-sidecar-release" in ended.stdout) == (minor != "29")


def test_a_release_that_is_named_goes_before_and_nothing_is_asked(cluster: StandIn, tmp_path: Path) -> None:
    assert "native-sidecar-release" not in live("--kubernetes", "1.30").stdout
    (tmp_path / ".sidecarctl.yaml").write_text('kubernetes: "1.31"\n')
    assert "native-sidecar-release" not in live().stdout
    assert ["GET", VERSION] not in cluster.calls


def test_a_release_that_cannot_be_read_is_reported(cluster: StandIn) -> None:
    cluster.fails(VERSION, FORBIDDEN)
    ended = live()
    assert ended.code == 0
    assert "the Kubernetes version is unknown, and what depends on it is not checked" in ended.stdout
    assert "[KubernetesUnknown]" in ended.stdout
    cluster.says(VERSION, stdout=version("", "devel"))
    assert "[KubernetesUnknown]" in live().stdout


def test_a_set_of_the_files_takes_the_place_of_the_live_one(tmp_path: Path) -> None:
    sound = sidecarset(updateStrategy={"type": "NotUpdate"}).manifest
    (tmp_path / "set.json").write_text(json.dumps(sound))
    ended = live("set.json")
    assert ended.code == 0
    assert "native-sidecar-release" not in ended.stdout
    assert "1 SidecarSet of 2 manifests in the cluster and 1 file" in ended.stderr


def test_live_pods_are_checked_as_a_server_lists_them(cluster: StandIn) -> None:
    """The pods of a list name no kind."""
    own = {"name": "agent", "image": "other:1"}
    pod = {"metadata": {"name": "p", "namespace": "shop", "labels": {"app": "web"}}, "spec": {"containers": [own]}}
    page = {"kind": "PodList", "apiVersion": "v1", "metadata": {"resourceVersion": "7"}, "items": [pod]}
    cluster.says(PODS, stdout=json.dumps(page))
    ended = live()
    assert ended.code == 1
    assert "container-replaced" in ended.stdout


def test_the_cluster_decides_about_kruise_too(cluster: StandIn) -> None:
    cluster.runs("openkruise/kruise-manager:v1.8.3", "--feature-gates=SidecarTerminator=true")
    document = json.loads(live("-o", "json").stdout)
    assert_valid(document, "validation-result.json")
    assert document["behavior"] == "Kruise 1.8"
    assert document["featureGates"] == ["SidecarTerminator"]
    assert document["cluster"]["resourceVersions"]["pods"] == "7"
    assert "RunningRelease" in {finding.get("reason") for finding in document["findings"]}


def test_the_report_says_where_it_looked() -> None:
    ended = live()
    assert "1 SidecarSet of 2 manifests in the cluster: 1 error" in ended.stderr
    assert ended.stdout.endswith("\nthe cluster was read at resourceVersion 7\n")


def test_a_page_of_a_cluster_has_its_findings(tmp_path: Path) -> None:
    assert live("-o", f"html={tmp_path / 'page.html'}").code == 1
    assert "native-sidecar-release" in (tmp_path / "page.html").read_text()


def test_an_upgrade_of_kruise_is_not_asked_about_live() -> None:
    ended = live("--kruise-from", "1.6", "--kruise-to", "1.9")
    assert ended.code == 2
    assert "cannot be combined with --live" in ended.stderr
