"""Checks the pods of a namespace, with and without their sidecars, against its ResourceQuotas.

The pods of all workloads count together; what a quota already counts is in its status, which dumps have.

Source: https://kubernetes.io/docs/concepts/policy/resource-quotas/
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from sidecarctl.engine.api.pod_resources import Amounts, amount_text, amounts
from sidecarctl.engine.facts.findings import Severity
from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.validation.pods.limit_ranges import largest
from sidecarctl.engine.validation.pods.matched import stream
from sidecarctl.engine.validation.pods.pairs import Beside, Caused, Container, Pair, items, mapping, objects
from sidecarctl.engine.validation.pods.requests import (
    LIMITED,
    WITH_RESOURCES,
    Needs,
    is_best_effort,
    needs_of,
    totals_of,
)
from sidecarctl.engine.validation.rules import Rule

_QUOTAS = "https://kubernetes.io/docs/concepts/policy/resource-quotas/"
_STREAM = stream(
    WITH_RESOURCES,
    """\
apiVersion: v1
kind: ResourceQuota
metadata: {{name: cores, namespace: shop}}
spec: {{hard: {{limits.cpu: '1'}}}}
""",
    pod=LIMITED,
)

REQUIRED = Rule(
    "limits-required",
    "Sidecar without what a quota requires",
    "A sidecar has the requests and limits that a ResourceQuota of the namespace counts.",
    why="The API server rejects a pod if a container lacks a request or limit for cpu or memory that a ResourceQuota "
    "counts, and no LimitRange fills it in.",
    mend="write it into the resources of the sidecar, or add a LimitRange with defaults to the namespace",
    source=_QUOTAS,
    within="stream",
    fails=_STREAM.format(sidecar="{limits: {memory: 64Mi}}"),
    passes=_STREAM.format(sidecar="{limits: {cpu: 100m}}"),
)
EXCEEDED = Rule(
    "quota-exceeded",
    "Quota that the sidecars exceed",
    "The pods of a workload stay within the ResourceQuotas of the namespace with their sidecars.",
    why="The API server rejects each pod beyond the quota: the workload never gets all of its replicas.",
    mend="lower the resources of the sidecar, or raise the quota",
    source=_QUOTAS,
    within="stream",
    fails=_STREAM.format(sidecar="{limits: {cpu: 600m}}"),
    passes=_STREAM.format(sidecar="{limits: {cpu: 500m}}"),
)


class Quota(NamedTuple):
    """A ResourceQuota: what it allows for each key, and what it already counts, None if unknown."""

    manifest: Object
    name: str
    hard: Amounts
    used: Amounts | None

    @classmethod
    def of(cls, manifest: Object, namespace: str) -> "Quota":
        """A manifest, with or without its status."""
        used = mapping(manifest.get("status")).get("used")
        name = f"ResourceQuota {namespace}/{mapping(manifest.get('metadata')).get('name')}"
        hard = amounts(mapping(manifest.get("spec")).get("hard"))
        return cls(manifest, name, hard, amounts(used) if isinstance(used, dict) else None)


def quota_findings(pair: Pair, beside: Beside) -> Iterator[Caused]:
    """What the ResourceQuotas of the namespace reject in the injected pod."""
    manifests = beside.of("ResourceQuota", pair.namespace)
    ranges = beside.of("LimitRange", pair.namespace)
    alone, now = (needs_of(each, ranges) if manifests else [] for each in (pair.app, pair.all))
    for manifest in manifests:
        quota = Quota.of(manifest, pair.namespace)
        if counts(quota, pair.spec, now):
            yield from _lacking(pair, quota, now, is_new=not counts(quota, pair.alone, alone))
            yield from _exceeded(pair, quota, usage_of(pair, quota, alone, now), now)


def counts(quota: Quota, spec: Object, needs: Sequence[Needs]) -> bool:
    """Whether a quota counts a pod, by its scopes."""
    given = mapping(quota.manifest.get("spec"))
    scopes = [{"scopeName": scope, "operator": "Exists"} for scope in items(given.get("scopes"))]
    scopes += objects(mapping(given.get("scopeSelector")).get("matchExpressions"))
    return all(_fits(item, spec, needs) for item in scopes)


def _fits(item: Object, spec: Object, needs: Sequence[Needs]) -> bool:
    match item.get("scopeName"):
        case "BestEffort":
            return is_best_effort(needs)
        case "NotBestEffort":
            return not is_best_effort(needs)
        case "Terminating":
            return spec.get("activeDeadlineSeconds") is not None
        case "NotTerminating":
            return spec.get("activeDeadlineSeconds") is None
        case "PriorityClass":
            return _has_priority(item, spec.get("priorityClassName") or "")
        case "CrossNamespacePodAffinity":
            return any(map(_crosses_namespaces, _affinity_terms(spec)))
    return False


def _has_priority(item: Object, name: str) -> bool:
    values = items(item.get("values"))
    fits: Mapping[str, bool] = {
        "Exists": bool(name),
        "DoesNotExist": not name,
        "In": name in values,
        "NotIn": name not in values,
    }
    return fits.get(str(item.get("operator")), False)


def _affinity_terms(spec: Object) -> Iterator[Object]:
    for kind in ("podAffinity", "podAntiAffinity"):
        given = mapping(mapping(spec.get("affinity")).get(kind))
        yield from objects(given.get("requiredDuringSchedulingIgnoredDuringExecution"))
        for term in objects(given.get("preferredDuringSchedulingIgnoredDuringExecution")):
            yield mapping(term.get("podAffinityTerm"))


def _crosses_namespaces(term: Object) -> bool:
    return bool(term.get("namespaces")) or term.get("namespaceSelector") is not None


_REQUIRED = ("cpu", "memory", "requests.cpu", "requests.memory", "limits.cpu", "limits.memory")


def _lacking(pair: Pair, quota: Quota, now: Sequence[Needs], *, is_new: bool) -> Iterator[Caused]:
    """Containers that lack what the quota requires; the app's own too if it counts the pod only for its sidecars."""
    for need in now:
        lacking = [key for key in quota.hard if key in _REQUIRED and _of(key, need.requests, need.limits) is None]
        if lacking and (is_new or need.container.set_name):
            message = (
                f"the API server rejects the pod: {need.container.title} has no {_words(lacking)}, "
                f"as {quota.name} requires"
            )
            if need.container.set_name:
                yield pair.cause(need.container, ("resources",), REQUIRED.at((), message))
            else:
                message += ", which counts the pod only because of its sidecars"
                yield pair.cause(_first_with_resources(now), ("resources",), REQUIRED.at((), message))


