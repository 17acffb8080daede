"""Reading a cluster through kubectl: the words that it gets, the files that it gives, and how it fails."""

import json
import time
from pathlib import Path

import pytest

from sidecarctl.facts.errors import InputError
from sidecarctl.facts.findings import Finding
from sidecarctl.facts.reasons import Reason
from sidecarctl.kubectl.cluster import Cluster
from sidecarctl.kubectl.connection import Connection
from tests.kubectl.stand_in import PODS, SETS, StandIn

LOG_LINE = "E1121 15:21:38.623701 24783 memcache.go:265] couldn't get current server API group list\n"


@pytest.fixture
def answers(tmp_path: Path) -> Path:
    folder = tmp_path / "answers"
    folder.mkdir()
    return folder


def problem_of(cluster: Cluster) -> Finding:
    with pytest.raises(InputError) as raised:
        cluster.sidecarsets()
    (finding,) = raised.value.findings
    return finding


def test_the_words_of_each_command(kubectl: StandIn, answers: Path) -> None:
    kubectl.holds("pods --namespace=shop")
    cluster = Cluster(Connection("a b", "/x y"), answers)
    read = [
        cluster.sidecarsets(),
        cluster.namespaces(),
        cluster.revisions(),
        *cluster.pods(),
        *cluster.pods(["shop"]),
    ]
    options = ["--context=a b", "--kubeconfig=/x y"]
    assert kubectl.calls == [
        [*options, "get", SETS, "-o", "json"],
        [*options, "get", "namespaces", "-o", "json"],
        [*options, "get", "controllerrevisions.apps", "--namespace=kruise-system", "-o", "json"],
        [*options, "get", "pods", "--all-namespaces", "-o", "json"],
        [*options, "get", "pods", "--namespace=shop", "-o", "json"],
    ]
    assert read[0].name == f"kubectl get {SETS} -o json"
    assert all(json.loads(b"".join(one.blocks()))["kind"] == "List" for one in read)


def test_without_a_choice_kubectl_decides(kubectl: StandIn, answers: Path) -> None:
    Cluster(Connection(), answers).sidecarsets()
    assert kubectl.calls == [["get", SETS, "-o", "json"]]


@pytest.mark.parametrize(
    ("stderr", "reason"),
    [
        ('error: the server doesn\'t have a resource type "sidecarsets"\n', Reason.RESOURCE_NOT_FOUND),
        (
            "Error from server (NotFound): could not find the resource\n",
            Reason.RESOURCE_NOT_FOUND,
        ),
        (
            'Error from server (Forbidden): sidecarsets.apps.kruise.io is forbidden: User "dev" cannot list\n',
            Reason.FORBIDDEN,
        ),
        ("error: You must be logged in to the server (Unauthorized)\n", Reason.NOT_LOGGED_IN),
        ("error: EOF\n", Reason.NOT_LOGGED_IN),
        (
            f"{LOG_LINE}The connection to the server localhost:8080 was refused - did you specify the right port?\n",
            Reason.CLUSTER_UNREACHABLE,
        ),
        (
            "Unable to connect to the server: lookup no.such.host: no such host\n",
            Reason.CLUSTER_UNREACHABLE,
        ),
        ("Error in configuration: context was not found for specified context: nope\n", Reason.CONTEXT_NOT_FOUND),
        ("error: stat /no/where: no such file or directory\n", Reason.KUBECONFIG_UNREADABLE),
        ('error: error loading config file "/kc": yaml: line 1: did not find\n', Reason.KUBECONFIG_UNREADABLE),
        ("Error from server (InternalError): an error on the server\n", Reason.KUBECTL_FAILED),
    ],
)
def test_what_kubectl_says_has_a_reason(kubectl: StandIn, answers: Path, stderr: str, reason: Reason) -> None:
    kubectl.fails(SETS, stderr)
    finding = problem_of(Cluster(Connection(), answers))
    assert finding.reason is reason
    assert finding.message == stderr.splitlines()[-1]
    assert str(finding.place) == f"kubectl get {SETS} -o json"
    assert finding.hint or reason is Reason.KUBECTL_FAILED
    assert reason.sentence


def test_a_failure_without_words_and_one_with_too_many(kubectl: StandIn, answers: Path) -> None:
    kubectl.says(SETS, code=7)
    assert "exit code 7, without output" in problem_of(Cluster(Connection(), answers)).message
    kubectl.fails(SETS, "x" * 10_000)
    assert len(problem_of(Cluster(Connection(), answers)).message) < 310


def test_no_kubectl(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, answers: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert problem_of(Cluster(Connection(), answers)).message == "kubectl is not on PATH"
    (tmp_path / "kubectl").write_text("#!/no/such/interpreter\n")
    (tmp_path / "kubectl").chmod(0o644)
    finding = problem_of(Cluster(Connection(), answers))
    assert (finding.reason, finding.message) == (Reason.KUBECTL_MISSING, "kubectl cannot be run: Permission denied")


@pytest.mark.parametrize(
    ("stdout", "message"),
    [
        ("", "the answer is empty"),
        ("Welcome!\n{}", 'the answer is not a JSON object; it begins with "Welcome!'),
        ('{"kind": "List", "items": [', "the answer is not a JSON object"),
    ],
)
def test_an_answer_that_is_no_json(kubectl: StandIn, answers: Path, stdout: str, message: str) -> None:
    kubectl.says(SETS, stdout=stdout)
    finding = problem_of(Cluster(Connection(), answers))
    assert finding.reason is Reason.NOT_JSON
    assert message in finding.message


def test_a_command_that_takes_too_long_is_ended(kubectl: StandIn, answers: Path) -> None:
    kubectl.says(SETS, seconds=60)
    begin = time.monotonic()
    finding = problem_of(Cluster(Connection(), answers, timeout=0.5))
    assert finding.reason is Reason.KUBECTL_TIMEOUT
    assert "no complete answer within 0.5 s; stderr so far: empty" in finding.message
    assert time.monotonic() - begin < 10


def test_one_that_does_not_end_kindly_is_killed(kubectl: StandIn, answers: Path) -> None:
    program = kubectl.folder / "kubectl"
    stubborn = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
    program.write_text(program.read_text().replace("import json, sys, time\n", f"import json, sys, time\n{stubborn}"))
    kubectl.says(SETS, seconds=60)
    begin = time.monotonic()
    assert problem_of(Cluster(Connection(), answers, timeout=1)).reason is Reason.KUBECTL_TIMEOUT
    assert time.monotonic() - begin < 10


def test_progress_is_told_while_a_command_runs(kubectl: StandIn, answers: Path) -> None:
    told: list[tuple[str, int]] = []
    kubectl.says(PODS, stdout="{}", seconds=0.7)
    cluster = Cluster(Connection(), answers, progress=lambda command, size: told.append((command, size)))
    cluster.pods()
    assert told
    assert told[0][0] == "kubectl get pods --all-namespaces -o json"
