"""A kubelet for tests: it runs nothing, and reports what a node would, or what a test asks for."""

import heapq
import http.client
import queue
import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from enum import StrEnum
from hashlib import sha256
from types import TracebackType
from typing import NamedTuple, Self

from sidecarctl.engine.facts.values import Object
from tests.cluster.api import Api, Watch


class Fault(StrEnum):
    """What goes wrong with a container that starts."""

    NONE = "None"
    NEVER_READY = "NeverReady"
    IMAGE_NEVER_PULLED = "ImageNeverPulled"
    CRASH_LOOP = "CrashLoop"  # after it was ready
    RESTART = "Restart"  # once, after it was ready; ready again at once
    OTHER_TAG = "OtherTag"  # its status names another tag of the same image


class _Task(NamedTuple):
    due: float
    name: str
    uid: str
    images: dict[str, str]
    stage: int


_STAGES = {Fault.CRASH_LOOP: 2, Fault.RESTART: 2}


class Kubelet:
    """Reports the pods of one namespace (of all, when it names none), a moment after they were made or changed.

    `faults` is asked with the pod's name, then with the container's image. `opens_gates`: the conditions of readiness
    gates become True with the containers. `held`: names of pods, and images, of which nothing is reported until a
    test takes them out again, so that it can act before a pod is ready, however slow the machine.
    """

    def __init__(self, api: Api, namespace: str = "", *, moment: float = 0.05) -> None:
        self.faults: dict[str, Fault] = {}
        self.opens_gates = True
        self.held: set[str] = set()
        self.moment = moment
        self._api = api
        self._path = f"/api/v1/namespaces/{namespace}/pods" if namespace else "/api/v1/pods"
        self._watch: Watch | None = None
        self._ends = threading.Event()
        self._events: queue.SimpleQueue[Object | None] = queue.SimpleQueue()
        self._pods: dict[str, Object] = {}
        self._seen: dict[str, dict[str, str]] = {}  # by uid: the images that are reported, or are about to be
        self._tasks: list[_Task] = []
        self._threads = [threading.Thread(target=self._read), threading.Thread(target=self._work)]

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ends.set()
        if self._watch is not None:
            self._watch.close()
        for thread in self._threads:
            thread.join()

    def _read(self) -> None:
        while not self._ends.is_set():
            try:
                self._watch = self._api.watch(self._path)
                if self._ends.is_set():
                    self._watch.close()
                for event in self._watch:
                    self._events.put(event)
            except (OSError, http.client.HTTPException):
                self._ends.wait(0.1)  # the server is away; it will have all pods again when it is back
        self._events.put(None)

    def _work(self) -> None:
        while True:
            left = max(0.0, self._tasks[0].due - time.monotonic()) if self._tasks else None
            try:
                event = self._events.get(timeout=left)
            except queue.Empty:
                self._try(heapq.heappop(self._tasks))
                continue
            if event is None:
                return
            self._notice(event)

    def _try(self, task: _Task) -> None:
        try:
            self._report(task)
        except (OSError, http.client.HTTPException):
            self._plan(task)

    def _notice(self, event: Object) -> None:
        pod = event["object"]
        metadata = pod["metadata"]
        name = f"{metadata['namespace']}/{metadata['name']}"
        if event["type"] == "DELETED":
            self._pods.pop(name, None)
            return
        if metadata.get("deletionTimestamp"):
            self._api.delete(_path(pod), uid=metadata["uid"])
            return
        self._pods[name] = pod
        images = {container["name"]: container["image"] for container in pod["spec"]["containers"]}
        before = self._seen.get(metadata["uid"], {})
        self._seen[metadata["uid"]] = images
        started = {key: image for key, image in images.items() if before.get(key) != image}
        if started:
            self._plan(_Task(0, name, metadata["uid"], started, 1))

    def _plan(self, task: _Task) -> None:
        heapq.heappush(self._tasks, task._replace(due=time.monotonic() + self.moment))

    def _report(self, task: _Task) -> None:
        pod = self._pods.get(task.name)
        if pod is None or pod["metadata"]["uid"] != task.uid:
            return
        if self.held.intersection((pod["metadata"]["name"], *task.images.values())):
            self._plan(task)
            return
        faults = {name: self._fault(pod, image) for name, image in task.images.items()}
        status = status_after(pod, task.images, faults, task.stage, opens_gates=self.opens_gates)
        answer = self._api.patch(f"{_path(pod)}/status", {"status": status})
        if answer.code == 200:
            self._pods[task.name] = answer.body
        if any(task.stage < _STAGES.get(fault, 1) for fault in faults.values()):
            self._plan(task._replace(stage=task.stage + 1))

    def _fault(self, pod: Object, image: str) -> Fault:
        return self.faults.get(pod["metadata"]["name"]) or self.faults.get(image, Fault.NONE)


