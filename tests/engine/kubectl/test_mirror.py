"""A mirror answers from what its watches have delivered, and says when that may be out of date."""

import json
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from queue import SimpleQueue

import pytest

from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.kubectl.api_requests import Answer, NoAnswerError
from sidecarctl.engine.kubectl.mirror import Mirror
from tests.engine.kubectl.test_watching import GONE, thing

LIST = {"limit": "500"}


def listed(version: int, *items: Object, rest: str = "") -> Answer:
    metadata = {"resourceVersion": str(version), "continue": rest}
    head = {"apiVersion": "v1", "kind": "PodList", "metadata": metadata}
    return Answer(200, {**head, "items": list(items)})


class Server:
    """Gives lists one by one, and the events of one watch after the other, each once a test has put it."""

    def __init__(self, *answers: Answer) -> None:
        self.asked: list[str] = []
        self.answers: SimpleQueue[Answer] = SimpleQueue()
        self.events: SimpleQueue[Object] = SimpleQueue()
        for answer in answers:
            self.answers.put(answer)

    def get(self, path: str, query: Mapping[str, str] | None = None) -> Answer:
        self.asked.append(f"{path} {' '.join(query or {})}".strip())
        return self.answers.get(timeout=60)

    def lines(self, path: str, query: Mapping[str, str], silence: float) -> Iterator[Object]:
        del silence
        self.asked.append(f"{path} from {query['resourceVersion']}")
        return iter(lambda: self.events.get(timeout=60), None)

    def send(self, kind: str, item: Object) -> None:
        """Let the watch see an event."""
        self.events.put({"type": kind, "object": item})


@contextmanager
def mirrored(server: Server) -> Iterator[Mirror]:
    mirror = Mirror(server, chance=lambda: 2.0)  # it does not wait before it tries again
    try:
        yield mirror
    finally:
        mirror.stopped.set()
        server.send("BOOKMARK", {"metadata": {"resourceVersion": "99"}})


def read(mirror: Mirror) -> tuple[str, list[str]]:
    """The version of the list, and its items with theirs."""
    answer = mirror.get("/pods", LIST)
    document = json.loads(answer.text)
    assert (document["apiVersion"], document["kind"]) == ("v1", "PodList")
    assert answer.body["metadata"] == document["metadata"]
    found = [item["metadata"] for item in document["items"]]
    return document["metadata"]["resourceVersion"], [f"{item['name']} {item['resourceVersion']}" for item in found]


def test_what_changes_is_seen_without_another_request() -> None:
    server = Server(listed(10, thing("b", 1), thing("d", 2)))
    with mirrored(server) as mirror:
        assert read(mirror) == ("10", ["b 1", "d 2"])
        for number, (kind, name) in enumerate([("MODIFIED", "d"), ("ADDED", "c"), ("DELETED", "b")], 11):
            mirror.look()
            server.send(kind, thing(name, number))
            mirror.wait()
        assert read(mirror) == ("13", ["c 12", "d 11"])  # in the order in which the server lists them
        assert server.asked == ["/pods limit", "/pods from 10"]


def test_a_watch_that_breaks_is_reported_until_everything_is_read_again() -> None:
    server = Server(listed(10, thing("a", 1), thing("b", 2)))
    with mirrored(server) as mirror:
        read(mirror)
        mirror.look()
        server.send("ERROR", GONE)
        mirror.wait()
        assert mirror.troubles == ["the watch of pods broke: too old resource version"]
        assert read(mirror) == ("10", ["a 1", "b 2"])
        server.answers.put(listed(20, thing("b", 15)))
        mirror.look()
        while mirror.troubles:
            mirror.wait()
            mirror.look()
        assert read(mirror) == ("20", ["b 15"])


def test_while_everything_is_read_again_the_answer_is_that_of_one_moment() -> None:
    """Half of the new pods beside half of the old ones never were in the cluster together."""
    server = Server(listed(10, thing("a", 1), thing("b", 2)))
    with mirrored(server) as mirror:
        read(mirror)
        server.answers.put(listed(20, thing("a", 15), thing("c", 16), rest="more"))
        asked = len(server.asked) + 2
        server.send("ERROR", GONE)
        until(lambda: len(server.asked) == asked)  # for the second page
        assert read(mirror) == ("10", ["a 1", "b 2"])
        server.answers.put(listed(20, thing("d", 17)))
        until(lambda: not mirror.troubles)
        assert read(mirror) == ("20", ["a 15", "c 16", "d 17"])


def until(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.005)


def test_what_is_refused_is_an_answer() -> None:
    server = Server(Answer(404, {"kind": "Status", "reason": "NotFound", "message": "no such kind"}))
    with mirrored(server) as mirror:
        answer = mirror.get("/pods", LIST)
        assert (answer.status, answer.reason, answer.message) == (404, "NotFound", "no such kind")


def test_a_right_that_is_taken_away_is_noticed() -> None:
    server = Server(listed(10))
    with mirrored(server) as mirror:
        read(mirror)
        mirror.look()
        server.send("ERROR", {"kind": "Status", "code": 403, "reason": "Forbidden", "message": "no longer"})
        mirror.wait()
        assert mirror.get("/pods", LIST).status == 403


def test_a_server_that_is_too_busy_for_the_first_list_is_asked_four_times() -> None:
    busy = Answer(429, {"code": 429, "message": "busy"})
    server = Server(busy, busy, busy, busy)
    with mirrored(server) as mirror, pytest.raises(NoAnswerError, match="busy"):
        mirror.get("/pods", LIST)
    assert server.asked[:4] == ["/pods limit"] * 4  # it goes on asking until it is stopped


def test_an_answer_that_no_server_gives_does_not_hang() -> None:
    server = Server(listed(10, {"metadata": {"name": "without a uid"}}))
    with mirrored(server) as mirror, pytest.raises(NoAnswerError, match="internal error: KeyError"):
        mirror.get("/pods", LIST)


def test_an_object_is_read_once() -> None:
    server = Server(Answer(503, {"message": "busy"}), Answer(200, {"kind": "Namespace"}))
    with mirrored(server) as mirror:
        assert [mirror.get("/one").status for _ in range(3)] == [503, 200, 200]
    assert server.asked == ["/one", "/one"]
