"""Selectors without effect: pods that the webhook does not see, and labels that no pod has.

Source: docs/behavior/pod-webhook.md, "Which pods the webhook sees"; docs/behavior/rollout.md, "One round".
"""

from collections.abc import Iterator

from sidecarctl.engine.api.label_selectors import matches
from sidecarctl.engine.facts.findings import Finding
from sidecarctl.engine.facts.values import Object, Path
from sidecarctl.engine.sidecarset.sets import bound_namespaces, is_left_alone
from sidecarctl.engine.sidecarset.world import GivenPod, World
from sidecarctl.engine.validation.pods.matched import Match, namespace_of, stream
from sidecarctl.engine.validation.rules import warned

_OF_SYSTEM = """\
apiVersion: apps.kruise.io/v1beta1
kind: SidecarSet
metadata: {{name: agent}}
spec:
  selector: {{matchLabels: {{app: web}}}}
  namespaceSelector: {{matchLabels: {{kubernetes.io/metadata.name: {}}}}}
  containers: [{{name: agent, image: 'agent:1.2'}}]
"""
_LABELED = stream(
    "updateStrategy: {{scatterStrategy: [{{key: {key}, value: web}}]}}\n"
    "  containers: [{{name: agent, image: 'agent:1.2'}}]"
)

UNSEEN = warned(
    "webhook-sees-no-pod",
    "No pod that Kruise's webhook sees",
    "Kruise's webhook sees the pods that a SidecarSet selects.",
    why="How Kruise was installed decides which namespaces its webhook leaves out: with the Helm chart from 1.5.2 on "
    "kube-system, for example. There, the SidecarSet injects nothing.",
    mend="select other pods, or change the namespaceSelector or objectSelector of the MutatingWebhookConfiguration",
    source="docs/behavior/pod-webhook.md",
    within="stream",
    fails=_OF_SYSTEM.format("kube-system"),
    passes=_OF_SYSTEM.format("shop"),
)
LABEL = warned(
    "update-label-unused",
    "Label of the updateStrategy that no pod has",
    "At least one of the pods has the labels that an updateStrategy names.",
    why="scatterStrategy and priorityStrategy order pods by these labels, and updateStrategy.selector updates only "
    "pods that have them: without such pods, they have no effect, or nothing is updated.",
    mend="write labels that the pods have, or label the pods first",
    source="docs/behavior/rollout.md",
    within="stream",
    fails=_LABELED.format(key="ap"),
    passes=_LABELED.format(key="app"),
)
_STRATEGY: Path = ("spec", "updateStrategy")


def unseen_findings(match: Match, world: World) -> Iterator[Finding]:
    """The warning that the webhook sees none of the selected pods, or none of the namespaces that are named."""
    names = sorted(bound_namespaces(match.sidecarset) or ())
    reasons = [_unseen(pod, world) for pod in match.pods] or [_unseen_namespace(name, world) for name in names]
    if reasons and all(reasons):
        by_name = "namespace" if match.sidecarset.spec.get("namespace") else "namespaceSelector"
        path = ("spec", by_name if names else "selector")
        which = "the selected pods" if match.pods else "its pods"
        yield UNSEEN.at(path, f"the webhook sees none of {which}: {reasons[0]}")


def _unseen(pod: GivenPod, world: World) -> str:
    """Why the webhook does not see a pod; empty if it does."""
    labels = (pod.manifest.get("metadata") or {}).get("labels") or {}
    found = world.webhook.unseen_pod(labels)
    return _unseen_namespace(namespace_of(pod.manifest), world) or (found.message if found else "")


def _unseen_namespace(name: str, world: World) -> str:
    if is_left_alone(name, world.release):
        return f"{world.release.behavior} skips pods of {name}"
    found = world.webhook.unseen(name, world.namespaces.get(name))
    return found.message if found else ""


def label_findings(match: Match) -> Iterator[Finding]:
    """Labels in the updateStrategy that none of the selected pods has."""
    strategy = match.spec["updateStrategy"]
    if not match.pods or strategy.get("type") != "RollingUpdate":
        return
    labels = [(pod.manifest.get("metadata") or {}).get("labels") or {} for pod in match.pods]
    for path, what, selector in _selectors(strategy):
        if not any(matches(selector, each) for each in labels):
            yield LABEL.at((*_STRATEGY, *path), f"none of the selected pods {what}")


def _selectors(strategy: Object) -> Iterator[tuple[Path, str, Object]]:
    """The field of each label that a strategy names, what a pod would have, and a selector of such pods."""
    if strategy.get("selector"):
        yield ("selector",), "matches it, so none is updated", strategy["selector"]
    for index, term in enumerate(strategy.get("scatterStrategy") or ()):
        key, value = term.get("key", ""), term.get("value", "")
        if value == "*":  # each value that pods have
            yield ("scatterStrategy", index), f"has the label {key}", _any_value(key)
        else:
            yield ("scatterStrategy", index), f"has the label {key}={value}", {"matchLabels": {key: value}}
    priority = strategy.get("priorityStrategy") or {}
    for index, term in enumerate(priority.get("weightPriority") or ()):
        at = ("priorityStrategy", "weightPriority", index, "matchSelector")
        yield at, "matches it", term.get("matchSelector") or {}
    for index, term in enumerate(priority.get("orderPriority") or ()):
        key = term.get("orderedKey", "")
        at = ("priorityStrategy", "orderPriority", index, "orderedKey")
        yield at, f"has the label {key}", _any_value(key)


def _any_value(key: str) -> Object:
    return {"matchExpressions": [{"key": key, "operator": "Exists"}]}
