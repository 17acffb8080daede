"""Workloads whose pods have the template of another object, which they name: Rollouts with a workloadRef.

Source: docs/workload-kinds.md, "Rollouts with a workloadRef".
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from sidecarctl.engine.facts.findings import Finding, ObjectReference, note
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Object, Path, Value, value_at
from sidecarctl.engine.sidecarset.world import Located

_REFERENCED: Mapping[tuple[str, str], Path] = {
    ("", "PodTemplate"): ("template",),
    ("apps", "Deployment"): ("spec", "template"),
    ("apps", "ReplicaSet"): ("spec", "template"),
}
"""What a workloadRef may name, and where its template is."""

Key = tuple[str, str, str, str]
"""Group, kind, namespace and name of an object."""


def key_of(reference: ObjectReference, namespace: str) -> Key:
    """The key of an object; `namespace` is the default."""
    group = reference.api_version.rpartition("/")[0]
    return group, reference.kind, reference.namespace or namespace, reference.name


class Elsewhere(NamedTuple):
    """Which object has the template of a workload, and where; `path` is None for what none can name."""

    key: Key
    path: Path | None
    scales_down: bool

    def template(self, target: Located | None) -> Object | None:
        """The template in that object; None if there is none."""
        found = value_at(target.manifest, self.path) if target and self.path else None
        return found if isinstance(found, dict) else None

    def missing(self) -> Finding:
        """A note that the object is not among the inputs."""
        message = f"{self.named} is not among the inputs: its pods are left out"
        return note(Reason.TEMPLATE_ELSEWHERE, message, ("spec", "workloadRef"))

    @property
    def named(self) -> str:
        """The object, in words."""
        return f"{self.key[1]} {self.key[3]}"


def elsewhere(manifest: Object, reference: ObjectReference, namespace: str) -> Elsewhere | None:
    """Where the template of a workload is; None for one that has its own. `namespace` is the default."""
    if reference.kind != "Rollout" or not reference.api_version.startswith("argoproj.io/"):
        return None
    named = value_at(manifest, ("spec", "workloadRef"))
    if not isinstance(named, dict) or not named or isinstance(value_at(manifest, ("spec", "template", "spec")), dict):
        return None
    group, kind = str(named.get("apiVersion") or "").rpartition("/")[0], str(named.get("kind"))
    key = group, kind, reference.namespace or namespace, str(named.get("name"))
    scales_down = named.get("scaleDown") in {"onsuccess", "progressively"} and kind != "PodTemplate"
    return Elsewhere(key, _REFERENCED.get((group, kind)), scales_down)


def with_references(found: Iterable[Located], namespace: str) -> tuple[list[Located], list[Finding]]:
    """The workloads; a Rollout has the template that its workloadRef names, which Argo may scale down for it.

    `namespace` is the default. There is a note for each workload that is not among them.
    """
    every = list(found)
    asking = [
        (index, at)
        for index, item in enumerate(every)
        if (at := elsewhere(item.manifest, item.reference, namespace)) is not None
    ]
    if not asking:
        return every, []
    places = {key_of(item.reference, namespace): index for index, item in enumerate(every)}
    findings: list[Finding] = []
    for index, at in asking:
        item, place = every[index], places.get(at.key)
        template = at.template(every[place]) if place is not None else None
        if place is None or template is None:
            findings += item.findings([at.missing()])
            continue
        every[index] = item._replace(manifest=_with_spec(item.manifest, template=template))
        if at.scales_down:
            every[place] = every[place]._replace(manifest=_with_spec(every[place].manifest, replicas=0))
    return every, findings


def changed_by_references(found: Iterable[Located], namespace: str) -> tuple[dict[Key, Object], list[Finding]]:
    """Only the workloads that differ from their manifests, by their key."""
    every = list(found)
    resolved, findings = with_references(every, namespace)
    pairs = zip(every, resolved, strict=True)
    return {key_of(new.reference, namespace): new.manifest for old, new in pairs if new is not old}, findings


def sources_of_templates(
    asking: Iterable[Located], every: Iterable[Located], namespace: str
) -> Iterator[tuple[Located, Located, Path]]:
    """Each workload that asks, the object with its template, and where; those without one are left out."""
    wanted = {at.key: at for item in asking if (at := elsewhere(item.manifest, item.reference, namespace))}
    targets = {key: item for item in every if (key := key_of(item.reference, namespace)) in wanted}
    for item in asking:
        at = elsewhere(item.manifest, item.reference, namespace)
        target = targets.get(at.key) if at else None
        if at and target and at.path is not None and at.template(target) is not None:
            yield item, target, at.path


def _with_spec(manifest: Object, **members: Value) -> Object:
    return {**manifest, "spec": {**(manifest.get("spec") or {}), **members}}
