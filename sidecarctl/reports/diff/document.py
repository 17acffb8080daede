"""The difference between two versions of SidecarSets: kind SidecarSetDiff (schemas/sidecarset-diff.json)."""

from sidecarctl.facts.document_head import document_head
from sidecarctl.facts.finding_json import findings_json
from sidecarctl.facts.values import Object
from sidecarctl.operations.comparing.affected_pods import FuturePods, RunningPods
from sidecarctl.operations.comparing.judging import SetDiff
from sidecarctl.operations.comparing.rollout_shift import RolloutShift
from sidecarctl.operations.comparing.sidecarset_changes import SetChange
from sidecarctl.operations.diff import DiffFacts
from sidecarctl.operations.report import Report
from sidecarctl.reports.layout.documents import json_text, yaml_text
from sidecarctl.reports.page import Page
from sidecarctl.sidecarset.sets import SidecarSet


def diff_json(report: Report[DiffFacts], page: Page) -> str:
    """The difference as JSON."""
    del page
    return json_text(_document(report))


def diff_yaml(report: Report[DiffFacts], page: Page) -> str:
    """The difference as YAML."""
    del page
    return yaml_text(_document(report))


def _document(report: Report[DiffFacts]) -> Object:
    return {
        **document_head("SidecarSetDiff", report.facts.gates, report.release.behaviour),
        "sidecarSets": set_documents(report.facts),
        "findings": findings_json(report.findings),
    }


def set_documents(facts: DiffFacts) -> list[Object]:
    """The SidecarSets of a difference, each as an object."""
    return [_set(difference) for difference in facts.sets]


def _set(difference: SetDiff) -> Object:
    change = difference.change
    before, after = change.revisions
    members: Object = {
        "name": change.name,
        "change": change.change,
        "verdict": str(change.verdict),
        "verdicts": [str(verdict) for verdict in change.verdicts],
        "explanation": change.explanation,
        "before": _version(change.old, before),
        "after": _version(change.new, after),
        "fields": _fields(change),
        "causes": list(change.causes),
        "remarks": list(change.remarks),
        "refusals": findings_json([each for each in change.findings if each.severity == "error"]),
        "runningPods": difference.running and _running(difference.running),
        "rolloutShift": difference.shift and _shift(difference.shift),
        "selectedPods": difference.selected and difference.selected._asdict(),
        "workloadPods": difference.future and _future(difference.future),
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
            "path": field.text,
            "before": field.before,
            "after": field.after,
            "order": field.is_order,
            "default": field.text in change.defaulted,
        }
        for field in change.fields
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


def _shift(shift: RolloutShift) -> Object:
    return {"letGo": shift.let_go, "held": shift.held, "notUpdated": shift.old}


def _future(pods: FuturePods) -> Object:
    return {
        "workloads": pods.workloads,
        "kept": pods.kept,
        "gained": pods.gained,
        "lost": pods.lost,
        "uncountedWorkloads": pods.uncounted,
    }
