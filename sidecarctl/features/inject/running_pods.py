"""The pods of a dump under `inject --check`: nothing is injected into a running pod, so `drift` decides."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from sidecarctl.engine.facts.findings import Finding
from sidecarctl.engine.files.inputs import Input
from sidecarctl.engine.inputs.objects import ManifestObject
from sidecarctl.engine.inputs.opening import Sources
from sidecarctl.engine.inputs.reading import Reading
from sidecarctl.engine.report import ObjectChange, Outcome
from sidecarctl.engine.rollout.simulated_pods import PodName
from sidecarctl.engine.rollout.targets import LeftOut
from sidecarctl.engine.transforming.inject import Inject

if TYPE_CHECKING:  # few checks are of running pods
    from sidecarctl.engine.comparing.drifts import DriftFacts


class _Judged(NamedTuple):
    """Pods that drifted, each with why; the SidecarSets of those in sync; pods that are not compared."""

    drifted: Mapping[PodName, Sequence[Finding]]
    in_sync: Mapping[PodName, Sequence[str]]
    left_out: Mapping[PodName, LeftOut]


class CheckedPods:
    """The transformation: injection, but a running pod is compared with what a new one gets, as `drift` does it."""

    def __init__(self, inject: Inject, sources: Sources[Input], how: Reading, ignore: Sequence[str]) -> None:
        self.inject = inject
        self._sources, self._how, self._ignore = sources, how._replace(jobs=1), ignore

    def __call__(self, found: ManifestObject) -> ObjectChange:
        """The result of an object; SidecarctlError if Kruise would reject a pod of it."""
        is_pod = found.reference.kind == "Pod" and found.reference.api_version == "v1"
        if not (is_pod and found.manifest.get("status")):
            return self.inject(found)
        name = PodName(found.reference.namespace or self._how.namespace, found.reference.name)
        if findings := self._judged.drifted.get(name):
            message = "; ".join(finding.message for finding in findings)
            return ObjectChange(Outcome.DRIFTED, None, message, findings[0].reason)
        if names := self._judged.in_sync.get(name):
            return ObjectChange(Outcome.UNCHANGED, None, ", ".join(names))
        if left := self._judged.left_out.get(name):
            return ObjectChange(Outcome.SKIPPED, None, left.message, left.reason)
        change = self.inject(found)
        return change if change.after is None else change._replace(outcome=Outcome.UNCHANGED, after=None)

    @cached_property
    def _judged(self) -> _Judged:
        from sidecarctl.engine.comparing.drift import drift_report
        from sidecarctl.engine.inputs.pods import read_inputs

        # the run itself reports what cannot be read
        read = read_inputs(self._sources, self._how, keeps_templates=False, keeps_containers=True)
        options = self.inject.context.options
        report = drift_report(read, options.only, options.feature_gates, self._ignore, (), self._how.namespace)
        drifted: defaultdict[PodName, list[Finding]] = defaultdict(list)
        for finding in report.objections:
            if finding.subject and finding.subject.kind == "Pod":
                drifted[PodName(finding.subject.namespace, finding.subject.name)].append(finding)
        return _Judged(drifted, *_others(report.facts))


def _others(facts: "DriftFacts") -> tuple[Mapping[PodName, Sequence[str]], Mapping[PodName, LeftOut]]:
    in_sync: defaultdict[PodName, list[str]] = defaultdict(list)
    left_out: dict[PodName, LeftOut] = {}
    for item in facts.sets:
        for pod in item.pods:
            in_sync[pod.pod].append(item.name)
        for left in item.status.left_out if item.status else ():
            left_out.setdefault(left.pod, left)
    return in_sync, left_out
