"""Warnings about pods in namespaces whose labels are not known."""

from collections.abc import Collection, Iterable, Iterator

from sidecarctl.engine.facts.findings import Finding, named, warning
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import natural
from sidecarctl.engine.sidecarset.sets import NAMESPACE_NAME_LABEL, SidecarSet, is_left_alone
from sidecarctl.engine.sidecarset.world import World

DUMP = "kubectl get pods,namespaces,controllerrevisions.apps,poddisruptionbudgets -A -o json"
"""The command that dumps from a cluster all that decides a rollout, except SidecarSets."""


def namespace_warnings(sidecarset: SidecarSet, world: World, namespaces: Iterable[str]) -> Iterator[Finding]:
    """A warning if a SidecarSet selects by namespace labels, and the Namespaces of pods are not among the inputs."""
    selector = sidecarset.spec.get("namespaceSelector") or {}
    keys = {*(selector.get("matchLabels") or ())}
    keys |= {item.get("key") for item in selector.get("matchExpressions") or ()}
    if not keys - {NAMESPACE_NAME_LABEL}:
        return
    missing = (name for name in set(namespaces) - world.namespaces.keys() if not _is_left_out(name, world))
    unknown = sorted(missing, key=natural)
    if unknown:
        plural = "s" if len(unknown) > 1 else ""
        message = f"the labels of namespace{plural} {named(unknown)} are not known"
        hint = f"add the Namespaces to the inputs: {DUMP}; or their labels: --namespace-labels"
        yield warning(Reason.NAMESPACE_UNKNOWN, message, ("spec", "namespaceSelector"), hint=hint)


def unknown_namespaces(
    sidecarsets: Iterable[SidecarSet], world: World, namespaces: Collection[str]
) -> Iterator[Finding]:
    """`namespace_warnings` about several SidecarSets, each at its place."""
    for sidecarset in sidecarsets:
        yield from world.sources[sidecarset.name].findings(namespace_warnings(sidecarset, world, namespaces))


def _is_left_out(namespace: str, world: World) -> bool:
    """Whether no SidecarSet applies in a namespace, whatever its labels."""
    return is_left_alone(namespace, world.release) or world.webhook.unseen(namespace, None) is not None
