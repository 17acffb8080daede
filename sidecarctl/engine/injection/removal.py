"""Restores an injected pod: the inverse of injection, as far as the original can be known.

Given sets say what they injected. Without them, containers are recognized by their mark, volumes go when nothing
mounts them anymore, and pull secrets and patched annotations stay. App containers are never touched.

Source: docs/behavior/injection.md, "What is written"; this is the inverse.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from sidecarctl.engine.api.canonical import typed
from sidecarctl.engine.api.decoding import check
from sidecarctl.engine.facts.findings import Finding, warning
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Object, Path, Value, natural
from sidecarctl.engine.injection.injection_context import InjectionContext
from sidecarctl.engine.injection.launch_priority import barriers_in, config_map_of, generated_name
from sidecarctl.engine.injection.pod.injected_pod import PodBranches, branches_of
from sidecarctl.engine.injection.pod.pod_plan import name_of
from sidecarctl.engine.injection.removal_scope import RemovalRequest, RemovalScope, removal_scope
from sidecarctl.engine.injection.removal_steps import (
    FIELDS,
    Changes,
    KeptContainers,
    without_containers,
    without_patches,
    without_records,
)
from sidecarctl.engine.injection.selection import Identity, identity_of
from sidecarctl.engine.injection.webhook_steps import BARRIER, POD_READY, PROBE_CONTEXT


def without_volumes(
    parts: PodBranches, containers: KeptContainers, scope: RemovalScope
) -> tuple[list[Value], list[Finding]]:
    """A pod's volumes without those that came with the containers that are gone, and findings about kept ones.

    For given sets these are the ones that they declare and mount; else those that nothing mounts anymore.
    """
    brought = {name_of(volume): volume for plan in scope.going for volume in plan.volumes}
    shared = {name_of(volume) for plan in scope.staying for volume in plan.volumes}
    used = set(_mounted(container for field in FIELDS for container in containers.lists[field]))
    used.update(_mounted(parts.spec.get("ephemeralContainers") or ()))
    unused = set(_mounted(container for _, container in containers.gone)) - used
    guessed = unused - brought.keys() if scope.blind or scope.everything else set[str]()
    kept: list[Value] = []
    findings: list[Finding] = []
    for index, volume in enumerate(parts.spec.get("volumes") or ()):
        name, why = name_of(volume), ""
        if name in brought and name not in shared:
            if name in used:
                why = "a container that is kept mounts it"
            elif not scope.force and typed(volume or {}, "core.Volume") != brought[name]:
                why = "it differs from what the SidecarSet declares"
            else:
                continue
        if name not in guessed:
            kept.append(volume)
        if why:
            findings.append(_stays("volume", name, why, ("volumes", index)))
    return kept, findings


def without_pull_secrets(parts: PodBranches, scope: RemovalScope) -> tuple[list[Value], list[Finding]]:
    """The pull secrets without those of SidecarSets, which injection puts after all that are the pod's own."""
    present = parts.spec.get("imagePullSecrets") or ()
    shared = {name_of(secret) for plan in scope.staying for secret in plan.pull_secrets}
    brought = {name_of(secret) for plan in scope.going for secret in plan.pull_secrets}
    own = [index for index, secret in enumerate(present) if name_of(secret) not in brought | shared]
    kept: list[Value] = []
    findings: list[Finding] = []
    for index, secret in enumerate(present):
        name = name_of(secret)
        is_own = bool(own) and index < own[-1]
        if name in brought - shared:
            if scope.force or not is_own:
                continue
            why = "it is listed before the pod's own secrets"
            findings.append(_stays("pull secret", name, why, ("imagePullSecrets", index)))
        kept.append(secret)
    return kept, findings


def _stays(what: str, name: str, why: str, place: tuple[str, int]) -> Finding:
    return warning(Reason.NOT_REVERSIBLE, f"{what} {name} is kept: {why}", ("spec", *place))


def _mounted(containers: Iterable[Value]) -> Iterator[str]:
    """The names of all volumes that containers mount, also as devices."""
    for container in containers:
        for field in ("volumeMounts", "volumeDevices"):
            yield from map(name_of, (container or {}).get(field) or ())


_ANNOTATIONS: Path = ("metadata", "annotations")


