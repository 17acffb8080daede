"""Labels that a pod has, but not its template: a controller adds them to the pod, or Kubernetes to the scheduled pod.

Kruise's webhook sees a pod when it is created: after its controller, before the scheduler.
"""

from sidecarctl.api.workloads import CONTROLLER_LABELS, WORKLOADS

_BY_RULE = frozenset(key for workload in WORKLOADS for key, _ in workload.labels)
_OF_NODES = ("topology.kubernetes.io/", "topology.k8s.io/", "kubernetes.io/hostname")


def appears_after_scheduling(key: str) -> bool:
    """Whether a label is one of the node's, which the pod gets with its node: too late for injection."""
    return key.startswith(_OF_NODES)


def appears_at_creation(key: str) -> bool:
    """Whether a workload's controller adds a label to the pods that it creates: no template has it."""
    return key in CONTROLLER_LABELS or key in _BY_RULE
