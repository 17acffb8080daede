"""The inverse of injection, applied to every object of the inputs."""

from sidecarctl.facts.paths import Path
from sidecarctl.facts.reasons import Reason
from sidecarctl.facts.values import Object
from sidecarctl.injection.remove.removal import Removal, uninject
from sidecarctl.injection.remove.removal_scope import RemovalRequest
from sidecarctl.injection.select.injection_context import InjectionContext
from sidecarctl.inputs.manifest_objects import ManifestObject
from sidecarctl.operations.transforming.object_changes import Change, Outcome
from sidecarctl.operations.transforming.pod_templates import Templates, decoded


class Uninject:
    """The transformation: each pod as it was before injection, as far as that is known."""

    def __init__(self, templates: Templates, context: InjectionContext, request: RemovalRequest) -> None:
        self.templates = templates
        self.context = context
        self.request = request

    def __call__(self, found: ManifestObject) -> Change:
        """An object without what SidecarSets injected."""
        return self.templates.transformed(found, self._pod)

    def _pod(self, pod: Object, found: ManifestObject, path: Path) -> Change:
        decoded(pod)
        removal = uninject(pod, self.context, self.request, self.templates.identity(found, path))
        if removal.pod is not pod:
            return Change(Outcome.CHANGED, removal.pod, _summary(removal), findings=removal.findings)
        if removal.findings:
            return Change(Outcome.UNCHANGED, findings=removal.findings)
        return Change(Outcome.SKIPPED, None, _nothing(self.request.only), Reason.NOT_INJECTED)


def _summary(removal: Removal) -> str:
    """`logs, mesh: log-agent, proxy-1, proxy-2`."""
    names = ", ".join(removal.sets)
    containers = ", ".join(name for _, name in removal.containers)
    return f"{names}: {containers}" if containers else names


def _nothing(only: frozenset[str] | None) -> str:
    return f"nothing was injected by {', '.join(sorted(only))}" if only else "nothing was injected"
