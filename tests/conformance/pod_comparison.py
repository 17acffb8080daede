"""Pods as they are compared with recordings: Kubernetes' own additions left out, quantities by value."""

from sidecarctl.engine.api.field_table import fields_of, item_type, value_type
from sidecarctl.engine.api.quantities import parse_quantity
from sidecarctl.engine.facts.values import Object, Value
from sidecarctl.engine.injection.pod.pod_plan import name_of
from sidecarctl.engine.injection.pod.pod_view import is_injected
from sidecarctl.engine.releases.release import MASTER, Release
from tests.conformance.stripping import stripped


def comparable(pod: Object) -> Value:
    """A pod without what the decoder drops or adds.

    A quantity stands as its value in nanos, but in injected containers as its text: that is Kruise's own.
    """
    return _by_value(stripped(pod), "core.Pod")


def known_part(pod: Object, release: Release) -> Object:
    """A pod without what a release does not know: the recordings show it so, a real webhook leaves the rest."""
    return pod if release is MASTER else _known_part(pod, "core.Pod", release)


def with_own_texts(pod: Object, given: Object) -> Object:
    """A recorded pod, its injected containers with the quantities as the containers had them that they replace.

    Kruise writes `1` over `1000m`; text that says the same stays here.
    """
    lists = {field: _with_own_texts(pod, given, field) for field in ("initContainers", "containers")}
    return pod | {"spec": pod["spec"] | {field: items for field, items in lists.items() if items}}


def _with_own_texts(pod: Object, given: Object, field: str) -> list[Object]:
    own = {name_of(container): container.get("resources") or {} for container in _items(given, field)}
    return [
        container | {"resources": _resources(container.get("resources") or {}, own.get(name_of(container), {}))}
        for container in _items(pod, field)
    ]


def _items(pod: Object, field: str) -> list[Object]:
    return (pod.get("spec") or {}).get(field) or []


def _resources(resources: Object, own: Object) -> Object:
    return resources | {
        kind: {name: _own_text(quantity, (own.get(kind) or {}).get(name)) for name, quantity in quantities.items()}
        for kind, quantities in resources.items()
        if kind in {"limits", "requests"}
    }


def _own_text(quantity: Value, own: Value) -> Value:
    is_equal = own is not None and parse_quantity(own).nanos == parse_quantity(quantity).nanos
    return own if is_equal else quantity


def _by_value(value: Value, type_name: str) -> Value:
    if type_name == "quantity":
        return None if value is None else parse_quantity(value).nanos
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


def _known_part(value: Value, type_name: str, release: Release) -> Value:
    item, member = item_type(type_name), value_type(type_name)
    if isinstance(value, list) and item:
        return [_known_part(entry, item, release) for entry in value]
    if isinstance(value, dict) and member:
        return {key: _known_part(entry, member, release) for key, entry in value.items()}
    types = {field.name: field.type for field in fields_of(type_name, release) or ()}
    if not isinstance(value, dict) or not types:
        return value
    return {key: _known_part(entry, types[key], release) for key, entry in value.items() if key in types}
