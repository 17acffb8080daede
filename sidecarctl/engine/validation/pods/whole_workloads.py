"""Workloads of which an update takes down all pods at once.

Source: docs/behavior/rollout.md, "One round".
"""

from collections import Counter
from collections.abc import Iterator

from sidecarctl.engine.api.label_selectors import is_empty, matches
from sidecarctl.engine.facts.findings import Finding
from sidecarctl.engine.injection.selection import labels_of
from sidecarctl.engine.injection.webhook_steps import top_workload
from sidecarctl.engine.sidecarset.world import GivenPod
from sidecarctl.engine.validation.pods.matched import Match, namespace_of
from sidecarctl.engine.validation.rules import warned

_STREAM = """\
apiVersion: apps.kruise.io/v1beta1
kind: SidecarSet
metadata: {{name: agent}}
spec:
  selector: {{matchLabels: {{app: web}}}}
  updateStrategy: {{maxUnavailable: {}, selector: {{matchLabels: {{canary: "yes"}}}}}}
  containers: [{{name: agent, image: 'agent:1.2'}}]
---
apiVersion: apps/v1
kind: Deployment
metadata: {{name: canary, namespace: shop}}
spec:
  replicas: 4
  selector: {{matchLabels: {{canary: "yes"}}}}
  template:
    metadata: {{labels: {{app: web, canary: "yes"}}}}
    spec: {{containers: [{{name: main, image: 'main:1'}}]}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {{name: web, namespace: shop}}
spec:
  replicas: 36
  selector: {{matchLabels: {{tier: web}}}}
  template:
    metadata: {{labels: {{app: web, tier: web}}}}
    spec: {{containers: [{{name: main, image: 'main:1'}}]}}
"""

WHOLE = warned(
    "workload-goes-at-once",
    "updateStrategy.selector whose pods all go down at once",
    "maxUnavailable is less than the pods that updateStrategy.selector selects.",
    why="Kruise counts a percentage over all pods of the SidecarSet, not only over those that the selector lets "
    "update: a small one can be all pods of a canary workload.",
    mend="lower maxUnavailable below the pods of each workload",
    source="docs/behavior/rollout.md",
    within="stream",
    fails=_STREAM.format("20%"),
    passes=_STREAM.format("2"),
)
_NAMED = 3


def whole_workload_findings(match: Match) -> Iterator[Finding]:
    """A warning if one round updates all pods that the selector of the strategy leaves, and with them workloads."""
    strategy = match.spec["updateStrategy"]
    selector = strategy.get("selector")
    if strategy.get("type") != "RollingUpdate" or strategy.get("paused") or is_empty(selector):
        return
    if not all(pod.is_number_known for pod in match.pods):
        return
    updated = [pod for pod in match.pods if matches(selector, labels_of(pod.manifest))]
    if strategy.get("partition") not in (None, 0, "0%") or match.allowed < sum(pod.number for pod in updated):
        return
    sizes = Counter[str]()
    for pod in updated:
        sizes[_workload(pod)] += pod.number
    whole = {name: size for name, size in sizes.items() if name and size > 1}
    if whole:
        most = f"{strategy.get('maxUnavailable', 1)} of {match.number:,} pods is {match.allowed:,}"
        named = ", ".join(f"all {size:,} pods of {name}" for name, size in list(whole.items())[:_NAMED])
        more = f" and of {len(whole) - _NAMED:,} more workloads" if len(whole) > _NAMED else ""
        hint = f"maxUnavailable {min(whole.values()) // 2} keeps half of each"
        path = ("spec", "updateStrategy", "maxUnavailable")
        yield WHOLE.at(path, f"{most}: {named}{more} go down at once", hint)


def _workload(pod: GivenPod) -> str:
    """`Deployment shop/web`; empty for a pod without an owner."""
    if pod.path:
        return str(pod.reference)
    owner = top_workload(pod.manifest, labels_of(pod.manifest))
    return f"{owner.kind} {namespace_of(pod.manifest)}/{owner.name}" if owner.kind else ""
