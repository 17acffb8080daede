"""`make bench-cluster`: how fast a push is, and what it costs, against a real kube-apiserver."""

import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

from sidecarctl.engine.facts.values import Object
from tests.cluster.api import Api
from tests.cluster.conftest import define_sidecarsets
from tests.cluster.control_plane import ControlPlane
from tests.cluster.kubelet import Kubelet
from tests.cluster.shop import SETS, is_ready
from tests.engine.rollout.manifests import pod, sidecarset

PODS, WAVES, MANY = 2000, 10, 5000
NAMESPACES = [f"fleet-{letter}" for letter in "abcde"]
_PODS_PATH = "/api/v1/pods"
_REQUESTS = re.compile(r"apiserver_request_total\{([^}]*)\} ([0-9.e+]+)")


class Cost(NamedTuple):
    """What a push cost: seconds from its first event to its last, CPU of all processes, memory of its own."""

    result: str
    seconds: float
    cpu_seconds: float
    largest_mb: float


class Fleet:
    """Pods in a cluster that nobody else uses."""

    def __init__(self, api: Api, folder: Path, kubeconfig: Path) -> None:
        self._api = api
        self._folder = folder
        self._environ = {**os.environ, "KUBECONFIG": str(kubeconfig)}

    def grow(self, begin: int, end: int) -> None:
        """Create the pods of these numbers, and wait until all are ready."""
        with ThreadPoolExecutor(4) as threads:
            list(threads.map(self._create, range(begin, end)))
        while sum(map(is_ready, self._api.get(_PODS_PATH)["items"])) < end:
            time.sleep(1)

    def plan(self, tag: str) -> None:
        """Plan the way to a version, this many waves at once."""
        strategy = {"maxUnavailable": PODS // WAVES, "paused": True}
        manifest = sidecarset(tag, updateStrategy=strategy).manifest
        self._api.delete(f"{SETS}/logs")
        self._api.create(SETS, manifest)
        self._run("plan", "--live", "--no-paused", "-o", f"json={self._folder}/plan-{tag}.json")

    def push(self, tag: str, *options: str) -> Cost:
        """Carry out a plan."""
        words = ["push", f"{self._folder}/plan-{tag}.json", "--settle", "0", "-o", "json", *options]
        process = subprocess.Popen(_command(words), stdout=subprocess.PIPE, env=self._environ)
        assert process.stdout is not None
        began = ended = memory = 0.0
        event: Object = {}
        for line in process.stdout:
            event = json.loads(line)
            ended = time.monotonic()
            began = began or ended
            memory = max(memory, _memory(process.pid))
        process.stdout.close()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        return Cost(event["result"], ended - began, used.ru_utime + used.ru_stime, memory)

    def requests(self) -> dict[tuple[str, str], int]:
        """How many requests about pods the server has answered, by verb and dry run, those for the status aside."""
        found: dict[tuple[str, str], int] = {}
        text = self._api.ask("GET", "/metrics").body["message"]
        for labels, count in _REQUESTS.findall(text):
            of = dict(re.findall(r'(\w+)="([^"]*)"', labels))
            if (of["resource"], of["subresource"]) == ("pods", ""):
                key = of["verb"], of["dry_run"]
                found[key] = found.get(key, 0) + int(float(count))
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


def _of_fleet(fleet: Fleet) -> Iterable[tuple[str, str, str]]:
    fleet.grow(0, PODS)
    fleet.plan("2")
    before = fleet.requests()
    cost = fleet.push("2")
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
    fleet.plan("3")
    cost = fleet.push("3", "--waves", "1-3")
    yield f"memory with {MANY} pods", f"{cost.largest_mb:.0f} MB", "<= 120 MB"


def main() -> None:
    """Print the table."""
    with tempfile.TemporaryDirectory() as folder:
        for name, figure, limit in _measured(Path(folder)):
            print(f"{name:52}{figure:>12}   {limit}", flush=True)


if __name__ == "__main__":
    main()
