"""Whether two SidecarSets may apply to the same namespace, by Kruise's rule.

Source: docs/behaviour/validation.md, "Conflicts with other sets", and docs/behaviour/releases.md
(`namespace_is_selector`).
"""

from collections.abc import Mapping

from sidecarctl.api.label_selectors import Labels, UnknownOperatorError, matches
from sidecarctl.facts.named_tuples import NamedTuple
from sidecarctl.sidecarset.matching import NAMESPACE_NAME_LABEL
from sidecarctl.validation.conflicts.kruise_overlap import Selector, may_overlap


class Namespaces(NamedTuple):
    """The namespaces of a SidecarSet.

    - `name`: the namespace, which old releases compare as text; empty if it counts as a selector.
    - `selector`: None selects every namespace.
    """

    name: str = ""
    selector: Selector | None = None


def may_share(item: Namespaces, other: Namespaces, known: Mapping[str, Labels]) -> bool:
    """Whether Kruise assumes that both may apply to the same namespace, when it checks `item`.

    `known` are the labels of the existing namespaces, which old releases compare. These match the name of `other`
    against the selector of `other`, so a SidecarSet with a selector never overlaps with one with a name.
    """
    if item.name and other.name and item.name != other.name:
        return False
    if item.selector and other.selector and not may_overlap(item.selector, other.selector):
        return False
    if item.name and other.selector and not _selected(item.name, other.selector, known):
        return False
    return not (other.name and item.selector) or _selected(other.name, other.selector, known)


def _selected(namespace: str, selector: Selector | None, known: Mapping[str, Labels]) -> bool:
    """Whether a namespace exists and matches a selector."""
    if selector is None or namespace not in known:
        return False
    try:
        return matches(selector.given, {**known[namespace], NAMESPACE_NAME_LABEL: namespace})
    except UnknownOperatorError:
        return False
