"""Sound SidecarSets with one thing broken at random, and where."""

from collections.abc import Iterator
from random import Random
from typing import NamedTuple

from sidecarctl.engine.api.field_table import fields_of, item_type, value_type
from sidecarctl.engine.facts.values import Edit, Object, Path, Value, applied
from sidecarctl.engine.sidecarset.conversion import type_of, version_of

_FORBIDDEN: dict[str, list[Value]] = {
    "imagePullPolicy": ["Sometimes", "always"],
    "terminationMessagePolicy": ["Log"],
    "containerPort": [70000, -1],
    "hostPort": [70000, -5],
    "protocol": ["HTTP", "tcp"],
    "podInjectPolicy": ["BeforeApp", "Before | After"],
    "mountPath": [""],
    "operator": ["Near", "in"],
    "key": ["no key", "a/b/c"],
    "maxUnavailable": ["5", -1, "x%"],
    "partition": ["5", -1],
    "image": [" x:1", ""],
    "upgradeType": ["Hot", "hotUpgrade"],
    "patchPolicy": ["Overwrite | Retain"],
    "periodSeconds": [-1],
    "initialDelaySeconds": [-1],
    "runAsUser": [-1, 2147483648],
    "sizeLimit": ["-1Gi"],
    "defaultMode": [777, -1],
    "mountPropagation": ["Both"],
    "targetContainersMode": ["avg", ""],
    "targetContainersNameRegex": ["app-(", "(?!a)"],
    "fieldPath": ["spec.volumes", ""],
    "restartPolicy": ["Never"],
    "scheme": ["FTP"],
    "claimName": [""],
    "secretName": [""],
}
_WRONG: dict[str, list[Value]] = {
    "string": [7, True, ["x"], {"x": 1}],
    "bool": ["yes please", 1, []],
    "int32": ["7", 1.5, True],
    "int64": ["7", 1.5, {}],
    "quantity": ["lots", [], {}],
    "int-or-string": [1.5, [], {}],
}
_UNCHECKED = {"scatterStrategy", "priorityStrategy", "managedFields", "status"}
"""Branches in which little is checked, or only under some type of strategy."""


class Mutation(NamedTuple):
    """A broken manifest, and the path of what is broken."""

    manifest: Object
    path: Path
    what: str


def mutated(manifest: Object, random: Random) -> Mutation:
    """The manifest with one thing broken."""
    places = [place for place in _places(manifest, type_of(version_of(manifest)), ()) if len(place.path) > 1]
    while True:
        place = random.choice(places)
        broken = random.choice([_misspelt, _of_wrong_type, _forbidden])(place, random)
        if broken is not None:
            path, edits = broken
            return Mutation(applied(manifest, edits), path, f"{edits}")


class Place(NamedTuple):
    """An existing field; `siblings` are the other fields that the API has there."""

    path: Path
    value: Value
    type: str
    siblings: frozenset[str]


def _places(value: Value, type_name: str, path: Path) -> Iterator[Place]:
    if isinstance(value, list) and (item := item_type(type_name)):
        for index, entry in enumerate(value):
            yield from _places(entry, item, (*path, index))
    elif isinstance(value, dict) and not value_type(type_name) and (fields := fields_of(type_name)):
        names = frozenset(field.name for field in fields)
        for field in fields:
            if value.get(field.name) is not None and field.name not in _UNCHECKED:
                yield Place((*path, field.name), value[field.name], field.type, names)
                yield from _places(value[field.name], field.type, (*path, field.name))


Broken = tuple[Path, list[Edit]]


def _misspelt(place: Place, random: Random) -> Broken | None:
    name = str(place.path[-1])
    at = random.randrange(len(name))
    wrong = random.choice([name[:at] + name[at + 1 :], name + "s", name.swapcase(), name[:at] + "x" + name[at:]])
    if wrong in place.siblings or not wrong:
        return None
    path = (*place.path[:-1], wrong)
    return path, [Edit("set", path, place.value), Edit("remove", place.path)]


def _of_wrong_type(place: Place, random: Random) -> Broken | None:
    wrong = random.choice(_WRONG.get(place.type, ["x", 7]))
    is_text = place.type in {"time", "object", "bytes"}
    return None if is_text else (place.path, [Edit("set", place.path, wrong)])


def _forbidden(place: Place, random: Random) -> Broken | None:
    name = str(place.path[-1])
    if name not in _FORBIDDEN or not isinstance(place.value, str | int):
        return None
    if not _is_checked(place.path):
        return None
    return place.path, [Edit("set", place.path, random.choice(_FORBIDDEN[name]))]


def _is_checked(path: Path) -> bool:
    """Whether such a field is looked at where it stands: the keys of selectors, no transferEnv of initContainers."""
    if "initContainers" in path and "transferEnv" in path:
        return False
    return path[-1] != "key" or "matchExpressions" in path
