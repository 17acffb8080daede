"""Remedies, for each reason why a pod is not injected or not updated.

Each of them helps: a table in the tests applies every alternative to inputs, and asks again. Whether recreating a pod
helps, `engine.rollout.recreation` knows; whether Kruise accepts a change, the rules for updates.
"""

from collections.abc import Iterator, Mapping, Sequence

from sidecarctl.engine.api.label_selectors import Labels
from sidecarctl.engine.api.workloads import appears_after_scheduling, appears_at_creation
from sidecarctl.engine.facts.findings import named
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Object, path_text
from sidecarctl.engine.injection.decisions import SetDecision
from sidecarctl.engine.injection.new_pods import RECREATE, UNSEEN, of_the_pod
from sidecarctl.engine.injection.tests_in_order import Asked, failing_keys
from sidecarctl.engine.sidecarset.sets import NAMESPACE_NAME_LABEL
from sidecarctl.engine.sidecarset.unknown_namespaces import DUMP

NOTHING_BLOCKS = (
    "nothing in these files blocks it: if the cluster makes no progress, check that Kruise's controller runs, "
    "and that the cluster has this SidecarSet"
)
"""The remark about a pod that the next round changes."""

_RECREATE = "recreate the pod"


def replacement(recreation: str) -> str:
    """The remark about a pod that ends and had sidecars, from the advice on recreating it."""
    return "nothing: a pod that replaces it has the current version" if recreation == RECREATE else recreation


TRY_FIRST = (
    "to try it on a few new pods first, let injectionStrategy.revision ask for the older version with policy: "
    "Partial, and select those pods with updateStrategy.selector"
)
"""How to roll out a change of more than images to a canary, where the release can (docs/how-to/canary.md)."""


OF_DECISIONS: Mapping[Reason, Sequence[str]] = {
    Reason.POD_NOT_ACTIVE: ("nothing: it has ended or is being deleted, and nothing replaces it",),
    Reason.SYSTEM_NAMESPACE: ("create the pod in another namespace", "upgrade Kruise to 1.3"),
    Reason.NAMESPACE_CONTROL_PLANE_LABEL: ("remove the label control-plane from the Namespace",),
    Reason.INJECTION_PAUSED: ("set spec.injectionStrategy.paused to false",),
    Reason.REPLACED_BY_CANARY: ("remove the canary", "change its selector to exclude the pod"),
    Reason.REVISION_NOT_FOUND: (
        "add the ControllerRevision of kruise-system to the inputs",
        "request a stored one",
    ),
    Reason.NOT_A_PERCENTAGE: ("write spec.updateStrategy.partition as a number or a percentage",),
    Reason.INCOMPLETE_POD: ("recreate the pod",),
}
"""The alternatives for each reason; one of them is enough."""

_IN_FILE = "nothing: write the sidecar into the pod's file on its node, if it needs one"

OF_STATES: dict[str, Sequence[str]] = {
    "OtherImages": (_RECREATE,),
    "Updating": ("nothing, unless it lasts: the pod's status must show the new image",),
    "NotReady": ("the pod must become ready; until then it counts toward maxUnavailable",),
    "Waiting": ("nothing: it is updated in turn; a larger maxUnavailable speeds this up",),
    "WaitingForBudget": (
        "make more pods of the PodUnavailableBudget ready",
        "raise maxUnavailable or lower minAvailable of the PodUnavailableBudget",
        'annotate the pod that it refuses with pub.kruise.io/no-protect: "true"',
    ),
    "Busy": ("the status of the sidecar must show the image of its spec",),
    "HeldByPartition": ("lower spec.updateStrategy.partition",),
    "HeldBySelector": ("make spec.updateStrategy.selector match the pod's labels",),
    "Paused": ("set spec.updateStrategy.paused to false",),
    "NotUpdate": ("set spec.updateStrategy.type to RollingUpdate", _RECREATE),
    "StaticPod": (_IN_FILE,),
    "NotUpgradable": (_RECREATE, "revert the changed fields: only images are updated in place"),
}
"""The remedies for the states of a pod that has its sidecars."""

