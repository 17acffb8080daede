"""Two different SidecarSets of one name: a cluster holds only one of them."""

from sidecarctl.facts.findings import Finding
from sidecarctl.facts.reasons import Reason
from sidecarctl.facts.values import Object
from sidecarctl.validation.rules import warned

_SET = """\
apiVersion: apps.kruise.io/v1beta1
kind: SidecarSet
metadata: {{name: {name}}}
spec:
  selector: {{matchLabels: {{app: {app}}}}}
  containers: [{{name: agent, image: 'agent:1.2'}}]
"""
_PAIR = "{}---\n{}"

TWICE = warned(
    "sidecarset-twice",
    "SidecarSets have different names.",
    why="SidecarSets have no namespace: of two manifests with the same name, a cluster has the one that was applied "
    "last.",
    mend="rename one of them, or validate the manifests of one cluster at a time",
    within="stream",
    fails=_PAIR.format(_SET.format(name="agent", app="web"), _SET.format(name="agent", app="shop")),
    passes=_PAIR.format(_SET.format(name="web-agent", app="web"), _SET.format(name="shop-agent", app="shop")),
)


def duplicate_finding(name: str, manifest: Object, first: Object, where: str) -> Finding | None:
    """The warning about the second SidecarSet of a name, unless it is the same; `where` is the first one's place."""
    if manifest == first or not name:
        return None
    message = f"duplicate SidecarSet {name} (also {where}): a cluster has only one of them"
    return TWICE.at(("metadata", "name"), message)._replace(reason=Reason.DUPLICATE_SET)
