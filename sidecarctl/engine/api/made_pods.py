"""The pod templates that a row of the table finds in a manifest, and the pods created from each.

Source: docs/workload-kinds.md, "Numbers" and "Labels".
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from math import prod
from typing import NamedTuple

from sidecarctl.engine.api.workload_rows import (
    Each,
    Factor,
    Labels,
    Number,
    Pattern,
    TemplateRow,
    bound,
    filled,
    parse_pattern,
    places,
)
from sidecarctl.engine.facts.values import Object, Path, Value, value_at


class PodCount(NamedTuple):
    """A number of pods; `assumed`: the message about a field that decided it in an unexpected way, and its path.

    Such a field is absent, or suspends the workload.
    """

    number: int
    assumed: tuple[str, Path] | None = None


class PodTemplate(NamedTuple):
    """A pod template in a manifest, at `path`, and the pods that are made of it.

    `key`: the item of a list, or the member of a map, that it belongs to; `inner`: the last factor of `pods`;
    `is_off`: a field of `none_if` says that there are none. `found`: labels from fields; `of_first`: those of the
    first pod alone. `peers`: its place among the items of its list, by the first factor of each: among all (`place`
    of `total`), and among those of its group (`peer` of `peers`). `is_indexed`: the Job gives each of them an index;
    `is_limited`: it counts the failures of each.
    """

    path: Path
    row: TemplateRow
    pods: PodCount
    key: str = ""
    inner: int = 1
    is_off: bool = False
    found: Mapping[str, str] = {}
    of_first: Mapping[str, str] = {}
    peers: Mapping[str, int] = {}
    is_indexed: bool = False
    is_limited: bool = False

    @property
    def differ(self) -> bool:
        """Whether the pods differ in more than names that a controller generates."""
        texts = (text for _, text in (*self.row.labels, *self.row.more.hashed))
        return self.is_indexed or not self.is_generated or any(mark in text for text in texts for mark in _OF_ONE)

    @property
    def is_generated(self) -> bool:
        """Whether a controller adds suffixes to the names of the pods."""
        return self.row.pod.endswith("-")

    def prefix(self, name: str, ordinal: int = 0) -> str:
        """The prefix of a pod's name for the workload `name`; the full name if no controller completes it."""
        return self._made(self.row.pod, name, ordinal) + (f"{ordinal}-" if self.is_indexed else "")

    def owner_name(self, name: str, ordinal: int) -> str:
        """The name of the pod's controller if it is not the workload itself."""
        return self._made(self.row.owner_name or self.row.pod, name, ordinal).removesuffix("-")

    def pod_name(self, name: str, ordinal: int) -> str:
        """The name of a pod of a workload; numbers replace the parts that a controller generates."""
        return self.prefix(name, ordinal) + (f"{ordinal:05}" if self.is_generated else "")

    def labels(self, own: Mapping[str, str], name: str, ordinal: int, namespace: str = "default") -> dict[str, str]:
        """The labels of a pod: `own` of the template, and those of the controller that follow from the manifest."""
        whole = {**own, **self.found}
        added = {
            key: self._made(text, name, ordinal, namespace, self.pod_name(name, ordinal))
            for key, text in (*self.row.defaults, *self.row.labels)
        }
        added |= {_INDEX_KEY: f"{ordinal}"} if self.is_indexed else {}
        hashed = {key: _sha1(self._made(text, name, ordinal, namespace)) for key, text in self.row.more.hashed}
        kept = {key: whole[key] for key, _ in self.row.defaults if key in whole}
        return {**whole, **added, **hashed, **({} if ordinal else self.of_first), **kept}

    def annotations(self, ordinal: int) -> dict[str, str]:
        """The annotations that a controller adds to a pod; an Indexed Job adds a label too since Kubernetes 1.28."""
        failures = {"batch.kubernetes.io/job-index-failure-count": "0"} if self.is_limited else {}
        return {_INDEX_KEY: f"{ordinal}", **failures} if self.is_indexed else {}

    def _made(self, text: str, name: str, ordinal: int, namespace: str = "", pod: str = "") -> str:
        if "{" not in text:
            return text
        group, index = divmod(ordinal, self.inner or 1)
        return text.format(
            name=name,
            key=self.key,
            ordinal=ordinal,
            group=group,
            index=index + self.row.first,
            namespace=namespace,
            pod=pod,
            **{mark: number + group if mark in _OF_GROUP else number for mark, number in self.peers.items()},
        )


_OF_GROUP = ("place", "peer")
_OF_ONE = ("{pod}", "{ordinal}", "{index}", "{group}", "{place}", "{peer}")


def row_paths(manifest: Object, row: TemplateRow) -> Iterator[Path]:
    """Where the templates of a row are in a manifest."""
    for path in places(manifest, steps_of(row.path)):
        if isinstance(value_at(manifest, path), dict):
            yield path


