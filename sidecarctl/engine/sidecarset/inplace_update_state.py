"""The in-place update state: which image a container had when its update began.

docs/behavior/rollout.md, "Predicates on a pod" and "Cold upgrade of one pod".
"""

from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple, TypeAlias

from sidecarctl.engine.api.canonical import compact, string_text
from sidecarctl.engine.facts.values import Value
from sidecarctl.engine.sidecarset.pod_annotations import parsed_annotation, time_text


class UpdateState(NamedTuple):
    """The entry of one set: container to the imageID that its status had, empty if none was known."""

    revision: str = ""
    update_timestamp: str | None = None
    last_image_ids: Mapping[str, str] | None = None


States: TypeAlias = Mapping[str, UpdateState | None]
"""The entries by set name; null stays null."""


@lru_cache(maxsize=4096)  # the pods of a workload share these texts
def read_states(text: str | None) -> States | None:
    """The entries by set name, none for an absent annotation; None for one that cannot be read."""
    if text is None:
        return {}
    try:
        value = parsed_annotation(text)
        members = _object(value) or {}
        return {name: None if member is None else _state(_object(member) or {}) for name, member in members.items()}
    except ValueError:
        return None


def write_states(states: States) -> str:
    """The annotation's text in the standard form, sets and containers sorted by name."""
    members = (f"{string_text(name)}:{_state_text(state)}" for name, state in sorted(states.items()))
    return "{" + ",".join(members) + "}"


def _state(value: Mapping[str, Value]) -> UpdateState:
    fields = {key.casefold(): member for key, member in value.items()}  # Go takes keys in any case
    time = fields.get("updatetimestamp")
    statuses = _object(fields.get("lastcontainerstatuses"))
    return UpdateState(
        _text(fields.get("revision")),
        None if time is None else time_text(_text(time)),
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


def _state_text(state: UpdateState | None) -> str:
    if state is None:
        return "null"
    image_ids = state.last_image_ids
    return (
        f'{{"revision":{string_text(state.revision)},"updateTimestamp":{compact(state.update_timestamp)},'
        f'"lastContainerStatuses":{"null" if image_ids is None else _statuses_text(image_ids)}}}'
    )


def _statuses_text(image_ids: Mapping[str, str]) -> str:
    members = (f"{string_text(name)}:{_status_text(image_id)}" for name, image_id in sorted(image_ids.items()))
    return "{" + ",".join(members) + "}"


@lru_cache(maxsize=1024)  # an update records few different images
def _status_text(image_id: str) -> str:
    return compact({"imageID": image_id} if image_id else {})
