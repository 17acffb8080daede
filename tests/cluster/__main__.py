"""`make bench-cluster`: how fast a push is, and what it costs, against a real kube-apiserver."""

import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from itertools import count
from pathlib import Path
from statistics import median
from typing import NamedTuple

from sidecarctl.engine.facts.values import Object
from sidecarctl.features.push.plan import PushSettings
from tests.cluster.api import Api
from tests.cluster.conftest import define_sidecarsets
from tests.cluster.control_plane import ControlPlane
from tests.cluster.kubelet import Kubelet
from tests.cluster.shop import SETS, is_ready, is_settled
from tests.engine.rollout.manifests import pod, sidecarset

PODS, WAVES, MANY = 2000, 10, 5000
RACING, RACES = 400, 5
NAMESPACES = [f"fleet-{letter}" for letter in "abcde"]
_PODS_PATH = "/api/v1/pods"
_REQUESTS = re.compile(r"apiserver_request_total\{([^}]*)\} ([0-9.e+]+)")


class Cost(NamedTuple):
    """What a push cost: seconds from its first event to its last, CPU of all processes, memory of its own.

    `patching`: seconds from its first event to the answer to its last patch.
    """

    result: str
    seconds: float
    patching: float
    cpu_seconds: float
    largest_mb: float


class Loop(NamedTuple):
    """What a bare loop cost: seconds for its patches, CPU of all processes with their start-up."""

    seconds: float
    cpu_seconds: float


