"""`status --live`: the whole way, with a kubectl that answers from recordings."""

import json
import os
import re
import sys
from pathlib import Path

import pexpect
import pytest

from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.sidecarset.revisions.controller_revisions import new_revision
from tests.cli.running import Ended, run
from tests.engine.kubectl.stand_in import NAMESPACES, OLDER_SETS, PODS, PODS_OF_SHOP, REVISIONS, SETS, StandIn
from tests.engine.rollout.manifests import pod, sidecarset
from tests.schemas import assert_valid


@pytest.fixture(autouse=True)
def cluster(kubectl: StandIn) -> StandIn:
    kubectl.holds(SETS, sidecarset(customVersion="two", namespaceSelector={"matchLabels": {"team": "a"}}).manifest)
    kubectl.holds(NAMESPACES, namespace("shop", team="a"), namespace("cart", team="b"))
    kubectl.holds(REVISIONS, new_revision(sidecarset("1", customVersion="one"), 1)._replace(name="logs-1").manifest)
    elsewhere = {**pod("p1"), "metadata": {**pod("p1")["metadata"], "namespace": "cart"}}
    kubectl.holds(PODS, pod("p0"), elsewhere)
    return kubectl


def namespace(name: str, **labels: str) -> Object:
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": labels}}


def live(*options: str | Path) -> Ended:
    return run("status", "--live", "--kruise", "1.9", *options)


def test_sets_pods_namespaces_and_revisions_come_from_the_cluster() -> None:
    ended = live()
    assert (ended.code, ended.stderr) == (0, "")
    assert ended.stdout.startswith("logs: 0 of 1 pod updated, 1 ready, 0 updated and ready\n")
    assert "  shop/p0  Waiting  1 (one)   yes    the next round updates it\n" in ended.stdout


def test_the_context_and_the_kubeconfig_are_handed_on(cluster: StandIn) -> None:
    live("--context", "production", "--kubeconfig", "/k")
    assert cluster.calls[0][:3] == ["--context=production", "--kubeconfig=/k", "proxy"]
    assert not [call for call in cluster.calls[1:] if call[0] != "GET"]


def test_sets_of_files_count_in_the_place_of_live_ones(tmp_path: Path) -> None:
    (tmp_path / "set.json").write_text(json.dumps(sidecarset("3").manifest))
    ended = live(tmp_path / "set.json")
    assert ended.stdout.startswith("logs: 0 of 2 pods updated")


def test_one_namespace_is_a_partial_view(cluster: StandIn) -> None:
    cluster.holds(PODS_OF_SHOP, pod("p0"))
    ended = live("-n", "shop")
    assert ended.code == 0
    assert "warning: only pods in namespace shop were read" in ended.stderr
    assert "[PartialView]" in ended.stderr


def test_what_the_user_may_not_read_is_reported(cluster: StandIn) -> None:
    cluster.fails(NAMESPACES, "Error from server (Forbidden): namespaces is forbidden\n")
    cluster.fails(REVISIONS, "Error from server (Forbidden): controllerrevisions is forbidden\n")
    ended = live()
    assert (ended.code, ended.stdout.startswith("logs: Unknown: 2 pods")) == (1, True)
    assert "namespace labels are unknown: Error from server (Forbidden)" in ended.stderr
    assert "revisions and their custom versions are unknown" in ended.stderr


@pytest.mark.parametrize("what", [SETS, PODS])
def test_without_sets_or_pods_there_is_no_report(cluster: StandIn, what: str) -> None:
    cluster.fails(what, "Error from server (Forbidden): it is forbidden\n")
    ended = live()
    assert (ended.code, ended.stdout) == (2, "")
    assert f"error: kubectl get --raw {what}: Error from server (Forbidden)" in ended.stderr
    assert "[Forbidden]" in ended.stderr


def test_a_lost_connection_ends_it(cluster: StandIn) -> None:
    cluster.fails(NAMESPACES, "Unable to connect to the server: net/http: TLS handshake timeout\n")
    ended = live()
    assert (ended.code, ended.stdout) == (2, "")
    assert "[ClusterUnreachable]" in ended.stderr


def test_kruise_is_not_installed(cluster: StandIn) -> None:
    for what in (SETS, OLDER_SETS):
        cluster.lacks(what)
    ended = live()
    assert ended.code == 2
    assert "is Kruise installed?" in ended.stderr


