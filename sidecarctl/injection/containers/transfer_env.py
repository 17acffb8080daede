"""transferEnv: envs of the pod's containers that a sidecar gets as well.

Source: docs/behaviour/injection.md, "What is written", step 3.
"""

import re

from sidecarctl.api.qualified_names import is_qualified_name
from sidecarctl.facts.findings import Finding, warning
from sidecarctl.facts.named_tuples import NamedTuple
from sidecarctl.facts.paths import Path
from sidecarctl.facts.reasons import Reason
from sidecarctl.facts.values import Object
from sidecarctl.injection.containers.pod_view import PodView
from sidecarctl.injection.containers.shared_mounts import env_entry

_FIELD_PATH = r"(?s)metadata\.(labels|annotations)\['(.*)'\]"


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
    match = re.fullmatch(_FIELD_PATH, reference.get("fieldPath", ""))
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


def _missing(name: str, source: str, path: Path) -> Finding:
    whose = f"the pod's container {source}" if source else "a container without a name"
    message = f"env {name} is not transferred: {whose} does not define it"
    return warning(Reason.TRANSFER_ENV_NOT_FOUND, message, path)
