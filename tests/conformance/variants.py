"""Other spellings of the same manifests, which must give the same results."""

from random import Random

from sidecarctl.engine.api.field_table import Field, fields_of, item_type
from sidecarctl.engine.facts.values import Object, Value

COUNTED_WHEN_EMPTY = {"containers", "initContainers", "targetContainersNameRegex"}
"""Fields in which an empty value says something else than none."""


def with_other_key_order(value: Value, random: Random) -> Value:
    """The same value with the keys of every object shuffled."""
    if isinstance(value, dict):
        keys = random.sample(list(value), len(value))
        return {key: with_other_key_order(value[key], random) for key in keys}
    return [with_other_key_order(item, random) for item in value] if isinstance(value, list) else value


def with_empty_fields(value: Value, type_name: str, random: Random) -> Value:
    """The value with some of the fields that it lacks, as null or as empty as means the same to the API."""
    if isinstance(value, list) and (item := item_type(type_name)):
        return [with_empty_fields(entry, item, random) for entry in value]
    fields = fields_of(type_name)
    if not isinstance(value, dict) or fields is None:
        return value
    present = {field.name: field.type for field in fields if field.name in value}
    filled = {name: with_empty_fields(value[name], type_, random) for name, type_ in present.items()}
    absent = [field for field in fields if field.name not in value and random.random() < 0.3]
    return value | filled | {element.name: _empty(element, random) for element in absent}


def _empty(field: Field, random: Random) -> Value:
    if field.pointer or not field.omitempty or field.name in COUNTED_WHEN_EMPTY or random.random() < 0.3:
        return None
    if field.type.startswith(("[]", "map[")):
        return [] if field.type.startswith("[]") else {}
    return {"string": "", "bool": False, "int32": 0, "int64": 0}.get(field.type)


def with_unknown_fields(manifest: Object) -> Object:
    """A set with fields that the API drops."""
    spec = manifest["spec"]
    lists = {
        name: [container | {"Image": "x", "imagePullPolice": "Always"} for container in spec[name]]
        for name in ("containers", "initContainers")
        if spec.get(name)
    }
    return manifest | {"spec": spec | lists | {"sidecars": []}, "hello": {"world": 1}}