def test_an_older_kruise_serves_v1alpha1_alone(cluster: StandIn) -> None:
    cluster.lacks(SETS)
    cluster.holds(OLDER_SETS, {**sidecarset("2").manifest, "apiVersion": "apps.kruise.io/v1alpha1"})
    ended = live()
    assert (ended.code, ended.stdout.partition(":")[0]) == (0, "logs"), ended.stderr


@pytest.mark.parametrize(
    ("status", "text", "words"),
    [
        (502, "<html><body>Bad Gateway</body></html>", "got a web page instead of an answer from the API server"),
        (404, "<html><body>Not found</body></html>", "got a web page instead of an answer from the API server"),
        (200, "", "the API server did not answer: the body is empty"),
        (403, "Forbidden", "Error from server (Forbidden): Forbidden"),
    ],
)
def test_other_answers_than_an_object_end_it(cluster: StandIn, status: int, text: str, words: str) -> None:
    cluster.says(SETS, stdout=text, status=status)
    ended = live()
    assert (ended.code, ended.stdout) == (2, "")
    assert words in ended.stderr


def test_a_cluster_without_sets(cluster: StandIn) -> None:
    cluster.holds(SETS)
    ended = live()
    assert (ended.code, ended.stdout) == (2, "")
    assert "[NoSidecarSet]" in ended.stderr


@pytest.mark.slow
@pytest.mark.parametrize(("env", "is_shown"), [({}, True), ({"CI": "true"}, False)])
def test_a_terminal_shows_what_is_read(cluster: StandIn, env: dict[str, str], *, is_shown: bool) -> None:
    """The same line as for files, which comes after a second."""
    cluster.says(PODS, stdout='{"metadata": {"resourceVersion": "7"}, "items": []}', seconds=2.5)
    clean: dict[str, str] = {"PATH": os.environ["PATH"], "TERM": "xterm", "LANG": "C.UTF-8", **env}
    words = ["-m", "sidecarctl", "status", "--live", "--kruise", "1.9"]
    told = pexpect.spawn(sys.executable, words, env=clean, encoding="utf-8", timeout=60, dimensions=(24, 160)).read()
    lines = re.findall(r"read \d files?, 0\.0 MB \(0\.0 MB/s\): kubectl get --raw (\S+?)[?\s]", told)
    assert ("/api/v1/pods" in lines) is is_shown
    assert told.count("MB (") == len(lines)
    assert "0 of 0 pods updated" in told


def test_a_dump_of_any_size_is_read(cluster: StandIn) -> None:
    cluster.holds(PODS, *(pod(f"p{number}") for number in range(1500)))
    assert live("--max-document-size", "1").stdout.startswith("logs: 0 of 1,500 pods updated")


def test_the_report_names_the_resource_versions(cluster: StandIn, tmp_path: Path) -> None:
    assert live().stdout.endswith("\nthe cluster was read at resourceVersion 7\n")
    cluster.holds(PODS, pod("p0"), version=8)
    kinds = ("sidecarsets", "namespaces", "controllerrevisions", "mutatingwebhookconfigurations")
    each = {**dict.fromkeys(kinds, "7"), "pods": "8"}
    said = "the cluster was read at resourceVersions from 7 to 8"
    assert live().stdout.endswith(f"\n{said}\n")
    report = f"json={tmp_path / 'report.json'}"
    ended = live("-o", "json", "-o", f"markdown={tmp_path}/x.md", "-o", f"html={tmp_path}/x.html", "--report", report)
    document, run_report = json.loads(ended.stdout), json.loads((tmp_path / "report.json").read_text())
    assert_valid(document, "rollout-status.json")
    assert_valid(run_report, "run-report.json")
    assert document["cluster"] == run_report["cluster"] == {"resourceVersions": each}
    for form in ("md", "html"):
        assert said in (tmp_path / f"x.{form}").read_text()


def test_a_pod_list_of_two_versions_is_read_again(cluster: StandIn) -> None:
    """What is reported never existed otherwise."""
    first = {"metadata": {"resourceVersion": "8", "continue": "t"}, "items": [pod("p0")]}
    cluster.says(f"{PODS}?limit=500", stdout=json.dumps(first))
    cluster.holds(f"{PODS}?limit=500&continue=t", pod("p1"), version=9)
    cluster.holds(f"{PODS}?limit=0", pod("p1"), version=9)
    ended = live()
    assert ended.stdout.startswith("logs: 0 of 0 pods updated") or "shop/p1" in ended.stdout
    assert "shop/p0" not in ended.stdout
    assert "read at resourceVersions from 7 to 9" in ended.stdout
