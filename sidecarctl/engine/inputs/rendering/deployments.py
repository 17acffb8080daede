"""What entries, Applications and Flux objects deploy: builds, what fails, and what is in other repositories."""

import json
import posixpath
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from sidecarctl.engine.documents.reading.document import Reader
from sidecarctl.engine.facts.errors import InputError, SidecarctlError, input_error
from sidecarctl.engine.facts.findings import Finding
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Object, Value
from sidecarctl.engine.inputs.builds import CHART
from sidecarctl.engine.inputs.folders import KUSTOMIZATIONS
from sidecarctl.engine.inputs.objects import Text, all_documents, objects_of
from sidecarctl.engine.inputs.rendering.trees import FileTree


class Build(NamedTuple):
    """A kustomization, a chart or a folder of `plain` manifests, from the top of a tree; `by` says what deploys it.

    `namespace` is that of objects without one. `values` are files, `inline` texts of further values, `sets` options
    of Helm; `changes` are fields of the kustomization that what deploys it adds, as JSON. `destination`: the cluster,
    as Argo CD calls it. `variables` are what Flux puts into the output, as JSON.
    """

    tool: str
    folder: str
    by: str = ""
    namespace: str = ""
    release: str = ""
    values: tuple[str, ...] = ()
    inline: tuple[str, ...] = ()
    sets: tuple[str, ...] = ()
    changes: str = ""
    recurses: bool = True
    destination: str = ""
    variables: str = ""

    def __str__(self) -> str:
        """`kustomize overlays/prod`, or `helm charts/web, release web, namespace shop, values prod.yaml`."""
        said = [f"{self.tool} {self.folder}"]
        said += [f"by {self.by}"] if self.by else []
        said += [f"release {self.release}"] if self.tool == "helm" else []
        said += [f"namespace {self.namespace}"] if self.namespace else []
        said += [f"cluster {self.destination}"] if self.destination else []
        return ", ".join([*said, *(f"values {path}" for path in self.values)])


class Deployments(NamedTuple):
    """Builds; what cannot be built, with the name of what deploys it; and what is in other repositories."""

    builds: list[Build]
    failed: list[tuple[str, Finding]]
    elsewhere: list[str]

    def attempt(self, name: str, builds: Iterator[Build]) -> None:
        """Add builds of something, or why there are none."""
        try:
            self.builds.extend(builds)
        except InputError as fault:
            self.failed.extend((name, finding) for finding in fault.findings)


def tool_for(tree: FileTree, folder: str) -> str:
    """How Argo CD and Flux deploy a folder."""
    if tree.content(f"{folder}/{CHART}") is not None:
        return "helm"
    return "kustomize" if any(tree.content(f"{folder}/{name}") is not None for name in KUSTOMIZATIONS) else "plain"


def objects_below(tree: FileTree, folder: str) -> Iterator[tuple[str, Object]]:
    """The objects in the manifests of a folder, with their files; without what cannot be read."""
    for path in tree.below(folder):
        if path.endswith((".yaml", ".yml", ".json")):
            yield from ((path, manifest) for manifest in objects_in_text(tree.content(path) or b""))


def objects_in_text(text: bytes) -> list[Object]:
    """The objects of a text; none if it cannot be read."""
    try:
        documents = all_documents(Text("", text), Reader())
    except SidecarctlError:
        return []
    return [found.manifest for document in documents for found in objects_of(document.value)]


def refuse_others(value: Value, known: Iterable[str], where: str) -> Object:
    """A mapping; InputError for a member that is not known, as it may change what is deployed."""
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise not_rendered(f"{where} is not a mapping")
    if others := sorted(key for key in value.keys() - {*known} if value[key] not in (None, [], {}, "", False)):
        raise not_rendered(f"{where}.{others[0]} is not supported, so nothing is rendered without it")
    return value


def not_rendered(message: str) -> InputError:
    """The error for what cannot be rendered."""
    return input_error(Reason.NOT_RENDERED, message)


def path_in(folder: str, path: str) -> str:
    """A path below a folder, from the top; one that begins with / counts from the top."""
    return posixpath.normpath(path.lstrip("/") if path.startswith("/") else posixpath.join(folder, path))


def as_json(value: Mapping[str, Value]) -> str:
    """A mapping as text; empty for an empty one."""
    return json.dumps(value, sort_keys=True) if value else ""


def kustomize_changes(said: Object, namespace: str) -> str:
    """The fields that Argo CD or Flux adds to a kustomization."""
    fields = ("namePrefix", "nameSuffix", "patches", "images", "components", "commonLabels", "commonAnnotations")
    found = {field: said[field] for field in fields if said.get(field)}
    if isinstance(found.get("images"), list):
        found["images"] = [_image(item) if isinstance(item, str) else item for item in found["images"]]
    return as_json({**found, **({"namespace": namespace} if namespace else {})})


def _image(text: str) -> Object:
    """`NAME=NEW:TAG` or `NAME:TAG`, as an entry of images."""
    name, is_new, new = text.partition("=")
    image, at, digest = (new or name).partition("@")
    head, slash, last = image.rpartition("/")
    last, colon, tag = last.partition(":")
    plain = f"{head}{slash}{last}"
    entry: Object = {"name": name if is_new else plain}
    entry |= {"newName": plain} if is_new else {}
    return entry | ({"digest": digest} if at else {"newTag": tag} if colon else {})


def changed(kustomization: Object, changes: str) -> Object:
    """A kustomization with the fields that what deploys it adds: lists get longer, mappings are joined."""
    result = dict(kustomization)
    for field, value in (json.loads(changes) if changes else {}).items():
        own = result.get(field)
        if isinstance(own, list) and isinstance(value, list):
            names = {item.get("name") for item in value if isinstance(item, dict)} if field == "images" else set()
            result[field] = [*(item for item in own if not (names and item.get("name") in names)), *value]
        elif isinstance(own, dict) and isinstance(value, dict):
            result[field] = {**own, **value}
        else:
            result[field] = value
    return result
