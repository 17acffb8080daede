"""updateStrategy: how an image change reaches the pods.

Source: docs/behaviour/validation.md, "Strategies".
"""

from collections.abc import Iterator

from sidecarctl.facts.findings import Finding
from sidecarctl.facts.paths import Path
from sidecarctl.facts.patterns import lazy_pattern
from sidecarctl.facts.values import Object, Value
from sidecarctl.releases.release import Release
from sidecarctl.validation.admission.selectors import selector_findings
from sidecarctl.validation.rules import kruise

PATH: Path = ("spec", "updateStrategy")
_PERCENTAGE = lazy_pattern(r"[0-9]+%")

PARTITION_AND_SELECTOR = kruise(
    "partition-and-selector",
    "updateStrategy has a partition or a selector, not both.",
    why="Both decide which pods keep the old version, and Kruise does not combine them.",
    mend="keep one of them",
    within="spec",
    fails="updateStrategy: {partition: 50%, selector: {matchLabels: {canary: 'true'}}}",
    passes="updateStrategy: {selector: {matchLabels: {canary: 'true'}}}",
)
COUNT = kruise(
    "int-or-percentage",
    "partition and maxUnavailable are whole numbers, 0 or more, or percentages such as 20%.",
    why="Kruise accepts nothing else; a number in quotes is a string, not a percentage.",
    mend="write 5 or 20%",
    within="spec",
    fails="updateStrategy: {maxUnavailable: '5'}",
    passes="updateStrategy: {maxUnavailable: 5}",
)
PRIORITY = kruise(
    "priority-strategy",
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
