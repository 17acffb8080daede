"""What a running Kruise does to pods that somebody else has updated: it puts them back to the set in the cluster."""

import threading
from types import TracebackType
from typing import Self

from sidecarctl.engine.facts.values import Object
from tests.cluster.api import Api

_SETS = "/apis/apps.kruise.io/v1beta1/sidecarsets"


class Reverter:
    """Puts each pod of a namespace back to the images and annotations that it first had.

    It leaves the pods alone while a set in the cluster that holds the changed container is paused or NotUpdate.
    """

    def __init__(self, api: Api, namespace: str) -> None:
        self.reverted: list[str] = []
        self._api = api
        self._watch = api.watch(f"/api/v1/namespaces/{namespace}/pods")
        self._first: dict[str, Object] = {}
        self._thread = threading.Thread(target=self._work)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._watch.close()
        self._thread.join()

    def _work(self) -> None:
        for event in self._watch:
            if event["type"] in ("ADDED", "MODIFIED"):
                self._look_at(event["object"])

    def _look_at(self, pod: Object) -> None:
        first = self._first.setdefault(pod["metadata"]["uid"], pod)
        before, now = _images(first), _images(pod)
        changed = {name: image for name, image in before.items() if now[name] != image}
        if not changed or self._rests(set(changed)):
            return
        containers = [{"name": name, "image": image} for name, image in changed.items()]
        metadata = {"annotations": first["metadata"]["annotations"], "uid": pod["metadata"]["uid"]}
        path = f"/api/v1/namespaces/{pod['metadata']['namespace']}/pods/{pod['metadata']['name']}"
        self._api.patch(path, {"metadata": metadata, "spec": {"containers": containers}})
        self.reverted.append(pod["metadata"]["name"])

    def _rests(self, containers: set[str]) -> bool:
        for item in self._api.get(_SETS)["items"]:
            strategy = item["spec"].get("updateStrategy") or {}
            if containers & {container["name"] for container in item["spec"]["containers"]} and (
                strategy.get("paused") or strategy.get("type") == "NotUpdate"
            ):
                return True
        return False


def _images(pod: Object) -> dict[str, str]:
    return {container["name"]: container["image"] for container in pod["spec"]["containers"]}
