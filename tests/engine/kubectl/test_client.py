"""Requests over a unix socket: what is sent, what comes back, and what happens when nothing does."""

import re
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from sidecarctl.engine.kubectl.api_requests import Answer, NoAnswerError, RequestRefusedError
from sidecarctl.engine.kubectl.client import STRATEGIC_PATCH, ApiClient
from tests.engine.kubectl.api_stand_in import Asked, Reply
from tests.engine.kubectl.conftest import Serve


def test_what_is_sent_and_what_comes_back(serve: Serve) -> None:
    server = serve(lambda asked: Reply(body={"method": asked.method}))
    with ApiClient(server.path) as client:
        assert client.get("/api/v1/pods", {"limit": "5", "continue": "a b"}) == Answer(200, {"method": "GET"})
        patch = [{"op": "test", "path": "/x", "value": "\u00e9"}]
        assert client.patch("/p", patch, query={"dryRun": "All"}).body == {"method": "PATCH"}
        client.patch("/p", {"a": 1}, STRATEGIC_PATCH)
    read, first, second = server.asked
    assert (read.path, read.body) == ("/api/v1/pods?limit=5&continue=a+b", None)
    assert (first.path, first.body, first.headers["Content-Type"]) == (
        "/p?dryRun=All",
        patch,
        "application/json-patch+json",
    )
    assert (second.body, second.headers["Content-Type"]) == ({"a": 1}, "application/strategic-merge-patch+json")
    assert {item.headers["Host"] for item in server.asked} == {"localhost"}
    assert len({item.connection for item in server.asked}) == 1


def test_texts_are_written_as_the_server_writes_them(serve: Serve) -> None:
    """It compares the texts of `test` operations, escapes included."""
    server = serve(lambda _: Reply())
    with ApiClient(server.path) as client:
        client.patch("/p", [{"op": "test", "path": "/x", "value": "a=1&b=2 <\u00e9> \u2028\u2029 \u0001\n"}])
    assert server.asked[0].text == (
        '[{"op":"test","path":"/x","value":"a=1\\u0026b=2 \\u003c\u00e9\\u003e \\u2028\\u2029 \\u0001\\n"}]'
    )


def test_refusals_are_answers(serve: Serve) -> None:
    status = {"kind": "Status", "reason": "Conflict", "message": "modified", "code": 409}
    server = serve(lambda _: Reply(409, status))
    with ApiClient(server.path) as client:
        answer = client.patch("/p", [])
    assert (answer.is_good, answer.reason, answer.message) == (False, "Conflict", "modified")


@pytest.mark.parametrize("status", [429, 503])
def test_a_busy_server_may_speak_plain_text(serve: Serve, status: int) -> None:
    server = serve(lambda _: Reply(status, "Too many requests", {"Retry-After": "7"}))
    with ApiClient(server.path) as client:
        assert client.get("/p") == Answer(status, {"message": "Too many requests"}, 7.0)


@pytest.mark.parametrize(
    ("status", "text", "message"),
    [
        (404, "404 page not found\n", "404 page not found"),
        (403, "Forbidden", "Forbidden"),
        (404, "", "Not Found"),
        (500, 'Internal Server Error: "/p": leader changed', 'Internal Server Error: "/p": leader changed'),
        (503, "<html>busy</html>", "<html>busy</html>"),
        (429, "", "Too Many Requests"),
    ],
)
def test_a_server_may_refuse_in_plain_text(serve: Serve, status: int, text: str, message: str) -> None:
    """So it does for a resource that it does not serve."""
    server = serve(lambda _: Reply(status, text))
    with ApiClient(server.path) as client:
        answer = client.get("/p")
        assert (answer.status, answer.reason, answer.message) == (status, "", message)
        with pytest.raises(RequestRefusedError, match=re.escape(message)):
            client.lines("/p", {}, 60)


