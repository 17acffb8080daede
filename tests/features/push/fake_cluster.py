"""An API server in memory with a scripted kubelet: pods with versions, JSON patches, lists, watches."""

import copy
import queue
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import StrEnum
from urllib.parse import unquote

import jsonpatch

from sidecarctl.engine.facts.values import Object, Value
from sidecarctl.engine.kubectl.api_requests import Answer, NoAnswerError
from sidecarctl.engine.kubectl.client import JSON_PATCH

UID = "kube-system-uid"
Hook = Callable[["FakeCluster", str, Object, bool], Answer | None]


class Fate(StrEnum):
    """What becomes of a pod whose images change."""

    READY = "ready"
    NEVER_READY = "never ready"
    NEVER_PULLED = "never pulled"
    CRASHES = "crashes"  # at once
    CRASHES_LATER = "crashes later"  # after it was ready
    HANGS = "hangs"  # its status stays as it was


class FakeCluster:
    """What a push asks of an API server (`Client`).

    `runs_kubelet`: statuses follow specs at once; else when `kubelet` is called. `before` and `after` may answer in
    the place of a patch, before or after it was carried out; their last argument says whether it is a dry run.
    """

    def __init__(self, *, uid: str = UID, kruise: str = "", serves_sets: bool = True) -> None:
        self.pods: dict[tuple[str, str], Object] = {}
        self.sets: dict[str, Object] = {}
        self.namespaces: dict[str, Object] = {}
        self.budgets: dict[str, Object] = {}
        self.patched: Counter[tuple[str, str]] = Counter()
        self.statuses: Counter[tuple[str, str]] = Counter()
        self.asked: list[str] = []
        self.queries: list[tuple[str, Mapping[str, str]]] = []
        self.fates: dict[str, Fate] = {}
        self.before: Hook | None = None
        self.after: Hook | None = None
        self.refuses: dict[str, Answer] = {}
        self.others: dict[str, Object] = {}
        self.denied: set[tuple[str, str, str]] = set()
        self.untold: set[tuple[str, str, str]] = set()
        """Verb, resource and namespace of what the user may not do."""
        self.runs_kubelet = True
        self.is_frozen = False
        self._uid, self._kruise, self._serves_sets = uid, kruise, serves_sets
        self._version = 100
        self._lock = threading.RLock()
        self.history: list[tuple[str, Object]] = []
        self._watches: list[tuple[str, queue.Queue[Object | None]]] = []

    # what tests do

    def create(self, manifest: Object) -> Object:
        """Create a pod, instead of one of the same name."""
        with self._lock:
            pod = copy.deepcopy(manifest)
            metadata = pod["metadata"]
            key = (metadata["namespace"], metadata["name"])
            self.delete(*key)
            metadata["uid"] = metadata.get("uid") or f"uid-{metadata['name']}-{self._version}"
            for status in pod["status"].get("containerStatuses", ()):
                status.setdefault("restartCount", 0)
            self.pods[key] = pod
            self._changed("pods", pod, "ADDED")
            return pod

    def delete(self, namespace: str, name: str) -> None:
        """Delete a pod, if it is there."""
        with self._lock:
            pod = self.pods.pop((namespace, name), None)
            if pod:
                self._changed("pods", pod, "DELETED")

    def edit(self, namespace: str, name: str, change: Callable[[Object], None]) -> None:
        """Change a pod by another hand."""
        with self._lock:
            pod = self.pods[namespace, name]
            change(pod)
            self._changed("pods", pod, "MODIFIED")

    def hold(self, manifest: Object) -> None:
        """Put a SidecarSet into the cluster, or change it."""
        with self._lock:
            held = copy.deepcopy(manifest)
            held["metadata"].setdefault("uid", f"uid-of-{held['metadata']['name']}")
            known = held["metadata"]["name"] in self.sets
            self.sets[held["metadata"]["name"]] = held
            self._changed("sidecarsets", held, "MODIFIED" if known else "ADDED")

    def label(self, name: str, **labels: str) -> None:
        """Create a Namespace, or give it other labels."""
        with self._lock:
            known = name in self.namespaces
            self.namespaces[name] = {"metadata": {"name": name, "uid": f"uid-of-{name}", "labels": labels}}
            self._changed("namespaces", self.namespaces[name], "MODIFIED" if known else "ADDED")

    def budget(self, name: str, status: Object | None = None, **spec: object) -> None:
        """Create or change a PodDisruptionBudget of the namespace shop."""
        with self._lock:
            metadata = {"namespace": "shop", "name": name, "uid": f"uid-of-{name}", "generation": 2}
            known = name in self.budgets
            self.budgets[name] = {"metadata": metadata, "spec": spec, "status": status or {}}
            self._changed("poddisruptionbudgets", self.budgets[name], "MODIFIED" if known else "ADDED")

    def drop(self, name: str) -> None:
        """Delete a SidecarSet."""
        with self._lock:
            self._changed("sidecarsets", self.sets.pop(name), "DELETED")

    def kubelet(self, namespace: str, name: str) -> None:
        """Let the status of a pod follow its spec, as its fate is."""
        with self._lock:
            pod = self.pods.get((namespace, name))
            if pod and _follow(pod, self.fates.get(name, Fate.READY)):
                self._changed("pods", pod, "MODIFIED")

    def images(self, name: str, namespace: str = "shop") -> dict[str, str]:
        """The images of a pod's containers."""
        return {
            container["name"]: container["image"] for container in self.pods[namespace, name]["spec"]["containers"]
        }

    def await_watches(self) -> None:
        """Return once all that has happened is delivered."""
        end = time.monotonic() + 60
        while any(events.unfinished_tasks for _, events in self._watches):
            assert time.monotonic() < end
            time.sleep(0.001)

    def close(self) -> None:
        """End all watches."""
        with self._lock:
            for _, events in self._watches:
                events.put(None)

    # what a push asks for

    def get(self, path: str, query: Mapping[str, str] | None = None) -> Answer:
        with self._lock:
            self.asked.append(f"GET {path}")
            self.queries.append((path, query or {}))
            if self.is_frozen:
                raise NoAnswerError("the API server did not answer within 1 s")
            if path in self.refuses:
                return self.refuses[path]
            return self._got(path, query or {})

    def patch(
        self,
        path: str,
        body: Value,
        content_type: str = JSON_PATCH,
        query: Mapping[str, str] | None = None,
    ) -> Answer:
        with self._lock:
            self.asked.append(f"PATCH {path}")
            if self.is_frozen:
                raise NoAnswerError("the API server did not answer within 1 s")
            is_dry = (query or {}).get("dryRun") == "All"
            if self.before and (answer := self.before(self, path, body, is_dry)):
                return answer
            answer = self._patched(path, body, content_type, is_dry=is_dry)
            if answer.is_good and self.after and (other := self.after(self, path, answer.body, is_dry)):
                return other
            return answer

    def review(self, reviews: Sequence[Object]) -> list[Answer]:
        """Answer SelfSubjectAccessReviews."""
        asked = [item["spec"]["resourceAttributes"] for item in reviews]
        rights = [(item["verb"], item["resource"], item.get("namespace", "")) for item in asked]
        return [
            Answer(500, {"message": "Internal Server Error"})
            if right in self.untold
            else Answer(201, {"status": {"allowed": right not in self.denied}})
            for right in rights
        ]

    def lines(self, path: str, query: Mapping[str, str], silence: float) -> Iterator[Object]:
        del silence
        events: queue.Queue[Object | None] = queue.Queue()
        with self._lock:
            self.asked.append(f"WATCH {path}")
            since = int(query["resourceVersion"])
            for kind, item in self.history:
                if int(item["object"]["metadata"]["resourceVersion"]) > since and path.endswith(f"/{kind}"):
                    events.put(item)
            self._watches.append((path, events))
        try:
            while (event := events.get()) is not None:
                if _is_wanted(event["object"], path, query):
                    yield event
                events.task_done()
        finally:
            with self._lock:  # else an event in progress passes over the next watch
                self._watches.remove((path, events))

    def _changed(self, kind: str, item: Object, event: str) -> None:
        self._version += 1
        item["metadata"]["resourceVersion"] = str(self._version)
        told = {"type": event, "object": copy.deepcopy(item)}
        self.history.append((kind, told))
        for path, events in self._watches:
            if path.endswith(f"/{kind}"):
                events.put(told)

    def _got(self, path: str, query: Mapping[str, str]) -> Answer:
        parts = [unquote(part) for part in path.split("/")]
        if path == "/api/v1/namespaces/kube-system":
            return Answer(200, {"metadata": {"name": "kube-system", "uid": self._uid}})
        if path in self.others:
            return Answer(200, self.others[path])
        if "/sidecarsets" in path:
            return self._got_sets(parts, query)
        if "/deployments/" in path and self._kruise:
            container = {"name": "manager", "image": f"openkruise/kruise-manager:v{self._kruise}"}
            return Answer(200, {"spec": {"template": {"spec": {"containers": [container]}}}})
        if parts[-1] == "pods":
            items = [pod for pod in self.pods.values() if _is_wanted(pod, path, query)]
            return Answer(200, copy.deepcopy({"metadata": {"resourceVersion": str(self._version)}, "items": items}))
        if parts[-2] == "pods":
            pod = self.pods.get((parts[-3], parts[-1]))
            return Answer(200, copy.deepcopy(pod)) if pod else _missing(parts[-1])
        if parts[-1] in ("namespaces", "poddisruptionbudgets"):
            items = list((self.namespaces if parts[-1] == "namespaces" else self.budgets).values())
            return Answer(200, copy.deepcopy({"metadata": {"resourceVersion": str(self._version)}, "items": items}))
        if parts[-2] == "namespaces" and parts[-1] in self.namespaces:
            return Answer(200, self.namespaces[parts[-1]])
        return _missing(parts[-1])

    def _got_sets(self, parts: list[str], query: Mapping[str, str]) -> Answer:
        if not self._serves_sets or "v1beta1" not in parts:
            return Answer(404, {"message": "404 page not found"})
        if parts[-1] == "sidecarsets":
            items = [item for item in self.sets.values() if _is_wanted(item, "", query)]
            return Answer(200, copy.deepcopy({"metadata": {"resourceVersion": str(self._version)}, "items": items}))
        found = self.sets.get(parts[-1])
        return Answer(200, copy.deepcopy(found)) if found else _missing(parts[-1])

    def _patched(self, path: str, body: Value, content_type: str, *, is_dry: bool) -> Answer:
        parts = [unquote(part) for part in path.split("/")]
        is_status = parts[-1] == "status"
        key = (parts[-4], parts[-2]) if is_status else (parts[-3], parts[-1])
        pod = self.pods.get(key)
        if pod is None:
            return _missing(key[1])
        if is_status:
            self.statuses[key] += 1
            pod["status"]["conditions"] = [
                *(
                    condition
                    for condition in pod["status"].get("conditions", ())
                    if condition["type"] != "SidecarSetUpgradable"
                ),
                *body["status"]["conditions"],
            ]
            self._changed("pods", pod, "MODIFIED")
            return Answer(200, copy.deepcopy(pod))
        assert content_type == JSON_PATCH
        try:
            patched: Object = jsonpatch.apply_patch(copy.deepcopy(pod), body)
        except (jsonpatch.JsonPatchException, jsonpatch.JsonPointerException):
            return Answer(422, {"kind": "Status", "message": "the server rejected our request", "reason": "Invalid"})
        if is_dry:
            return Answer(200, patched)
        self.pods[key] = patched
        self.patched[key] += 1
        self._changed("pods", patched, "MODIFIED")
        answer = Answer(200, copy.deepcopy(patched))
        if self.runs_kubelet:
            self.kubelet(*key)
        return answer


