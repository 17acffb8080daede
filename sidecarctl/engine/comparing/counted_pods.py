"""The pods that a report counts: those of a dump or cluster, else those that the workloads would have."""

from collections.abc import Sequence
from typing import NamedTuple

from sidecarctl.engine.facts.findings import Finding, note, warning
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.files.inputs import Input
from sidecarctl.engine.inputs.opening import Sources
from sidecarctl.engine.inputs.pods import PodInputs, is_pod_to_be, read_inputs
from sidecarctl.engine.inputs.reading import Reading, refuse_no_sidecarset
from sidecarctl.engine.inputs.trimmed_pods import trimmed_pod
from sidecarctl.engine.rollout.workload_pods import rollout_of_workloads
from sidecarctl.engine.sidecarset.unknown_namespaces import DUMP


class CountedPods(NamedTuple):
    """The pods (trimmed) and the inputs that they came with; `synthetic`: they were made of workloads."""

    inputs: PodInputs
    pods: Sequence[Object]
    synthetic: bool = False
    findings: Sequence[Finding] = ()


class CountRequest(NamedTuple):
    """What to count: the SidecarSets of these names, all for none; `replicas`: numbers of pods of workloads."""

    only: Sequence[str] = ()
    gates: frozenset[str] = frozenset()
    replicas: Sequence[str] = ()


def counted_pods(
    sources: Sources[Input],
    old: Sources[Input],
    how: Reading,
    request: CountRequest,
    *,
    keeps_containers: bool = False,
) -> CountedPods:
    """The running pods of files and a cluster; without any, or with `old` SidecarSets, the pods of the workloads.

    Those are injected by the `old` SidecarSets, or else by the ones of the inputs. `how` has the release of the
    cluster. With `keeps_containers` containers keep all their fields. InputError if something cannot be read, or
    there is no SidecarSet; UsageError for running pods with `old`, and for numbers of pods of no workload.
    """
    found = read_inputs(sources, how, keeps_containers=keeps_containers).whole()
    refuse_no_sidecarset(found.world.sidecarsets, sources, how)
    running = [pod for pod in found.pods if not is_pod_to_be(pod)]
    if not (old.named.paths or (found.workloads and not running and found.world.sidecarsets)):
        return CountedPods(found, running, findings=[] if running else [_no_pods()])
    before = read_inputs(old, how).whole() if old.named.paths else found
    rollout, whole = rollout_of_workloads(found, before, how, request.replicas, request.gates, 0)
    pods = (
        [trimmed_pod(pod, how.namespace, whole_containers=True) for pod in whole]
        if keeps_containers
        else rollout.pods
    )
    about = [] if old.named.paths else [_made_now()]
    return CountedPods(found, pods, synthetic=True, findings=[*about, *rollout.findings])


def _made_now() -> Finding:
    message = "no running pods in the inputs: the pods that the workloads would have now are counted"
    return note(Reason.NO_PODS, message)


def _no_pods() -> Finding:
    return warning(Reason.NO_PODS, "no pods found in the inputs", hint=f"add the output of {DUMP}")
