"""Whether the API server accepts a pod as injected, where it accepts the app alone; the blame is a sidecar's.

Source: docs/behaviour/validation.md, "Containers".
"""

from collections.abc import Iterator, Mapping, Sequence

from sidecarctl.facts.findings import Finding
from sidecarctl.facts.values import Object, Path
from sidecarctl.injection.injecting import Injection
from sidecarctl.sidecarset.sets import SidecarSet
from sidecarctl.sidecarset.world import GivenPod
from sidecarctl.validation.pods.invalid import Refusal, caused_refusals
from sidecarctl.validation.pods.pairs import Beside, Caused, Pair, pair_of
from sidecarctl.validation.pods.requests import resources_in
from sidecarctl.validation.rules import Rule

_STREAM = """\
apiVersion: apps.kruise.io/v1beta1
kind: SidecarSet
metadata: {{name: agent}}
spec:
  selector: {{matchLabels: {{app: web}}}}
  containers: [{{name: agent, image: 'agent:1.2', {container}}}]
---
apiVersion: v1
kind: Pod
metadata: {{name: one, namespace: shop, labels: {{app: web}}}}
spec: {{containers: [{{name: main, image: 'main:1', ports: [{{containerPort: 80, hostPort: 80}}]}}]}}
"""

INVALID = Rule(
    "pod-invalid",
    "Injected pod that the API server refuses",
    "The API server accepts a pod with its sidecars.",
    why="Two containers with the same name, a hostPort or a mountPath used twice, a kept volume of another kind, a "
    "computed request above its limit, or fields that the pod's os does not have cannot be seen in the SidecarSet "
    "alone; the API server rejects the whole pod.",
    mend="give the sidecar another name, port or path, or fix the expressions of resourcesPolicy",
    source="https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-v1/",
    within="stream",
    fails=_STREAM.format(container="ports: [{containerPort: 80, hostPort: 80}]"),
    passes=_STREAM.format(container="ports: [{containerPort: 80, hostPort: 81}]"),
    formerly="injected-pod-refused",
)


def invalid_findings(pair: Pair, beside: Beside) -> Iterator[Caused]:
    """What the API server rejects in the injected pod but not in the app alone."""
    yield from _refused(pair, beside.of("LimitRange", pair.namespace))


def refused_findings(
    pod: Object, injection: Injection, sets: Mapping[str, SidecarSet]
) -> Iterator[tuple[str, Finding]]:
    """The same for a pod on its own, with the name of the SidecarSet."""
    for item in _refused(pair_of(GivenPod(pod), injection.pod, injection, sets), ()):
        yield item.set_name, item.finding


def _refused(pair: Pair, ranges: Sequence[Object]) -> Iterator[Caused]:
    now, alone = ({} if not ranges else resources_in(spec, ranges) for spec in (pair.spec, pair.alone))
    told: set[tuple[object, ...]] = set()
    for refusal in caused_refusals(pair.spec, pair.alone, now, alone):
        caused = _caused(pair, refusal)
        key = (caused.set_name, caused.finding, caused.refused)
        if key not in told:
            told.add(key)
            yield caused


def _caused(pair: Pair, refusal: Refusal) -> Caused:
    by_spot = {(item.field, item.position): item for item in pair.all}
    found = INVALID.at((), refusal.message)
    for spot in (refusal.at, refusal.other):
        sidecar = by_spot.get((spot.field, spot.position)) if spot else None
        if spot and sidecar and sidecar.set_name:
            others = sorted(pair.bringing[sidecar.name] - {sidecar.set_name})
            if others and spot.path == ("name",):
                found = found._replace(message=f"{refusal.message}: SidecarSet {' and '.join(others)} injects it too")
            return pair.cause(sidecar, spot.path, found)._replace(refused=_named(refusal.at.in_pod))
    return pair.cause(pair.sidecars[0], (), found)._replace(refused=_named(refusal.at.in_pod))


def _named(path: Path) -> Path:
    """The field as the API server names it: the requests, rather than one of them."""
    return path[:-1] if path[-3:-1] == ("resources", "requests") else path
