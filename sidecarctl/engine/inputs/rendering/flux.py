"""Kustomizations and HelmReleases of Flux whose source is this repository, as builds.

Source: Flux, "Kustomization", "HelmRelease".
"""

from collections.abc import Iterator, Sequence

from sidecarctl.engine.facts.values import Object, value_at
from sidecarctl.engine.inputs.given_namespaces import is_ours
from sidecarctl.engine.inputs.rendering.deployments import (
    Build,
    Deployments,
    as_json,
    kustomize_changes,
    not_rendered,
    path_in,
    refuse_others,
    tool_for,
)
from sidecarctl.engine.inputs.rendering.trees import FileTree

_RUNNING = (
    *("dependsOn", "interval", "retryInterval", "timeout", "prune", "wait", "force", "suspend", "healthChecks"),
    *("sourceRef", "serviceAccountName", "kubeConfig", "decryption", "deletionPolicy"),
)
"""What changes when and how, but not what is deployed."""
_KUSTOMIZATION = (
    *(*_RUNNING, "path", "targetNamespace", "patches", "images", "namePrefix", "nameSuffix", "components"),
    "postBuild",
)
_RELEASE = (
    *(*_RUNNING, "chart", "releaseName", "targetNamespace", "storageNamespace", "values", "valuesFrom", "install"),
    *("upgrade", "rollback", "uninstall", "test", "maxHistory", "driftDetection", "persistentClient"),
    "postRenderers",
)
_CHART = ("chart", "sourceRef", "version", "interval", "reconcileStrategy", "valuesFiles")


def add_flux(
    manifest: Object, every: Sequence[Object], tree: FileTree, ours: frozenset[str], found: Deployments
) -> None:
    """Add what a Kustomization or HelmRelease deploys; `every` has the sources and ConfigMaps that it may name."""
    group, kind = str(manifest.get("apiVersion")).partition("/")[0], manifest.get("kind")
    name = str(value_at(manifest, ("metadata", "name")))
    if (group, kind) == ("kustomize.toolkit.fluxcd.io", "Kustomization"):
        source, at = value_at(manifest, ("spec", "sourceRef")), _kustomization(manifest, name, tree, every)
    elif (group, kind) == ("helm.toolkit.fluxcd.io", "HelmRelease"):
        source, at = value_at(manifest, ("spec", "chart", "spec", "sourceRef")), _release(manifest, name, every)
    else:
        return
    if _is_here(source if isinstance(source, dict) else {}, every, ours):
        found.attempt(f"{kind} {name}", at)
    else:
        found.elsewhere.append(f"{kind} {name}")


def _is_here(source: Object, every: Sequence[Object], ours: frozenset[str]) -> bool:
    """Whether a source is this repository: a GitRepository that is not known to have another address."""
    if source.get("kind") != "GitRepository":
        return False
    urls = [
        value_at(item, ("spec", "url"))
        for item in every
        if item.get("kind") == "GitRepository" and value_at(item, ("metadata", "name")) == source.get("name")
    ]
    return all(is_ours(url, ours) for url in urls)


def _kustomization(manifest: Object, name: str, tree: FileTree, every: Sequence[Object]) -> Iterator[Build]:
    spec = refuse_others(manifest.get("spec"), _KUSTOMIZATION, "spec")
    folder = path_in("", str(spec.get("path") or "."))
    if folder != "." and not tree.folders_like(folder):
        raise not_rendered(f"there is no folder {folder}")
    changes = kustomize_changes(spec, str(spec.get("targetNamespace") or ""))
    tool = "kustomize" if tool_for(tree, folder) == "kustomize" else "plain"
    if tool == "plain" and set(spec) & {"patches", "images", "namePrefix", "nameSuffix", "components"}:
        raise not_rendered(f"{folder} has no kustomization.yaml, and spec has fields that change what it deploys")
    variables = _variables(spec, str(value_at(manifest, ("metadata", "namespace")) or ""), every)
    yield Build(
        tool,
        folder,
        f"Kustomization {name}",
        str(spec.get("targetNamespace") or ""),
        changes=changes,
        variables=variables,
    )


def _variables(spec: Object, namespace: str, every: Sequence[Object]) -> str:
    """The values of `${NAME}` in what is deployed, as JSON; those of `substitute` go before those of ConfigMaps."""
    said = refuse_others(spec.get("postBuild"), ("substitute", "substituteFrom"), "spec.postBuild")
    found: Object = {}
    for item in said.get("substituteFrom") or ():
        found |= _config_map(item, namespace, every, "spec.postBuild.substituteFrom")
    return as_json({**found, **(said.get("substitute") or {})})


def _release(manifest: Object, name: str, every: Sequence[Object]) -> Iterator[Build]:
    spec = refuse_others(manifest.get("spec"), _RELEASE, "spec")
    chart = refuse_others(value_at(spec, ("chart", "spec")), _CHART, "spec.chart.spec")
    own, target = str(value_at(manifest, ("metadata", "namespace")) or ""), str(spec.get("targetNamespace") or "")
    inline = [_from(item, own, every) for item in spec.get("valuesFrom") or ()]
    inline += [as_json(spec["values"])] if spec.get("values") else []
    release = str(spec.get("releaseName") or "-".join(filter(None, (target, name))))
    files = tuple(path_in("", str(path)) for path in chart.get("valuesFiles") or ())
    folder = path_in("", str(chart.get("chart")))
    changes = _post_rendering(spec.get("postRenderers") or ())
    inlined = tuple(filter(None, inline))
    yield Build("helm", folder, f"HelmRelease {name}", target or own, release, files, inlined, changes=changes)


def _post_rendering(renderers: Sequence[Object]) -> str:
    """What kustomize changes in the output of Helm."""
    if len(renderers) > 1:
        raise not_rendered("spec.postRenderers: several are not supported, so nothing is rendered without them")
    [only] = renderers or [{}]
    said = refuse_others(only, ("kustomize",), "spec.postRenderers")
    fields = refuse_others(said.get("kustomize"), ("patches", "images"), "spec.postRenderers.kustomize")
    return kustomize_changes(fields, "")


def _from(reference: Object, namespace: str, every: Sequence[Object]) -> str:
    """The values in a ConfigMap of this repository."""
    data = _config_map(reference, namespace, every, "spec.valuesFrom")
    return str(data.get(reference.get("valuesKey") or "values.yaml") or "")


def _config_map(reference: Object, namespace: str, every: Sequence[Object], where: str) -> Object:
    """The data of a ConfigMap of this repository; empty for one that is not there, if it is optional."""
    said = refuse_others(reference, ("kind", "name", "valuesKey", "optional"), where)
    kind, name = said.get("kind"), said.get("name")
    for item in every if kind == "ConfigMap" else ():
        there = str(value_at(item, ("metadata", "namespace")) or namespace)
        if (item.get("kind"), there, value_at(item, ("metadata", "name"))) == (kind, namespace, name):
            data: Object = item.get("data") or {}
            return data
    if said.get("optional") and kind == "ConfigMap":
        return {}
    raise not_rendered(f"{where}: {kind} {name} is not in this repository")
