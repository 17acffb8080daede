"""Reading a cluster: what it is asked, what is kept of its lists, and how it fails."""

from collections.abc import Callable, Mapping

import pytest

from sidecarctl.engine.facts.errors import InputError
from sidecarctl.engine.facts.findings import Finding
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Object, Value
from sidecarctl.engine.kubectl.api_requests import Answer, Moment, NoAnswerError
from sidecarctl.engine.kubectl.client import JSON_PATCH
from sidecarctl.engine.kubectl.cluster import LiveCluster
from sidecarctl.engine.kubectl.running_proxy import failure
from tests.engine.kubectl.stand_in import NAMESPACES, OLDER_SETS, PODS, SETS

LOG_LINE = "E1121 15:21:38.623701 24783 memcache.go:265] couldn't get current server API group list\n"
BUSY = Answer(503, {"message": "busy"}, retry_after=0.0)


class Server:
    """Answers by path, in turn, and remembers what it was asked."""

    def __init__(self, answers: Mapping[str, list[Answer | NoAnswerError]]) -> None:
        self._answers = {path: iter(given) for path, given in answers.items()}
        self.asked: list[tuple[str, Object]] = []

    def get(self, path: str, query: Mapping[str, str] | None = None) -> Answer:
        self.asked.append((path, dict(query or {})))
        answer = next(self._answers[path])
        if isinstance(answer, NoAnswerError):
            raise answer
        return answer

    def patch(
        self,
        path: str,
        body: Value,
        content_type: str = JSON_PATCH,
        query: Mapping[str, str] | None = None,
        timeout: float | None = None,
    ) -> Answer:
        raise NotImplementedError


def listed(*names: str, version: str = "7", token: str = "") -> Answer:
    metadata = {"resourceVersion": version, "continue": token}
    return Answer(200, {"metadata": metadata, "items": [{"metadata": {"name": name}} for name in names]})


def refused(code: int, reason: str = "", message: str = "no") -> Answer:
    return Answer(code, {"kind": "Status", "reason": reason, "message": message})


def names(path: str, page: Answer) -> list[str]:
    return [f"{path} {item['metadata']['name']}" for item in page.body["items"]]


def problem_of(read: Callable[[], object]) -> Finding:
    with pytest.raises(InputError) as raised:
        read()
    (finding,) = raised.value.findings
    return finding


def test_pages_and_their_version() -> None:
    cluster = LiveCluster(Server({PODS: [listed("a", token="t"), listed("b")]}))  # noqa: S106 - where a list continues
    assert cluster.pages(PODS, names) == [[f"{PODS} a"], [f"{PODS} b"]]
    assert cluster.versions == {"pods": "7"}


def test_a_list_that_the_server_forgets_is_read_at_once() -> None:
    pages: list[Answer | NoAnswerError] = [
        listed("a", token="t"),  # noqa: S106 - where a list continues
        refused(410, "Expired"),
        listed("a", "b", version="9"),
    ]
    server = Server({PODS: pages})
    cluster = LiveCluster(server)
    assert cluster.pages(PODS, names) == [[f"{PODS} a", f"{PODS} b"]]
    assert cluster.versions == {"pods": "9"}
    assert server.asked[-1] == (PODS, {"limit": "0"})


def test_sets_of_an_older_kruise() -> None:
    server = Server({SETS: [refused(404, "NotFound")], OLDER_SETS: [listed("logs")]})
    assert LiveCluster(server).sidecarsets(names) == [[f"{OLDER_SETS} logs"]]


def test_sets_of_some_names_are_one_snapshot() -> None:
    server = Server({SETS: [listed("logs"), listed("mesh")]})
    cluster, moment = LiveCluster(server), Moment()
    for name in ("logs", "mesh"):
        cluster.sidecarsets(names, name, moment)
    exact = {"resourceVersion": "7", "resourceVersionMatch": "Exact"}
    assert server.asked == [
        (SETS, {"fieldSelector": "metadata.name=logs", "limit": "500"}),
        (SETS, {"fieldSelector": "metadata.name=mesh", "limit": "500", **exact}),
    ]
    assert cluster.versions == {"sidecarsets": "7"}


