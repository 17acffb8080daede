"""The pods of a workload, grouped by what is alike: by template, and by subset with its patch.

Source: docs/workload-kinds.md, "Subsets of a UnitedDeployment".
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from sidecarctl.engine.api.decoding import check
from sidecarctl.engine.api.made_pods import PodTemplate
from sidecarctl.engine.facts.findings import Finding, warning
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Object, Path, Value, value_at
from sidecarctl.engine.injection.injection_context import InjectionContext
from sidecarctl.engine.injection.selection import Identity, select
from sidecarctl.engine.inputs.objects import ManifestObject
from sidecarctl.engine.sidecarset.world import Located

_KEYS = {
    "containers": ("name",),
    "initContainers": ("name",),
    "ephemeralContainers": ("name",),
    "volumes": ("name",),
    "env": ("name",),
    "imagePullSecrets": ("name",),
    "resourceClaims": ("name",),
    "volumeMounts": ("mountPath",),
    "volumeDevices": ("devicePath",),
    "ports": ("containerPort",),
    "hostAliases": ("ip",),
    "topologySpreadConstraints": ("topologyKey",),
}
"""The lists of a pod that are merged item by item, and by what; a patch replaces all others."""

_DIRECTIVE = "$patch"


def strategically_merged(value: Object, patch: Object) -> Object:
    """The value after a patch: null takes a member out, maps and the lists above are merged, all else is replaced."""
    if patch.get(_DIRECTIVE) == "replace":
        return {key: member for key, member in patch.items() if key != _DIRECTIVE}
    result = dict(value)
    for key, change in patch.items():
        if change is None or _is_deletion(change):
            result.pop(key, None)
        elif not str(key).startswith("$"):
            result[key] = _member(key, result.get(key), change)
    return result


def _is_deletion(change: Value) -> bool:
    return isinstance(change, dict) and change.get(_DIRECTIVE) == "delete"


def _member(key: str, value: Value, change: Value) -> Value:
    if isinstance(change, dict):
        return strategically_merged(value if isinstance(value, dict) else {}, change)
    if key in _KEYS and isinstance(value, list) and isinstance(change, list):
        return _items(value, change, _KEYS[key][0])
    return change


def _items(items: list[Value], changes: list[Value], key: str) -> list[Value]:
    """The merged list: items keep their order, new ones come before the next that the patch does not name."""
    names = [_name(item, key) for item in items]
    changed = {_name(change, key): change for change in changes}
    gone = {name for name, change in changed.items() if _is_deletion(change)}
    kept = [(name, item) for name, item in zip(names, items, strict=True) if name not in changed]
    of_patch = [(name, _item(items, names, name, change)) for name, change in changed.items() if name not in gone]
    of_patch.sort(key=lambda pair: names.index(pair[0]) if pair[0] in names else len(names))
    result: list[Value] = []
    while kept and of_patch:
        is_known = of_patch[0][0] in names
        first = is_known and names.index(kept[0][0]) < names.index(of_patch[0][0])
        result.append((kept if first else of_patch).pop(0)[1])
    return [*result, *(item for _, item in (*kept, *of_patch))]


def _item(items: list[Value], names: list[Value], name: Value, change: Value) -> Value:
    own = items[names.index(name)] if name in names else {}
    return strategically_merged(own, change) if isinstance(own, dict) and isinstance(change, dict) else change


def _name(item: Value, key: str) -> Value:
    return item.get(key) if isinstance(item, dict) else item


_SUBSET = "apps.kruise.io/subset-name"
_SUBSETS: Path = ("spec", "topology", "subsets")


class PodSort(NamedTuple):
    """`number` pods of a template; `name` is what their names begin with.

    `pod`: the template after the patch at `patch`, if there is one.
    """

    template: PodTemplate
    pod: Object
    name: str
    number: int
    patch: Path = ()


def pod_sorts(
    located: Located | ManifestObject, templates: Sequence[PodTemplate], given: int | None = None
) -> list[PodSort]:
    """The pods of a workload; `given` is their number for each template, None for what the manifest says."""
    name = located.reference.name
    sorts = [
        PodSort(
            template,
            value_at(located.manifest, template.path),
            name,
            template.pods.number if given is None else given,
        )
        for template in templates
    ]
    if _has_subsets(located):
        return [part for sort in sorts for part in _parts(located, sort, given)]
    return sorts


def patch_problems(sort: PodSort) -> list[Finding]:
    """What the API cannot decode of the template after the patch of its subset."""
    return check(sort.pod, "core.Pod", sort.patch) if sort.patch else []


def _has_subsets(located: Located | ManifestObject) -> bool:
    """Whether a workload is a UnitedDeployment with subsets."""
    subsets = value_at(located.manifest, _SUBSETS)
    return located.reference.kind == "UnitedDeployment" and isinstance(subsets, list) and bool(subsets)


def subset_differences(
    located: Located | ManifestObject, template: PodTemplate, context: InjectionContext, identity: Identity
) -> Iterator[Finding]:
    """The subsets whose pods get other SidecarSets in the cluster than the template that they have in common."""
    if not _has_subsets(located):
        return
    common = value_at(located.manifest, template.path)
    for sort in pod_sorts(located, [template]):
        here, there = (
            [choice.sidecarset.name for choice in select(pod, context, identity).applied]
            for pod in (common, sort.pod)
        )
        if here != there and not patch_problems(sort):
            subset = value_at(located.manifest, sort.patch[:-1])
            message = (
                f"in the cluster, pods of subset {subset.get('name')} get {', '.join(there) or 'no SidecarSet'}, "
                f"while the common template has {', '.join(here) or 'none'}"
            )
            yield warning(Reason.SUBSET_DIFFERS, message, sort.patch[:-1])


def _parts(located: Located | ManifestObject, sort: PodSort, given: int | None) -> Iterator[PodSort]:
    """The pods of each subset of a UnitedDeployment."""
    subsets = [item for item in value_at(located.manifest, _SUBSETS) if isinstance(item, dict)]
    total = value_at(located.manifest, ("spec", "replicas")) if given is None else given
    numbers = split(total if isinstance(total, int) else None, subsets)
    for index, subset in enumerate(subsets):
        label = {_SUBSET: str(subset.get("name"))}
        pod = strategically_merged(sort.pod, {"metadata": {"labels": label}})
        patch = subset.get("patch")
        pod = strategically_merged(pod, patch) if isinstance(patch, dict) else pod
        name, number = f"{sort.name}-{subset.get('name')}", numbers[index] if numbers else 0
        yield PodSort(sort.template, pod, name, number, (*_SUBSETS, index, "patch"))


def split_problem(located: Located) -> Finding | None:
    """A warning for a UnitedDeployment whose numbers cannot be split, so that Kruise makes no pods."""
    subsets = value_at(located.manifest, _SUBSETS)
    if not _has_subsets(located):
        return None
    total = value_at(located.manifest, ("spec", "replicas"))
    if split(total if isinstance(total, int) else None, [item for item in subsets if isinstance(item, dict)]) is None:
        message = "the replicas of its subsets do not add up to spec.replicas: it is left out"
        return warning(Reason.REPLICAS_UNKNOWN, message, _SUBSETS, hint="leave replicas out of one subset")
    return None


def split(total: int | None, subsets: Sequence[Object]) -> list[int] | None:
    """How many pods a new UnitedDeployment has in each subset; None if the numbers do not fit together.

    Without a total every subset says its own number.
    """
    if any(subset.get(key) is not None for subset in subsets for key in ("minReplicas", "maxReplicas")):
        return _between(total or 0, subsets)
    asked = [_scaled(subset.get("replicas"), total) for subset in subsets]
    known = [number for number in asked if number is not None]
    if total is None:
        return known if len(known) == len(asked) else None
    left = total - sum(known)
    open_ones = [index for index, number in enumerate(asked) if number is None]
    if left < 0 or (left and not open_ones):
        return None
    numbers = [number or 0 for number in asked]
    share, more = divmod(left, len(open_ones)) if open_ones else (0, 0)
    by_name = sorted(open_ones, key=lambda index: str(subsets[index].get("name")))
    for place, index in enumerate(by_name):
        numbers[index] = share + (place >= len(by_name) - more)
    return numbers


def _between(total: int, subsets: Sequence[Object]) -> list[int]:
    """In order, each subset first gets its minimum, then up to its maximum."""
    numbers = [0] * len(subsets)
    left = total
    for key in ("minReplicas", "maxReplicas"):
        for index, subset in enumerate(subsets):
            limit = _scaled(subset.get(key), total)
            limit = limit if limit is not None else 0 if key == "minReplicas" else total
            more = max(0, min(left, limit - numbers[index]))
            numbers[index] += more
            left -= more
    return numbers


def _scaled(value: Value, total: int | None) -> int | None:
    """A number, or a percentage of the total, half a pod rounded up."""
    if isinstance(value, int):
        return value
    text = value.removesuffix("%") if isinstance(value, str) and value.endswith("%") else ""
    return (int(text) * (total or 0) * 2 + 100) // 200 if text.isdigit() else None
