"""Hints where a selector asks for a label that no manifest has yet, or that the webhook does not see yet."""

from collections.abc import Iterator

from sidecarctl.api.label_selectors import Labels
from sidecarctl.api.late_labels import appears_after_scheduling, appears_at_creation
from sidecarctl.facts.values import Object


def label_hints(selector: Object, labels: Labels, *, runs: bool) -> Iterator[str]:
    """What to know about the labels that a selector of pods asks for; `runs`: the pod is one of a cluster."""
    expressions = selector.get("matchExpressions", ())
    for key in dict.fromkeys(
        [*selector.get("matchLabels", {}), *(expression.get("key", "") for expression in expressions)]
    ):
        if appears_after_scheduling(key):
            yield (
                f"label {key} comes with the node, after scheduling: Kruise's webhook sees the pod before it, so the "
                f"label does not count at injection, and recreating the pod does not help"
            )
        elif appears_at_creation(key) and key not in labels and not runs:
            yield (
                f"label {key} is added by the workload's controller when it creates a pod: no template has it; "
                f"explain a pod of a dump, or name it with --labels"
            )
