"""The objects of a collection and their changes: one list and one watch."""

import random
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple, Protocol

from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.kubectl.api_requests import (
    PAGE,
    WHOLE,
    ForgottenError,
    Moment,
    NoAnswerError,
    NoListError,
    ProxyGoneError,
    RequestRefusedError,
    backoff,
    page_version,
    pages,
)
from sidecarctl.engine.kubectl.client import Reads

SILENCE = 90.0
"""Seconds of silence after which a watch counts as broken: the server sends a bookmark every minute."""

_WATCHED = 300  # seconds after which the server ends a watch, which then resumes where it was
_UNAUTHORIZED = 401
_GONE = 410
_PASSING = (429, 500, 502, 503, 504)


class Kind(StrEnum):
    """What an event says."""

    ADDED = "Added"
    MODIFIED = "Modified"
    DELETED = "Deleted"
    SYNCED = "Synced"
    """All that the server holds has been delivered; the object is the list, with its resourceVersion and no items."""
    BROKEN = "Broken"
    """Until the next SYNCED, what was delivered may be out of date; the object has a `message`."""
    GONE = "Gone"
    """The proxy has ended, and the watch with it; the object has a `message`."""
    REFUSED = "Refused"
    """The server will not give the collection, and the watch has ended; the object is its Status."""


class WatchEvent(NamedTuple):
    """A change, and the current object; for one deleted while the watch was broken, only its metadata."""

    kind: Kind
    object: Object


class Watchable(Reads, Protocol):
    """What a watch needs from a client."""

    def lines(self, path: str, query: Mapping[str, str], silence: float) -> Iterator[Object]:
        """The objects of a streamed answer; RequestRefusedError for a refusal."""
        ...


def watch(  # noqa: PLR0913 - what is watched, by whom, and the two things that tests decide
    client: Watchable,
    path: str,
    query: Mapping[str, str],
    deliver: Callable[[WatchEvent], None],
    stopped: threading.Event,
    *,
    silence: float = SILENCE,
    chance: Callable[[], float] = random.random,
    moment: Moment | None = None,
) -> None:
    """Deliver every object of a collection, then every change, until `stopped`, or the server refuses.

    First an ADDED for each object, page by page, then SYNCED, then changes. When the connection breaks or the server
    has forgotten where the watch was: BROKEN, the collection again as its differences, SYNCED. It runs in the thread
    of the caller; `deliver` is called in it. To end it at once set `stopped` and close the client. At first the
    collection is that of a `moment`, if there is one.
    """
    _Watching(client, path, query, deliver, stopped, silence, moment).run(chance)


class _Name(NamedTuple):
    namespace: str
    name: str


class _Version(NamedTuple):
    uid: str
    version: str


class _RefusedError(Exception):
    def __init__(self, status: Object) -> None:
        self.status = status


class _BrokenError(Exception):
    """The collection must be listed again."""


