"""The difference of two versions of sets for machines: kind SidecarSetDiff (schemas/sidecarset-diff.json)."""

from collections.abc import Collection, Sequence

from sidecarctl.facts.findings import Finding
from sidecarctl.facts.values import Object
from sidecarctl.operations.comparing.affected_pods import FuturePods, RunningPods
from sidecarctl.operations.comparing.sidecarset_changes import SetChange
from sidecarctl.operations.diff import DiffReport, SetDiff
from sidecarctl.reports.layout.documents import document, finding_documents
from sidecarctl.sidecarset.sets import SidecarSet


def diff_document(report: DiffReport, findings: Sequence[Finding], feature_gates: Collection[str] = ()) -> Object:
    """The report as one object."""
    return {
        **document("SidecarSetDiff", feature_gates),
        "sidecarSets": set_documents(report),
        "findings": finding_documents(findings),
    }


def set_documents(report: DiffReport) -> list[Object]:
    """The sets of a report, each as an object."""
    return [_set(one) for one in report.sets]


def _set(one: SetDiff) -> Object:
    change = one.change
    before, after = change.revisions
    members: Object = {
        "name": change.name,
        "change": change.change,
        "verdict": str(change.verdict),
        "explanation": change.verdict.sentence,
        "before": _version(change.old, before),
        "after": _version(change.new, after),
        "fields": _fields(change),
        "causes": list(change.causes),
        "remarks": list(change.remarks),
        "refusals": finding_documents([each for each in change.findings if each.severity == "error"]),
        "runningPods": one.running and _running(one.running),
        "workloadPods": one.future and _future(one.future),
    }
    return {key: value for key, value in members.items() if value is not None}


def _version(sidecarset: SidecarSet | None, revision: str) -> Object | None:
    if sidecarset is None:
        return None
    return {
        "hash": sidecarset.hash,
        "hashWithoutImage": sidecarset.hash_without_image,
        "revision": revision,
    }


def _fields(change: SetChange) -> list[Object]:
    return [
        {
            "path": one.text,
            "before": one.before,
            "after": one.after,
            "order": one.is_order,
            "default": one.text in change.defaulted,
        }
        for one in change.fields
    ]


def _running(pods: RunningPods) -> Object:
    return {
        "matched": pods.matched,
        "updated": pods.updated,
        "inPlace": pods.in_place,
        "held": pods.held,
        "recreate": pods.recreate,
        "leftOut": pods.left_out,
    }


def _future(pods: FuturePods) -> Object:
    return {
        "workloads": pods.workloads,
        "kept": pods.kept,
        "gained": pods.gained,
        "lost": pods.lost,
        "uncountedWorkloads": pods.uncounted,
    }
