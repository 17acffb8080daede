"""The difference between two injected trees as a document: kind InjectionDiff (schemas/injection-diff.json)."""

from sidecarctl.facts.document_head import document_head
from sidecarctl.facts.finding_json import findings_json
from sidecarctl.facts.values import Object
from sidecarctl.operations.report import Report
from sidecarctl.operations.tree_diff import TreeDiffFacts, WorkloadDiff
from sidecarctl.reports.diff.document import set_documents
from sidecarctl.reports.diff.trees import unified
from sidecarctl.reports.layout.documents import json_text, yaml_text
from sidecarctl.reports.page import Page


def tree_json(report: Report[TreeDiffFacts], page: Page) -> str:
    """The difference as JSON."""
    del page
    return json_text(_document(report))


def tree_yaml(report: Report[TreeDiffFacts], page: Page) -> str:
    """The difference as YAML."""
    del page
    return yaml_text(_document(report))


def _document(report: Report[TreeDiffFacts]) -> Object:
    facts = report.facts
    return {
        **document_head("InjectionDiff", facts.gates, report.release.behaviour),
        "sidecarSets": set_documents(facts.sets),
        "workloads": [_workload(workload) for workload in facts.workloads],
        "findings": findings_json(report.findings),
    }


def _workload(workload: WorkloadDiff) -> Object:
    reference = workload.reference
    return {
        "apiVersion": reference.api_version,
        "kind": reference.kind,
        "namespace": reference.namespace,
        "name": reference.name,
        "change": str(workload.change),
        "before": workload.before.injected,
        "after": workload.after.injected,
        "diff": unified(workload),
    }