def refusal(status: int, message: str, retry_after: float | None = None) -> Answer:
    """An answer that refuses."""
    return Answer(status, {"kind": "Status", "message": message}, retry_after)


def _missing(name: str) -> Answer:
    return Answer(404, {"kind": "Status", "message": f'"{name}" not found', "details": {"name": name}})


def _is_wanted(item: Object, path: str, query: Mapping[str, str]) -> bool:
    name = query.get("fieldSelector", "").partition("=")[2]
    if name:
        return bool(item["metadata"]["name"] == name)
    labels = item["metadata"].get("labels") or {}
    wanted = dict(term.split("=", 1) for term in query.get("labelSelector", "").split(",") if term)
    if any(labels.get(key) != value for key, value in wanted.items()):
        return False
    namespace = path.partition("/namespaces/")[2].partition("/")[0]
    return not namespace or item["metadata"].get("namespace") == namespace


def _follow(pod: Object, fate: Fate) -> bool:
    """Let the statuses follow the images of the spec; whether anything changed."""
    images = {container["name"]: container["image"] for container in pod["spec"]["containers"]}
    changed = [status for status in pod["status"]["containerStatuses"] if status["image"] != images[status["name"]]]
    if fate is Fate.CRASHES_LATER and not changed:
        changed, fate = pod["status"]["containerStatuses"], Fate.CRASHES
    if not changed or fate is Fate.HANGS:
        return False
    is_ready = fate in (Fate.READY, Fate.CRASHES_LATER)
    for item in changed:
        item["image"] = images[item["name"]]
        item["imageID"] = f"sha256:{item['image']}"
        item["restartCount"] = item.get("restartCount", 0) + 1
        item["ready"] = is_ready
        waiting = {Fate.CRASHES: "CrashLoopBackOff", Fate.NEVER_PULLED: "ImagePullBackOff"}.get(fate)
        item["state"] = {"waiting": {"reason": waiting}} if waiting else {"running": {}}
    pod["status"]["conditions"] = [
        *(condition for condition in pod["status"]["conditions"] if condition["type"] != "Ready"),
        {"type": "Ready", "status": "True" if is_ready else "False"},
    ]
    return True
