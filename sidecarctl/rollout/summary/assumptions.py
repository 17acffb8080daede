"""The assumptions of a plan."""

from collections.abc import Iterator

from sidecarctl.facts.findings import Finding, Severity
from sidecarctl.facts.reasons import Reason
from sidecarctl.rollout.summary.rollout_plan import SetRolloutPlan


def hot_version_notes(plan: SetRolloutPlan) -> Iterator[Finding]:
    """A note that Kruise would write other versions: docs/behaviour/rollout.md, "Hot upgrade of one pod"."""
    if plan.target.hot and any(patch.kind == "upgrade" for wave in plan.waves for patch in wave.patches):
        message = (
            "the version annotations of HotUpgrade containers differ from those that Kruise would write, which "
            "are the "
            "resourceVersion of the SidecarSet in the cluster; here they are above those of the pod"
        )
        yield Finding(Severity.NOTE, Reason.HOT_VERSIONS_OWN, message, ("metadata", "resourceVersion"))


def scatter_notes(plan: SetRolloutPlan) -> Iterator[Finding]:
    """A note that a scattered order depends on when pods become ready, and its effect on the partition."""
    upgrades = [len(wave.patches) for wave in plan.waves if wave.patches[0].kind == "upgrade"]
    if not plan.target.strategy.get("scatterStrategy") or len(upgrades) < 2:
        return
    message = (
        "the waves assume that the pods of a wave become ready together: Kruise scatters the remaining pods again "
        "whenever one becomes ready"
    )
    held = len(plan.outcome.held_by_partition)
    if held:
        differing = min(sum(upgrades[1:]), held)
        message += (
            f"; up to {differing} of the {held} pods that the partition holds back may be updated instead of others"
        )
    yield Finding(Severity.NOTE, Reason.SCATTER_ASSUMES_WAVES, message, ("spec", "updateStrategy", "scatterStrategy"))