class Fleet:
    """Pods in a cluster that nobody else uses."""

    def __init__(self, api: Api, folder: Path, kubeconfig: Path) -> None:
        self._api = api
        self._folder = folder
        bytecode = {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": f"{folder}/bytecode"}  # as if installed
        self._environ = {**os.environ, **bytecode, "KUBECONFIG": str(kubeconfig)}
        self._versions = map(str, count(2))

    def grow(self, begin: int, end: int) -> None:
        """Create the pods of these numbers, and wait until all are ready."""
        with ThreadPoolExecutor(4) as threads:
            list(threads.map(self._create, range(begin, end)))
        while sum(map(is_ready, self._api.get(_PODS_PATH)["items"])) < end:
            time.sleep(1)

    def plan(self, unavailable: int | str = PODS // WAVES) -> Path:
        """Plan the way to the next version, this many pods at once; the plan."""
        tag = next(self._versions)
        strategy = {"maxUnavailable": unavailable, "paused": True}
        manifest = sidecarset(tag, updateStrategy=strategy).manifest
        self._api.delete(f"{SETS}/logs")
        self._api.create(SETS, manifest)
        plan = self._folder / f"plan-{tag}.json"
        self._run("plan", "--live", "--no-paused", "-o", f"json={plan}")
        return plan

    def send(self, plan: Path) -> Loop:
        """Send the patches of a plan, and nothing else. All pods are ready afterward."""
        words = [sys.executable, "-m", "tests.cluster.bare_loop", str(plan), str(PushSettings().max_parallel)]
        process = subprocess.Popen(words, stdout=subprocess.PIPE, env=self._environ)
        said, used = _said(process)
        while not all(is_ready(item) and is_settled(item) for item in self._api.get(_PODS_PATH)["items"]):
            time.sleep(0.1)
        return Loop(float(said), used)

    def push(self, plan: Path, *options: str) -> Cost:
        """Carry out a plan."""
        words = ["push", str(plan), "--settle", "0", "-o", "json", *options]
        process = subprocess.Popen(_command(words), stdout=subprocess.PIPE, env=self._environ)
        assert process.stdout is not None
        began = patched = ended = memory = 0.0
        event: Object = {}
        for line in process.stdout:
            event = json.loads(line)
            ended = time.monotonic()
            began = began or ended
            patched = ended if event["event"] == "PodPatched" else patched
            memory = max(memory, _memory(process.pid))
        _, cpu = _said(process)
        return Cost(event["result"], ended - began, patched - began, cpu, memory)

    def requests(self) -> dict[tuple[str, str], int]:
        """How many requests about pods the server has answered, by verb and dry run, those for the status aside."""
        found: dict[tuple[str, str], int] = {}
        text = self._api.ask("GET", "/metrics").body["message"]
        for labels, number in _REQUESTS.findall(text):
            of = dict(re.findall(r'(\w+)="([^"]*)"', labels))
            if (of["resource"], of["subresource"]) == ("pods", ""):
                key = of["verb"], of["dry_run"]
                found[key] = found.get(key, 0) + int(float(number))
        return found

    def _create(self, number: int) -> None:
        namespace = NAMESPACES[number % len(NAMESPACES)]
        made = pod(f"p{number:05}", namespace=namespace)
        path = f"/api/v1/namespaces/{namespace}/pods"
        self._api.create(path, {key: value for key, value in made.items() if key != "status"})

    def _run(self, *words: str) -> None:
        subprocess.run(_command(words), check=True, env=self._environ, stderr=subprocess.DEVNULL)


def _memory(process: int) -> float:
    """The most megabytes that a process has used; `wait4` would count what its parent had when it was made."""
    found = re.search(r"VmHWM:\s+([0-9]+) kB", Path(f"/proc/{process}/status").read_text())
    return int(found[1]) / 1024 if found else 0.0


def _said(process: "subprocess.Popen[bytes]") -> tuple[str, float]:
    """What a process writes until its end, and the seconds of CPU that it and its children used."""
    assert process.stdout is not None
    text = process.stdout.read().decode()
    process.stdout.close()
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return text, used.ru_utime + used.ru_stime


def _command(words: Sequence[str]) -> list[str]:
    return [sys.executable, "-m", "sidecarctl", *words]


def _measured(folder: Path) -> Iterable[tuple[str, str, str]]:
    """What is measured, the figure, the limit."""
    plane = ControlPlane(folder)
    try:
        plane.start()
        with plane.api() as api:
            define_sidecarsets(api)
            with ExitStack() as kubelets:
                for namespace in NAMESPACES:
                    api.create("/api/v1/namespaces", {"metadata": {"name": namespace}})
                    kubelets.enter_context(Kubelet(api, namespace, moment=0.0))
                yield from _of_fleet(Fleet(api, folder, plane.kubeconfig(folder / "kubeconfig")))
    finally:
        plane.stop()


def _races(fleet: Fleet) -> Iterator[tuple[str, str, str]]:
    """A push beside a bare loop over the same pods, in turn; the medians, as the machine has other things to do."""
    fleet.push(fleet.plan("100%"))  # writes the bytecode
    found = [(fleet.send(fleet.plan("100%")), fleet.push(fleet.plan("100%"))) for _ in range(RACES)]
    yield f"{RACING} pods, maxUnavailable 100%", found[-1][1].result, "Completed"
    yield "pods a second: a bare loop of PATCH calls", f"{median(RACING / loop.seconds for loop, _ in found):.0f}", ""
    yield "pods a second: push, to its last patch", f"{median(RACING / cost.patching for _, cost in found):.0f}", ""
    yield "pods a second: push, to its end", f"{median(RACING / cost.seconds for _, cost in found):.0f}", ""
    relative = [(loop.seconds / cost.patching, loop.seconds / cost.seconds) for loop, cost in found]
    yield "relative to the loop: to its last patch", f"{median(patching for patching, _ in relative):.2f}", ""
    yield "relative to the loop: to its end", f"{median(whole for _, whole in relative):.2f}", ">= 0.8"
    for name, costs, limit in zip(("the loop", "push"), zip(*found, strict=True), ("", "<= 5 ms"), strict=True):
        cpu = median(cost.cpu_seconds for cost in costs) / RACING * 1000
        yield f"client CPU a pod, kubectl and start-up included: {name}", f"{cpu:.1f} ms", limit


def _of_fleet(fleet: Fleet) -> Iterable[tuple[str, str, str]]:
    fleet.grow(0, RACING)
    yield from _races(fleet)
    fleet.grow(RACING, PODS)
    plan = fleet.plan()
    before = fleet.requests()
    cost = fleet.push(plan)
    after = fleet.requests()
    counts = {key: after[key] - before.get(key, 0) for key in after}
    yield f"{PODS} pods, {len(NAMESPACES)} namespaces, {WAVES} waves", cost.result, "Completed"
    yield "pods a second", f"{PODS / cost.seconds:.0f}", ">= 60"
    yield "client CPU a pod, kubectl and start-up included", f"{cost.cpu_seconds / PODS * 1000:.1f} ms", "<= 3 ms"
    yield "memory", f"{cost.largest_mb:.0f} MB", ""
    yield "patches", str(counts.get(("PATCH", ""), 0)), str(PODS)
    yield "patches tried before the first wave", str(counts.get(("PATCH", "All"), 0)), f"<= {len(NAMESPACES)}"
    yield (
        "lists: of one pod for the right, and in pages of 500",
        str(counts.get(("LIST", ""), 0)),
        str(1 + PODS // 500),
    )
    yield "watches that ended", str(counts.get(("WATCH", ""), 0)), "1"
    yield "reads of one pod", str(counts.get(("GET", ""), 0)), "0"
    fleet.grow(PODS, MANY)
    cost = fleet.push(fleet.plan(), "--waves", "1-3")
    yield f"memory with {MANY} pods", f"{cost.largest_mb:.0f} MB", "<= 120 MB"


def main() -> None:
    """Print the table."""
    with tempfile.TemporaryDirectory() as folder:
        for name, figure, limit in _measured(Path(folder)):
            print(f"{name:57}{figure:>12}   {limit}", flush=True)


if __name__ == "__main__":
    main()
