"""RBAC roles as manifests, and those that reading a cluster takes; `push` builds its own from the parts."""

from collections.abc import Iterable, Iterator, Sequence

from sidecarctl.engine.documents.writing import block_text
from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.kubectl.api_requests import DISRUPTION_BUDGETS, KRUISE_NAMESPACE, RECREATING, WORKLOADS
from sidecarctl.engine.sidecarset.sets import GROUP
from sidecarctl.engine.sidecarset.webhook_scope import CONFIGURATION_NAME


def role(name: str, namespace: str, rules: Sequence[Object]) -> Object:
    """The Role of a namespace, or a ClusterRole if it is empty."""
    metadata = {"name": name, **({"namespace": namespace} if namespace else {})}
    kind = "Role" if namespace else "ClusterRole"
    return {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": kind, "metadata": metadata, "rules": [*rules]}


def rule(group: str, resource: str, *verbs: str, names: Sequence[str] = ()) -> Object:
    """A rule for one resource, for all of its objects or those with these names."""
    limited = {"resourceNames": [*names]} if names else {}
    return {"apiGroups": [group], "resources": [resource], **limited, "verbs": [*verbs]}


IDENTITY = rule("", "namespaces", "get", names=["kube-system"])
"""Its uid identifies the cluster."""
MANAGER_VERSION = rule("apps", "deployments", "get", names=["kruise-controller-manager"])
"""Its image says which Kruise runs; in the namespace of Kruise."""


def reading_roles(namespace: str, *, watches: bool, recreates: bool) -> Iterator[Object]:
    """What `plan --live` reads: the pods of one namespace, or of all if it is empty.

    PodUnavailableBudgets and workloads are read only where Kruise's feature gate lets budgets hold back updates.
    """
    verbs = ("list", "watch") if watches else ("list",)
    pods = rule("", "pods", *verbs)
    rules = [
        IDENTITY,
        rule("", "namespaces", *verbs),
        rule(GROUP, "sidecarsets", *verbs),
        rule("admissionregistration.k8s.io", "mutatingwebhookconfigurations", *verbs, names=[CONFIGURATION_NAME]),
        rule("policy.kruise.io", "podunavailablebudgets", *verbs),
    ]
    for path in RECREATING if recreates else (*WORKLOADS, DISRUPTION_BUDGETS):
        _, _, group, _, resource = path.split("/")
        rules.append(rule(group, resource, *verbs))
    yield role("sidecarctl-read", "", rules if namespace else [*rules, pods])
    if namespace:
        yield role("sidecarctl-read", namespace, [pods])
    yield role("sidecarctl-read", KRUISE_NAMESPACE, [MANAGER_VERSION, rule("apps", "controllerrevisions", *verbs)])


def roles_text(roles: Iterable[Object]) -> str:
    """The roles as YAML documents, ready for kubectl apply."""
    return "".join(f"---\n{block_text(each)}" for each in roles)
