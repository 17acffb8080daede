"""The watches and signals of a push: a thread for each, one mailbox for all."""

import signal
import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from queue import Empty, SimpleQueue
from types import FrameType
from typing import NamedTuple, TypeAlias

from sidecarctl.api.label_selectors import Labels
from sidecarctl.facts.errors import SidecarctlError, impossible, input_error
from sidecarctl.facts.reasons import Reason
from sidecarctl.facts.values import Object
from sidecarctl.kubectl.api_requests import NAMESPACES, Moment, sidecarset_path
from sidecarctl.kubectl.cluster import take_version
from sidecarctl.kubectl.watching import Event, Kind, Watchable, watch
from sidecarctl.push.cluster.scope import PushScope
from sidecarctl.push.cluster.survey import Survey
from sidecarctl.push.patches import SendResult
from sidecarctl.push.plan import PodKey, PushPlan
from sidecarctl.push.pods import LivePod, live_pod


@dataclass(frozen=True, slots=True)
class PodsChanged:
    """An event of the watch of pods at a path; `live` is the pod, unless it is gone, or the event is about none.

    The event has the trimmed pod: messages wait in the mailbox, and a push begins with all pods at once.
    """

    path: str
    event: Event
    live: LivePod | None = None


@dataclass(frozen=True, slots=True)
class SetChanged:
    """An event of the watch of one set."""

    name: str
    event: Event


@dataclass(frozen=True, slots=True)
class NamespaceChanged:
    """An event of the watch of Namespaces."""

    event: Event


@dataclass(frozen=True, slots=True)
class DisruptionBudgetChanged:
    """An event of the watch of PodDisruptionBudgets at a path."""

    path: str
    event: Event


@dataclass(frozen=True, slots=True)
class Answered:
    """The answer to a patch."""

    number: int
    outcome: SendResult


@dataclass(frozen=True, slots=True)
class Interrupted:
    """A signal came."""

    signal: int


Message: TypeAlias = PodsChanged | SetChanged | NamespaceChanged | DisruptionBudgetChanged | Answered | Interrupted
Mailbox: TypeAlias = SimpleQueue[Message]


@contextmanager
def watchers(
    client: Watchable, plan: PushPlan, survey: Survey, scope: PushScope, mailbox: Mailbox, *, guards_sets: bool
) -> Iterator[set[str]]:
    """Watch for as long as the context lasts; the paths of pods and Namespaces, and the names of sets.

    The caller closes the client.
    """
    stopped = threading.Event()

    def started(collection: str, query: Mapping[str, str], message: Callable[[Event], Message]) -> str:
        def deliver(event: Event) -> None:
            mailbox.put(message(event))

        moment = moments.setdefault(collection.rpartition("/")[2], Moment())
        words = (client, collection, query, deliver, stopped)
        threading.Thread(target=watch, args=words, kwargs={"moment": moment}, daemon=True).start()
        return collection

    moments: dict[str, Moment] = {}
    watched = {started(path, scope.query, partial(_of_pods, path)) for path in scope.paths}
    if scope.by_labels and not scope.is_partial:
        watched.add(started(NAMESPACES, {}, NamespaceChanged))
    for path in scope.budgets:
        watched.add(started(path, {}, partial(DisruptionBudgetChanged, path)))
    names = plan.targets if guards_sets and survey.version and not survey.unreadable else ()
    for name in names:
        query = {"fieldSelector": f"metadata.name={name}"}
        started(sidecarset_path(survey.version), query, partial(SetChanged, name))
        watched.add(name)
    try:
        yield watched
    finally:
        stopped.set()


def _of_pods(path: str, event: Event) -> PodsChanged:
    if event.kind not in (Kind.ADDED, Kind.MODIFIED):
        return PodsChanged(path, event)
    live = live_pod(event.object)
    return PodsChanged(path, event._replace(object=live.manifest), live)


_Watched: TypeAlias = PodsChanged | NamespaceChanged | DisruptionBudgetChanged
_NAMES: Mapping[type, str] = {
    PodsChanged: "pods",
    NamespaceChanged: "namespaces",
    DisruptionBudgetChanged: "PodDisruptionBudgets",
}


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
        if isinstance(message, SetChanged):
            missing -= _synced(message)
        if not isinstance(message, PodsChanged | NamespaceChanged | DisruptionBudgetChanged):
            view.others.append(message)
            continue
        if message.event.kind is Kind.BROKEN:
            why = str(message.event.object.get("message") or "")
        else:
            missing -= _seen(message, view, counts)
    return view


def _seen(message: _Watched, view: View, counts: Callable[[LivePod], bool]) -> set[str]:
    """Record an event; returns the path that is now completely read."""
    event = message.event
    if event.kind is Kind.SYNCED:
        path = NAMESPACES if isinstance(message, NamespaceChanged) else message.path
        take_version(view.versions, path, event.object["metadata"]["resourceVersion"])
        return {path}
    if event.kind is Kind.GONE:
        raise input_error(Reason.KUBECTL_FAILED, str(event.object.get("message")))
    if event.kind is Kind.REFUSED:
        raise _refused(event, _NAMES[type(message)])
    if isinstance(message, PodsChanged):
        _take(view.pods, message, counts)
    elif isinstance(message, NamespaceChanged):
        take_labels(view.namespaces, event)
    else:
        view.disruption_budgets.pop(pod_key(event.object), None)
        if event.kind is not Kind.DELETED:
            view.disruption_budgets[pod_key(event.object)] = event.object
    return set()


def take_labels(namespaces: dict[str, Labels], event: Event) -> bool:
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


def _synced(message: SetChanged) -> set[str]:
    """The set, once it is watched; before that, a push would miss its changes."""
    if message.event.kind is Kind.REFUSED:
        why = f"SidecarSet {message.name} cannot be watched: {message.event.object.get('message') or 'refused'}"
        raise impossible(Reason.FORBIDDEN, why, hint="push --print-rbac prints the rights that it needs")
    return {message.name} if message.event.kind is Kind.SYNCED else set()


def _take(pods: dict[PodKey, LivePod], message: PodsChanged, counts: Callable[[LivePod], bool]) -> None:
    key = pod_key(message.event.object)
    pods.pop(key, None)
    if message.live and counts(message.live):
        pods[key] = message.live


def _unread(why: str, timeout: float) -> SidecarctlError:
    message = f"the pods could not be read within {timeout:g} s" + (f": {why}" if why else "")
    return input_error(Reason.CLUSTER_UNREACHABLE, message, hint="is this the right cluster? check --context")


def _refused(event: Event, what: str) -> SidecarctlError:
    message = f"the {what} cannot be read: {event.object.get('message') or 'refused'}"
    return input_error(Reason.FORBIDDEN, message, hint="push --print-rbac prints the rights that it needs")


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
    try:
        yield
    finally:
        for number in taken:
            signal.signal(number, before[number])
