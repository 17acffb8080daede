"""The in-place update state: which image a container had when its update began.

docs/behaviour/rollout.md, "Predicates on a pod" and "Cold upgrade of one pod".
"""

from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from sidecarctl.api import timestamps
from sidecarctl.facts.values import Value
from sidecarctl.sidecarset.annotation_json import by_name, compact, decode


class UpdateState(NamedTuple):
    """The entry of one set: container to the imageID that its status had, empty when none was known."""

    revision: str = ""
    update_timestamp: str | None = None
    last_image_ids: Mapping[str, str] | None = None


@lru_cache(maxsize=4096)  # the pods of a workload share these texts
def read_states(text: str | None) -> Mapping[str, UpdateState] | None:
    """The entries by set name, none for an absent annotation; None for one that cannot be read."""
    if text is None:
        return {}
    try:
        value = decode(text)
        members = _object(value) or {}
        return {name: _state(_object(member) or {}) for name, member in members.items()}
    except ValueError:
        return None


def write_states(states: Mapping[str, UpdateState]) -> str:
    """The annotation's text in the standard form, sets and containers sorted by name."""
    return compact(by_name({name: _state_value(state) for name, state in states.items()}))


def _state(value: Mapping[str, Value]) -> UpdateState:
    fields = {key.casefold(): member for key, member in value.items()}  # Go takes keys in any case
    time = fields.get("updatetimestamp")
    statuses = _object(fields.get("lastcontainerstatuses"))
    return UpdateState(
        _text(fields.get("revision")),
        None if time is None else timestamps.utc_text(_text(time)),
        None if statuses is None else {name: _image_id(_object(status)) for name, status in statuses.items()},
    )


def _image_id(status: Mapping[str, Value] | None) -> str:
    fields = {key.casefold(): member for key, member in (status or {}).items()}
    return _text(fields.get("imageid"))


def _object(value: Value) -> dict[str, Value] | None:
    if value is None or isinstance(value, dict):
        return value
    raise ValueError("expected an object")


def _text(value: Value) -> str:
    if value is None or isinstance(value, str):
        return value or ""
    raise ValueError("expected a string")


def _state_value(state: UpdateState) -> dict[str, Value]:
    return {
        "revision": state.revision,
        "updateTimestamp": state.update_timestamp,
        "lastContainerStatuses": None if state.last_image_ids is None else _statuses(state.last_image_ids),
    }


def _statuses(image_ids: Mapping[str, str]) -> dict[str, Value]:
    return {name: {"imageID": image_id} if image_id else {} for name, image_id in sorted(image_ids.items())}
