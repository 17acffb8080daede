"""A push in a process of its own, looked at while it runs."""

import json
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Self

from sidecarctl.engine.facts.values import Object, Value
from tests.cluster.api import PATIENCE
from tests.cluster.shop import SETS, Shop, images, is_ready, is_settled
from tests.engine.rollout.manifests import pod, sidecarset

HOT = {"agent-1": "agent:1", "agent-2": "empty:1", "app": "app:1"}


class Pushing:
    """`sidecarctl push PLAN -o json`, which ends at the latest with the context."""

    def __init__(
        self,
        shop: Shop,
        *options: str,
        env: Mapping[str, str] | None = None,
        plan: str = "plan",
    ) -> None:
        self.events: list[Object] = []
        self.stderr = ""
        self._said: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._log = shop.folder / "push.stderr"
        words = [sys.executable, "-m", "sidecarctl", "push", f"{shop.folder}/{plan}.json", "-o", "json"]
        words += ["--settle", "0", "--timeout", "60", *options]
        with self._log.open("wb") as log:
            self.process = subprocess.Popen(
                words,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=log,
                env={**os.environ, "KUBECONFIG": str(shop.kubeconfig), "PYTHONUNBUFFERED": "1", **(env or {})},
            )
        self._reader = threading.Thread(target=self._read)

    def __enter__(self) -> Self:
        self._reader.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.process.kill()
        self.process.wait()
        self._reader.join()
        assert self.process.stdout is not None
        self.process.stdout.close()

    def until(self, event: str, count: int = 1) -> Object:
        """The event of a kind, once this many of them came."""
        end = time.monotonic() + PATIENCE
        while True:
            found = [item for item in self.events if item["event"] == event]
            if len(found) >= count:
                return found[count - 1]
            try:
                self.events.append(json.loads(self._said.get(timeout=max(0.0, end - time.monotonic()))))
            except queue.Empty:
                raise AssertionError((event, self.events, self._log.read_text())) from None

    def end(self, code: int = 0) -> Object:
        """Wait for the end; the last event."""
        found = self.process.wait(PATIENCE)
        self._reader.join()
        while not self._said.empty():
            self.events.append(json.loads(self._said.get()))
        self.stderr = self._log.read_text()
        assert found == code, (found, self.events, self.stderr)
        return self.events[-1] if self.events else {}

    def pods(self, event: str) -> list[str]:
        """The names of the pods that an event was about, in order."""
        return [item["pod"].partition("/")[2] for item in self.events if item["event"] == event]

    def signal(self, number: signal.Signals) -> None:
        """Send a signal."""
        self.process.send_signal(number)

    @property
    def proxy(self) -> int:
        """The id of the process of kubectl."""
        found = subprocess.run(["ps", "-eo", "pid=,args="], capture_output=True, text=True, check=True).stdout
        children = _descendants(self.process.pid)
        for line in found.splitlines():
            pid, _, words = line.strip().partition(" ")
            if int(pid) in children and " proxy " in f"{words} " and "keeper" not in words:
                return int(pid)
        raise AssertionError(found)

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if line.endswith(b"\n"):
                self._said.put(line.decode())


def _descendants(process: int) -> set[int]:
    found = subprocess.run(["ps", "-eo", "pid=,ppid="], capture_output=True, text=True, check=True).stdout
    parents = {int(pid): int(parent) for pid, parent in (line.split() for line in found.splitlines())}
    children = {process}
    while more := {pid for pid, parent in parents.items() if parent in children} - children:
        children |= more
    return children


def held(shop: Shop, name: str = "agent:2", *options: str) -> Pushing:
    """A push in which the kubelet reports nothing of a pod, or of an image: until `shop.kubelet.held.clear()`."""
    shop.kubelet.held.add(name)
    return Pushing(shop, *options)


def pushed(
    shop: Shop, *options: str, code: int = 0, plan: str = "plan", env: Mapping[str, str] | None = None
) -> Pushing:
    """A push, once it has ended."""
    with Pushing(shop, *options, plan=plan, env=env) as push:
        push.end(code)
    return push


def begin(shop: Shop, pods: int = 4, *, unavailable: int | str = 2, hot: bool = False, **spec: Value) -> Object:
    """Pods with version 1, a paused SidecarSet with version 2, and the plan from one to the other."""
    strategy: Object = {"maxUnavailable": unavailable, "paused": True}
    shop.hold(sidecarset("2", hot=hot, updateStrategy=strategy, **spec).manifest)
    held = HOT if hot else {"agent": "agent:1", "app": "app:1"}
    shop.run_pods(pod(f"p{index:02}", hot=hot, images=held) for index in range(pods))
    return shop.plan("--no-paused")


def waves(plan: Object) -> list[list[str]]:
    """The pods of each wave of the first SidecarSet."""
    return [[item["name"] for item in wave["pods"]] for wave in plan["sidecarSets"][0]["waves"]]


def updated(shop: Shop, names: Iterable[str]) -> list[str]:
    """Which of these pods have version 2."""
    return [name for name in names if images(shop.pod(name)).get("agent") == "agent:2"]


def set_path(name: str = "logs") -> str:
    """The path of a SidecarSet."""
    return f"{SETS}/{name}"


def journal(shop: Shop) -> list[Object]:
    """The records of the journal."""
    return [json.loads(line) for line in Path(f"{shop.folder}/plan.json.journal").read_text().splitlines()]


@contextmanager
def repeating(act: "Iterable[None]") -> Iterator[None]:
    """Draw from something again and again, in another thread."""
    ends = threading.Event()

    def work() -> None:
        for _ in act:
            if ends.wait(0.005):
                return

    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield
    finally:
        ends.set()
        thread.join()


class Recorded:
    """Everything that happens to the pods of a shop."""

    def __init__(self, shop: Shop) -> None:
        self._watch = shop.api.watch(f"/api/v1/namespaces/{shop.namespace}/pods")
        self._events: list[Object] = []
        self._thread = threading.Thread(target=self._read)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._watch.close()
        self._thread.join()

    def changes(self, annotation: str) -> dict[str, int]:
        """How often an annotation got another text, by pod."""
        texts: dict[str, list[str]] = {}
        for event in self._events:
            metadata = event["object"]["metadata"]
            seen = texts.setdefault(metadata["name"], [])
            text = metadata["annotations"][annotation]
            if not seen or seen[-1] != text:
                seen.append(text)
        return {name: len(seen) - 1 for name, seen in texts.items()}

    def moments(self) -> Iterator[dict[str, Object]]:
        """All pods by their names, after each event."""
        found: dict[str, Object] = {}
        for event in self._events:
            found[event["object"]["metadata"]["name"]] = event["object"]
            yield found

    def most_down(self) -> int:
        """The most pods at once that were not ready, or did not yet run the images of their spec."""
        down: set[str] = set()
        most = 0
        for event in self._events:
            found = event["object"]
            is_up = is_ready(found) and is_settled(found)
            (down.discard if is_up else down.add)(found["metadata"]["name"])
            most = max(most, len(down))
        return most

    def _read(self) -> None:
        self._events += self._watch
