"""The findings about a set that each pod it is injected into gets.

Source: docs/behaviour/injection.md, "Injecting twice".
"""

from collections.abc import Iterable, Iterator
from contextlib import suppress

from sidecarctl.facts.finding_subjects import naming
from sidecarctl.facts.findings import Finding
from sidecarctl.facts.paths import Path
from sidecarctl.facts.values import Object
from sidecarctl.injection.build.set_plan import SetPlan
from sidecarctl.sidecarset.canaries import canary_notes


def findings_about(plans: Iterable[SetPlan], *, notes_canaries: bool = True) -> Iterator[Finding]:
    """Notes on canaries if asked for, and warnings for tokens of resource expressions that count as 0."""
    for plan in plans:
        notes = canary_notes(plan.sidecarset) if notes_canaries else ()
        yield from naming(plan.reference, [*notes, *_typos(plan)])


def _typos(plan: SetPlan) -> Iterator[Finding]:
    for sidecar in plan.all_sidecars:
        if sidecar.policy is not None:
            yield from _typos_of(sidecar.policy, (*sidecar.path, "resourcesPolicy"))


def _typos_of(policy: Object, path: Path) -> Iterator[Finding]:
    # The expression language, which few sets use.
    from sidecarctl.sidecarset.resources.expression_operands import ExpressionError
    from sidecarctl.sidecarset.resources.resources_policy import policy_typos

    # The pod is rejected for an error, unless a target has no limit and the expression is never looked at.
    with suppress(ExpressionError):
        yield from policy_typos(policy, path)
