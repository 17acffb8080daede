"""What a plan cannot know about the rollout that it shows."""

from collections.abc import Iterator

from sidecarctl.facts.findings import Finding, Severity
from sidecarctl.facts.reasons import Reason
from sidecarctl.rollout.summary.rollout_plan import SetRolloutPlan


def hot_version_notes(plan: SetRolloutPlan) -> Iterator[Finding]:
    """That Kruise would write other versions: docs/behaviour/rollout.md, "Hot upgrade of one pod"."""
    if plan.target.hot and any(patch.kind == "upgrade" for wave in plan.waves for patch in wave.patches):
        message = (
            "the version annotations of hot containers are not those that Kruise would write, which are the "
            "resourceVersion that the SidecarSet then has in the cluster; here they are above those of the pod"
        )
        yield Finding(Severity.NOTE, Reason.HOT_VERSIONS_OWN, message, ("metadata", "resourceVersion"))


def scatter_notes(plan: SetRolloutPlan) -> Iterator[Finding]:
    """That a scattered order depends on when pods become ready, and what a partition makes of it."""
    upgrades = [len(wave.patches) for wave in plan.waves if wave.patches[0].kind == "upgrade"]
    if not plan.target.strategy.get("scatterStrategy") or len(upgrades) < 2:
        return
    message = (
        "the waves assume that the pods of a wave become ready together: Kruise scatters those that are left anew "
        "whenever one becomes ready"
    )
    held = len(plan.outcome.held_by_partition)
    if held:
        differing = min(sum(upgrades[1:]), held)
        message += (
            f"; up to {differing} of the {held} pods that the partition holds back may be updated in place of others"
        )
    yield Finding(Severity.NOTE, Reason.SCATTER_ASSUMES_WAVES, message, ("spec", "updateStrategy", "scatterStrategy"))