def templates_of(manifest: Object, row: TemplateRow) -> Iterator[PodTemplate]:
    """The templates of a row in a manifest."""
    pattern = steps_of(row.path)
    for path in row_paths(manifest, row):
        at = bound(pattern, path)
        limits = [_least(manifest, factor, at) for factor in row.counts]
        off = next((field for field in row.none_if if _is_so(manifest, field, at)), "")
        if off:
            count = PodCount(0, _suspended(off, at))
        else:
            assumed = next((limit.assumed for limit in limits if limit.assumed), None)
            count = PodCount(prod(limit.number for limit in limits), assumed)
        yield PodTemplate(
            path,
            row,
            count,
            _key(manifest, pattern, at),
            limits[-1].number if limits else 1,
            bool(off),
            _labels(manifest, row, at),
            _of_first(manifest, row, at),
            _peers(manifest, row, at) if row.peers else {},
            value_at(manifest, (*path[:-1], "completionMode")) == "Indexed",
            value_at(manifest, (*path[:-1], "backoffLimitPerIndex")) is not None,
        )


def _is_so(manifest: Object, condition: str, at: Sequence[str | int]) -> bool:
    path, joint, word = condition.partition("=")
    value = _value(manifest, path, at)
    return value == word if joint else bool(value)


def _suspended(condition: str, at: Sequence[str | int]) -> tuple[str, Path] | None:
    """Why there are no pods although the workload will have some when it is resumed."""
    path = filled(steps_of(condition.partition("=")[0]), at) or ()
    if "suspend" not in condition:
        return None
    return "it is suspended and has no pods until it is resumed", path


def _labels(manifest: Object, row: TemplateRow, at: Sequence[str | int]) -> Mapping[str, str]:
    """The labels that follow from fields, and those of all masters."""
    more = row.more
    if more == _NO_LABELS:
        return {}
    maps = [_value(manifest, path, at) for path in more.maps]
    found = {key: text for item in maps if isinstance(item, dict) for key, text in item.items()}
    for label in more.fields:
        value = _value(manifest, label.path, at)
        if text := str(label.default if value is None else value):
            found[label.key] = label.form.format(text)
    return {**found, **(dict(more.of_masters) if _member(at) in more.masters else {})}


def _of_first(manifest: Object, row: TemplateRow, at: Sequence[str | int]) -> Mapping[str, str]:
    """The labels of the first pod if no other member of its map has the masters."""
    more = row.more
    if not more.otherwise or _member(at) != more.otherwise:
        return {}
    pattern = steps_of(row.path)
    members = value_at(manifest, filled(pattern[: pattern.index(Each.MEMBER)], ()) or ())
    has_masters = any(str(key).lower() in more.masters for key in members)
    return {} if has_masters else dict(more.of_masters)


def _member(at: Sequence[str | int]) -> str:
    return str(at[-1]).lower() if at else ""


def _peers(manifest: Object, row: TemplateRow, at: Sequence[str | int]) -> Mapping[str, int]:
    pattern = steps_of(row.path)
    items = places(manifest, pattern[: pattern.index(Each.ITEM) + 1])
    every = [
        (index, _value(manifest, row.peers, [index]) or "", _least(manifest, row.counts[0], [index]).number)
        for index in (path[-1] for path in items)
    ]
    own = _value(manifest, row.peers, at) or ""
    together = [item for item in every if item[1] == own]
    before, before_of_group = (
        sum(number for index, _, number in some if isinstance(index, int) and index < int(at[0]))
        for some in (every, together)
    )
    total, total_of_group = (sum(number for _, _, number in some) for some in (every, together))
    return {"place": before, "total": total, "peer": before_of_group, "peers": total_of_group}


def _key(manifest: Object, pattern: Pattern, at: Sequence[str | int]) -> str:
    """What the wildcards match: a member in lower case, an item by its name, or by its index if it has none."""
    wild = [index for index, step in enumerate(pattern) if not isinstance(step, str | int)]
    keys = [
        step.lower()
        if isinstance(step, str)
        else _name(value_at(manifest, filled(pattern[: index + 1], at) or ()), step)
        for index, step in zip(wild, at, strict=True)
    ]
    return "-".join(keys)


def _name(item: Value, index: int) -> str:
    names = [item.get(field) for field in ("name", "groupName")] if isinstance(item, dict) else []
    return next((name for name in names if isinstance(name, str) and name), f"default{index}")


def _least(manifest: Object, factor: Factor, at: Sequence[str | int]) -> PodCount:
    known = [limit for limit in (_number(manifest, field, at) for field in factor.fields) if limit is not None]
    least = min(known, key=lambda limit: (limit.number, limit.assumed is not None), default=PodCount(1))
    floor = _value(manifest, factor.at_least, at) if factor.at_least else None
    if isinstance(floor, int) and floor > least.number:
        return PodCount(floor)
    return least


def _number(manifest: Object, field: Number, at: Sequence[str | int]) -> PodCount | None:
    number = int(field.path) if field.path.isdigit() else _value(manifest, field.path, at)
    if isinstance(number, int) and number >= 0:
        return PodCount(max(0, number - field.less))
    if field.default is None:
        return None
    if field.is_seldom_set:
        return PodCount(field.default)
    name = field.path.rpartition(".")[2]
    path = filled(steps_of(field.path), at) or ()
    message = f"{name} is not set: assuming {field.default}{field.assumed}"
    return PodCount(max(0, field.default - field.less), (message, path))


