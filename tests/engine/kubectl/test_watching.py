"""A collection as a watch delivers it, whatever the connection does."""

import threading
from pathlib import Path

import pytest

from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.kubectl.client import ApiClient
from sidecarctl.engine.kubectl.watching import Kind, WatchEvent, watch
from tests.engine.kubectl.api_stand_in import ApiStandIn, Asked, Reply
from tests.engine.kubectl.conftest import Serve


def thing(name: str, version: int, uid: str = "") -> Object:
    return {"metadata": {"namespace": "shop", "name": name, "uid": uid or name, "resourceVersion": str(version)}}


def listed(*items: Object, version: int = 10, token: str = "") -> Reply:
    return Reply(body={"metadata": {"resourceVersion": str(version), "continue": token}, "items": list(items)})


def watched(*events: tuple[str, Object]) -> Reply:
    return Reply(lines=[(0, {"type": kind, "object": item}) for kind, item in events])


SILENT = Reply(lines=[(600, {})])
GONE: Object = {"kind": "Status", "code": 410, "reason": "Expired", "message": "too old resource version"}


def delivered(serve: Serve, *replies: Reply, count: int, silence: float = 600) -> tuple[list[str], ApiStandIn]:
    """What the first events say, and the server, which sends these answers and then falls silent."""
    left = iter(replies)
    server = serve(lambda _: next(left, SILENT))
    events: list[WatchEvent] = []
    stopped, enough = threading.Event(), threading.Event()

    def deliver(event: WatchEvent) -> None:
        events.append(event)
        if len(events) >= count:
            enough.set()

    with ApiClient(server.path) as client:
        words = (client, "/pods", {"labelSelector": "a=b"}, deliver, stopped)
        thread = threading.Thread(target=watch, args=words, kwargs={"silence": silence, "chance": lambda: 1.0})
        thread.start()
        assert enough.wait(60), events
        stopped.set()
        client.close()
        thread.join(60)
        assert not thread.is_alive()
    return [said(item) for item in events[:count]], server


def said(event: WatchEvent) -> str:
    if event.kind in (Kind.BROKEN, Kind.REFUSED, Kind.SYNCED):
        return event.kind
    metadata = event.object["metadata"]
    return f"{event.kind} {metadata['name']} {metadata['resourceVersion']}"


def queries(server: ApiStandIn) -> list[str]:
    return [item.path.partition("labelSelector=a%3Db")[2] for item in server.asked]


def test_pages_then_changes(serve: Serve) -> None:
    said, server = delivered(
        serve,
        listed(thing("a", 1), token="more"),  # noqa: S106 - where a list continues
        listed(thing("b", 2)),
        watched(("MODIFIED", thing("a", 11)), ("BOOKMARK", {"metadata": {"resourceVersion": "12"}})),
        watched(("DELETED", thing("b", 13)), ("ADDED", thing("c", 14))),
        count=6,
    )
    assert said == ["Added a 1", "Added b 2", "Synced", "Modified a 11", "Deleted b 13", "Added c 14"]
    asked = "&watch=1&allowWatchBookmarks=true&timeoutSeconds=300&resourceVersion="
    assert queries(server)[:4] == ["&limit=500", "&limit=500&continue=more", f"{asked}10", f"{asked}12"]


@pytest.mark.parametrize(
    ("end", "begins"),
    [
        (watched(("ERROR", GONE)), True),
        (Reply(410, GONE), False),
        (Reply(502, "connection refused"), False),
        (Reply(hangs_up=True), False),
        (Reply(lines=[]), True),
        (Reply(429, {"code": 429, "message": "busy"}), False),
    ],
    ids=["error event", "410", "no server", "hang up", "empty", "429"],
)
def test_a_break_delivers_the_difference(serve: Serve, end: Reply, begins: bool) -> None:  # noqa: FBT001 - pytest gives it by name
    """What was listed is up to date only once it is watched."""
    said, server = delivered(
        serve,
        listed(thing("a", 1), thing("b", 2), thing("c", 3), thing("d", 4)),
        end,
        listed(thing("a", 1), thing("b", 22), thing("d", 24, uid="another"), thing("e", 25), version=30),
        count=11 + begins,
    )
    assert said == [
        *["Added a 1", "Added b 2", "Added c 3", "Added d 4", *["Synced"] * begins, "Broken"],
        *["Modified b 22", "Deleted d 4", "Added d 24", "Added e 25", "Deleted c 3", "Synced"],
    ]
    assert "&continue" not in "".join(queries(server))


