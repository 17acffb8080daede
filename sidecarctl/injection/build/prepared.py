"""What the sets that apply to a pod inject together, made ready once."""

from sidecarctl.facts.findings import Finding
from sidecarctl.facts.named_tuples import NamedTuple
from sidecarctl.injection.build.injection_records import Recorder
from sidecarctl.injection.build.pod_plan import PodPlan


class Prepared(NamedTuple):
    """What sets inject together, what they record, and their findings for each pod."""

    plan: PodPlan
    recorder: Recorder
    findings: tuple[Finding, ...]