CHANGES: Mapping[str, Object] = {
    "HeldByPartition": {"partition": 0},
    "HeldBySelector": {"selector": None},
    "Paused": {"paused": False},
    "NotUpdate": {"type": "RollingUpdate"},
}
"""What the remedy for a state changes in updateStrategy; None removes a member."""

OF_LEFT_OUT: Mapping[Reason, Sequence[str]] = {
    Reason.NEVER_INJECTED: (f"{_RECREATE}: a running pod is never injected",),
    Reason.STATIC_POD: (_IN_FILE,),
    Reason.SIDECAR_MISSING: (_RECREATE,),
    Reason.ANNOTATION_UNREADABLE: (f"{_RECREATE}: the annotations that Kruise wrote are damaged",),
}
"""The remedies for pods that take no part in the rollout, unless the decision about a new pod already has it."""


def remedy_of(
    decision: SetDecision, further: Sequence[SetDecision], asked: Asked, *, knows_namespace: bool, runs: bool
) -> str:
    """What must change for a SidecarSet to be injected into a pod, running or not; empty if it is injected.

    `further` are the reasons that remain after that of the decision. `knows_namespace`: the labels of the namespace
    are known; `runs`: it is a pod of a cluster, still running.
    """
    found = (_remedy(each, asked, knows_namespace=knows_namespace, runs=runs) for each in (decision, *further))
    remedy = "; ".join(filter(None, found))
    if not (runs and remedy) or remedy.startswith(("nothing", "recreate")):
        return remedy
    is_withheld = decision.reason in {*UNSEEN, Reason.INJECTION_PAUSED, Reason.REVISION_NOT_FOUND}
    return (
        f"{remedy}; only pods created after that have its sidecars" if is_withheld else f"{remedy}; then {_RECREATE}"
    )


def _remedy(decision: SetDecision, asked: Asked, *, knows_namespace: bool, runs: bool) -> str:
    match decision.reason:
        case Reason.POD_NOT_SELECTED:
            return _of_selector(decision, asked, runs=runs)
        case Reason.NAMESPACE_NOT_SELECTED | Reason.NAMESPACE_UNKNOWN:
            return _of_namespace(decision, asked, is_known=knows_namespace)
        case Reason.NOT_SEEN_BY_WEBHOOK:
            return _of_webhook(decision)
        case Reason.MALFORMED_SELECTOR:
            where = path_text(decision.path)
            return f"correct {where}: until then Kruise rejects every pod in the SidecarSet's namespaces"
    return ", or ".join(OF_DECISIONS.get(decision.reason, ()))


def _of_selector(decision: SetDecision, asked: Asked, *, runs: bool) -> str:
    keys = failing_keys(asked.spec.get("selector") or {}, asked.labels)
    if not keys:
        return "write spec.selector: an empty one matches no pod"
    if late := next(filter(appears_after_scheduling, keys), ""):
        return f"select the pods by labels that they are created with, not by {late}"
    unborn = [key for key in keys if appears_at_creation(key) and key not in asked.labels]
    if unborn and not runs:
        return f"select the pods by labels of the template: only a controller adds {unborn[0]}"
    where = path_text(decision.path if len(keys) == 1 else decision.path[:2])
    return f"change the {_named(keys)} of the pod or pod template, or {where}"


def _of_namespace(decision: SetDecision, asked: Asked, *, is_known: bool) -> str:
    if decision.path[-1] == "namespace":
        return f"create the pod in namespace {asked.spec['namespace']}, or change spec.namespace"
    keys = failing_keys(asked.spec.get("namespaceSelector") or {}, asked.namespace_labels)
    where = path_text(decision.path if len(keys) == 1 else decision.path[:2])
    if NAMESPACE_NAME_LABEL in keys:  # a Namespace cannot have another name
        return f"create the pod in a selected namespace, or change {where}"
    if not is_known:
        return (
            f"add its Namespace to the inputs ({DUMP}): if it lacks the {_named(keys)}, label it, or change {where}"
        )
    return f"create the pod in a selected namespace, label its Namespace, or change {where}"


