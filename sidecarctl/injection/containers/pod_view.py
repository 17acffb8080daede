"""What sidecars take from a pod: each part is worked out when the first sidecar asks for it.

Source: docs/behaviour/injection.md, "What is written".
"""

from collections.abc import Mapping

from sidecarctl.facts.values import Object, Value
from sidecarctl.injection.containers.injected_marker import is_injected
from sidecarctl.injection.containers.shared_mounts import path_envs, shared_devices, shared_mounts
from sidecarctl.releases.release import MASTER, Release


class PodView:
    """A pod as sidecars see it: `spec` as it is written, annotations after the metadata patches.

    Mounts, devices and envs are in typed form; the lists are shared by all sidecars and never changed.
    """

    __slots__ = (
        "_annotations",
        "_app",
        "_devices",
        "_envs",
        "_labels",
        "_mounts",
        "_path_envs",
        "_release",
        "containers",
        "spec",
    )

    def __init__(
        self,
        spec: Object,
        labels: Mapping[str, Value],
        annotations: Mapping[str, Value],
        release: Release = MASTER,
    ) -> None:
        self.spec = spec
        self._release = release
        self.containers: list[Object] = [container or {} for container in spec.get("containers") or ()]
        self._labels = labels
        self._annotations = annotations
        self._app: list[Object] | None = None
        self._mounts: list[Object] | None = None
        self._path_envs: list[Object] | None = None
        self._devices: list[Object] | None = None
        self._envs: dict[str, dict[str, Object]] | None = None

    def label(self, key: str) -> str:
        """The value of a label; empty if the pod lacks it."""
        return self._labels.get(key) or ""

    def annotation(self, key: str) -> str:
        """The value of an annotation; empty if the pod lacks it."""
        return self._annotations.get(key) or ""

    def mounts(self) -> list[Object]:
        """The mounts that the app containers share."""
        if self._mounts is None:
            self._mounts = shared_mounts(self._app_containers(), self._release)
        return self._mounts

    def path_envs(self) -> list[Object]:
        """The envs that the shared mounts need for their subPathExpr."""
        if self._path_envs is None:
            self._path_envs = path_envs(self._app_containers())
        return self._path_envs

    def devices(self) -> list[Object]:
        """The devices that the app containers share."""
        if self._devices is None:
            self._devices = shared_devices(self._app_containers())
        return self._devices

    def envs_of(self, container: str) -> Mapping[str, Object]:
        """The envs of a container by name, as they are written; of several of one name the last."""
        if self._envs is None:
            self._envs = _envs_by_container(self.containers)
        return self._envs.get(container, {})

    def _app_containers(self) -> list[Object]:
        if self._app is None:
            self._app = [container for container in self.containers if not is_injected(container)]
        return self._app


def _envs_by_container(containers: list[Object]) -> dict[str, dict[str, Object]]:
    found: dict[str, dict[str, Object]] = {}
    for container in containers:
        envs = found.setdefault(container.get("name") or "", {})
        for env in container.get("env") or ():
            envs[(env or {}).get("name") or ""] = env or {}
    return found
