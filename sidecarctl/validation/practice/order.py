"""Containers whose order in the pod is not certain.

Source: docs/behaviour/injection.md, "Which sets apply" (order) and "What is written".
"""

from collections.abc import Iterator, Sequence

from sidecarctl.facts.findings import Finding
from sidecarctl.facts.references import reference_of
from sidecarctl.facts.values import Object
from sidecarctl.injection.build.pod_plan import SORTS_CONTAINERS
from sidecarctl.sidecarset.matching import is_bound_to
from sidecarctl.validation.practice.matched import Match, namespace_of
from sidecarctl.validation.rules import noted

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
    "The order of a SidecarSet's containers is that of their names.",
    why=f"With the feature gate {SORTS_CONTAINERS} Kruise sorts containers by name first, so another "
    "order holds only where the gate is off, as it is by default.",
    mend="name the containers so that both orders are the same",
    within="spec",
    fails="containers: [{name: b, image: 'b:1'}, {name: a, image: 'a:1'}]",
    passes="containers: [{name: a, image: 'a:1'}, {name: b, image: 'b:1'}]",
)
BETWEEN = noted(
    "order-between-sidecarsets",
    "No two SidecarSets of one scope put containers on the same side of one pod.",
    why="Which of two SidecarSets comes first is not defined where both name the namespace or neither. "
    f"Only the feature gate {SORTS_CONTAINERS} makes the order certain. Here they come in the order of their names.",
    mend="put both containers into one SidecarSet where their order matters",
    within="stream",
    fails=_SETS.format(policy="BeforeAppContainer"),
    passes=_SETS.format(policy="AfterAppContainer"),
)


def own_order_findings(spec: Object, gates: frozenset[str]) -> Iterator[Finding]:
    """Containers of one side that another setting of the gate would put into another order."""
    if SORTS_CONTAINERS in gates:
        return
    for names in _sides(spec).values():
        if names != sorted(names):
            yield OWN.at(("spec", "containers"), f"sorted by name they would be {', '.join(sorted(names))}")


def order_findings(matches: Sequence[Match], gates: frozenset[str]) -> Iterator[tuple[str, Finding]]:
    """SidecarSets, by name, that share a side of some pod with an earlier one of the same scope."""
    if SORTS_CONTAINERS in gates:
        return
    first: dict[tuple[int, bool, str], str] = {}
    told: set[tuple[str, str]] = set()
    for match in sorted(matches, key=lambda one: one.sidecarset.name):
        name = match.sidecarset.name
        for pod in match.pods:
            is_bound = is_bound_to(match.sidecarset, namespace_of(pod))
            for side in _sides(match.spec):
                other = first.setdefault((id(pod), is_bound, side), name)
                if other != name and (other, name) not in told:
                    told.add((other, name))
                    message = f"whether {other} or {name} comes first is not defined (in {reference_of(pod)})"
                    yield name, BETWEEN.at(("spec", "containers"), message)


def _sides(spec: Object) -> dict[str, list[str]]:
    """The names of the containers of each side of the app containers, in order."""
    sides: dict[str, list[str]] = {}
    for container in spec.get("containers", ()):
        sides.setdefault(container.get("podInjectPolicy", ""), []).append(container.get("name", ""))
    return sides
