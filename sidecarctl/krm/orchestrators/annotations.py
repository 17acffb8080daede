"""The annotations by which orchestrators keep track of items.

They are never created and never lost; only those of sidecarctl come and go.
"""

import os
from collections.abc import Iterable

from sidecarctl.facts.named_tuples import NamedTuple
from sidecarctl.facts.paths import value_at
from sidecarctl.facts.references import reference_of
from sidecarctl.facts.values import Object

PATH = ("internal.config.kubernetes.io/path", "config.kubernetes.io/path")
INDEX = ("internal.config.kubernetes.io/index", "config.kubernetes.io/index")
IDS = ("internal.config.kubernetes.io/id", "config.k8s.io/id")
"""By these the orchestrator lines up the items that it gets back with those that it sent."""
PACKAGE = "internal.config.kubernetes.io/package-path"
KUSTOMIZE_ID = "kustomize.config.k8s.io/id"
FUNCTION = ("config.kubernetes.io/function", "config.k8s.io/function")
LOCAL_CONFIG = "config.kubernetes.io/local-config"

_PREFIXES = (
    "internal.config.kubernetes.io/",
    "internal.config.k8s.io/",
    "config.kubernetes.io/",
    "config.k8s.io/",
    "kustomize.config.k8s.io/",
)


class File(NamedTuple):
    """The file that an item came from, and its number among the documents in it."""

    path: str
    number: int


def annotations_of(manifest: Object) -> Object:
    """An object's annotations; empty if there are none."""
    annotations = value_at(manifest, ("metadata", "annotations"))
    return annotations if isinstance(annotations, dict) else {}


def file_of(manifest: Object) -> File | None:
    """The file that an item came from; None if the orchestrator does not record it."""
    annotations = annotations_of(manifest)
    path = next((annotations[key] for key in PATH if isinstance(annotations.get(key), str)), None)
    if path is None:
        return None
    index = next((str(annotations[key]) for key in INDEX if key in annotations), "0")
    return File(path, int(index) if index.isdecimal() else 0)


def folder_of(config: Object | None, items: Iterable[Object]) -> str:
    """The folder that paths in a functionConfig are relative to: its own if kpt records it, else the current one."""
    if config is None:
        return ""
    if not annotations_of(config).get(PACKAGE):
        named = reference_of(config)
        config = next((item for item in items if reference_of(item) == named), config)
    package, file = annotations_of(config).get(PACKAGE), file_of(config)
    if not isinstance(package, str) or not package or file is None:
        return ""
    return os.path.join(package, os.path.dirname(file.path))  # noqa: PTH118, PTH120 - slashes, as kpt writes them


def is_local(manifest: Object) -> bool:
    """Whether an object is there for tools only and never gets into a cluster."""
    return annotations_of(manifest).get(LOCAL_CONFIG) in ("true", True)


def without(manifest: Object, *keys: str) -> Object:
    """The same object without some annotations."""
    kept = {key: value for key, value in annotations_of(manifest).items() if key not in keys}
    return {**manifest, "metadata": {**manifest["metadata"], "annotations": kept}}


def as_authored(manifest: Object) -> Object:
    """An object without the annotations of orchestrators."""
    keys = [key for key in annotations_of(manifest) if key.startswith(_PREFIXES)]
    if not keys:
        return manifest
    authored = without(manifest, *keys)
    if not authored["metadata"]["annotations"]:
        del authored["metadata"]["annotations"]  # a copy: the manifest itself keeps them
    return authored
