"""The watches and signals of a push: a thread for each, one mailbox for all."""

import signal
import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from queue import Empty, SimpleQueue
from types import FrameType
from typing import NamedTuple, TypeAlias

from sidecarctl.engine.api.label_selectors import Labels
from sidecarctl.engine.facts.errors import SidecarctlError, impossible, input_error
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.kubectl.api_requests import NAMESPACES, Moment, sidecarsets_path
from sidecarctl.engine.kubectl.cluster import take_version
from sidecarctl.engine.kubectl.watching import Kind, Watchable, WatchEvent, watch
from sidecarctl.engine.plan_file.reading import PodKey
from sidecarctl.features.push.cluster.scope import ASK_FOR_RIGHTS, PushScope
from sidecarctl.features.push.cluster.survey import Survey
from sidecarctl.features.push.patches import SendResult
from sidecarctl.features.push.plan import PushPlan
from sidecarctl.features.push.pods import LivePod, live_pod


class WatchedKind(StrEnum):
    """What a push watches, as messages call it."""

    PODS = "pods"
    NAMESPACES = "namespaces"
    BUDGETS = "PodDisruptionBudgets"
    SIDECARSET = "SidecarSet"


@dataclass(frozen=True, slots=True)
class Changed:
    """An event of a watch: `watch` is the path of its collection, or the name of its SidecarSet.

    `live` is the pod, unless it is gone, or the event is about none. Then the event has the trimmed pod: messages
    wait in the mailbox, and a push begins with all pods at once.
    """

    what: WatchedKind
    watch: str
    event: WatchEvent
    live: LivePod | None = None

    @property
    def watched(self) -> str:
        """What is watched, as messages call it; a SidecarSet by its name."""
        return f"{self.what} {self.watch}" if self.what is WatchedKind.SIDECARSET else self.what


@dataclass(frozen=True, slots=True)
class Answered:
    """The answer to a patch."""

    number: int
    outcome: SendResult


@dataclass(frozen=True, slots=True)
class Interrupted:
    """A signal came."""

    signal: int


@dataclass(frozen=True, slots=True)
class Continued:
    """The process was stopped, and runs again."""


Message: TypeAlias = Changed | Answered | Interrupted | Continued
Mailbox: TypeAlias = SimpleQueue[Message]


class Watching(NamedTuple):
    """What a watch reads."""

    what: WatchedKind
    path: str
    query: Mapping[str, str] = {}


class Watchers:
    """The watches by their names, the paths of collections or the names of SidecarSets; a thread for each.

    After `stop`, no more messages come until `start`: then everything is read again, first all objects, then SYNCED.
    """

    def __init__(self, client: Watchable, mailbox: Mailbox, collections: Mapping[str, Watching]) -> None:
        self._client, self._mailbox = client, mailbox
        self.collections = dict(collections)
        self._stopped = threading.Event()
        self._delivering = threading.Lock()
        self.start()

    def watch_namespaces(self) -> None:
        """Watch Namespaces too, from the next start on."""
        self.collections[NAMESPACES] = Watching(WatchedKind.NAMESPACES, NAMESPACES)

    def start(self) -> None:
        """Start all watches."""
        moments: dict[str, Moment] = {}
        self._stopped = stopped = threading.Event()
        for name, item in self.collections.items():
            moment = moments.setdefault(item.path.rpartition("/")[2], Moment())
            words = (self._client, item.path, item.query, partial(self._deliver, stopped, item.what, name), stopped)
            threading.Thread(target=watch, args=words, kwargs={"moment": moment}, daemon=True).start()

    def stop(self) -> None:
        """End all watches; those that wait for the server end when it says something, or with the client."""
        with self._delivering:
            self._stopped.set()

    def _deliver(self, stopped: threading.Event, what: WatchedKind, name: str, event: WatchEvent) -> None:
        message = _message(what, name, event)
        with self._delivering:
            if not stopped.is_set():
                self._mailbox.put(message)


@contextmanager
def watchers(
    client: Watchable, plan: PushPlan, survey: Survey, scope: PushScope, mailbox: Mailbox, *, guards_sets: bool
) -> Iterator[Watchers]:
    """Watch for as long as the context lasts. The caller closes the client."""
    found = {path: Watching(WatchedKind.PODS, path, scope.query) for path in scope.paths}
    if scope.by_labels and not scope.is_partial:
        found[NAMESPACES] = Watching(WatchedKind.NAMESPACES, NAMESPACES)
    found |= {path: Watching(WatchedKind.BUDGETS, path) for path in scope.budgets}
    for name in plan.targets if guards_sets and survey.version and not survey.unreadable else ():
        query = {"fieldSelector": f"metadata.name={name}"}
        found[name] = Watching(WatchedKind.SIDECARSET, sidecarsets_path(survey.version), query)
    started = Watchers(client, mailbox, found)
    try:
        yield started
    finally:
        started.stop()


