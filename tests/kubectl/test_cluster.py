"""Reading a cluster through kubectl: the words that it gets, the files that it gives, and how it fails."""

import json
import time
from collections.abc import Iterable
from pathlib import Path

import pytest

from sidecarctl.facts.errors import InputError
from sidecarctl.facts.findings import Finding
from sidecarctl.facts.reasons import Reason
from sidecarctl.facts.values import Object
from sidecarctl.files.inputs import Input
from sidecarctl.files.reading_progress import watched_by
from sidecarctl.kubectl.cluster import Cluster
from sidecarctl.kubectl.connection import Connection
from tests.kubectl.stand_in import NAMESPACES, OLDER_SETS, PODS, PODS_OF_SHOP, REVISIONS, SETS, StandIn

LOG_LINE = "E1121 15:21:38.623701 24783 memcache.go:265] couldn't get current server API group list\n"


@pytest.fixture
def answers(tmp_path: Path) -> Path:
    folder = tmp_path / "answers"
    folder.mkdir()
    return folder


def problem_of(cluster: Cluster) -> Finding:
    with pytest.raises(InputError) as raised:
        cluster.namespaces()
    (finding,) = raised.value.findings
    return finding


def names(read: Iterable[Input]) -> list[str]:
    items = (json.loads(b"".join(entry.blocks()))["items"] for entry in read)
    return [item["metadata"]["name"] for page in items for item in page]


def test_the_words_of_each_command(kubectl: StandIn, answers: Path) -> None:
    kubectl.holds(PODS_OF_SHOP)
    cluster = Cluster(Connection("a b", "/x y"), answers)
    read = [
        *cluster.sidecarsets(),
        *cluster.namespaces(),
        *cluster.revisions(),
        *cluster.pods(),
        *cluster.pods("shop"),
    ]
    paths = [SETS, NAMESPACES, REVISIONS, PODS, PODS_OF_SHOP]
    asked = [f"{path}?limit=500" for path in paths]
    assert kubectl.calls == [["--context=a b", "--kubeconfig=/x y", "get", "--raw", path] for path in asked]
    assert [item.name for item in read] == [f"kubectl get --raw {path}" for path in paths]


def test_without_a_choice_kubectl_decides(kubectl: StandIn, answers: Path) -> None:
    Cluster(Connection(), answers).sidecarsets()
    assert kubectl.calls == [["get", "--raw", f"{SETS}?limit=500"]]


def test_a_namespace_is_a_word_of_the_path(kubectl: StandIn, answers: Path) -> None:
    kubectl.holds("/api/v1/namespaces/..%2Fnodes%3F/pods")
    assert names(Cluster(Connection(), answers).pods("../nodes?")) == []


def test_sets_of_an_older_kruise(kubectl: StandIn, answers: Path) -> None:
    kubectl.fails(SETS, "Error from server (NotFound): the server could not find the requested resource\n")
    kubectl.holds(OLDER_SETS, named("logs"))
    assert names(Cluster(Connection(), answers).sidecarsets()) == ["logs"]


def named(name: str, filling: str = "") -> Object:
    return {"metadata": {"name": name, "annotations": {"filling": filling}}}


def page(token: str, *items: Object, custom: bool) -> str:
    """A page as the API server writes it: for custom resources the metadata come last."""
    metadata = {"continue": token, "resourceVersion": "1"}
    core: Object = {"kind": "PodList", "apiVersion": "v1", "metadata": metadata, "items": list(items)}
    return json.dumps(dict(sorted(core.items())) if custom else core, separators=(",", ":")) + "\n"


@pytest.mark.parametrize("custom", [False, True])
@pytest.mark.parametrize("size", [1, 100_000])
def test_pages(kubectl: StandIn, answers: Path, size: int, *, custom: bool) -> None:
    filling = '"items":[]' * (size // 10)
    kubectl.says(PODS, stdout=page("a/b=", named("p0", filling), named("p1", filling), custom=custom))
    kubectl.says(f"{PODS}?limit=500&continue=a%2Fb%3D", stdout=page("", named("p2", filling), custom=custom))
    read = Cluster(Connection(), answers).pods()
    assert names(read) == ["p0", "p1", "p2"]
    assert len({item.path for item in read}) == 2


def test_a_list_that_the_server_forgets_is_read_at_once(kubectl: StandIn, answers: Path) -> None:
    kubectl.says(f"{PODS}?limit=500", stdout=page("later", named("p0"), custom=False))
    expired = "Error from server (Expired): The provided continue parameter is too old\n"
    kubectl.fails(f"{PODS}?limit=500&continue=later", expired)
    kubectl.holds(PODS, named("p0"), named("p1"))
    assert names(Cluster(Connection(), answers).pods()) == ["p0", "p1"]


LONG = "x" * 100_000


@pytest.mark.parametrize("text", ['{"items": "x"]}', f'{{"a": "{LONG}"}}', f'{{"items":["{LONG}"}}'])
def test_a_page_that_is_no_list(kubectl: StandIn, answers: Path, text: str) -> None:
    kubectl.says(NAMESPACES, stdout=text)
    finding = problem_of(Cluster(Connection(), answers))
    assert finding.reason is Reason.NOT_JSON
    assert "the answer is not a list" in finding.message


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
    kubectl.fails(NAMESPACES, stderr)
    finding = problem_of(Cluster(Connection(), answers))
    assert finding.reason is reason
    assert finding.message == stderr.splitlines()[-1]
    assert str(finding.place) == f"kubectl get --raw {NAMESPACES}"
    assert finding.hint or reason is Reason.KUBECTL_FAILED
    assert reason.sentence


def test_a_failure_without_words_and_one_with_too_many(kubectl: StandIn, answers: Path) -> None:
    kubectl.says(NAMESPACES, code=7)
    assert "exit code 7, without output" in problem_of(Cluster(Connection(), answers)).message
    kubectl.fails(NAMESPACES, "x" * 10_000)
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
    kubectl.says(NAMESPACES, stdout=stdout)
    finding = problem_of(Cluster(Connection(), answers))
    assert finding.reason is Reason.NOT_JSON
    assert message in finding.message


def test_a_command_that_takes_too_long_is_ended(kubectl: StandIn, answers: Path) -> None:
    kubectl.says(NAMESPACES, seconds=600)
    begin = time.monotonic()
    finding = problem_of(Cluster(Connection(), answers, timeout=0.5))
    assert finding.reason is Reason.KUBECTL_TIMEOUT
    assert "no complete answer within 0.5 s; stderr so far: empty" in finding.message
    assert time.monotonic() - begin < 60


def test_one_that_does_not_end_kindly_is_killed(kubectl: StandIn, answers: Path) -> None:
    program = kubectl.folder / "kubectl"
    stubborn = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
    program.write_text(
        program.read_text().replace("import json, os, sys, time\n", f"import json, os, sys, time\n{stubborn}")
    )
    kubectl.says(NAMESPACES, seconds=600)
    begin = time.monotonic()
    assert problem_of(Cluster(Connection(), answers, timeout=1)).reason is Reason.KUBECTL_TIMEOUT
    assert time.monotonic() - begin < 60


def test_progress_is_told_while_a_command_runs(kubectl: StandIn, answers: Path) -> None:
    told: list[tuple[str, int]] = []
    heard = answers / "heard"
    kubectl.says(PODS, stdout="{}", awaits=heard)

    def hear(command: str, size: int) -> None:
        told.append((command, size))
        heard.touch()

    with watched_by(hear, lambda: None):
        Cluster(Connection(), answers, timeout=60).pods()
    assert told
    assert told[0][0] == f"kubectl get --raw {PODS}"
