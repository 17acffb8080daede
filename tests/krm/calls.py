"""Calls of the function in this process, and the marks by which it knows who calls."""

from collections.abc import Sequence
from typing import NamedTuple

import yaml

from sidecarctl.engine.documents.writing import block_text
from sidecarctl.engine.facts.values import Object
from sidecarctl.krm.function import answer_to

SET: Object = {
    "apiVersion": "apps.kruise.io/v1beta1",
    "kind": "SidecarSet",
    "metadata": {"name": "logs"},
    "spec": {
        "selector": {"matchLabels": {"app": "web"}},
        "containers": [{"name": "log-agent", "image": "registry.example.com/log-agent:2.4.1"}],
    },
}
WEB: Object = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": "web", "namespace": "shop"},
    "spec": {
        "template": {
            "metadata": {"labels": {"app": "web"}},
            "spec": {"containers": [{"name": "web", "image": "registry.example.com/web:1.0"}]},
        }
    },
}
SETTINGS: Object = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "settings"}, "data": {"a": "b"}}
REJECTED: Object = {
    **WEB,
    "metadata": {"name": "odd", "namespace": "shop"},
    "spec": {
        "template": {
            **WEB["spec"]["template"],
            "metadata": {"labels": {"app": "web"}, "annotations": {"kruise.io/sidecarset-hash": "not json"}},
        }
    },
}


class Answered(NamedTuple):
    """What a call came to; `value` is the answer read by another reader."""

    value: Object
    text: str
    lines: tuple[str, ...]
    code: int

    @property
    def items(self) -> list[Object]:
        items: list[Object] = self.value["items"]
        return items

    @property
    def results(self) -> list[Object]:
        results: list[Object] = self.value["results"]
        return results

    def reasons(self, severity: str) -> list[str]:
        """The reason codes of the results of a severity."""
        return [
            result["tags"]["reason"] for result in self.results if result["severity"] == severity and "tags" in result
        ]


def injection(**spec: object) -> Object:
    """A functionConfig of our own kind."""
    return {
        "apiVersion": "sidecarctl.dev/v1alpha1",
        "kind": "SidecarInjection",
        "metadata": {"name": "inject"},
        "spec": spec,
    }


def config_map(**data: object) -> Object:
    """A functionConfig as `kpt fn eval -- key=value` makes it."""
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "function-input"}, "data": data}


def text_of(items: Sequence[Object], config: Object | None = None, **more: object) -> str:
    """A ResourceList as the tools write it, keys of items in the order given."""
    call: Object = {"apiVersion": "config.kubernetes.io/v1", "kind": "ResourceList", "items": list(items)}
    if config is not None:
        call["functionConfig"] = config
    return block_text({**call, **more})


def answered(text: str, environ: dict[str, str] | None = None) -> Answered:
    answer = answer_to(text.encode(), environ or {})
    return Answered(yaml.safe_load(answer.text), answer.text, answer.lines, answer.exit_code)


def call(items: Sequence[Object], config: Object | None = None) -> Answered:
    return answered(text_of(items, config))


def with_annotations(manifest: Object, **annotations: str) -> Object:
    """The object with annotations; `__` stands for a slash, `_` for a dot, in their names."""
    named = {key.replace("__", "/").replace("_", "."): value for key, value in annotations.items()}
    return {**manifest, "metadata": {**manifest["metadata"], "annotations": named}}


def from_kustomize(manifest: Object, number: int = 0) -> Object:
    """An item as kustomize sends it."""
    name = manifest["metadata"]["name"]
    annotations = {
        "kustomize.config.k8s.io/id": f"kind: {manifest['kind']}\nname: {name}\nversion: v1\n",
        "config.kubernetes.io/index": str(number),
        "internal.config.kubernetes.io/index": str(number),
        "internal.config.kubernetes.io/annotations-migration-resource-id": str(number),
        "internal.config.kubernetes.io/id": str(number + 1),
        "config.k8s.io/id": str(number + 1),
    }
    return {**manifest, "metadata": {"annotations": annotations, **manifest["metadata"]}}


def from_kpt(manifest: Object, path: str, number: int = 0) -> Object:
    """An item as kpt sends it."""
    annotations = {
        "config.kubernetes.io/index": str(number),
        "config.kubernetes.io/path": path,
        "internal.config.kubernetes.io/index": str(number),
        "internal.config.kubernetes.io/path": path,
        "internal.config.kubernetes.io/seqindent": "compact",
    }
    return {**manifest, "metadata": {**manifest["metadata"], "annotations": annotations}}


def containers(manifest: Object) -> list[str]:
    """The names of the containers of a workload."""
    return [container["name"] for container in manifest["spec"]["template"]["spec"]["containers"]]
