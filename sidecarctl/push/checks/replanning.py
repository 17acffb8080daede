"""The plan made again from the pods as they are, for a push whose pods are not as its plan expects."""

from collections.abc import Iterable, Mapping

from sidecarctl.facts.errors import ImpossibleError
from sidecarctl.facts.findings import Finding, Severity
from sidecarctl.facts.reasons import Reason
from sidecarctl.operations.plan import PlanFacts
from sidecarctl.operations.planning.plan_options import PlanOptions
from sidecarctl.operations.report import Report
from sidecarctl.plan_file.cluster_identity import ClusterIdentity
from sidecarctl.push.checks.survey import Survey
from sidecarctl.push.plan.planned import PodKey, PushPlan
from sidecarctl.push.pods.live_pods import LivePod
from sidecarctl.rollout.simulation.simulated_rollout import ClusterBehaviour, Simulation
from sidecarctl.rollout.summary.rollout_plan import run


class StalePodsError(ImpossibleError):
    """Pods are not as the plan expects, and nothing else is wrong; `replanned` is the new plan."""

    def __init__(self, *findings: Finding, replanned: Report[PlanFacts]) -> None:
        super().__init__(*findings)
        self.replanned = replanned


def is_stale_alone(findings: Iterable[Finding]) -> bool:
    """Whether a new plan would repair everything that is wrong."""
    wrong = {finding.reason for finding in findings if finding.severity is Severity.ERROR}
    return bool(wrong) and wrong <= {Reason.STALE_PLAN, Reason.FOREIGN_PUSH}


def replanned(plan: PushPlan, survey: Survey, pods: Mapping[PodKey, LivePod]) -> Report[PlanFacts]:
    """The rollout of the same sets over the pods as they are, in the order of their names."""
    manifests = [live.manifest for _, live in sorted(pods.items())]
    behaviour = ClusterBehaviour(mends=True, finishes_begun=True)
    made = run(Simulation(plan.targets.values(), manifests, survey.namespaces, behaviour))
    facts = PlanFacts(
        plan=made,
        options=PlanOptions(),
        origins={},
        blocked={},
        digests=(),
        gates=frozenset(),
        synthetic=False,
        cluster=ClusterIdentity(survey.uid, survey.kruise),
    )
    return Report("plan", facts, release=plan.release)