def _value(manifest: Object, path: str, at: Sequence[str | int]) -> object:
    steps = filled(steps_of(path), at)
    found: object = None if steps is None else value_at(manifest, steps)
    return found


_NO_LABELS = Labels()


@cache
def steps_of(path: str) -> Pattern:
    """The steps of a path of the table."""
    return parse_pattern(path) or ()


def pod_count(templates: Sequence[PodTemplate]) -> PodCount:
    """The number of pods that a workload creates at once, as far as its manifest says."""
    assumed = next((found.pods.assumed for found in templates if found.pods.assumed), None)
    return PodCount(sum(found.pods.number for found in templates), assumed)


def as_created(manifest: Object, path: Path, pod: Object, name: str, ordinal: int = 0) -> Object:
    """The pod `name` as its controller creates it from the template at `path`, or from a changed one.

    Source: the StatefulSet controller's updateStorage and initIdentity; the Job controller's
    addCompletionIndexEnvVariables.
    """
    holder = value_at(manifest, path[:-1]) if path[-1:] == ("template",) else None
    spec = pod.get("spec") or {}
    if not isinstance(holder, dict) or not isinstance(spec, dict):
        return pod  # which cannot be decoded
    created = dict(spec)
    claims = [claim for item in _listed(holder.get("volumeClaimTemplates")) if (claim := value_at(item, _NAME))]
    if claims:
        own = [volume for volume in _listed(spec.get("volumes")) if value_at(volume, ("name",)) not in claims]
        made = [{"name": claim, "persistentVolumeClaim": {"claimName": f"{claim}-{name}"}} for claim in claims]
        created["volumes"] = [*made, *own]
    if (path[-3] if len(path) > 2 else manifest.get("kind")) in _STATEFUL:
        created["hostname"] = name
        created.pop("subdomain", None)
        created |= {"subdomain": holder["serviceName"]} if holder.get("serviceName") else {}
    if holder.get("completionMode") == "Indexed":
        job = f"{value_at(manifest, _NAME)}{'-00000' if 'jobTemplate' in path else ''}"
        created["hostname"] = f"{job}-{ordinal}"
        for field in _CONTAINERS & created.keys():
            created[field] = [_with_index(container) for container in _listed(spec[field])]
    return pod if created == spec else {**pod, "spec": created}


def as_template(injected: Object, created: Object, template: Object) -> Object:
    """The injected pod without what its controller added to the template, and will add again."""
    if created is template:
        return injected
    spec, made, own = (pod.get("spec") or {} for pod in (injected, created, template))
    kept = {key: value for key, value in spec.items() if key not in _REPLACED}
    kept |= {key: own[key] for key in ("hostname", "subdomain") if key in own}
    names = [value_at(volume, ("name",)) for volume in made.get("volumes") or ()]
    added = [volume for volume in spec.get("volumes") or () if value_at(volume, ("name",)) not in names]
    if added or "volumes" in own:
        kept["volumes"] = [*_listed(own.get("volumes")), *added] or own["volumes"]
    for field in _CONTAINERS & own.keys() & made.keys():
        if own[field] != made[field]:
            theirs = {value_at(container, ("name",)): container for container in _listed(own[field])}
            kept[field] = [
                _without_index(item, theirs.get(value_at(item, ("name",)))) for item in _listed(spec[field])
            ]
    ordered = {key: kept[key] for key in spec if key in kept}
    return {**injected, "spec": ordered | kept}


def _without_index(container: Value, own: Value) -> Value:
    """A container of the template without the variable of an Indexed Job; another one is unchanged."""
    if not isinstance(own, dict) or _INDEX["name"] in [value_at(item, ("name",)) for item in _listed(own.get("env"))]:
        return container
    env = [item for item in container.get("env") or () if item != _INDEX]
    others = {key: value for key, value in container.items() if key != "env"}
    return {**others, **({"env": env} if env or "env" in own else {})}


def _with_index(container: Value) -> Value:
    """A container with the variable of an Indexed Job, unless it has its own."""
    env = _listed(value_at(container, ("env",)))
    if not isinstance(container, dict) or any(value_at(item, ("name",)) == _INDEX["name"] for item in env):
        return container
    return {**container, "env": [*env, _INDEX]}


def _listed(value: Value) -> list[Value]:
    return value if isinstance(value, list) else []


_NAME: Path = ("metadata", "name")
_CONTAINERS = {"initContainers", "containers"}
_REPLACED = ("hostname", "subdomain", "volumes")
_STATEFUL = ("StatefulSet", "statefulSetTemplate", "advancedStatefulSetTemplate")
_INDEX_KEY = "batch.kubernetes.io/job-completion-index"
_INDEX_FIELD = f"metadata.labels['{_INDEX_KEY}']"
_INDEX: Object = {"name": "JOB_COMPLETION_INDEX", "valueFrom": {"fieldRef": {"fieldPath": _INDEX_FIELD}}}


def _sha1(text: str) -> str:
    from hashlib import sha1  # loads OpenSSL, which few kinds need

    return sha1(text.encode(), usedforsecurity=False).hexdigest()
