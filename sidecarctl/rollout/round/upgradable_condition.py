"""The condition `SidecarSetUpgradable` of a pod (docs/behaviour/rollout.md, "The condition")."""

from functools import lru_cache

from sidecarctl.api.go_json import compact
from sidecarctl.facts.errors import ImpossibleError, impossible
from sidecarctl.facts.reasons import Reason
from sidecarctl.facts.values import Object
from sidecarctl.rollout.pods.simulated_pods import SimulatedPod, UpgradableCondition
from sidecarctl.rollout.round.rollout_facts import ConditionChange
from sidecarctl.sidecarset.annotations.annotation_json import decode

TYPE = "SidecarSetUpgradable"


def mark(pod: SimulatedPod, set_name: str, *, upgradable: bool) -> ConditionChange | None:
    """Record whether a SidecarSet can update the pod, if that changes the condition.

    Raises ImpossibleError (ConditionUnreadable) for a condition whose message is not a JSON object.
    """
    before = pod.condition
    after = _with(before.message if before else "", set_name, upgradable)
    if after == before:
        return None
    pod.condition = after
    return ConditionChange(pod.index, pod.name, before, after)


@lru_cache(maxsize=1024)  # the pods of a set mostly have the same condition
def _with(message: str, set_name: str, upgradable: bool) -> UpgradableCondition:  # noqa: FBT001 - private
    said = {**_read(message), set_name: upgradable}
    refused = any(value is False for value in said.values())
    return UpgradableCondition(
        "False" if refused else "True",
        "UpdateImmutableField" if refused else "AllSidecarsetUpgradable",
        compact(said, sort_keys=True),
    )


def _read(message: str) -> Object:
    if not message:
        return {}
    try:
        value = decode(message)
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
        f"the message of condition {TYPE} is not valid JSON: {why}",
        ("status", "conditions"),
        hint="expected a JSON object: SidecarSet name to true or false",
    )
