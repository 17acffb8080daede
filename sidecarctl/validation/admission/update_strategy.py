"""updateStrategy: how a change of images comes to the pods.

Source: docs/behaviour/validation.md, "Strategies".
"""

import re
from collections.abc import Iterator

from sidecarctl.facts.findings import Finding
from sidecarctl.facts.paths import Path
from sidecarctl.facts.values import Object, Value
from sidecarctl.validation.admission.selectors import selector_findings
from sidecarctl.validation.rules import kruise

PATH: Path = ("spec", "updateStrategy")
_PERCENTAGE = re.compile(r"[0-9]+%")

PARTITION_AND_SELECTOR = kruise(
    "partition-and-selector",
    "updateStrategy has a partition or a selector, not both.",
    why="Both say which pods stay on the old version, and Kruise has no rule for the two together.",
    mend="keep one of them",
    within="spec",
    fails="updateStrategy: {partition: 50%, selector: {matchLabels: {canary: 'true'}}}",
    passes="updateStrategy: {selector: {matchLabels: {canary: 'true'}}}",
)
COUNT = kruise(
    "int-or-percentage",
    "partition and maxUnavailable are whole numbers from 0 on, or percentages such as 20%.",
    why="Kruise can count nothing else; a number in quotes is text, and no percentage.",
    mend="write 5 or 20%",
    within="spec",
    fails="updateStrategy: {maxUnavailable: '5'}",
    passes="updateStrategy: {maxUnavailable: 5}",
)
PRIORITY = kruise(
    "priority-strategy",
    "priorityStrategy has weightPriority or orderPriority, with weights from 0 to 100, selectors and keys.",
    why="Pods are ordered by the sum of weights, or by the value of a label; a mixture has no order.",
    mend="write weightPriority: [{weight: 50, matchSelector: {matchLabels: {tier: test}}}] or "
    "orderPriority: [{orderedKey: tier}]",
    within="spec",
    fails="updateStrategy: {priorityStrategy: {orderPriority: [{orderedKey: ''}]}}",
    passes="updateStrategy: {priorityStrategy: {orderPriority: [{orderedKey: tier}]}}",
)
SCATTER = kruise(
    "scatter-strategy",
    "Each entry of scatterStrategy has a key, and no pair of key and value is there twice.",
    why="Pods are spread by the value of a label; a second equal entry would spread nothing.",
    mend="write {key: zone, value: a}, each pair once",
    within="spec",
    fails="updateStrategy: {scatterStrategy: [{key: zone, value: a}, {key: zone, value: a}]}",
    passes="updateStrategy: {scatterStrategy: [{key: zone, value: a}, {key: zone, value: b}]}",
)


def update_strategy_findings(strategy: Object) -> Iterator[Finding]:
    """What is refused in an updateStrategy after defaults; only with type RollingUpdate anything is looked at."""
    if strategy.get("type") != "RollingUpdate":
        return
    partition, selector = strategy.get("partition"), strategy.get("selector")
    if selector is not None:
        if partition != 0:
            yield PARTITION_AND_SELECTOR.at(PATH, "partition and selector cannot be used together")
        yield from selector_findings(selector, (*PATH, "selector"))
    yield from _count(partition, "partition")
    yield from _count(strategy.get("maxUnavailable"), "maxUnavailable")
    yield from _priority(strategy.get("priorityStrategy") or {})
    yield from _scatter(strategy.get("scatterStrategy", ()))


def _count(value: Value, field: str) -> Iterator[Finding]:
    if isinstance(value, str) and not _PERCENTAGE.fullmatch(value):
        hint = f"write it without quotes: {value}" if value.isdecimal() else ""
        yield COUNT.at((*PATH, field), f'"{value}" is no percentage', hint)
    elif isinstance(value, int) and value < 0:
        yield COUNT.at((*PATH, field), f"{value} is negative")


def _priority(strategy: Object) -> Iterator[Finding]:
    path = (*PATH, "priorityStrategy")
    weights, orders = strategy.get("weightPriority", ()), strategy.get("orderPriority", ())
    if weights and orders:
        yield PRIORITY.at(path, "only one of weightPriority and orderPriority can be used")
    for index, term in enumerate(weights):
        where = (*path, "weightPriority", index)
        if not 0 <= term.get("weight", 0) <= 100:
            yield PRIORITY.at((*where, "weight"), f"the weight {term['weight']} is not between 0 and 100")
        yield from selector_findings(term.get("matchSelector", {}), (*where, "matchSelector"))
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
            yield SCATTER.at(path, f"{key}:{value} is there twice")
        seen.add(f"{key}:{value}")
