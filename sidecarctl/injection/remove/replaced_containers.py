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
    field: str, containers: Sequence[Value], gone: Collection[int], first_names: Collection[str]
) -> Iterator[Finding]:
    """A warning for each container that goes and does not stand where injection puts a new one.

    `gone` are the places of those that go; `first_names` are injected in front of the pod's own, the others behind.
    """
    own = [place for place, container in enumerate(containers) if not is_marked(container or {})]
    for place in sorted(gone):
        name = name_of(containers[place])
        is_first = name in first_names
        if not own or (is_first and own[0] < place) or (not is_first and own[-1] > place):
            message = f"the container {name} had replaced one of the pod's own; nothing brings that back"
            yield warning(Reason.NOT_REVERSIBLE, message, ("spec", field, place))
