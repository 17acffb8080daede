"""A list is read page by page as it was at one resourceVersion."""

from collections.abc import Mapping

import pytest

from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.kubectl.api_requests import (
    WHOLE,
    Answer,
    ForgottenError,
    Moment,
    NoListError,
    RequestRefusedError,
    page_version,
    pages,
)

GONE = Answer(410, {"kind": "Status", "code": 410, "reason": "Expired"})


def page(version: str, *names: str, token: str = "") -> Answer:
    metadata = {"resourceVersion": version, **({"continue": token} if token else {})}
    return Answer(200, {"metadata": metadata, "items": [{"metadata": {"name": name}} for name in names]})


class Server:
    """Gives answers one by one, and remembers the queries."""

    def __init__(self, *answers: Answer) -> None:
        self._answers = iter(answers)
        self.asked: list[Object] = []

    def get(self, path: str, query: Mapping[str, str]) -> Answer:
        assert path == "/pods"
        self.asked.append(dict(query))
        return next(self._answers)


def names(server: Server, **options: Moment | int) -> list[str]:
    found = pages(server.get, "/pods", {"labelSelector": "a=b"}, **options)  # type: ignore[arg-type] # by name
    return [item["metadata"]["name"] for answer in found for item in answer.body["items"]]


def test_pages_follow_each_other() -> None:
    server = Server(page("7", "a", "b", token="t/="), page("7", "c"))  # noqa: S106 - where a list continues
    assert names(server) == ["a", "b", "c"]
    first = {"labelSelector": "a=b", "limit": "500"}
    assert server.asked == [first, {**first, "continue": "t/="}]


@pytest.mark.parametrize("second", [GONE, page("8", "b")], ids=["gone", "another version"])
def test_pages_of_two_versions_are_no_snapshot(second: Answer) -> None:
    server = Server(page("7", "a", token="t"), second)  # noqa: S106 - where a list continues
    with pytest.raises(ForgottenError):
        names(server)


def test_all_at_once() -> None:
    server = Server(page("7", "a", "b"))
    assert names(server, size=WHOLE) == ["a", "b"]
    assert server.asked == [{"labelSelector": "a=b", "limit": "0"}]


def test_other_collections_of_a_kind_are_read_as_at_the_first() -> None:
    moment = Moment()
    server = Server(page("7", "a", token="t"), page("7", "b"), page("7", "c"))  # noqa: S106 - where a list continues
    assert (names(server, moment=moment), names(server, moment=moment)) == (["a", "b"], ["c"])
    exact = {"resourceVersion": "7", "resourceVersionMatch": "Exact"}
    assert server.asked[2] == {"labelSelector": "a=b", "limit": "500", **exact}
    assert not exact.keys() & {*server.asked[0], *server.asked[1]}


def test_a_refusal_is_no_moment() -> None:
    moment = Moment()
    with pytest.raises(RequestRefusedError):
        names(Server(Answer(403, {"kind": "Status"})), moment=moment)
    assert not moment.version


@pytest.mark.parametrize("body", [{"items": "x"}, {"metadata": {}, "items": {"a": 1}}, {"metadata": 1}])
def test_what_is_not_a_list(body: Object) -> None:
    with pytest.raises(NoListError):
        names(Server(Answer(200, body)))


def test_the_version_of_a_page() -> None:
    assert page_version(page("7")) == "7"
