"""updateStrategy, injectionStrategy, and the annotations of canaries.

Source: docs/behavior/validation.md, "Strategies".
"""

from collections.abc import Iterator, Mapping, Sequence

from sidecarctl.engine.facts.errors import ImpossibleError
from sidecarctl.engine.facts.findings import Finding
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.start_up import lazy_pattern
from sidecarctl.engine.facts.values import Object, Path, Value
from sidecarctl.engine.releases.release import Release
from sidecarctl.engine.sidecarset.revisions.controller_revisions import Revision
from sidecarctl.engine.sidecarset.revisions.revision_choice import Chooser
from sidecarctl.engine.sidecarset.sets import BASE, SidecarSet, base_of
from sidecarctl.engine.validation.admission.selectors import selector_findings
from sidecarctl.engine.validation.rules import kruise

PATH: Path = ("spec", "updateStrategy")
_PERCENTAGE = lazy_pattern(r"[0-9]+%")

PARTITION_AND_SELECTOR = kruise(
    "partition-and-selector",
    "Both partition and selector",
    "updateStrategy has a partition or a selector, not both.",
    why="Both decide which pods keep the old version, and Kruise does not combine them.",
    mend="keep one of them",
    within="spec",
    fails="updateStrategy: {partition: 50%, selector: {matchLabels: {canary: 'true'}}}",
    passes="updateStrategy: {selector: {matchLabels: {canary: 'true'}}}",
)
COUNT = kruise(
    "int-or-percentage",
    "Neither a whole number nor a percentage",
    "partition and maxUnavailable are whole numbers, 0 or more, or percentages such as 20%.",
    why="Kruise accepts nothing else; a number in quotes is a string, not a percentage.",
    mend="write 5 or 20%",
    within="spec",
    fails="updateStrategy: {maxUnavailable: '5'}",
    passes="updateStrategy: {maxUnavailable: 5}",
)
PRIORITY = kruise(
    "priority-strategy",
    "Invalid priorityStrategy",
    "priorityStrategy has weightPriority or orderPriority, with weights from 0 to 100, selectors and keys.",
    why="Pods are ordered either by the sum of weights or by the value of a label.",
    mend="write weightPriority: [{weight: 50, matchSelector: {matchLabels: {tier: test}}}] or "
    "orderPriority: [{orderedKey: tier}]",
    within="spec",
    fails="updateStrategy: {priorityStrategy: {orderPriority: [{orderedKey: ''}]}}",
    passes="updateStrategy: {priorityStrategy: {orderPriority: [{orderedKey: tier}]}}",
)
SCATTER = kruise(
    "scatter-strategy",
    "Invalid scatterStrategy",
    "Each entry of scatterStrategy has a key, and each pair of key and value is unique.",
    why="Pods are spread by the value of a label; a repeated entry has no effect.",
    mend="write {key: zone, value: a}, each pair only once",
    within="spec",
    fails="updateStrategy: {scatterStrategy: [{key: zone, value: a}, {key: zone, value: a}]}",
    passes="updateStrategy: {scatterStrategy: [{key: zone, value: a}, {key: zone, value: b}]}",
)


def update_strategy_findings(strategy: Object, release: Release) -> Iterator[Finding]:
    """Errors in an updateStrategy, defaults applied; only type RollingUpdate is checked."""
    if strategy.get("type") != "RollingUpdate":
        return
    partition, selector = strategy.get("partition"), strategy.get("selector")
    if selector is not None:
        if partition != 0 and release.partition_without_selector:
            yield PARTITION_AND_SELECTOR.at(PATH, "partition and selector cannot be used together")
        yield from selector_findings(selector, (*PATH, "selector"), release)
    yield from _count(partition, "partition")
    yield from _count(strategy.get("maxUnavailable"), "maxUnavailable")
    yield from _priority(strategy.get("priorityStrategy") or {}, release)
    yield from _scatter(strategy.get("scatterStrategy", ()))


def _count(value: Value, field: str) -> Iterator[Finding]:
    if isinstance(value, str) and not _PERCENTAGE.fullmatch(value):
        hint = f"write it without quotes: {value}" if value.isdecimal() else ""
        yield COUNT.at((*PATH, field), f'"{value}" is not a percentage', hint)
    elif isinstance(value, int) and value < 0:
        yield COUNT.at((*PATH, field), f"{value} is negative")


def _priority(strategy: Object, release: Release) -> Iterator[Finding]:
    path = (*PATH, "priorityStrategy")
    weights, orders = strategy.get("weightPriority", ()), strategy.get("orderPriority", ())
    if weights and orders:
        yield PRIORITY.at(path, "only one of weightPriority and orderPriority can be used")
    for index, term in enumerate(weights):
        where = (*path, "weightPriority", index)
        if not 0 <= term.get("weight", 0) <= 100:
            yield PRIORITY.at((*where, "weight"), f"the weight {term['weight']} is not between 0 and 100")
        yield from selector_findings(term.get("matchSelector", {}), (*where, "matchSelector"), release)
    for index, term in enumerate(orders):
        if not term.get("orderedKey"):
            yield PRIORITY.at((*path, "orderPriority", index, "orderedKey"), "orderedKey is missing")


