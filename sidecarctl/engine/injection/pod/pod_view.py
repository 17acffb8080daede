"""What sidecars take from a pod: mounts, devices, envs; each part is computed when the first sidecar asks for it.

Source: docs/behavior/injection.md, "What is written".
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import NamedTuple

from sidecarctl.engine.api.canonical import typed
from sidecarctl.engine.api.text_forms import is_qualified_name
from sidecarctl.engine.facts.findings import Finding, Severity, warning
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.start_up import lazy_pattern
from sidecarctl.engine.facts.values import Object, Path, Value
from sidecarctl.engine.releases.release import DEFAULT, MASTER, Release

NAME = "IS_INJECTED"


def marking_env() -> Object:
    """The env entry that every injected container gets."""
    return {"name": NAME, "value": "true"}


def is_injected(container: Object) -> bool:
    """Whether a container's first env of that name marks it as injected."""
    for env in container.get("env") or ():
        if env is not None and env.get("name") == NAME:
            return bool(env.get("value") == "true")
    return False


def is_marked(container: Object) -> bool:
    """Whether any env of a container marks it as injected, including one after the sidecar's own of that name."""
    return any(env == marking_env() for env in container.get("env") or ())


_REFERENCE = lazy_pattern(r"\$\(([-._a-zA-Z][-._a-zA-Z0-9]*)\)")


def env_entry(env: Object) -> Object:
    """An env of the pod in typed form."""
    if env.get("valueFrom") is not None:
        entry: Object = typed(env, "core.EnvVar")
        return entry
    name, value = env.get("name") or "", env.get("value")  # by far the most: not worth a walk through the type
    return {"name": name, "value": value} if value else {"name": name}


def unused(shared: Iterable[Object], field: str, used: Collection[str]) -> list[Object]:
    """The shared mounts or devices whose path, in `field`, a sidecar does not use itself."""
    return [item for item in shared if item[field] not in used]


def _first_of_each(
    containers: Iterable[Object], field: str, item_type: str, path_field: str, release: Release
) -> list[Object]:
    found: dict[str, Object] = {}
    for container in containers:
        for item in container.get(field) or ():
            path = (item or {}).get(path_field) or ""
            if path not in found:
                found[path] = typed(item or {}, item_type, release)
    return list(found.values())


def _envs_named_in_mounts(container: Object) -> Iterator[Object]:
    for mount in container.get("volumeMounts") or ():
        expression = mount.get("subPathExpr") if mount else None
        for name in _REFERENCE.findall(expression) if expression else ():
            env = next((env for env in container.get("env") or () if (env or {}).get("name") == name), None)
            if env is not None:
                yield env


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
        release: Release = DEFAULT,
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
        """The mounts that the app containers share, in the form of the release, the first of each mountPath."""
        if self._mounts is None:
            app = self._app_containers()
            self._mounts = _first_of_each(app, "volumeMounts", "core.VolumeMount", "mountPath", self._release)
        return self._mounts

    def path_envs(self) -> list[Object]:
        """The envs that `$(NAME)` refers to in the subPathExpr of any shared mount, in order of appearance."""
        if self._path_envs is None:
            app = self._app_containers()
            self._path_envs = [env_entry(env) for container in app for env in _envs_named_in_mounts(container)]
        return self._path_envs

    def devices(self) -> list[Object]:
        """The devices that the app containers share, the first of each devicePath."""
        if self._devices is None:
            app = self._app_containers()
            self._devices = _first_of_each(app, "volumeDevices", "core.VolumeDevice", "devicePath", MASTER)
        return self._devices

    def envs_of(self, container: str) -> Mapping[str, Object]:
        """The envs of a container by name, as they are written; of several of one name the last."""
        if self._envs is None:
            self._envs = {}
            for each in self.containers:
                envs = self._envs.setdefault(each.get("name") or "", {})
                for env in each.get("env") or ():
                    envs[(env or {}).get("name") or ""] = env or {}
        return self._envs.get(container, {})

    def _app_containers(self) -> list[Object]:
        if self._app is None:
            self._app = [container for container in self.containers if not is_injected(container)]
        return self._app


_FIELD_PATH = lazy_pattern(r"(?s)metadata\.(labels|annotations)\['(.*)'\]")


class Transfer(NamedTuple):
    """One item of transferEnv: the envs, and the source of their container's name.

    - `names`: of the envs, sorted.
    - `container`: its name; None if a label or annotation of the pod has it.
    - `label`, `annotation`: the key of that; both None for a field path that cannot be followed.
    - `path`: of the item in the set.
    """

    names: tuple[str, ...]
    container: str | None
    label: str | None
    annotation: str | None
    path: Path

    def source(self, pod: PodView) -> str | None:
        """The name of the container in a pod; None if the item is to be skipped."""
        if self.container is not None:
            return self.container
        if self.label is not None:
            return pod.label(self.label)
        return None if self.annotation is None else pod.annotation(self.annotation)


def transfer_of(item: Object, path: Path) -> Transfer:
    """An item of transferEnv in typed form, made ready for many pods."""
    single = item.get("envName")
    names = tuple(sorted({*([single] if single else []), *item.get("envNames", ())}))
    reference = item.get("sourceContainerNameFrom", {}).get("fieldRef")
    if reference is None:
        return Transfer(names, item.get("sourceContainerName", ""), None, None, path)
    match = _FIELD_PATH.fullmatch(reference.get("fieldPath", ""))
    kind, key = match.groups() if match else ("", "")
    is_label = kind == "labels" and is_qualified_name(key)
    is_annotation = kind == "annotations" and is_qualified_name(key.lower())
    return Transfer(names, None, key if is_label else None, key if is_annotation else None, path)


def transferred(transfer: Transfer, pod: PodView) -> list[Object]:
    """The envs that an item finds in a pod, whole and in typed form."""
    source = transfer.source(pod)
    if source is None:
        return []
    envs = pod.envs_of(source)
    return [env_entry(envs[name]) for name in transfer.names if name in envs]


def not_transferred(transfer: Transfer, pod: PodView) -> list[Finding]:
    """A warning for each env of an item that a pod does not have, or for the item as a whole."""
    source = transfer.source(pod)
    if source is None:
        message = "the item is skipped: its field path does not name a label or annotation"
        path = (*transfer.path, "sourceContainerNameFrom", "fieldRef", "fieldPath")
        hint = "use metadata.labels['KEY'] or metadata.annotations['KEY']"
        return [warning(Reason.TRANSFER_ENV_NOT_FOUND, message, path, hint=hint)]
    envs = pod.envs_of(source)
    return [_missing(name, source, transfer.path) for name in transfer.names if name not in envs]


def perhaps_added(finding: Finding) -> Finding:
    """A warning about an env, where the controller may add it to the pods of the template: then a note."""
    if finding.reason is not Reason.TRANSFER_ENV_NOT_FOUND or finding.path[-2] != "transferEnv":
        return finding
    said = finding.message.replace("is not transferred", "may be added by its controller")
    message = said.replace("does not define it", "does not have it in the template")
    return finding._replace(severity=Severity.NOTE, message=message)


def _missing(name: str, source: str, path: Path) -> Finding:
    whose = f"the pod's container {source}" if source else "a container without a name"
    message = f"env {name} is not transferred: {whose} does not define it"
    return warning(Reason.TRANSFER_ENV_NOT_FOUND, message, path)
