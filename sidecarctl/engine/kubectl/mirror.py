"""A cluster that stays up to date: a watch updates each collection after its first reading."""

import json
import random
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial

from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.kubectl.api_requests import Answer, NoAnswerError
from sidecarctl.engine.kubectl.watching import Kind, Watchable, WatchEvent, watch

_TRIES = 4
"""How often to retry the first reading of a collection: with the pauses, about 3 seconds."""
_OF_PAGES = frozenset(("limit", "continue", "resourceVersion", "resourceVersionMatch"))


@dataclass(slots=True)
class _Collection:
    """Its objects by `NAMESPACE/NAME`, as JSON, and how the watch is.

    `held`: what has changed while it is read again, which takes several pages: half of it never was in the cluster.
    """

    head: Object = field(default_factory=dict)
    items: dict[str, str] = field(default_factory=dict)
    held: list[WatchEvent] = field(default_factory=list)
    is_read: bool = False
    breaks: int = 0
    trouble: str = ""
    refusal: Answer | None = None
    is_gone: bool = False

    def take(self, event: WatchEvent) -> None:
        """Record an event."""
        match event.kind:
            case Kind.ADDED | Kind.MODIFIED | Kind.DELETED if self.breaks:
                self.held.append(event)
            case Kind.ADDED | Kind.MODIFIED | Kind.DELETED:
                self._change(event)
            case Kind.SYNCED:
                for change in self.held:
                    self._change(change)
                self.held = []
                self.head, self.is_read, self.breaks, self.trouble = event.object, True, 0, ""
            case Kind.BROKEN:
                self.breaks, self.trouble = self.breaks + 1, str(event.object.get("message"))
            case Kind.REFUSED:
                self.refusal = Answer(int(event.object.get("code") or 403), event.object)
            case Kind.GONE:
                self.is_gone, self.trouble = True, str(event.object.get("message"))

    def _change(self, event: WatchEvent) -> None:
        metadata = event.object["metadata"]
        key = f"{metadata.get('namespace', '')}/{metadata['name']}"
        if event.kind is Kind.DELETED:
            self.items.pop(key, None)
        else:
            self.items[key] = json.dumps(event.object, ensure_ascii=False)
        if self.is_read:
            self.head = {**self.head, "metadata": {"resourceVersion": metadata["resourceVersion"]}}

    def answer(self) -> Answer | None:
        """The whole collection in one page, or why there is none; None if that is not known yet."""
        if self.refusal is not None:
            return self.refusal
        if self.is_gone or (not self.is_read and self.breaks >= _TRIES):
            raise NoAnswerError(self.trouble, may_be_done=False)
        if not self.is_read:
            return None
        keys = sorted(self.items)  # as the server lists them
        head = json.dumps(self.head)
        text = f'{head[:-1]}, "items": [{", ".join(map(self.items.__getitem__, keys))}]}}'
        return Answer(200, {**self.head, "items": keys}, text=text.encode())


class Mirror:
    """The collections that were requested, each with a watch in its own thread.

    `get` is for the thread that `wait`s. The text of an answer is the whole list; its body has only the names of the
    items.
    """

    def __init__(self, client: Watchable, chance: Callable[[], float] = random.random) -> None:
        self._client = client
        self._chance = chance
        self._changed = threading.Condition()
        self._changes = self._seen = 0
        self.stopped = threading.Event()
        self._objects: dict[str, Answer] = {}
        self._collections: dict[tuple[str, tuple[tuple[str, str], ...]], _Collection] = {}

    def get(self, path: str, query: Mapping[str, str] | None = None) -> Answer:
        """The object at a path, which is read once, or the collection as it is now.

        NoAnswerError if it cannot be read; a watch that breaks later gives what it has seen.
        """
        if "limit" not in (query or {}):
            return self._object(path, query)
        wanted = {name: value for name, value in (query or {}).items() if name not in _OF_PAGES}
        key = path, tuple(wanted.items())
        if key not in self._collections:
            self._collections[key] = _Collection()
            self._watch(path, wanted, self._collections[key])
        with self._changed:
            while (answer := self._collections[key].answer()) is None:
                self._changed.wait()
            return answer

    @property
    def troubles(self) -> list[str]:
        """Why what was seen may be out of date: of each watch that is broken."""
        with self._changed:
            return [
                f"the watch of {path.rpartition('/')[2]} broke: {collection.trouble}"
                for (path, _), collection in self._collections.items()
                if collection.trouble
            ]

    def look(self) -> None:
        """Marks all changes so far as seen; later changes end the next `wait`."""
        with self._changed:
            self._seen = self._changes

    def wait(self) -> None:
        """Wait until something has changed since the last `look`."""
        with self._changed:
            while self._changes == self._seen:
                self._changed.wait()

    def _object(self, path: str, query: Mapping[str, str] | None) -> Answer:
        answer = self._objects.get(path) or self._client.get(path, query)
        if not answer.is_passing:
            self._objects[path] = answer
        return answer

    def _watch(self, path: str, query: Mapping[str, str], collection: _Collection) -> None:
        def work() -> None:
            deliver = partial(self._take, collection)
            try:
                watch(self._client, path, query, deliver, self.stopped, chance=self._chance)
            except Exception as fault:  # noqa: BLE001 - a bug must not leave `get` waiting forever
                deliver(WatchEvent(Kind.GONE, {"message": f"internal error: {type(fault).__name__}: {fault}"}))

        threading.Thread(target=work, daemon=True).start()

    def _take(self, collection: _Collection, event: WatchEvent) -> None:
        with self._changed:
            self._changes += collection.is_read  # the first reading must complete
            collection.take(event)
            self._changed.notify_all()


@contextmanager
def mirrored(client: Watchable) -> Iterator[Mirror]:
    """A mirror whose watches end with the context; the caller closes the client, which ends those that wait."""
    mirror = Mirror(client)
    try:
        yield mirror
    finally:
        mirror.stopped.set()