def _scatter(terms: list[Object]) -> Iterator[Finding]:
    seen: set[str] = set()
    for index, term in enumerate(terms):
        path = (*PATH, "scatterStrategy", index)
        key, value = term.get("key", ""), term.get("value", "")
        if not key:
            yield SCATTER.at((*path, "key"), "key is missing")
        if f"{key}:{value}" in seen:
            yield SCATTER.at(path, f"{key}:{value} is listed twice")
        seen.add(f"{key}:{value}")


_PATH: Path = ("spec", "injectionStrategy", "revision")
_POLICIES = ("Always", "Partial")
_OLD_POLICIES = ("", "Always")
"""Policies of releases that do not know Partial; their API server sets no default."""

NAMED = kruise(
    "injection-revision",
    "Missing injection revision",
    "injectionStrategy.revision names a revision or a custom version that exists in kruise-system.",
    why="Otherwise no new pods can be created.",
    mend="add the ControllerRevision to the inputs, or delete injectionStrategy.revision",
    within="spec",
    fails="injectionStrategy: {revision: {revisionName: log-agent-gone}}",
    passes="injectionStrategy: {paused: false}",
)
POLICY = kruise(
    "injection-revision-policy",
    "Unknown policy of an injection revision",
    "The policy of injectionStrategy.revision is Always or Partial.",
    why="It decides whether all new pods get the older revision, or only some of them.",
    mend="write Always or Partial, or omit it",
    within="spec",
    fails="injectionStrategy: {revision: {revisionName: log-agent-gone, policy: Sometimes}}",
    passes="injectionStrategy: {paused: false}",
)


def injection_strategy_findings(sidecarset: SidecarSet, revisions: Sequence[Revision]) -> Iterator[Finding]:
    """Errors in the injectionStrategy of a SidecarSet, given the existing revisions."""
    revision = sidecarset.spec.get("injectionStrategy", {}).get("revision")
    if revision is None:
        return
    if "revisionName" not in revision and "customVersion" not in revision:
        finding = NAMED.at(_PATH, "revisionName or customVersion is required")
        yield finding._replace(hint="write revisionName or customVersion, or delete injectionStrategy.revision")
    elif missing := _missing(sidecarset, revisions):
        yield NAMED.at(_PATH, missing)
    policy = revision.get("policy", "")
    message = f'unknown policy "{policy}"'
    if not sidecarset.release.partial_policy and policy not in _OLD_POLICIES:
        yield POLICY.at((*_PATH, "policy"), message)._replace(hint="write Always, or omit it")
    elif sidecarset.release.partial_policy and policy not in _POLICIES:
        yield POLICY.at((*_PATH, "policy"), message)


def _missing(sidecarset: SidecarSet, revisions: Sequence[Revision]) -> str:
    try:
        Chooser(sidecarset, revisions).choose("", "", {})
    except ImpossibleError as problem:
        [finding] = problem.findings  # others than this one are about the updateStrategy
        return finding.message if finding.reason is Reason.REVISION_NOT_FOUND else ""
    return ""


_BASE: Path = ("metadata", "annotations", BASE)
_CANARY = """\
apiVersion: apps.kruise.io/v1beta1
kind: SidecarSet
metadata:
  name: log-agent-canary
  annotations: {{apps.kruise.io/sidecarset-canary: 'true', apps.kruise.io/sidecarset-base: {base}}}
spec:
  selector: {{matchLabels: {{app: web, canary: 'true'}}}}
  updateStrategy: {{type: {type}}}
  containers: [{{name: log-agent, image: log-agent:1.3}}]
---
apiVersion: apps.kruise.io/v1beta1
kind: SidecarSet
metadata: {{name: log-agent}}
spec:
  selector: {{matchLabels: {{app: web}}}}
  containers: [{{name: log-agent, image: log-agent:1.2}}]
"""

BASE_EXISTS = kruise(
    "canary-base",
    "Invalid base of a canary",
    "The base of a canary is another existing SidecarSet that is not a canary itself.",
    why="A canary replaces its base in the pods that both select.",
    mend="name an existing SidecarSet in apps.kruise.io/sidecarset-base, and give it as an input too",
    within="stream",
    fails=_CANARY.format(base="log-agent-old", type="NotUpdate"),
    passes=_CANARY.format(base="log-agent", type="NotUpdate"),
)
TYPE = kruise(
    "canary-type",
    "Canary with a rolling update",
    "A canary has updateStrategy.type NotUpdate.",
    why="A canary is for new pods; it takes no part in rollouts.",
    mend="write updateStrategy: {type: NotUpdate}",
    within="stream",
    fails=_CANARY.format(base="log-agent", type="RollingUpdate"),
    passes=_CANARY.format(base="log-agent", type="NotUpdate"),
)


def canary_findings(sidecarset: SidecarSet, others: Mapping[str, SidecarSet]) -> Iterator[Finding]:
    """Errors of a canary, given all SidecarSets by name; none for a SidecarSet that is not a canary."""
    name = base_of(sidecarset)
    if not name:
        return
    base = others.get(name)
    if name == sidecarset.name:
        yield BASE_EXISTS.at(_BASE, "a canary cannot be its own base")
    elif base is None:
        yield BASE_EXISTS.at(_BASE, f'SidecarSet "{name}" not found')
    elif base_of(base):
        yield BASE_EXISTS.at(_BASE, f'the base "{name}" is a canary itself')
    kind = sidecarset.spec["updateStrategy"]["type"]
    if kind != "NotUpdate":
        yield TYPE.at(_BASE, f"a canary has updateStrategy.type NotUpdate, not {kind}")
