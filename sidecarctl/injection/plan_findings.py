"""What there is to say about a set at every pod that it is injected into."""

from collections.abc import Iterable, Iterator

from sidecarctl.facts.findings import Finding, Severity
from sidecarctl.facts.paths import Path
from sidecarctl.facts.reasons import Reason
from sidecarctl.injection.blame import naming
from sidecarctl.injection.canaries import BASE, base_of
from sidecarctl.injection.set_plan import SetPlan
from sidecarctl.sidecarset.expression_operands import ExpressionError
from sidecarctl.sidecarset.resources import policy_typos


def note(reason: Reason, message: str, path: Path = ()) -> Finding:
    """A finding that asks for nothing."""
    return Finding(Severity.NOTE, reason, message, path)


def findings_about(plans: Iterable[SetPlan]) -> Iterator[Finding]:
    """Notes on canaries, and warnings for tokens of resource expressions that count as 0."""
    for plan in plans:
        yield from naming(plan.reference, [*_canary_note(plan), *_typos(plan)])


def _canary_note(plan: SetPlan) -> Iterator[Finding]:
    if base := base_of(plan.sidecarset):
        message = f"replaces {base} as its canary, which needs a Kruise newer than 1.9.0; that injects both"
        yield note(Reason.CANARY_NEEDS_NEWER_KRUISE, message, ("metadata", "annotations", BASE))


def _typos(plan: SetPlan) -> Iterator[Finding]:
    for sidecar in plan.all_sidecars:
        if sidecar.policy is not None:
            try:
                yield from policy_typos(sidecar.policy, (*sidecar.path, "resourcesPolicy"))
            except ExpressionError:
                continue  # the pod is rejected for it, unless a target has no limit and it is never looked at
