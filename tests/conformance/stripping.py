"""What is left out of account in comparisons: what Kubernetes' decoder drops or adds on every object."""

from sidecarctl.engine.facts.values import Value

_ADDED_WHEN_EMPTY = {
    "status",
    "resources",
    "updateStrategy",
    "injectionStrategy",
    "upgradeStrategy",
    "shareVolumePolicy",
}
_STATUS_COUNTS = {"matchedPods", "updatedPods", "readyPods"}


def stripped(value: Value) -> Value:
    """The value without null creation times, and without the structs that an object has always."""
    if isinstance(value, list):
        return [stripped(item) for item in value]
    if not isinstance(value, dict):
        return value
    members = {key: stripped(member) for key, member in value.items()}
    return {key: member for key, member in members.items() if not _is_noise(key, member)}


def _is_noise(key: str, member: Value) -> bool:
    return (
        (key == "creationTimestamp" and member is None)
        or (key in _ADDED_WHEN_EMPTY and member == {})
        or (key in _STATUS_COUNTS and member == 0)
    )
