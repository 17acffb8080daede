"""Restores an injected pod: the inverse of injection, as far as the original can be known.

Sets that are at hand tell what they brought. Without them, containers are known by their mark, volumes go when
nothing mounts them any more, and pull secrets and patched annotations stay. App containers are never touched.

Source: docs/behaviour/injection.md, "What is written", of which this is the inverse.
"""

from collections.abc import Iterator, Mapping

from sidecarctl.facts.findings import Finding, warning
from sidecarctl.facts.named_tuples import NamedTuple
from sidecarctl.facts.paths import Path
from sidecarctl.facts.reasons import Reason
from sidecarctl.facts.values import Object, Value
from sidecarctl.injection.build.pod_branches import PodBranches, branches_of
from sidecarctl.injection.build.pod_lists import name_of
from sidecarctl.injection.remove.container_removal import without_containers
from sidecarctl.injection.remove.metadata_patch_removal import without_patches
from sidecarctl.injection.remove.record_removal import Changes, without_records
from sidecarctl.injection.remove.removal_scope import RemovalRequest, Scope, scope_of
from sidecarctl.injection.remove.volume_and_secret_removal import without_pull_secrets, without_volumes
from sidecarctl.injection.select.injection_context import InjectionContext
from sidecarctl.injection.select.pod_identity import Identity, identity_of

_ANNOTATIONS: Path = ("metadata", "annotations")


class Removal(NamedTuple):
    """What came of a pod; `pod` is the same object when nothing was taken out, and shares what did not change.

    `containers` are those that are gone, each with the name of its list. `findings` say what stays although it may
    have been injected (NotReversible), with paths in the pod as it was given.
    """

    pod: Object
    sets: tuple[str, ...] = ()
    containers: tuple[tuple[str, str], ...] = ()
    findings: tuple[Finding, ...] = ()


def uninject(
    pod: Object, context: InjectionContext, request: RemovalRequest, identity: Identity | None = None
) -> Removal:
    """The pod without what sets injected; a context without sets takes out whatever is marked as injected.

    The pod must have passed `decoding.check`. `identity`: see `selection.select`. Where the pod had something that
    injection writes as well (a volume of the same name, an annotation), the pod's own is kept and reported.
    """
    parts = branches_of(pod)
    scope = scope_of(parts, context, request, identity or identity_of(pod))
    containers = without_containers(parts, scope)
    volumes = without_volumes(parts, containers, scope)
    secrets = without_pull_secrets(parts, scope)
    patches, patch_findings = without_patches(parts.annotations, scope)
    records = without_records(parts.annotations, containers, scope)
    lists = containers.lists | {"volumes": volumes.items, "imagePullSecrets": secrets.items}
    findings = [*containers.findings, *volumes.findings, *secrets.findings, *patch_findings]
    return Removal(
        _without(parts, patches | records, lists),
        tuple(sorted(scope.going_names)),
        tuple((field, name_of(container)) for field, container in containers.gone),
        (*findings, *_unknown(scope)),
    )


def _without(parts: PodBranches, annotations: Changes, lists: Mapping[str, list[Value]]) -> Object:
    """The pod with these annotations changed or gone and these lists shortened; what becomes empty goes as well."""
    pod, metadata = parts.pod, parts.metadata
    if annotations:
        left = {key: annotations.get(key, text) for key, text in parts.annotations.items()}
        left = {key: text for key, text in left.items() if text is not None or key not in annotations}
        pod = _with(pod, "metadata", _with(metadata, "annotations", left))
    spec = parts.spec
    for name, items in lists.items():
        if len(items) < len(spec.get(name) or ()):
            spec = _with(spec, name, items)
    return pod if spec is parts.spec else _with(pod, "spec", spec)


def _with(parent: Object, name: str, branch: Value) -> Object:
    """The parent with a branch at the place that it has there, or without it when it is empty."""
    return {key: branch if key == name else value for key, value in parent.items() if key != name or branch}


def _unknown(scope: Scope) -> Iterator[Finding]:
    """Warnings about sets that the pod records but that were not given."""
    if scope.blind:
        message = (
            f"{_listed(scope.blind)} not given: pull secrets and annotations that a metadata patch may have changed "
            "are kept"
        )
        yield warning(Reason.NOT_REVERSIBLE, message, _ANNOTATIONS, hint="add the SidecarSet with -s")
    if scope.left and not scope.is_partial:
        message = f"{_listed(scope.left)} not given: the injected parts are kept"
        yield warning(Reason.NOT_REVERSIBLE, message, _ANNOTATIONS, hint="add the SidecarSet with -s, or use --force")


def _listed(names: frozenset[str]) -> str:
    return f"SidecarSet{'s' if len(names) > 1 else ''} {', '.join(sorted(names))} {'are' if len(names) > 1 else 'is'}"
