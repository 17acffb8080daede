"""The inverse of injection, applied to every object of the inputs."""

from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Object, Path, natural
from sidecarctl.engine.injection.injection_context import InjectionContext
from sidecarctl.engine.injection.pod_templates import Templates, decoded
from sidecarctl.engine.injection.pod_webhook import gets_readiness_gate, template_of
from sidecarctl.engine.injection.removal import Removal, WebhookRemoval, uninject, without_webhook
from sidecarctl.engine.injection.removal_scope import RemovalRequest
from sidecarctl.engine.inputs.objects import ManifestObject
from sidecarctl.engine.inputs.unknown_templates import unknown_templates
from sidecarctl.engine.report import ObjectChange, Outcome
from sidecarctl.engine.sidecarset.world import Template


class Uninject:
    """The transformation: each pod as it was before injection, as far as that is known."""

    def __init__(self, templates: Templates, context: InjectionContext, request: RemovalRequest) -> None:
        self.templates = templates
        self.context = context
        self.request = request

    def __call__(self, found: ManifestObject) -> ObjectChange:
        """An object without what SidecarSets injected, and a note on pods where no kind is known to have any."""
        change = self.templates.transformed(found, self._pod)
        manifest = found.inherited | found.manifest
        unknown = unknown_templates(manifest, found.reference, self.templates.workloads)
        return change._replace(findings=(*change.findings, *unknown)) if unknown else change

    def _pod(self, pod: Object, found: ManifestObject, path: Path) -> ObjectChange:
        decoded(pod)
        removal = uninject(pod, self.context, self.request, self.templates.identity(found, path))
        other = self._without_webhook(removal.pod, template_of(found.reference, path))
        findings = (*removal.findings, *other.findings)
        if other.pod is not pod:
            summary = "; ".join(filter(None, [_summary(removal), ", ".join(other.removed)]))
            return ObjectChange(Outcome.CHANGED, other.pod, summary, findings=findings)
        if findings:
            return ObjectChange(Outcome.UNCHANGED, findings=findings)
        return ObjectChange(Outcome.SKIPPED, None, _nothing(self.request.only), Reason.NOT_INJECTED)

    def _without_webhook(self, pod: Object, template: Template | None) -> WebhookRemoval:
        """The pod without what the other steps of the webhook did; as it is if only some SidecarSets are removed."""
        if self.request.only is not None:
            return WebhookRemoval(pod)
        may_have_gate = gets_readiness_gate(pod, self.context, template)
        return without_webhook(pod, may_have_gate=may_have_gate, force=self.request.force)


def _summary(removal: Removal) -> str:
    """`logs, mesh: log-agent, proxy-1, proxy-2`."""
    names = ", ".join(removal.sets)
    containers = ", ".join(name for _, name in removal.containers)
    return f"{names}: {containers}" if containers else names


def _nothing(only: frozenset[str] | None) -> str:
    return f"nothing was injected by {', '.join(sorted(only, key=natural))}" if only else "nothing was injected"
