"""The loop of a push: messages from the cluster go into the machine, and its decisions are carried out.

Everything that waits runs in other threads; messages are handled here, one by one.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from queue import Empty
from typing import Protocol

from sidecarctl.engine.api.label_selectors import Labels
from sidecarctl.engine.facts.errors import SidecarctlError
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.kubectl.api_requests import NAMESPACES
from sidecarctl.engine.kubectl.watching import Kind
from sidecarctl.engine.plan_file.reading import PodKey
from sidecarctl.engine.sidecarset.sets import Matcher
from sidecarctl.features.push.cluster.sending import Sender
from sidecarctl.features.push.cluster.survey import SetView, brake_of, change
from sidecarctl.features.push.cluster.watches import (
    Answered,
    Changed,
    Continued,
    Interrupted,
    Mailbox,
    Message,
    WatchedKind,
    Watchers,
    pod_key,
    take_labels,
)
from sidecarctl.features.push.deciding.machine import Machine
from sidecarctl.features.push.deciding.waves import Action, Ask, End, Send
from sidecarctl.features.push.events import (
    ExplainedPodEvent,
    PodDone,
    PodEvent,
    PodFailed,
    PodPatched,
    PodSkipped,
    PodUnready,
    PushEvent,
)
from sidecarctl.features.push.journal import Journal, containers_record
from sidecarctl.features.push.patches import Later, SendResult
from sidecarctl.features.push.plan import PushPlan, PushStep

_BEAT = 0.5
"""Seconds after which it looks at the clock although nothing has happened."""

_SLACK = 1.5
"""Seconds that it may be late; more is a gap, in which nothing was seen."""

_RECORDS: Mapping[type, str] = {
    PodPatched: "patched",
    PodDone: "done",
    PodUnready: "done",
    PodFailed: "failed",
    PodSkipped: "skipped",
}


class Display(Protocol):
    """Shows a push to people or programs."""

    def show(self, events: Iterable[PushEvent], machine: Machine) -> None:
        """Show events; without any, time has passed."""
        ...

    def confirm(self, wave: int, steps: Sequence[PushStep]) -> bool:
        """Show a wave, and ask whether it may begin."""
        ...


@dataclass(slots=True)
class PushRun:
    """A running push; `clock` returns seconds, `stamp` the time in the form of annotations."""

    plan: PushPlan
    machine: Machine
    sender: Sender
    journal: Journal
    mailbox: Mailbox
    watchers: Watchers
    sets: Mapping[str, SetView]
    display: Display
    clock: Callable[[], float]
    stamp: Callable[[], str]
    wall: Callable[[], float]
    namespaces: dict[str, Labels] = field(default_factory=dict)
    interrupted: int = 0
    tick: float | None = None
    """Seconds after which the display is refreshed although nothing has happened."""
    _is_writable: bool = field(default=True)
    _expected: tuple[float, float] = (math.inf, math.inf)
    """When it checks again at the latest, by both clocks."""
    _again: dict[str, set[PodKey]] = field(default_factory=dict)
    """The watches that read everything again, and the names of what they have delivered since."""

    def carry_out(self, workers: int, early: Iterable[Message] = ()) -> None:
        """Run to the end; `early` are messages that arrived before."""
        with ThreadPoolExecutor(workers) as pool:
            self._apply(early)
            while True:
                self._catch_up()
                now = self.clock()
                actions = self.machine.decide(now, self.stamp())
                self._record([action for action in actions if isinstance(action, Send)])
                if any(isinstance(action, End) for action in actions):
                    return
                if not self._act(pool, actions):
                    self._apply(self._messages(now))

    def _catch_up(self) -> None:
        """Take all that has come; after a gap in time, everything is read again before the next patch."""
        self._apply(self._pending())
        if self._is_late():
            self._look_again("nothing was read from the cluster for a while")
        self._expected = (self.clock() + _BEAT, self.wall() + _BEAT)

    def _is_late(self) -> bool:
        now = (self.clock(), self.wall())
        return any(is_now > expected + _SLACK for is_now, expected in zip(now, self._expected, strict=True))

    def _look_again(self, why: str) -> None:
        """Read everything again: what was seen before may be stale."""
        self.watchers.stop()
        self._apply(self._pending())
        self._again = {name: set() for name in self.watchers.collections}
        for name in self._again:
            self.machine.set_outdated(name, f"{why}: it is read again")
        self.machine.lost_time(self.clock())
        self.watchers.start()

    def end(self, result: str) -> None:
        """Record the end, unless the journal cannot be written."""
        if self._is_writable:
            try:
                self.journal.note({"record": "end", "result": result})
                self.journal.flush()
            except SidecarctlError:
                self._is_writable = False

    def _act(self, pool: ThreadPoolExecutor, actions: Iterable[Action]) -> bool:
        """Carry out decisions; whether the machine has to decide again at once."""
        is_asked = False
        for action in actions:
            if isinstance(action, Send) and self._is_writable:
                pool.submit(self._send, action)
            elif isinstance(action, Send):
                self.machine.answered(action.step.number, Later("the journal cannot be written"), self.clock())
                is_asked = True
            elif isinstance(action, Ask):
                goes_on = self.display.confirm(action.wave, action.steps)
                if goes_on:
                    self._look_again("the question took time")
                self.machine.answered_question(goes_on=goes_on, now=self.clock())
                is_asked = True
        return is_asked

    def _send(self, action: Send) -> None:
        try:
            outcome: SendResult = Later("nothing was read from the cluster for a while", 0.0)
            if not self._is_late():
                outcome = self.sender.send(action.step, action.live, action.stamp)
        except Exception as fault:  # noqa: BLE001 - a bug must not leave the loop waiting forever
            outcome = Later(f"internal error: {type(fault).__name__}: {fault}")
        self.mailbox.put(Answered(action.step.number, outcome))

    def _messages(self, decided: float) -> list[Message]:
        """The pending messages; waits for the first one, or until what was decided may be different."""
        found: list[Message] = []
        wakes_at = self.machine.wakes_at(decided)
        left = None if wakes_at is None else max(0.0, wakes_at - self.clock())
        try:
            found.append(self.mailbox.get(timeout=min(item for item in (left, self.tick, _BEAT) if item is not None)))
        except Empty:
            return found
        return found + self._pending()

    def _pending(self) -> list[Message]:
        """The messages that have come."""
        found: list[Message] = []
        try:
            while True:
                found.append(self.mailbox.get_nowait())
        except Empty:
            return found

    def _apply(self, messages: Iterable[Message]) -> None:
        for message in messages:
            now = self.clock()
            if isinstance(message, Answered):
                self.machine.answered(message.number, message.outcome, now)
            elif isinstance(message, Interrupted):
                self.interrupted = message.signal
                self.machine.stop(Reason.PUSH_INTERRUPTED, "a signal came")
            elif isinstance(message, Continued):
                self._look_again("the process was stopped")
            else:
                self._see(message, now)

    def _see(self, message: Changed, now: float) -> None:
        """An event of a watch: about the watch itself, or about an object."""
        words = message.event.object.get("message")
        match message.event.kind:
            case Kind.SYNCED:
                self._drop_unseen(message, now)
                self.machine.set_outdated(message.watch, "")
            case Kind.BROKEN:
                self.machine.set_outdated(message.watch, f"the watch of {message.watched} broke: {words}")
            case Kind.GONE:
                self.machine.stop(Reason.KUBECTL_FAILED, str(words))
            case Kind.REFUSED:
                is_expired = message.event.object.get("code") == 401
                reason = Reason.NOT_LOGGED_IN if is_expired else Reason.FORBIDDEN
                self.machine.stop(reason, f"{message.watched} cannot be watched: {words}")
            case _:
                self._see_object(message, now)

    def _see_object(self, message: Changed, now: float) -> None:
        event, key = message.event, pod_key(message.event.object)
        manifest = None if event.kind is Kind.DELETED else event.object
        if message.watch in self._again:
            self._again[message.watch].add(key)
        match message.what:
            case WatchedKind.PODS:
                self.machine.see(key, message.live, now)
            case WatchedKind.NAMESPACES:
                if take_labels(self.namespaces, event):  # so different pods may count
                    self.machine.see_namespaces(dict(self.namespaces))
            case WatchedKind.BUDGETS:
                self.machine.see_disruption_budget(key, manifest)
            case WatchedKind.SIDECARSET:
                self._guard(message.watch, manifest)

    def _drop_unseen(self, message: Changed, now: float) -> None:
        """A collection has been read again: objects that it lacks are gone."""
        seen = self._again.pop(message.watch, None)
        if seen is None:
            return
        if message.what is WatchedKind.PODS:
            namespace = message.watch.partition("/namespaces/")[2].partition("/")[0]
            for key in [*self.machine.pods]:
                if key not in seen and namespace in ("", key[0]):
                    self.machine.see(key, None, now)
        elif message.what is WatchedKind.NAMESPACES:
            names = {name for _, name in seen}
            self.namespaces = {name: labels for name, labels in self.namespaces.items() if name in names}
            self.machine.see_namespaces(dict(self.namespaces))
        elif message.what is WatchedKind.SIDECARSET and not seen:
            self._guard(message.watch, None)

    def _guard(self, name: str, manifest: Object | None) -> None:
        """The SidecarSet has changed: if Kruise would now interfere, nothing more is sent."""
        before = self.sets[name]
        after = before._replace(manifest=manifest)
        if why := change(before, after, self.plan.release):
            self.machine.stop(Reason.SIDECARSET_CHANGED, f"SidecarSet {name}: {why}")
        brake = brake_of(after, self.plan.release)
        self.machine.see_sidecarset(name, brake, self.namespaces)
        if brake and NAMESPACES not in self.watchers.collections and Matcher(brake, {}).lacks_labels_of(""):
            self.watchers.watch_namespaces()
            self._look_again(f"SidecarSet {name} now selects namespaces by labels")

    def _record(self, sends: Iterable[Send]) -> None:
        """Record what happened and what is about to be done, then show it."""
        events = self.machine.take_events()
        records = [_record(event) for event in events if isinstance(event, PodEvent) and type(event) in _RECORDS]
        records += [_intent(send) for send in sends]
        if self._is_writable:
            try:
                self.journal.note(*records)
                self.journal.flush()
            except SidecarctlError as fault:
                self._is_writable = False
                self.machine.stop(Reason.JOURNAL_UNWRITABLE, fault.findings[0].message)
                events += self.machine.take_events()
        self.display.show(events, self.machine)


def _record(event: PodEvent) -> Object:
    what = _RECORDS[type(event)]
    why = event.why if isinstance(event, ExplainedPodEvent) and what != "done" else ""
    return {"record": what, "step": event.step, **({"why": why} if why else {})}


def _intent(send: Send) -> Object:
    step = send.step
    return {
        "record": "intent",
        "step": step.number,
        "pod": str(step),
        "uid": send.live.uid,
        "time": send.stamp,
        "containers": containers_record(send.live.runs),
    }
