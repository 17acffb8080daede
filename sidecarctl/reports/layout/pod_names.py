"""Names of pods as people read them: a few, then how many more."""

from collections.abc import Sequence

from sidecarctl.reports.layout.lines import shown
from sidecarctl.rollout.pods import PodName


def folded(names: Sequence[PodName], width: int) -> str:
    """The first names that fit into so many columns, at least one, and `+N` for the others.

    A namespace is said where it differs from that of the name before: `shop/web-0, web-1, bank/api-0 +12`.
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
    """All names, whole."""
    return [shown(str(name)) for name in names]
