"""The loop of a push: messages from the cluster go into the machine, and its decisions are carried out.

Everything that waits runs in other threads; messages are handled here, one by one.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from queue import Empty
from typing import Protocol

from sidecarctl.engine.api.label_selectors import Labels
from sidecarctl.engine.facts.errors import SidecarctlError
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.kubectl.watching import Kind
from sidecarctl.features.push.cluster.sending import Sender
from sidecarctl.features.push.cluster.survey import SetView, change
from sidecarctl.features.push.cluster.watches import (
    Answered,
    Changed,
    Interrupted,
    Mailbox,
    Message,
    Watched,
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
from sidecarctl.features.push.patches import Later
from sidecarctl.features.push.plan import PushPlan, PushStep

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
    sets: Mapping[str, SetView]
    display: Display
    clock: Callable[[], float]
    stamp: Callable[[], str]
    namespaces: dict[str, Labels] = field(default_factory=dict)
    interrupted: int = 0
    tick: float | None = None
    """Seconds after which the display is refreshed although nothing has happened."""
    _is_writable: bool = field(default=True)

    def carry_out(self, workers: int, early: Iterable[Message] = ()) -> None:
        """Run to the end; `early` are messages that arrived before."""
        with ThreadPoolExecutor(workers) as pool:
            self._apply(early)
            while True:
                actions = self.machine.decide(self.clock(), self.stamp())
                self._record([action for action in actions if isinstance(action, Send)])
                if any(isinstance(action, End) for action in actions):
                    return
                if not self._act(pool, actions):
                    self._apply(self._messages())

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
                self.machine.answered_question(goes_on=goes_on, now=self.clock())
                is_asked = True
        return is_asked

    def _send(self, action: Send) -> None:
        try:
            outcome = self.sender.send(action.step, action.live, action.stamp)
        except Exception as fault:  # noqa: BLE001 - a bug must not leave the loop waiting forever
            outcome = Later(f"internal error: {type(fault).__name__}: {fault}")
        self.mailbox.put(Answered(action.step.number, outcome))

    def _messages(self) -> list[Message]:
        """The pending messages; waits for the first one."""
        found: list[Message] = []
        now = self.clock()
        wakes_at = self.machine.wakes_at(now)
        left = None if wakes_at is None else max(0.0, wakes_at - now)
        if self.tick is not None:
            left = self.tick if left is None else min(left, self.tick)
        try:
            found.append(self.mailbox.get(timeout=left))
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
            else:
                self._see(message, now)

    def _see(self, message: Changed, now: float) -> None:
        """An event of a watch: about the watch itself, or about an object."""
        words = message.event.object.get("message")
        match message.event.kind:
            case Kind.SYNCED:
                self.machine.set_outdated(message.watch, "")
            case Kind.BROKEN:
                self.machine.set_outdated(message.watch, f"the watch of {message.watched} broke: {words}")
            case Kind.GONE:
                self.machine.stop(Reason.KUBECTL_FAILED, str(words))
            case Kind.REFUSED:
                self.machine.stop(Reason.FORBIDDEN, f"{message.watched} cannot be watched: {words}")
            case _:
                self._see_object(message, now)

    def _see_object(self, message: Changed, now: float) -> None:
        event, key = message.event, pod_key(message.event.object)
        manifest = None if event.kind is Kind.DELETED else event.object
        match message.what:
            case Watched.PODS:
                self.machine.see(key, message.live, now)
            case Watched.NAMESPACES:
                if take_labels(self.namespaces, event):  # so different pods may count
                    self.machine.see_namespaces(dict(self.namespaces))
            case Watched.BUDGETS:
                self.machine.see_disruption_budget(key, manifest)
            case Watched.SIDECARSET:
                self._guard(message.watch, manifest)

    def _guard(self, name: str, manifest: Object | None) -> None:
        """The SidecarSet has changed: if Kruise would now interfere, nothing more is sent."""
        before = self.sets[name]
        if why := change(before, before._replace(manifest=manifest), self.plan.release):
            self.machine.stop(Reason.SIDECARSET_CHANGED, f"SidecarSet {name}: {why}")

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
