"""All rules, by id, in the order of their themes; and the section about one, as Markdown."""

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from types import ModuleType

from sidecarctl.engine.api.field_table import did_you_mean
from sidecarctl.engine.facts.errors import unknown_word
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Value
from sidecarctl.engine.validation.rules import Rule

Rules = tuple[Rule, ...]


def _of(*modules: ModuleType) -> Rules:
    """The rules of some modules, in the order in which they are defined."""
    return tuple(value for module in modules for value in vars(module).values() if isinstance(value, Rule))


def _of_the_sidecarset() -> Rules:
    from sidecarctl.engine.validation.admission import metadata, selectors, spec

    return _of(metadata, selectors, spec)


def _of_containers() -> Rules:
    from sidecarctl.engine.validation.admission import (
        containers,
        environment,
        mounts,
        ports_and_probes,
        resources,
        resources_policy,
        security,
    )

    return _of(containers, environment, mounts, ports_and_probes, resources, security, resources_policy)


def _of_volumes() -> Rules:
    from sidecarctl.engine.validation.admission import projections, volume_sources, volumes

    return _of(volumes, volume_sources, projections)


def _of_strategies() -> Rules:
    from sidecarctl.engine.validation import updates
    from sidecarctl.engine.validation.admission import metadata_patches, strategies

    return _of(strategies, metadata_patches, updates)


def _of_conflicts() -> Rules:
    from sidecarctl.engine.validation.conflicts import conflicts

    return _of(conflicts)


def _of_practice() -> Rules:
    from sidecarctl.engine.validation import suppression
    from sidecarctl.engine.validation.practice import (
        fields,
        good_practice,
        ignored,
        kubernetes,
        updates,
        values,
        variables,
    )

    return _of(fields, ignored, good_practice, values, variables, updates, kubernetes, suppression)


def _of_pods() -> Rules:
    from sidecarctl.engine.validation.pods import (
        budgets,
        invalid,
        launch,
        lifetimes,
        limit_ranges,
        listening,
        matched,
        pod_security,
        quotas,
        references,
        requests,
        running,
        selected,
        sharing,
        taken,
        whole_workloads,
    )

    return _of(
        matched,
        selected,
        whole_workloads,
        sharing,
        references,
        invalid,
        running,
        pod_security,
        taken,
        lifetimes,
        listening,
        requests,
        limit_ranges,
        quotas,
        launch,
        budgets,
    )


THEMES: Mapping[str, Callable[[], Rules]] = {
    "The SidecarSet": _of_the_sidecarset,
    "Containers": _of_containers,
    "Volumes": _of_volumes,
    "Strategies": _of_strategies,
    "Conflicts": _of_conflicts,
    "Good practice": _of_practice,
    "Checks against pods": _of_pods,
}
"""The themes; their rules are loaded only when asked for."""


@cache
def rules_by_theme() -> dict[str, Rules]:
    """The rules of each theme, in the order in which their modules define them."""
    return {theme: rules() for theme, rules in THEMES.items()}


@cache
def rules() -> dict[str, Rule]:
    """Every rule by its id."""
    return {rule.id: rule for theme in rules_by_theme().values() for rule in theme}


def rule_called(name: str) -> Rule | None:
    """The rule with an id, or an older one."""
    return rules().get(name) or next((rule for rule in rules().values() if name and rule.formerly == name), None)


def id_of(name: str) -> str:
    """The id of the rule with an id, or an older one; an unknown name as it is."""
    rule = rule_called(name)
    return rule.id if rule else name


def known_rule(where: str, name: str) -> Rule:
    """The rule with the id in an option or argument; UsageError, with the likely id, if unknown."""
    rule = rule_called(name.strip())
    if rule is None:
        meant = did_you_mean(name, rules())
        listed = "a reason code, not a rule: see sidecarctl explain --reasons" if name in set(Reason) else ""
        hint = listed or (f"did you mean {meant}?" if meant else "sidecarctl rules lists all")
        raise unknown_word(where, name, hint=hint)
    return rule


_WHERE = {
    "container": "In a container:",
    "init": "In an initContainer:",
    "volume": "As a volume:",
    "spec": "In spec:",
    "set": "In the SidecarSet:",
    "stream": "Together:",
    "update": "First the older version, then the new one:",
}


def section(rule: Rule) -> Iterator[str]:
    """The lines about one rule in docs/rules.md."""
    yield f"### {rule.id}\n"
    yield f"{rule.sentence} {rule.why} {_weight(rule)} To fix it: {rule.mend}.\n"
    for name, parameter in rule.parameters.items():
        yield f"Parameter `{name}`: {parameter.sentence}. [{_value(parameter.default)}]\n"
    if rule.source:
        yield f"Source: {_source(rule)}.\n"


def explanation(rule: Rule) -> Iterator[str]:
    """The lines that explain one rule, with its examples (Markdown)."""
    yield from section(rule)
    yield f"{_WHERE[rule.within]}\n"
    yield from _example("invalid", rule.fails)
    yield ""
    yield from _example("valid", rule.passes)
    yield ""


def _value(value: Value) -> str:
    return (", ".join(map(str, value)) or "none") if isinstance(value, list) else str(value)


def _source(rule: Rule) -> str:
    return f"<{rule.source}>" if "://" in rule.source else f"`{rule.source}`"


def _weight(rule: Rule) -> str:
    until = f" up to {rule.until}" if rule.until else ""
    return f"{rule.severity.capitalize()}" + (
        f", rejected by {rule.refuser}{until}." if rule.refuser else f"{until}."
    )


def _example(comment: str, text: str) -> Iterator[str]:
    yield "```yaml"
    yield f"# {comment}"
    yield text.rstrip("\n")
    yield "```"
