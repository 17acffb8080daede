"""The rights that a push needs, as manifests of the least roles that have them."""

from collections.abc import Iterator

from sidecarctl.facts.values import Object
from sidecarctl.push.checks.survey import namespaces_to_read, pod_collections
from sidecarctl.push.plan.planned import PushPlan
from sidecarctl.sidecarset.sets import GROUP

_RBAC = "rbac.authorization.k8s.io/v1"
_NAME = "sidecarctl-push"


def roles_for(plan: PushPlan, *, conditions: bool, budgets: bool) -> Iterator[Object]:
    """A ClusterRole, a Role in each of the plan's namespaces, one that lets Kruise's version be read.

    `conditions`: they are written too; `budgets`: PodDisruptionBudgets are read.
    """
    yield _role("ClusterRole", "", [*_cluster_rules(plan)])
    for namespace in plan.namespaces:
        yield _role("Role", namespace, [*_namespace_rules(conditions=conditions, budgets=budgets)])
    yield _role("Role", "kruise-system", [_rule("apps", "deployments", "get", names=["kruise-controller-manager"])])


def _cluster_rules(plan: PushPlan) -> Iterator[Object]:
    yield _rule(GROUP, "sidecarsets", "get", "list", "watch", names=sorted(plan.targets))
    yield _rule("", "namespaces", "get", names=["kube-system", *namespaces_to_read(plan)])
    if len(pod_collections(plan)) < len(plan.namespaces):  # so many that they are read together
        yield _rule("", "pods", "list", "watch")


def _namespace_rules(*, conditions: bool, budgets: bool) -> Iterator[Object]:
    yield _rule("", "pods", "get", "list", "watch", "patch")
    if conditions:
        yield _rule("", "pods/status", "patch")
    if budgets:
        yield _rule("policy", "poddisruptionbudgets", "list")


def _rule(group: str, resource: str, *verbs: str, names: list[str] | None = None) -> Object:
    limited = {"resourceNames": names} if names else {}
    return {"apiGroups": [group], "resources": [resource], **limited, "verbs": list(verbs)}


def _role(kind: str, namespace: str, rules: list[Object]) -> Object:
    metadata = {"name": _NAME, **({"namespace": namespace} if namespace else {})}
    return {"apiVersion": _RBAC, "kind": kind, "metadata": metadata, "rules": rules}