def _message(what: WatchedKind, watched: str, event: WatchEvent) -> Changed:
    if what is not WatchedKind.PODS or event.kind not in (Kind.ADDED, Kind.MODIFIED):
        return Changed(what, watched, event)
    live = live_pod(event.object)
    return Changed(what, watched, event._replace(object=live.manifest), live)


class View(NamedTuple):
    """What a push sees when it begins; `others` are messages about other things that arrived in the meantime.

    `versions`: the resourceVersion at which each kind was read, by its plural.
    """

    pods: dict[PodKey, LivePod]
    namespaces: dict[str, Labels]
    disruption_budgets: dict[PodKey, Object]
    others: list[Message]
    versions: dict[str, str]


def first_look(
    mailbox: Mailbox,
    watched: Collection[str],
    counts: Callable[[LivePod], bool],
    timeout: float,
    clock: Callable[[], float] = time.monotonic,
) -> View:
    """The pods that count, and the labels of Namespaces.

    `watched` are paths of pods and names of sets. InputError if pods cannot be read, or not all of it within
    `timeout` seconds; ImpossibleError if sets cannot be watched.
    """
    view = View({}, {}, {}, [], {})
    missing = set(watched)
    why = ""
    end = clock() + timeout
    while missing:
        try:
            message = mailbox.get(timeout=max(0.0, end - clock()))
        except Empty:
            raise _unread(why, timeout) from None
        if not isinstance(message, Changed) or message.what is WatchedKind.SIDECARSET:
            missing -= _synced(message) if isinstance(message, Changed) else set()
            view.others.append(message)
        elif message.event.kind is Kind.BROKEN:
            why = str(message.event.object.get("message") or "")
        else:
            missing -= _seen(message, view, counts)
    return view


def _seen(message: Changed, view: View, counts: Callable[[LivePod], bool]) -> set[str]:
    """Record an event; returns the path that is now completely read."""
    event = message.event
    if event.kind is Kind.SYNCED:
        take_version(view.versions, message.watch, event.object["metadata"]["resourceVersion"])
        return {message.watch}
    if event.kind is Kind.GONE:
        raise input_error(Reason.KUBECTL_FAILED, str(event.object.get("message")))
    if event.kind is Kind.REFUSED:
        said = f"the {message.watched} cannot be read: {event.object.get('message') or 'refused'}"
        raise input_error(Reason.FORBIDDEN, said, hint=ASK_FOR_RIGHTS)
    key = pod_key(event.object)
    if message.what is WatchedKind.NAMESPACES:
        take_labels(view.namespaces, event)
    elif message.what is WatchedKind.PODS:
        view.pods.pop(key, None)
        if message.live and counts(message.live):
            view.pods[key] = message.live
    else:
        view.disruption_budgets.pop(key, None)
        if event.kind is not Kind.DELETED:
            view.disruption_budgets[key] = event.object
    return set()


def take_labels(namespaces: dict[str, Labels], event: WatchEvent) -> bool:
    """Record the labels of a Namespace; whether they have changed."""
    name = event.object["metadata"]["name"]
    before = namespaces.pop(name, None)
    if event.kind is not Kind.DELETED:
        namespaces[name] = event.object["metadata"].get("labels") or {}
    return namespaces.get(name) != before


def pod_key(manifest: object) -> PodKey:
    """The namespace and the name of a pod."""
    metadata = manifest["metadata"]  # type: ignore[index] # the API server's own objects
    return metadata.get("namespace") or "", metadata["name"]


def _synced(message: Changed) -> set[str]:
    """The SidecarSet, once it is watched; before that, a push would miss its changes."""
    if message.event.kind is Kind.REFUSED:
        why = f"{message.watched} cannot be watched: {message.event.object.get('message') or 'refused'}"
        raise impossible(Reason.FORBIDDEN, why, hint=ASK_FOR_RIGHTS)
    return {message.watch} if message.event.kind is Kind.SYNCED else set()


def _unread(why: str, timeout: float) -> SidecarctlError:
    message = f"the pods could not be read within {timeout:g} s" + (f": {why}" if why else "")
    return input_error(Reason.CLUSTER_UNREACHABLE, message, hint="is this the right cluster? check --context")


_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@contextmanager
def interrupts_to(mailbox: Mailbox) -> Iterator[None]:
    """Put the first signal into the mailbox; a second one raises KeyboardInterrupt. Only in the main thread.

    A signal that the caller of the program ignores (`nohup`) stays ignored.
    """
    before = {number: signal.getsignal(number) for number in _SIGNALS}
    seen: list[int] = []

    def take(number: int, _frame: FrameType | None) -> None:
        if seen:
            raise KeyboardInterrupt
        seen.append(number)
        mailbox.put(Interrupted(number))

    taken = [number for number, handler in before.items() if handler is not signal.SIG_IGN]
    for number in taken:
        signal.signal(number, take)
    continued = signal.signal(signal.SIGCONT, lambda *_: mailbox.put(Continued()))
    try:
        yield
    finally:
        signal.signal(signal.SIGCONT, continued)
        for number in taken:
            signal.signal(number, before[number])
