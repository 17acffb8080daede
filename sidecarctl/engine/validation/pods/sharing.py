"""What the pods of a SidecarSet have to share: the ports of a node, and a PersistentVolumeClaim.

Source: https://kubernetes.io/docs/concepts/storage/persistent-volumes/, "Access Modes".
"""

from collections.abc import Iterator, Mapping, Sequence

from sidecarctl.engine.facts.findings import Finding, Severity
from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.sidecarset.world import GivenPod
from sidecarctl.engine.validation.pods.matched import Match, namespace_of, stream
from sidecarctl.engine.validation.pods.pairs import Beside, Caused, Pair, items, mapping, objects
from sidecarctl.engine.validation.rules import warned

_WORKLOAD = """\
apiVersion: apps.kruise.io/v1beta1
kind: SidecarSet
metadata: {{name: agent}}
spec:
  selector: {{matchLabels: {{app: web}}}}
  containers: [{{name: agent, image: 'agent:1.2', ports: [{{containerPort: 9090, hostPort: 9090}}]}}]
---
apiVersion: apps/v1
kind: Deployment
metadata: {{name: web, namespace: shop}}
spec:
  replicas: {replicas}
  selector: {{matchLabels: {{app: web}}}}
  template:
    metadata: {{labels: {{app: web}}}}
    spec: {{containers: [{{name: main, image: 'main:1'}}]}}
"""
_CLAIMED = stream(
    "containers: [{{name: agent, image: 'agent:1.2', volumeMounts: [{{name: data, mountPath: /data}}]}}]\n"
    "  volumes: [{{name: data, persistentVolumeClaim: {{claimName: data}}}}]",
    """\
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {{name: data, namespace: shop}}
spec: {{accessModes: [{mode}]}}
""",
    """\
apiVersion: v1
kind: Pod
metadata: {{name: two, namespace: shop, labels: {{app: web}}}}
spec: {{containers: [{{name: main, image: 'main:1'}}]}}
""",
)

PORT = warned(
    "host-port-of-replicas",
    "hostPort in pods of several replicas",
    "A sidecar of a workload with several replicas has no hostPort.",
    why="Two pods with one hostPort cannot run on one node: replicas stay Pending when there are fewer free nodes. "
    "A DaemonSet has one pod on each node; so has a workload whose required podAntiAffinity spreads it by hostname.",
    mend="delete the hostPort, or select the pods of DaemonSets only",
    source="https://kubernetes.io/docs/concepts/configuration/overview/",
    within="stream",
    fails=_WORKLOAD.format(replicas=3),
    passes=_WORKLOAD.format(replicas=1),
)
CLAIM = warned(
    "claim-shared",
    "One PersistentVolumeClaim for several pods",
    "A PersistentVolumeClaim of a SidecarSet can be mounted by several pods.",
    why="All pods of a namespace that get the sidecar mount the same claim. With ReadWriteOnce those on other nodes "
    "wait with multi-attach errors. If the claim is not among the inputs, this is a note.",
    mend="use an emptyDir, an ephemeral volume, which makes a claim for each pod, or a claim with ReadWriteMany",
    source="https://kubernetes.io/docs/concepts/storage/persistent-volumes/",
    within="stream",
    fails=_CLAIMED.format(mode="ReadWriteOnce"),
    passes=_CLAIMED.format(mode="ReadWriteMany"),
)
_OF_ONE = ("ReadWriteOnce", "ReadWriteOncePod")
_ON_EACH_NODE = ("DaemonSet", "BroadcastJob")
_HOSTNAME = "kubernetes.io/hostname"


def host_port_findings(pair: Pair, _: Beside) -> Iterator[Caused]:
    """Each hostPort of sidecars in the pods of a workload with several replicas."""
    kind = _kind_of(pair.given)
    if pair.given.number < 2 or not kind or kind in _ON_EACH_NODE or _is_spread(pair.alone):
        return
    for sidecar in pair.sidecars:
        for index, port in enumerate(sidecar.value.get("ports") or ()):
            if sidecar.runs_on and port.get("hostPort"):
                message = f"no two pods with the hostPort {port['hostPort']} of {sidecar.title} can be on one node"
                yield pair.cause(sidecar, ("ports", index, "hostPort"), PORT.at((), message))


def _kind_of(pod: GivenPod) -> str:
    """The kind of its workload; empty for a pod."""
    return pod.template.workload.kind if pod.template else ""


def _is_spread(spec: Object) -> bool:
    """Whether the pods have to be on different nodes anyway."""
    affinity = mapping(mapping(spec.get("affinity")).get("podAntiAffinity"))
    terms = objects(affinity.get("requiredDuringSchedulingIgnoredDuringExecution"))
    return any(term.get("topologyKey") == _HOSTNAME for term in terms)


def claim_findings(match: Match, claims: Sequence[Object]) -> Iterator[Finding]:
    """Claims that the pods of a namespace share; `claims` are those among the inputs.

    Where other claims are among the inputs, one that is not is found as a missing object.
    """
    numbers: dict[str, int] = {}
    for pod in match.pods:
        name = namespace_of(pod.manifest)
        numbers[name] = numbers.get(name, 0) + (2 if _kind_of(pod) in _ON_EACH_NODE else pod.number)
    known: Mapping[tuple[str, str], Object] = {
        (namespace_of(claim), str(mapping(claim.get("metadata")).get("name"))): claim for claim in claims
    }
    for index, volume in enumerate(match.spec.get("volumes") or ()):
        name = (volume.get("persistentVolumeClaim") or {}).get("claimName", "")
        path = ("spec", "volumes", index, "persistentVolumeClaim", "claimName")
        if name and not claims and (not numbers or max(numbers.values()) > 1):
            message = f"all pods of a namespace mount the claim {name}, whose access modes are not known here"
            yield CLAIM.at(path, message)._replace(severity=Severity.NOTE)
        for namespace, number in sorted(numbers.items()):
            modes = items(mapping(mapping(known.get((namespace, name))).get("spec")).get("accessModes"))
            if number > 1 and modes and all(mode in _OF_ONE for mode in modes):
                yield CLAIM.at(
                    path, f"all pods of {namespace} mount the claim {name}, which is {' and '.join(modes)}"
                )