class Removal(NamedTuple):
    """The result for one pod; `pod` is the same object when nothing was removed, and shares what did not change.

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
    """The pod without what sets injected; a context without sets removes whatever is marked as injected.

    The pod must have passed `decoding.check`. `identity`: see `selection.select`. Where the pod had something that
    injection writes as well (a volume of the same name, an annotation), the pod's own is kept and reported.
    """
    parts = branches_of(pod)
    scope = removal_scope(parts, context, request, identity or identity_of(pod))
    containers = without_containers(parts, scope)
    volumes, volume_findings = without_volumes(parts, containers, scope)
    secrets, secret_findings = without_pull_secrets(parts, scope)
    patches, patch_findings = without_patches(parts.annotations, scope)
    records = without_records(parts.annotations, containers, scope)
    lists = containers.lists | {"volumes": volumes, "imagePullSecrets": secrets}
    findings = [*containers.findings, *volume_findings, *secret_findings, *patch_findings]
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


def _unknown(scope: RemovalScope) -> Iterator[Finding]:
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
    plural, verb = ("s", "are") if len(names) > 1 else ("", "is")
    return f"SidecarSet{plural} {', '.join(sorted(names, key=natural))} {verb}"


_GATES = ("spec", "readinessGates")
_ANNOTATION = ("metadata", "annotations", PROBE_CONTEXT)


class WebhookRemoval(NamedTuple):
    """The pod after the removal, the same object if nothing was there; what was removed, in words."""

    pod: Object
    removed: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()


def without_webhook(pod: Object, *, may_have_gate: bool, force: bool) -> WebhookRemoval:
    """A decoded pod without the webhook's barriers, generated name, moved probes, and with `force` its gate.

    `may_have_gate`: whether the webhook adds its readiness gate to this pod if the author has not. Paths of findings
    are in the pod that was given.
    """
    after, removed, findings = _without_barriers(pod)
    after, moved, more = _with_probes(after)
    after, gone, about_gate = _without_gate(after, force=force) if may_have_gate else (after, [], [])
    return WebhookRemoval(after, (*removed, *moved, *gone), (*findings, *more, *about_gate))


def _without_barriers(pod: Object) -> tuple[Object, list[str], list[Finding]]:
    metadata, spec = pod.get("metadata") or {}, pod.get("spec") or {}
    own = f"{metadata.get('name') or ''}-barrier"
    findings: list[Finding] = []
    containers, has_changed = [], False
    for index, container in enumerate(spec.get("containers") or ()):
        kept, at = _without_last_barrier(container, own)
        has_changed |= at is not None
        containers.append(kept)
        findings += _left_barriers(kept, index)
    if not has_changed:
        return pod, [], findings
    changed = pod | {"spec": spec | {"containers": containers}}
    if metadata.get("generateName") and metadata.get("name") == generated_name(metadata["generateName"]):
        changed |= {"metadata": {key: value for key, value in metadata.items() if key != "name"}}
    return changed, ["barriers"], findings


def _without_last_barrier(container: Value, own: str) -> tuple[Value, int | None]:
    """A container without the barrier at the end of its envs, where Kruise writes it, and the index of that."""
    envs = (container or {}).get("env") or ()
    last = envs[-1] if envs else None
    if not last or last.get("name") != BARRIER or config_map_of(last) != own:
        return container, None
    rest = {"env": envs[:-1]} if len(envs) > 1 else {}
    return {key: rest.get(key, value) for key, value in container.items() if key != "env" or rest}, len(envs) - 1


def _left_barriers(container: Value, index: int) -> Iterator[Finding]:
    for at, _ in barriers_in(container):
        message = f"a barrier of container {(container or {}).get('name')} is kept: the pod may have had it before"
        yield warning(Reason.NOT_REVERSIBLE, message, ("spec", "containers", index, "env", at))


def _with_probes(pod: Object) -> tuple[Object, list[str], list[Finding]]:
    metadata, spec = pod.get("metadata") or {}, pod.get("spec") or {}
    annotations = metadata.get("annotations") or {}
    if PROBE_CONTEXT not in annotations:
        return pod, [], []
    probes = _probes_of(annotations[PROBE_CONTEXT])
    if probes is None:
        message = "the annotation is kept: it does not hold liveness probes as Kruise writes them"
        return pod, [], [warning(Reason.NOT_REVERSIBLE, message, _ANNOTATION)]
    containers = [
        container | {"livenessProbe": probes[container["name"]]}
        if container and container.get("name") in probes and container.get("livenessProbe") is None
        else container
        for container in spec.get("containers") or ()
    ]
    rest = {key: text for key, text in annotations.items() if key != PROBE_CONTEXT}
    changed = pod | {"metadata": metadata | {"annotations": rest}, "spec": spec | {"containers": containers}}
    message = "the liveness probes are restored, but not their comments and places"
    return changed, ["liveness probes"], [warning(Reason.NOT_REVERSIBLE, message, _ANNOTATION)]


def _probes_of(text: str | None) -> dict[str, Object] | None:
    try:
        entries = json.loads(text or "")
    except (ValueError, RecursionError):
        return None
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        return None
    probes = {entry.get("name"): entry.get("livenessProbe") for entry in entries}
    if any(not isinstance(name, str) or probe is None for name, probe in probes.items()):
        return None
    return None if any(check(probe, "core.Probe") for probe in probes.values()) else probes


def _without_gate(pod: Object, *, force: bool) -> tuple[Object, list[str], list[Finding]]:
    """The pod; only a gate at the end of the list may be Kruise's, and even that is not certain."""
    spec = pod.get("spec") or {}
    gates = spec.get("readinessGates") or ()
    if not gates or (gates[-1] or {}).get("conditionType") != POD_READY:
        return pod, [], []
    if not force:
        message = f"the readiness gate {POD_READY} is kept: the author may have added it"
        return pod, [], [warning(Reason.NOT_REVERSIBLE, message, (*_GATES, len(gates) - 1))]
    rest = {"readinessGates": gates[:-1]} if len(gates) > 1 else {}
    spec = {key: rest.get(key, value) for key, value in spec.items() if key != "readinessGates" or rest}
    return pod | {"spec": spec}, [f"readiness gate {POD_READY}"], []
