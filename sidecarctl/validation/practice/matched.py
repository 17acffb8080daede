"""The given pods that a SidecarSet selects, and findings that follow from that alone.

Source: docs/behaviour/injection.md, "Which sets apply".
"""

from collections.abc import Iterator, Sequence

from sidecarctl.facts.errors import ImpossibleError
from sidecarctl.facts.findings import Finding
from sidecarctl.facts.named_tuples import NamedTuple
from sidecarctl.facts.references import reference_of
from sidecarctl.facts.values import Object
from sidecarctl.sidecarset.containers import is_native_sidecar
from sidecarctl.sidecarset.matching import DEFAULT_NAMESPACE, Matcher
from sidecarctl.sidecarset.sets import SidecarSet
from sidecarctl.validation.given import Given, spec_in_v1beta1
from sidecarctl.validation.rules import warned

_JOB_LABELS = ("job-name", "batch.kubernetes.io/job-name")
_SET = """\
apiVersion: apps.kruise.io/v1beta1
kind: SidecarSet
metadata: {{name: agent}}
spec:
  selector: {{matchLabels: {{app: web}}}}
  {containers}
---
apiVersion: v1
kind: Pod
metadata: {{name: one, namespace: shop, labels: {{{labels}}}}}
spec: {{containers: [{{name: main, image: 'main:1'}}]}}
"""
_ORDINARY = "containers: [{name: agent, image: 'agent:1.2'}]"
_NATIVE = (
    "initContainers: [{name: agent, image: 'agent:1.2', restartPolicy: Always}]\n  updateStrategy: {type: NotUpdate}"
)

NOTHING = warned(
    "selector-matches-nothing",
    "A SidecarSet selects at least one of the given pods.",
    why="The selector or the namespaceSelector may have a mistake.",
    mend="compare the selectors with the labels of the pods; `explain` shows which requirement does not match",
    within="stream",
    fails=_SET.format(containers=_ORDINARY, labels="app: shop"),
    passes=_SET.format(containers=_ORDINARY, labels="app: web"),
)
JOB = warned(
    "job-never-completes",
    "The sidecars of Job pods are native sidecars.",
    why="A Job is complete when all containers of its pod have ended, and an ordinary sidecar never ends.",
    mend="make it an initContainer with restartPolicy: Always, or exclude the pods of Jobs with "
    "{key: job-name, operator: DoesNotExist}",
    within="stream",
    fails=_SET.format(containers=_ORDINARY, labels="app: web, job-name: report"),
    passes=_SET.format(containers=_NATIVE, labels="app: web, job-name: report"),
)


class Match(NamedTuple):
    """A SidecarSet, its spec in v1beta1 form, and the pods that it selects."""

    sidecarset: SidecarSet
    spec: Object
    pods: Sequence[Object]


def matches_of(given: Given) -> list[Match]:
    """Each SidecarSet with its pods; none if its selector is malformed."""
    return [
        Match(sidecarset, spec_in_v1beta1(sidecarset), [pod for pod in given.pods if _selects(matcher, pod)])
        for sidecarset in given.sidecarsets
        for matcher in [Matcher(sidecarset, given.namespaces)]
    ]


def match_findings(match: Match) -> Iterator[Finding]:
    """Findings about which pods a SidecarSet selects; the inputs contain at least one pod."""
    if not match.pods:
        if match.spec.get("selector"):  # one without a selector is rejected anyhow
            yield NOTHING.at(("spec", "selector"), "no pod among the inputs is selected")
        return
    job = next(filter(_is_of_job, match.pods), None)
    if job is not None:
        for index, container in enumerate(match.spec.get("containers", ())):
            message = f'{reference_of(job)} would never complete because of "{container.get("name", "")}"'
            yield JOB.at(("spec", "containers", index), message)


def namespace_of(pod: Object) -> str:
    """The namespace of a pod, `default` for one that names none."""
    return (pod.get("metadata") or {}).get("namespace") or DEFAULT_NAMESPACE


def brought_containers(spec: Object) -> list[Object]:
    """The containers and native sidecars of a spec, which run as long as the app does."""
    return [*filter(is_native_sidecar, spec.get("initContainers", ())), *spec.get("containers", ())]


def _selects(matcher: Matcher, pod: Object) -> bool:
    metadata = pod.get("metadata") or {}
    try:
        return matcher.mismatch(metadata.get("namespace") or "", metadata.get("labels")) is None
    except ImpossibleError:
        return False


def _is_of_job(pod: Object) -> bool:
    metadata = pod.get("metadata") or {}
    owners = metadata.get("ownerReferences") or ()
    labels = metadata.get("labels") or {}
    return any((owner or {}).get("kind") == "Job" for owner in owners) or any(key in labels for key in _JOB_LABELS)