@pytest.mark.parametrize("status", [200, 500, 502])
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "the body is empty"),
        ("dial tcp: connection refused", "dial tcp: connection refused"),
        ('["a"]', '["a"]'),
        ('{"a":', '{"a":'),
        (
            "<html><head><title>x</title></head>\r\n<body><h1>Bad\nGateway</h1></body></html>",
            "got a web page instead of an answer from the API server: Bad Gateway",
        ),
    ],
)
def test_what_is_not_an_object_is_not_an_answer(serve: Serve, status: int, text: str, words: str) -> None:
    server = serve(lambda _: Reply(status, text))
    with ApiClient(server.path) as client, pytest.raises(NoAnswerError) as raised:
        client.get("/p")
    assert raised.value.may_be_done
    assert str(raised.value).endswith(f"{words} (HTTP status {status})")


def test_a_web_page_that_says_not_found_is_not_an_answer(serve: Serve) -> None:
    server = serve(lambda _: Reply(404, "<!doctype html><p>Not found</p>"))
    with ApiClient(server.path) as client, pytest.raises(NoAnswerError, match=r": Not found \(HTTP status 404\)"):
        client.get("/p")


@pytest.mark.parametrize("method", ["get", "patch"])
def test_a_server_that_is_frozen(serve: Serve, method: str) -> None:
    server = serve(lambda _: Reply(seconds=600))
    with ApiClient(server.path, timeout=0.2) as client:
        begin = time.monotonic()
        with pytest.raises(NoAnswerError, match=r"did not answer within 0\.2 s") as raised:
            _ = client.get("/p") if method == "get" else client.patch("/p", [])
        assert time.monotonic() - begin < 60
        assert raised.value.may_be_done


def test_a_connection_that_breaks_is_not_used_again(serve: Serve) -> None:
    replies = iter([Reply(), Reply(hangs_up=True), Reply()])
    server = serve(lambda _: next(replies))
    with ApiClient(server.path) as client:
        client.get("/p")
        with pytest.raises(NoAnswerError, match="the connection to the API server broke"):
            client.patch("/p", [])
        assert client.get("/p").is_good
    assert [item.method for item in server.asked] == ["GET", "PATCH", "GET"]  # nothing was sent twice


def test_a_proxy_that_is_gone(tmp_path: Path) -> None:
    with (
        ApiClient(tmp_path / "none") as client,
        pytest.raises(NoAnswerError, match="kubectl proxy has ended") as raised,
    ):
        client.patch("/p", [])
    assert not raised.value.may_be_done


def test_threads_share_connections(serve: Serve) -> None:
    def answer(asked: Asked) -> Reply:
        return Reply(body={"path": asked.path}, seconds=0.01)

    server = serve(answer)
    with ApiClient(server.path) as client, ThreadPoolExecutor(4) as threads:
        paths = [f"/{number}" for number in range(40)]
        assert [item.body["path"] for item in threads.map(client.get, paths)] == paths
    assert len({item.connection for item in server.asked}) <= 4


def test_closing_ends_what_is_in_progress(serve: Serve) -> None:
    server = serve(lambda _: Reply(lines=[(0, {"type": "BOOKMARK"}), (600, {})]))
    with ApiClient(server.path) as client:
        lines = client.lines("/w", {}, 600)
        assert next(lines) == {"type": "BOOKMARK"}
        begin = time.monotonic()
        threading.Timer(0.05, client.close).start()
        assert list(lines) == []
        assert time.monotonic() - begin < 60
        with pytest.raises(NoAnswerError, match="closed"):
            client.get("/p")


def test_a_stream_that_falls_silent(serve: Serve) -> None:
    server = serve(lambda _: Reply(lines=[(0, {"a": 1}), (600, {})]))
    with ApiClient(server.path) as client:
        lines = client.lines("/w", {}, 1.0)  # in which its beginning has to come, too
        assert next(lines) == {"a": 1}
        with pytest.raises(NoAnswerError, match="within 1 s"):
            next(lines)