@dataclass(slots=True)
class _Watching:
    """What was delivered so far: the uid and version of each object, by namespace and name."""

    client: Watchable
    path: str
    query: Mapping[str, str]
    deliver: Callable[[WatchEvent], None]
    stopped: threading.Event
    silence: float
    moment: Moment | None
    size: int = PAGE
    known: dict[_Name, _Version] = field(default_factory=dict)
    failures: int = 0
    has_expired: bool = False
    """The last answer was 401: kubectl may have a new token when it is asked again."""

    def run(self, chance: Callable[[], float]) -> None:
        while not self.stopped.is_set():
            try:
                self._list_and_watch()
            except _RefusedError as refused:
                if self.has_expired or refused.status.get("code") != _UNAUTHORIZED:
                    self.deliver(WatchEvent(Kind.REFUSED, refused.status))
                    return
                self.has_expired = True
                self.moment = None
                self.deliver(WatchEvent(Kind.BROKEN, {"message": str(refused.status.get("message"))}))
            except ProxyGoneError as gone:
                if not self.stopped.is_set():
                    self.deliver(WatchEvent(Kind.GONE, {"message": str(gone)}))
                return
            except (NoAnswerError, _BrokenError) as broken:
                if self.stopped.is_set():
                    return
                self.failures += 1
                self.moment = None
                self.size = WHOLE if isinstance(broken, ForgottenError) else PAGE
                self.deliver(WatchEvent(Kind.BROKEN, {"message": str(broken)}))
                self.stopped.wait(backoff(self.failures, chance))

    def _list_and_watch(self) -> None:
        """Both are current once the watch has begun; by then it is also known whether it was refused."""
        listed = self._list()
        version = str(listed["metadata"]["resourceVersion"])
        events = self._opened(version)
        self.has_expired = False
        self.deliver(WatchEvent(Kind.SYNCED, listed))
        while not self.stopped.is_set():
            version = self._taken(events, version)
            events = self._opened(version)

    def _list(self) -> Object:
        """Deliver what differs from what was delivered; the list without its items."""
        left = dict(self.known)
        listed: Object = {}
        try:
            for page in pages(self.client.get, self.path, self.query, size=self.size, moment=self.moment):
                listed = {key: page.body[key] for key in ("apiVersion", "kind") if key in page.body}
                listed["metadata"] = {"resourceVersion": page_version(page)}
                for item in page.body.get("items") or ():
                    left.pop(_name(item), None)
                    self._show(item)
                if self.stopped.is_set():
                    return listed
        except RequestRefusedError as refused:
            raise _refusal({"code": refused.answer.status, **refused.answer.body}) from None
        except NoListError:
            raise _BrokenError("the answer is not a list of objects") from None
        for name, known in left.items():
            self._forget(_remembered(name, known))
        return listed

    def _opened(self, version: str) -> Iterator[Object]:
        """The events after a version, once the server has begun to answer."""
        asked = {"watch": "1", "allowWatchBookmarks": "true", "timeoutSeconds": str(_WATCHED)}
        query = {**self.query, **asked, "resourceVersion": version}
        try:
            return self.client.lines(self.path, query, self.silence)
        except RequestRefusedError as refused:
            raise _refusal({"code": refused.answer.status, **refused.answer.body}) from None

    def _taken(self, events: Iterator[Object], version: str) -> str:
        """Deliver what changes, until the server ends the watch; the last version."""
        count = 0
        for count, event in enumerate(events, 1):  # noqa: B007 - it is asked for after the loop
            if self.stopped.is_set():
                return version
            version = self._take(event)
            self.failures = 0
        if not count:
            raise _BrokenError("the server ended the watch without sending anything")
        return version

    def _take(self, event: Object) -> str:
        """Deliver an event of the API; the version that it brings."""
        kind, item = event.get("type"), event.get("object")
        if kind == "ERROR" or kind is None or not isinstance(item, dict):
            raise _refusal(item if isinstance(item, dict) else event)
        if kind == "DELETED":
            self._forget(item)
        elif kind != "BOOKMARK":
            self._show(item)
        return str(item["metadata"]["resourceVersion"])

    def _show(self, item: Object) -> None:
        """Deliver an object that is new or has changed."""
        name, version = _name(item), _version(item)
        before = self.known.get(name)
        if before is not None and before.uid != version.uid:
            self._forget(_remembered(name, before))
            before = None
        if before != version:
            self.known[name] = version
            self.deliver(WatchEvent(Kind.ADDED if before is None else Kind.MODIFIED, item))

    def _forget(self, item: Object) -> None:
        if self.known.pop(_name(item), None) is not None:
            self.deliver(WatchEvent(Kind.DELETED, item))


def _refusal(status: Object) -> Exception:
    """What a Status means that ends a watch, or keeps it from starting."""
    if status.get("code") == _GONE or status.get("code") in _PASSING:
        return _BrokenError(str(status.get("message") or "the server forgot where the watch was"))
    return _RefusedError(status)


def _name(item: Object) -> _Name:
    metadata = item["metadata"]
    return _Name(metadata.get("namespace", ""), metadata["name"])


def _version(item: Object) -> _Version:
    metadata = item["metadata"]
    return _Version(metadata["uid"], metadata["resourceVersion"])


def _remembered(name: _Name, version: _Version) -> Object:
    return {"metadata": {**name._asdict(), "uid": version.uid, "resourceVersion": version.version}}
