"""Remedies, for each reason why a pod is not injected or not updated."""

from collections.abc import Mapping

from sidecarctl.facts.paths import path_text
from sidecarctl.facts.reasons import Reason
from sidecarctl.injection.select.decisions import Decision

NOTHING_BLOCKS = (
    "nothing in these files blocks it: if the cluster does not go on, see whether Kruise's controller runs, "
    "and whether the SidecarSet there is this one"
)
"""The remark about a pod that the next round changes."""

_OF_DECISIONS: Mapping[Reason, str] = {
    Reason.POD_NOT_ACTIVE: "nothing: a new pod is evaluated when it is created",
    Reason.SYSTEM_NAMESPACE: "create the pod in another namespace, or upgrade Kruise to 1.3",
    Reason.NAMESPACE_CONTROL_PLANE_LABEL: "remove the label control-plane from the Namespace",
    Reason.INJECTION_PAUSED: "set spec.injectionStrategy.paused to false",
    Reason.REPLACED_BY_CANARY: "remove the canary, or change its selector to exclude the pod",
    Reason.REVISION_NOT_FOUND: "add the ControllerRevision of kruise-system to the inputs, or request a stored one",
    Reason.NOT_A_PERCENTAGE: "write spec.updateStrategy.partition as a number or a percentage",
    Reason.INCOMPLETE_POD: "recreate the pod",
}

_OF_STATES: Mapping[str, str] = {
    "Updating": "nothing, unless it lasts: the pod's status must show the new image",
    "Resetting": "nothing, unless it lasts: the idle container is emptied once the working one is ready",
    "NotReady": "the pod must become ready; until then it counts towards maxUnavailable",
    "Waiting": "nothing: it is updated in turn; a larger maxUnavailable speeds this up",
    "Busy": "the status of the sidecar must show the image of its spec",
    "HeldByPartition": "lower spec.updateStrategy.partition",
    "HeldBySelector": "make spec.updateStrategy.selector match the pod's labels",
    "Paused": "set spec.updateStrategy.paused to false",
    "NotUpdate": "set spec.updateStrategy.type to RollingUpdate, or recreate the pod",
    "NotUpgradable": "recreate the pod, or revert the changed fields: only images are updated in place",
}

_OF_LEFT_OUT: Mapping[Reason, str] = {
    Reason.NEVER_INJECTED: "recreate the pod: a running pod is never injected",
    Reason.SIDECAR_MISSING: "recreate the pod",
    Reason.ANNOTATION_UNREADABLE: "recreate the pod: the annotations that Kruise wrote are damaged",
    Reason.POD_NOT_ACTIVE: "nothing: it has ended or is being deleted",
}


def remedy_of(decision: Decision, *, runs: bool, late_label: str = "") -> str:
    """What must change for a SidecarSet to be injected into a pod, running or not; empty if it is injected.

    `late_label` is the label that did not match, if pods get it only after they are created.
    """
    if late_label:
        return f"select the pods by labels that they are created with, not by {late_label}"
    remedy = _remedy(decision)
    again = runs and remedy and not remedy.startswith(("nothing", "recreate"))
    return f"{remedy}; then recreate the pod" if again else remedy


def _remedy(decision: Decision) -> str:
    where = path_text(decision.path)
    match decision.reason:
        case Reason.POD_NOT_SELECTED:
            return f"change the label of the pod or pod template, or {where}"
        case Reason.NAMESPACE_NOT_SELECTED:
            return f"create the pod in a selected namespace, label its Namespace, or change {where}"
        case Reason.MALFORMED_SELECTOR:
            return f"correct {where}: until then Kruise rejects every pod in the SidecarSet's namespaces"
    return _OF_DECISIONS.get(decision.reason, "")


def remedy_of_state(state: str) -> str:
    """What must change for a pod to be updated; empty if it is updated."""
    return _OF_STATES.get(state, "")


def remedy_of_left_out(reason: Reason) -> str:
    """What must change for a pod to take part in the rollout."""
    return _OF_LEFT_OUT.get(reason, "")
