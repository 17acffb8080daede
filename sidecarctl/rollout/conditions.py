"""The condition `SidecarSetUpgradable` of a pod (docs/behaviour/rollout.md, "The condition")."""

from sidecarctl.api.go_json import compact
from sidecarctl.facts.errors import ImpossibleError, impossible
from sidecarctl.facts.reasons import Reason
from sidecarctl.facts.values import Object
from sidecarctl.rollout.pods import SimulatedPod, UpgradableCondition
from sidecarctl.rollout.records import ConditionChange
from sidecarctl.sidecarset.annotation_json import decode

TYPE = "SidecarSetUpgradable"


def mark(pod: SimulatedPod, set_name: str, *, upgradable: bool) -> ConditionChange | None:
    """Write for a set whether the pod can be updated, where that changes the condition.

    Raises ImpossibleError (ConditionUnreadable) for a condition whose message is not a JSON object.
    """
    before = pod.condition
    message = {**_message(before), set_name: upgradable}
    refused = any(value is False for value in message.values())
    after = UpgradableCondition(
        "False" if refused else "True",
        "UpdateImmutableField" if refused else "AllSidecarsetUpgradable",
        compact(message, sort_keys=True),
    )
    if after == before:
        return None
    pod.condition = after
    return ConditionChange(pod.index, pod.name, before, after)


def _message(condition: UpgradableCondition | None) -> Object:
    if condition is None or not condition.message:
        return {}
    try:
        value = decode(condition.message)
    except ValueError as problem:
        raise _unreadable(str(problem)) from problem
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise _unreadable("it is not an object")
    return value


def _unreadable(why: str) -> ImpossibleError:
    return impossible(
        Reason.CONDITION_UNREADABLE,
        f"the message of condition {TYPE} cannot be read as JSON: {why}",
        ("status", "conditions"),
        hint="the message holds a JSON object, set name to true or false",
    )
