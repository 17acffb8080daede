"""The difference of two injected trees for machines: kind InjectionDiff (schemas/injection-diff.json)."""

from collections.abc import Collection, Sequence

from sidecarctl.facts.findings import Finding
from sidecarctl.facts.values import Object
from sidecarctl.operations.diff import DiffReport
from sidecarctl.operations.tree_diff import TreeDiff, WorkloadDiff
from sidecarctl.reports.diff.document import set_documents
from sidecarctl.reports.diff.tree_text import unified
from sidecarctl.reports.layout.documents import document, finding_documents


def tree_document(
    sets: DiffReport, diff: TreeDiff, findings: Sequence[Finding], feature_gates: Collection[str] = ()
) -> Object:
    """The report as one object."""
    return {
        **document("InjectionDiff", feature_gates),
        "sidecarSets": set_documents(sets),
        "workloads": [_workload(one) for one in diff.workloads],
        "findings": finding_documents(findings),
    }


def _workload(one: WorkloadDiff) -> Object:
    reference = one.reference
    return {
        "apiVersion": reference.api_version,
        "kind": reference.kind,
        "namespace": reference.namespace,
        "name": reference.name,
        "change": str(one.change),
        "before": one.before.injected,
        "after": one.after.injected,
        "diff": unified(one),
    }
