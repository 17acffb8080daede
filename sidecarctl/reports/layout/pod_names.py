"""Names of pods for people: a few, then the number of the others."""

from collections.abc import Sequence

from sidecarctl.reports.layout.lines import shown
from sidecarctl.rollout.pods.simulated_pods import PodName


def folded(names: Sequence[PodName], width: int) -> str:
    """The first names that fit into the columns, at least one, and `+N` for the others.

    A namespace is shown if it differs from that of the previous name: `shop/web-0, web-1, bank/api-0 +12`.
    """
    text, namespace = "", ""
    for index, name in enumerate(names):
        said = shown(name.name if name.namespace == namespace else str(name))
        left = len(names) - index - 1
        longer = f"{text}, {said}" if text else said
        if text and len(longer) + (len(f" +{left:,}") if left else 0) > width:
            return f"{text} +{left + 1:,}"
        text, namespace = longer, name.namespace
    return text


def listed(names: Sequence[PodName]) -> list[str]:
    """All names in full."""
    return [shown(str(name)) for name in names]
