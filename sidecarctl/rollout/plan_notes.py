"""What a plan cannot know about the rollout that it shows."""

from collections.abc import Iterator

from sidecarctl.facts.findings import Finding, Severity
from sidecarctl.facts.reasons import Reason
from sidecarctl.rollout.plans import SetPlan


def hot_version_notes(plan: SetPlan) -> Iterator[Finding]:
    """That Kruise would write other versions: docs/behaviour/rollout.md, "Hot upgrade of one pod"."""
    if plan.target.hot and any(patch.kind == "upgrade" for wave in plan.waves for patch in wave.patches):
        message = (
            "the version annotations of hot containers are not those that Kruise would write, which are the "
            "resourceVersion that the SidecarSet then has in the cluster; here they are above those of the pod"
        )
        yield Finding(Severity.NOTE, Reason.HOT_VERSIONS_OWN, message, ("metadata", "resourceVersion"))