def test_a_list_that_is_forgotten_between_its_pages_is_read_at_once(serve: Serve) -> None:
    said, server = delivered(
        serve,
        listed(thing("a", 1), token="more"),  # noqa: S106 - where a list continues, no secret
        Reply(410, GONE),
        listed(thing("a", 1), thing("b", 2)),
        count=4,
    )
    assert said == ["Added a 1", "Broken", "Added b 2", "Synced"]
    assert queries(server)[2] == "&limit=0"


def test_silence_is_a_break(serve: Serve) -> None:
    said, _ = delivered(serve, listed(thing("a", 1)), SILENT, listed(thing("a", 2)), count=5, silence=1.0)
    assert said == ["Added a 1", "Synced", "Broken", "Modified a 2", "Synced"]


def test_no_server_at_first(serve: Serve) -> None:
    said, _ = delivered(serve, Reply(hangs_up=True), Reply(500, "no"), listed(thing("a", 1)), count=4)
    assert said == ["Broken", "Broken", "Added a 1", "Synced"]


def test_the_second_401_in_a_row_ends_it(serve: Serve) -> None:
    expired = Reply(401, {"kind": "Status", "message": "Unauthorized", "code": 401})
    said, _ = delivered(serve, expired, listed(thing("a", 1)), SILENT, expired, expired, count=5, silence=1.0)
    assert said == ["Broken", "Added a 1", "Synced", "Broken", "Broken"]
    said, _ = delivered(serve, expired, expired, count=2)
    assert said == ["Broken", "Refused"]


@pytest.mark.parametrize("status", [403, 404])
def test_a_refusal_ends_it(serve: Serve, status: int) -> None:
    said, server = delivered(serve, Reply(status, {"kind": "Status", "message": "no", "code": status}), count=1)
    assert (said, len(server.asked)) == (["Refused"], 1)


def test_a_proxy_that_has_ended_ends_it(tmp_path: Path) -> None:
    events: list[WatchEvent] = []
    with ApiClient(tmp_path / "none") as client:
        watch(client, "/pods", {}, events.append, threading.Event())
    assert events == [WatchEvent(Kind.GONE, {"message": "kubectl proxy has ended"})]


def test_a_right_that_is_taken_away_ends_it(serve: Serve) -> None:
    refused = {"kind": "Status", "message": "no", "code": 403}
    said, _ = delivered(serve, listed(), Reply(403, refused), count=1)
    assert said == ["Refused"]
    bookmark = {"metadata": {"resourceVersion": "12"}}
    said, _ = delivered(serve, listed(), watched(("BOOKMARK", bookmark)), Reply(403, refused), count=2)
    assert said == ["Synced", "Refused"]


def test_other_kinds_of_requests_are_not_sent(serve: Serve) -> None:
    methods: list[str] = []

    def answer(asked: Asked) -> Reply:
        methods.append(asked.method)
        return listed() if len(methods) == 1 else SILENT

    server = serve(answer)
    stopped = threading.Event()
    with ApiClient(server.path) as client:
        thread = threading.Thread(target=watch, args=(client, "/pods", {}, lambda _: stopped.set(), stopped))
        thread.start()
        assert stopped.wait(60)
        client.close()
        thread.join(60)
    assert set(methods) == {"GET"}
