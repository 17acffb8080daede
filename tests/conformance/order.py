"""Operation `order`: the order in which pods are updated."""

from sidecarctl.engine.rollout.predicates import Eligibility, PodProgress
from sidecarctl.engine.rollout.round.scatter import Scatter
from sidecarctl.engine.rollout.round.update_order import OrderedPod, WaitingPods, update_priority
from sidecarctl.engine.rollout.simulated_pods import SimulatedPod
from sidecarctl.engine.sidecarset.admission import admit
from tests.conformance.cases import Case
from tests.conformance.difference import first_difference

CANDIDATE = PodProgress(Eligibility.CANDIDATE, consistent=True, ready=True, reset_due=False)


def run(case: Case) -> str | None:
    """The pods that wait, in the order of the first set's updateStrategy."""
    manifest = next(item for item in case.objects if item["kind"] == "SidecarSet")
    strategy = admit(manifest, case.release).spec.get("updateStrategy") or {}
    manifests = [item for item in case.objects if item["kind"] == "Pod"]
    pods = [SimulatedPod(index, manifest) for index, manifest in enumerate(manifests)]
    names = case.params.get("fail")
    scatter = Scatter(strategy.get("scatterStrategy"), pods)
    waiting = WaitingPods(scatter, update_priority(strategy.get("priorityStrategy")), case.release)
    for rank, pod in enumerate(pods):
        if names is None or pod.name.name in names:
            waiting.add(OrderedPod(pod, rank, CANDIDATE, selected=True))
    order = [member.pod.name.name for member in waiting.in_order()]
    return first_difference(case.expect["order"], order)