def _first_with_resources(now: Sequence[Needs]) -> Container:
    sidecars = [need for need in now if need.container.set_name]
    return next((need for need in sidecars if need.requests or need.limits), sidecars[0]).container


def usage_of(pair: Pair, quota: Quota, alone: Sequence[Needs], now: Sequence[Needs]) -> tuple[Amounts, Amounts]:
    """What a quota counts of the app alone, and of the injected pod, by key."""
    overhead = amounts(pair.spec.get("overhead"))
    is_counted = counts(quota, pair.alone, alone)
    return counted(quota, alone, overhead) if is_counted else {}, counted(quota, now, overhead)


def counted(quota: Quota, needs: Sequence[Needs], overhead: Amounts) -> Amounts:
    """What a quota counts of a pod under each of its keys; overhead adds only to limits that there are."""
    total = totals_of(needs)
    requests = {name: total.requests.get(name, 0) + overhead.get(name, 0) for name in (*total.requests, *overhead)}
    limits = {name: number + overhead.get(name, 0) if number else 0 for name, number in total.limits.items()}
    return {key: _of(key, requests, limits) or 0 for key in quota.hard}


def _exceeded(pair: Pair, quota: Quota, usage: Sequence[Amounts], now: Sequence[Needs]) -> Iterator[Caused]:
    number = pair.given.number
    pods = f"{number:,} pods" if number > 1 else "the pod"
    for key, most in quota.hard.items():
        alone, wanted = (number * each.get(key, 0) for each in usage)
        resource = resource_of(key)
        blamed = largest(now, resource)
        if alone <= most < wanted:
            message = (
                f"{quota.name} allows {amount_text(resource, most)} of {key}: {_need(pods, resource, wanted, alone)}"
            )
            yield pair.cause(blamed, ("resources",), EXCEEDED.at((), message))
        elif quota.used is not None and (left := most - quota.used.get(key, 0)) < wanted and wanted > alone:
            yield from _beyond_what_is_left(pair, quota, key, left, (alone, wanted), blamed)


def _beyond_what_is_left(
    pair: Pair, quota: Quota, key: str, left: int, use: tuple[int, int], blamed: Container
) -> Iterator[Caused]:
    """A pod that no longer fits; of a workload, its pods may be among those that the quota already counts."""
    alone, wanted = use
    resource = resource_of(key)
    begin = f"{quota.name} has {amount_text(resource, max(left, 0))} of {key} left: "
    is_counted = "uid" in mapping(pair.given.manifest.get("metadata"))
    if pair.given.template is None and not is_counted and (alone <= left or not alone):
        found = EXCEEDED.at((), begin + _need("the pod", resource, wanted, alone))
        yield pair.cause(blamed, ("resources",), found)
    elif pair.given.template is not None and wanted - alone > left:
        number = pair.given.number
        sidecars = f"the sidecars of its {number:,} pods add" if number > 1 else "the sidecars of its pod add"
        added = amount_text(resource, wanted - alone)
        message = f"{begin}{sidecars} {added}, unless they run already"
        found = EXCEEDED.at((), message)._replace(severity=Severity.WARNING)
        yield pair.cause(blamed, ("resources",), found)


def _need(pods: str, resource: str, wanted: int, alone: int) -> str:
    return f"{pods} would need {amount_text(resource, wanted)} with sidecars, {amount_text(resource, alone)} without"


def resource_of(key: str) -> str:
    """The resource that a key of a quota counts."""
    return key.partition(".")[2] if key.startswith(("requests.", "limits.")) else key


_PLAIN = ("cpu", "memory", "ephemeral-storage")


def _of(key: str, requests: Amounts, limits: Amounts) -> int | None:
    """What a quota counts under a key; None if nothing is given, or it counts no resource of pods."""
    kind, _, resource = key.partition(".")
    if kind == "limits":
        return limits.get(resource) if resource in _PLAIN else None
    if kind == "requests":
        return requests.get(resource)
    return requests.get(key) if key in _PLAIN or key.startswith("hugepages-") else None


def _words(keys: Sequence[str]) -> str:
    def word(key: str) -> str:
        kind, _, resource = key.partition(".")
        return f"{resource} {kind.removesuffix('s')}" if resource else f"{key} request"

    return " and ".join(dict.fromkeys(map(word, keys)))
