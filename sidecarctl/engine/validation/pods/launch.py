"""Findings about the pods' own manifests: launch priorities, barriers, and steps that are not computed.

They are those of `inject`, under rules where there is something to fix.

Source: docs/behavior/pod-webhook.md, "Container launch priority", "Traps".
"""

from collections.abc import Iterator

from sidecarctl.engine.facts.findings import Finding
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.validation.pods.running import Collapsed, Run, in_pods
from sidecarctl.engine.validation.rules import kruise, noted, warned

_POD = """\
apiVersion: v1
kind: Pod
metadata: {{name: web, labels: {{app: web}}{metadata}}}
spec:
  containers:
  - {{name: main, image: 'main:1'{main}}}
  - {{name: helper, image: 'helper:1'}}
"""
_PRIORITY = ", env: [{{name: KRUISE_CONTAINER_PRIORITY, value: '{}'}}]"
_BARRIER = ", env: [{name: KRUISE_CONTAINER_BARRIER, valueFrom: {configMapKeyRef: {name: old-barrier, key: p_0}}}]"
_STATUS = """\
apiVersion: v1
kind: Pod
metadata: {{name: web, labels: {{app: web}}}}
spec:
  containers:
  - name: proxy
    image: proxy:1
    env: [{{name: KRUISE_CONTAINER_BARRIER, valueFrom: {{configMapKeyRef: {{name: web-barrier, key: p_5}}}}}}]
  - name: main
    image: main:1
    env: [{{name: KRUISE_CONTAINER_BARRIER, valueFrom: {{configMapKeyRef: {{name: web-barrier, key: p_0}}}}}}]
status:
  phase: Running
  containerStatuses:
  - {{name: proxy, ready: {ready}, state: {{running: {{}}}}}}
  - {{name: main, ready: false, state: {{waiting: {{reason: CreateContainerConfigError}}}}}}
"""

REFUSED = kruise(
    "launch-priority-refused",
    "Launch priority that gets a pod rejected",
    "The launch priorities of a pod and of its sidecars are integers.",
    why="Kruise rejects a pod of several containers if any KRUISE_CONTAINER_PRIORITY is not an integer.",
    mend="write an integer in quotes as the value; valueFrom does not count as a number",
    within="stream",
    fails=_POD.format(metadata="", main=_PRIORITY.format("first")),
    passes=_POD.format(metadata="", main=_PRIORITY.format("5")),
)
BARRIER = warned(
    "barrier-in-manifest",
    "Barrier in a manifest",
    "No manifest of a pod or workload has a barrier of Kruise.",
    why="Kruise adds a barrier to each container of a pod, for a ConfigMap of that pod. A container that is copied "
    "to another pod waits for a ConfigMap or a key that nobody creates.",
    mend="delete the variable KRUISE_CONTAINER_BARRIER; Kruise writes it on running pods",
    within="stream",
    fails=_POD.format(metadata="", main=_BARRIER),
    passes=_POD.format(metadata="", main=""),
)
COMPLETED = warned(
    "start-marked-completed",
    "Start marked as completed in a manifest",
    "No manifest of a pod or workload marks the start of its containers as completed.",
    why="Kruise leaves such a pod alone, so its containers wait for their barriers forever.",
    mend="delete the annotation; Kruise writes it on running pods",
    within="stream",
    fails=_POD.format(
        metadata=", annotations: {apps.kruise.io/container-launch-priority-completed: 'true'}", main=""
    ),
    passes=_POD.format(metadata=", annotations: {example.com/team: a}", main=""),
)
HOLDS_UP = warned(
    "container-holds-up-others",
    "Container that holds up others",
    "No container of a running pod holds up those of lower launch priority.",
    why="Kruise lets containers of lower priority start when all of higher priority are ready. One that has ended, "
    "or never becomes ready, holds them up forever.",
    mend="make the container ready, or give a container that is meant to exit the lowest priority",
    within="stream",
    fails=_STATUS.format(ready="false"),
    passes=_STATUS.format(ready="true"),
)
IDLE = noted(
    "launch-priority-without-effect",
    "Launch priorities without effect",
    "Launch priorities differ between the containers of a pod.",
    why="Kruise orders containers only if their priorities differ; a container without one has 0.",
    mend="delete the variable, or give it another value than those of the other containers",
    within="stream",
    fails=_POD.format(metadata="", main=_PRIORITY.format("0")),
    passes=_POD.format(metadata="", main=_PRIORITY.format("5")),
)
_RULES = {
    Reason.PRIORITY_NOT_A_NUMBER: REFUSED,
    Reason.BARRIER_IN_MANIFEST: BARRIER,
    Reason.START_MARKED_COMPLETED: COMPLETED,
    Reason.HOLDS_UP_OTHERS: HOLDS_UP,
    Reason.PRIORITY_WITHOUT_EFFECT: IDLE,
}
_WITHOUT_RULE = (Reason.CONFIGURATION_UNREADABLE, Reason.LIVENESS_PROBE_REMOVED, Reason.NOT_COMPUTED)


class WebhookNotes:
    """The findings of `inject` about the pods themselves and about priorities, pod by pod."""

    def __init__(self) -> None:
        self._found: Collapsed[Finding] = Collapsed()

    def add(self, run: Run) -> None:
        """Look at the next pod."""
        told = (item for item in run.findings if item.reason in _RULES or item.reason in _WITHOUT_RULE)
        self._found.add(run.given, (((item.reason, item.message, item.subject), item) for item in told))

    def findings(self) -> Iterator[Finding]:
        """The findings, with subjects: each once, at the first pod.

        Those about a SidecarSet have it as subject, and a path in it, but no place.
        """
        for finding, pod, more in self._found:
            rule = _RULES.get(Reason(finding.reason))
            ruled = finding._replace(rule=rule.id if rule else "")
            if finding.subject:
                yield ruled._replace(message=f"{finding.message} {in_pods(pod, more)}")
                continue
            path = (*pod.path, *finding.path)
            message = f"{finding.message} (and in {more} more)" if more else finding.message
            yield ruled._replace(message=message, subject=pod.reference, path=path, place=pod.place(path))