def test_versions_that_differ_are_all_named() -> None:
    cluster = LiveCluster(Server({f"{NAMESPACES}/a/pods": [listed()], f"{NAMESPACES}/b/pods": [listed(version="8")]}))
    cluster.pages(f"{NAMESPACES}/a/pods", names)
    cluster.pages(f"{NAMESPACES}/b/pods", names)
    assert cluster.versions == {"pods": "7, 8"}


def test_what_the_server_cannot_give_now_is_requested_again(monkeypatch: pytest.MonkeyPatch) -> None:
    waited: list[float] = []
    monkeypatch.setattr("time.sleep", waited.append)
    assert LiveCluster(Server({PODS: [BUSY, refused(500), listed("a")]})).pages(PODS, names) == [[f"{PODS} a"]]
    assert len(waited) == 2
    found = problem_of(lambda: LiveCluster(Server({PODS: [BUSY] * 4})).pages(PODS, names))
    assert (found.reason, found.message) == (Reason.KUBECTL_FAILED, "Error from server: busy")


def test_what_is_not_a_list() -> None:
    found = problem_of(
        lambda: LiveCluster(Server({NAMESPACES: [Answer(200, {"items": "x"})]})).pages(NAMESPACES, names)
    )
    assert (found.reason, found.message) == (Reason.NOT_JSON, "the answer is not a list of objects")


@pytest.mark.parametrize(
    ("answer", "reason", "message"),
    [
        (refused(404, "NotFound"), Reason.RESOURCE_NOT_FOUND, "Error from server (NotFound): no"),
        (refused(403, "Forbidden"), Reason.FORBIDDEN, "Error from server (Forbidden): no"),
        (refused(401, "Unauthorized"), Reason.NOT_LOGGED_IN, "Error from server (Unauthorized): no"),
        (
            NoAnswerError("the API server did not answer within 2 s"),
            Reason.KUBECTL_TIMEOUT,
            "the API server did not answer within 2 s",
        ),
        (
            NoAnswerError("the API server did not answer: dial tcp [::1]:6443: connect: connection refused"),
            Reason.CLUSTER_UNREACHABLE,
            "the API server did not answer: dial tcp [::1]:6443: connect: connection refused",
        ),
        (
            NoAnswerError("the API server did not answer: getting credentials: exec: executable x not found"),
            Reason.NOT_LOGGED_IN,
            "the API server did not answer: getting credentials: exec: executable x not found",
        ),
    ],
)
def test_what_is_refused(answer: Answer | NoAnswerError, reason: Reason, message: str) -> None:
    for read in (
        lambda: LiveCluster(Server({NAMESPACES: [answer]})).pages(NAMESPACES, names),
        lambda: LiveCluster(Server({NAMESPACES: [answer]})).object(NAMESPACES),
    ):
        found = problem_of(read)
        assert (found.reason, found.message, str(found.place)) == (reason, message, f"kubectl get --raw {NAMESPACES}")
        assert found.hint
        assert reason.sentence


@pytest.mark.parametrize(
    ("stderr", "reason"),
    [
        (
            f"{LOG_LINE}The connection to the server localhost:8080 was refused - did you specify the right port?\n",
            Reason.CLUSTER_UNREACHABLE,
        ),
        ("Unable to connect to the server: lookup no.such.host: no such host\n", Reason.CLUSTER_UNREACHABLE),
        ("error: EOF\n", Reason.NOT_LOGGED_IN),
        ("Error in configuration: context was not found for specified context: nope\n", Reason.CONTEXT_NOT_FOUND),
        ("error: stat /no/where: no such file or directory\n", Reason.KUBECONFIG_UNREADABLE),
        ('error: error loading config file "/kc": yaml: line 1: did not find\n', Reason.KUBECONFIG_UNREADABLE),
        ("Error from server (InternalError): an error on the server\n", Reason.KUBECTL_FAILED),
    ],
)
def test_what_kubectl_says_has_a_reason(stderr: str, reason: Reason) -> None:
    [finding] = failure("kubectl proxy", stderr, 1).findings
    assert (finding.reason, finding.message) == (reason, stderr.splitlines()[-1])
    assert str(finding.place) == "kubectl proxy"
    assert finding.hint or reason is Reason.KUBECTL_FAILED


def test_a_failure_without_words_and_one_with_too_many() -> None:
    assert "exit code 7, without output" in failure("kubectl proxy", "", 7).findings[0].message
    assert len(failure("kubectl proxy", "x" * 10_000, 1).findings[0].message) < 310
