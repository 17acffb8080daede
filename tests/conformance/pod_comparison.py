"""Pods as they are compared with recordings: Kubernetes' own additions left out, quantities by value."""

from sidecarctl.api.field_table import fields_of, item_type, value_type
from sidecarctl.api.quantities import parse_quantity
from sidecarctl.facts.values import Object, Value
from sidecarctl.injection.marker import is_injected
from tests.conformance.stripping import stripped


def comparable(pod: Object) -> Value:
    """A pod without what the decoder drops or adds.

    A quantity stands as its value in nanos, but in injected containers as its text: that is Kruise's own.
    """
    return _by_value(stripped(pod), "core.Pod")


def _by_value(value: Value, type_name: str) -> Value:
    if type_name == "quantity":
        return parse_quantity(value).nanos
    item, member = item_type(type_name), value_type(type_name)
    if type_name == "core.Container" and is_injected(value):
        return value
    if isinstance(value, list) and item:
        return [_by_value(entry, item) for entry in value]
    if isinstance(value, dict) and member:
        return {key: _by_value(entry, member) for key, entry in value.items()}
    types = {field.name: field.type for field in fields_of(type_name) or ()}
    if not isinstance(value, dict) or not types:
        return value
    return {key: _by_value(entry, types[key]) if key in types else entry for key, entry in value.items()}