def _of_webhook(decision: SetDecision) -> str:
    match decision.path:
        case ("metadata", "namespace"):
            return "change the MutatingWebhookConfiguration of Kruise, or use another namespace"
        case ("metadata", "labels", key):
            return f"change label {key} of the pod, or the MutatingWebhookConfiguration of Kruise"
    return "turn on Kruise's webhook for pods: the feature gate PodWebhook, mpod.kb.io in its configuration"


def _named(keys: Sequence[str]) -> str:
    """`label app`, `labels app, tier`."""
    return f"label{'' if len(keys) == 1 else 's'} {', '.join(keys)}"


def remedy_of_states(
    states: Sequence[str],
    recreation: str = RECREATE,
    refusal: str = "",
    *,
    may_revert: bool = True,
    may_get_room: bool = True,
) -> str:
    """What must change for a pod to be updated, where all these states hold it back.

    `recreation`: the advice on recreating it; `refusal`: why Kruise rejects the change of the strategy that it needs.
    `may_revert`: it is known with which fields the pod was injected. `may_get_room`: more ready pods give its
    PodUnavailableBudget room.
    """
    helps, recreation = recreation.startswith(RECREATE), of_the_pod(recreation)
    if "NotUpgradable" in states:
        revert = OF_STATES["NotUpgradable"][1] if may_revert and len(states) == 1 and not refusal else ""
        return f"{recreation}{', or ' if helps else '; or '}{revert}" if revert else recreation
    if refusal:
        return (
            recreation if helps and "NotUpdate" in states else f"Kruise rejects the change that it needs: {refusal}"
        )
    without = {"NotUpdate": OF_STATES["NotUpdate"][: 1 + helps]}
    without |= {} if may_get_room else {_BUDGET: OF_STATES[_BUDGET][1:]}
    return "; ".join(filter(None, (", or ".join((OF_STATES | without).get(state, ())) for state in states)))


_BUDGET = "WaitingForBudget"


def held_up_by(broken: Sequence[str], most: int, *, updated: bool = True) -> str:
    """What must change for a pod that waits while pods that are not ready use up maxUnavailable, once `updated`."""
    if most <= 0:
        return "raise spec.updateStrategy.maxUnavailable: it lets no ready pod be updated"
    down = f"{'updated ' if updated else ''}{'pod that is' if len(broken) == 1 else 'pods that are'}"
    raised = f"raise spec.updateStrategy.maxUnavailable ({most:,}) above the {len(broken):,} {down} not"
    return f"make {named(broken)} ready, or {raised}"


def remedy_of_reset(waits_for: Sequence[str]) -> str:
    """What must change before an idle container is emptied: these containers must be ready."""
    return f"make {', '.join(waits_for)} ready: Kruise empties the idle container once all others are ready"


def remedy_of_left_out(reason: Reason, recreation: str = RECREATE) -> str:
    """What must change for a pod to take part in the rollout; `recreation`: the advice on recreating it."""
    known = ", or ".join(OF_LEFT_OUT.get(reason, ()))
    return recreation if known.startswith(_RECREATE) and recreation != RECREATE else known


def label_hints(selector: Object, labels: Labels, *, runs: bool) -> Iterator[str]:
    """Notes on the labels that a pod selector requires; `runs`: the pod is from a cluster."""
    expressions = selector.get("matchExpressions", ())
    for key in dict.fromkeys(
        [*selector.get("matchLabels", {}), *(expression.get("key", "") for expression in expressions)]
    ):
        if appears_after_scheduling(key):
            yield (
                f"label {key} comes with the node, after scheduling: Kruise's webhook sees the pod before it, so the "
                f"label does not count at injection, and recreating the pod does not help"
            )
        elif appears_at_creation(key) and key not in labels and not runs:
            yield (
                f"label {key} is added by the workload's controller when it creates a pod: no template has it; "
                f"explain a pod of a dump, or name it with --labels"
            )
