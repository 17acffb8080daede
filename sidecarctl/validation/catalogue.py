"""All rules, by id, in the order of their themes."""

from functools import cache
from importlib import import_module

from sidecarctl.validation.rules import Rule

THEMES = {
    "The SidecarSet": ("admission.metadata", "admission.selectors", "admission.spec"),
    "Containers": (
        "admission.containers.containers",
        "admission.containers.environment",
        "admission.containers.field_references",
        "admission.containers.mounts",
        "admission.containers.ports",
        "admission.containers.probes",
        "admission.containers.resources",
        "admission.containers.security",
    ),
    "Sidecars": ("admission.sidecars", "admission.resources_policy"),
    "Volumes": (
        "admission.volumes.volumes",
        "admission.volumes.volume_sources",
        "admission.volumes.empty_dirs",
        "admission.volumes.projections",
        "admission.volumes.claim_templates",
    ),
    "Strategies": (
        "admission.update_strategy",
        "admission.injection_strategy",
        "admission.metadata_patches",
        "admission.canaries",
        "updates",
    ),
    "Conflicts": ("conflicts.conflicts",),
    "Good practice": (
        "practice.fields",
        "practice.headers",
        "practice.duplicates",
        "practice.words",
        "practice.hot_upgrade",
        "practice.images",
        "practice.limits",
        "practice.order",
        "suppression",
    ),
    "Checks against pods": (
        "practice.matched",
        "practice.counts",
        "practice.references",
        "practice.injected",
    ),
}
"""The themes, each with the modules that hold its rules."""


@cache
def rules_by_theme() -> dict[str, tuple[Rule, ...]]:
    """The rules of each theme, in the order in which their modules define them."""
    return {
        theme: tuple(
            value
            for module in modules
            for value in vars(import_module(f"sidecarctl.validation.{module}")).values()
            if isinstance(value, Rule)
        )
        for theme, modules in THEMES.items()
    }


@cache
def rules() -> dict[str, Rule]:
    """Every rule by its id."""
    return {rule.id: rule for theme in rules_by_theme().values() for rule in theme}
