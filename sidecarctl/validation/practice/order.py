"""Containers whose order in the pod is not defined.

Source: docs/behaviour/injection.md, "Which sets apply" (order) and "What is written".
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from sidecarctl.facts.findings import Finding
from sidecarctl.facts.references import reference_of
from sidecarctl.facts.values import Object
from sidecarctl.injection.build.pod_plan import SORTS_CONTAINERS
from sidecarctl.sidecarset.matching import is_bound_to
from sidecarctl.sidecarset.sets import SidecarSet
from sidecarctl.validation.rules import noted

if TYPE_CHECKING:
    from sidecarctl.validation.practice.matched import Match  # a SidecarSet alone is checked against no pods

_SETS = """\
apiVersion: apps.kruise.io/v1beta1
kind: SidecarSet
metadata: {{name: logs}}
spec:
  selector: {{matchLabels: {{app: web}}}}
  containers: [{{name: logs, image: 'logs:1.2'}}]
---
apiVersion: apps.kruise.io/v1beta1
kind: SidecarSet
metadata: {{name: traces}}
spec:
  selector: {{matchLabels: {{app: web}}}}
  containers: [{{name: traces, image: 'traces:1.2', podInjectPolicy: {policy}}}]
---
apiVersion: v1
kind: Pod
metadata: {{name: one, labels: {{app: web}}}}
spec: {{containers: [{{name: main, image: 'main:1'}}]}}
"""

OWN = noted(
    "order-by-gate",
    "The containers of a SidecarSet are sorted by name.",
    why=f"With the feature gate {SORTS_CONTAINERS} Kruise sorts containers by name, so another "
    "order only holds while the gate is off, its default.",
    mend="rename the containers so that both orders are the same",
    within="spec",
    fails="containers: [{name: b, image: 'b:1'}, {name: a, image: 'a:1'}]",
    passes="containers: [{name: a, image: 'a:1'}, {name: b, image: 'b:1'}]",
)
BETWEEN = noted(
    "order-between-sidecarsets",
    "No two SidecarSets of the same scope inject containers on the same side of the app containers of a pod.",
    why="Of two SidecarSets that both name the namespace, or both do not, Kruise does not define which comes first. "
    f"Only the feature gate {SORTS_CONTAINERS} defines the order. sidecarctl orders them by name.",
    mend="if the order matters, put both containers into one SidecarSet",
    within="stream",
    fails=_SETS.format(policy="BeforeAppContainer"),
    passes=_SETS.format(policy="AfterAppContainer"),
)


def own_order_findings(sidecarset: SidecarSet, gates: frozenset[str]) -> Iterator[Finding]:
    """Containers of one side that the feature gate would reorder."""
    if SORTS_CONTAINERS in gates or not sidecarset.release.sort_gate:
        return
    for names in _sides(sidecarset.spec).values():
        if names != sorted(names):
            message = f"the feature gate {SORTS_CONTAINERS} would sort them by name: {', '.join(sorted(names))}"
            yield OWN.at(("spec", "containers"), message)


def order_findings(matches: "Sequence[Match]", gates: frozenset[str]) -> Iterator[tuple[str, Finding]]:
    """SidecarSets, by name, that share a side of some pod with an earlier SidecarSet of the same scope."""
    from sidecarctl.validation.practice.matched import namespace_of

    if _is_certain(matches, gates):
        return
    first: dict[tuple[int, bool, str], str] = {}
    reported: set[tuple[str, str]] = set()
    for match in sorted(matches, key=lambda item: item.sidecarset.name):
        name = match.sidecarset.name
        for pod in match.pods:
            is_bound = match.sidecarset.release.namespace_bound_first and is_bound_to(
                match.sidecarset, namespace_of(pod)
            )
            for side in _sides(match.spec):
                other = first.setdefault((id(pod), is_bound, side), name)
                if other != name and (other, name) not in reported:
                    reported.add((other, name))
                    message = f"whether {other} or {name} comes first is not defined (in {reference_of(pod)})"
                    yield name, BETWEEN.at(("spec", "containers"), message)


def _is_certain(matches: "Iterable[Match]", gates: frozenset[str]) -> bool:
    """Whether the feature gate decides the order; old releases do not have it."""
    return SORTS_CONTAINERS in gates and all(match.sidecarset.release.sort_gate for match in matches)


def _sides(spec: Object) -> dict[str, list[str]]:
    """The names of the containers of each side of the app containers, in order."""
    sides: dict[str, list[str]] = {}
    for container in spec.get("containers", ()):
        sides.setdefault(container.get("podInjectPolicy", ""), []).append(container.get("name", ""))
    return sides
