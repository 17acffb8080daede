"""Containers of the pod's own that a sidecar of their name took the place of: nothing brings them back.

Source: docs/behaviour/injection.md: a sidecar replaces a container of its name in place, whole.
"""

from collections.abc import Collection, Iterator, Sequence

from sidecarctl.facts.findings import Finding, warning
from sidecarctl.facts.reasons import Reason
from sidecarctl.facts.values import Value
from sidecarctl.injection.build.pod_lists import name_of
from sidecarctl.injection.containers.injected_marker import is_marked


def replacement_warnings(
    field: str, containers: Sequence[Value], gone: Collection[int], first_names: Collection[str], order: Sequence[str]
) -> Iterator[Finding]:
    """A warning for each removed container that is not where injection puts a new one.

    `gone` are the places of the removed ones; `first_names` are injected in front of the pod's own, the others behind
    them, in `order` (empty if it is not known). One that replaced the last of the pod's may look like a new one.
    """
    own = [place for place, container in enumerate(containers) if not is_marked(container or {})]
    for place in sorted(gone):
        name = name_of(containers[place])
        is_first = name in first_names
        later = [name_of(containers[other]) for other in gone if other > place]
        is_early = not is_first and any(before in later for before in order[: _rank(name, order)])
        if not own or (is_first and own[0] < place) or (not is_first and own[-1] > place) or is_early:
            message = f"container {name} replaced an app container, which cannot be restored"
            yield warning(Reason.NOT_REVERSIBLE, message, ("spec", field, place))


def _rank(name: str, order: Sequence[str]) -> int:
    return order.index(name) if name in order else 0