def status_after(
    pod: Object, images: dict[str, str], faults: dict[str, Fault], stage: int, *, opens_gates: bool
) -> Object:
    """The status of a pod in which some containers start with these images; stage 2: a moment after that."""
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    held = {status["name"]: status for status in pod["status"].get("containerStatuses", ())}
    for name, image in images.items():
        if stage == 1 or faults[name] in _STAGES:
            held[name] = _container_status(held.get(name), name, image, faults[name], stage)
    statuses = [held[container["name"]] for container in pod["spec"]["containers"] if container["name"] in held]
    gates = [item["conditionType"] for item in pod["spec"].get("readinessGates", ())]
    are_ready = all(status["ready"] for status in statuses)
    opened = dict.fromkeys(gates, are_ready) if opens_gates else {}
    conditions = {
        **{condition["type"]: condition["status"] == "True" for condition in pod["status"].get("conditions", ())},
        **opened,
        "ContainersReady": are_ready,
    }
    is_ready = are_ready and all(conditions.get(gate, False) for gate in gates)
    told = {**opened, "ContainersReady": are_ready, "Ready": is_ready}
    return {
        "phase": "Running",
        "conditions": list(_conditions(pod, told, now)),
        "containerStatuses": statuses,
    }


def _conditions(pod: Object, told: dict[str, bool], now: str) -> Iterator[Object]:
    before = {condition["type"]: condition for condition in pod["status"].get("conditions", ())}
    for name, is_true in told.items():
        status = "True" if is_true else "False"
        known = before.get(name)
        if known is None or known["status"] != status:
            yield {"type": name, "status": status, "lastTransitionTime": now}


def _container_status(before: Object | None, name: str, image: str, fault: Fault, stage: int) -> Object:
    restarts = before["restartCount"] + 1 if before else 0
    status: Object = {
        "name": name,
        "image": image,
        "imageID": image_id(image),
        "ready": True,
        "restartCount": restarts,
        "state": {"running": {}},
        "lastState": {},
    }
    if fault is Fault.NEVER_READY:
        return {**status, "ready": False}
    if fault is Fault.IMAGE_NEVER_PULLED:
        return {**status, "imageID": "", "ready": False, "state": {"waiting": {"reason": "ImagePullBackOff"}}}
    if fault is Fault.CRASH_LOOP and stage == 2:
        return {**status, "ready": False, "state": {"waiting": {"reason": "CrashLoopBackOff"}}}
    if fault is Fault.OTHER_TAG:
        return {**status, "image": f"docker.io/library/{repository(image)}:some-other-tag"}
    return status


def image_id(image: str) -> str:
    """The imageID of an image: the digest that it names, else one that its text decides."""
    if "@" in image:
        return f"docker-pullable://{image}"
    return f"docker-pullable://{repository(image)}@sha256:{sha256(image.encode()).hexdigest()}"


def repository(image: str) -> str:
    """The image without its tag and digest."""
    head, slash, last = image.partition("@")[0].rpartition("/")
    return head + slash + last.partition(":")[0]


def _path(pod: Object) -> str:
    return f"/api/v1/namespaces/{pod['metadata']['namespace']}/pods/{pod['metadata']['name']}"
