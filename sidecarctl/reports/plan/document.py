"""A plan for programs: kind RolloutPlan (schemas/rollout-plan.json)."""

from collections.abc import Iterator

from sidecarctl.facts.values import Object
from sidecarctl.operations.plan import PlanFacts, PlanOptions
from sidecarctl.operations.report import Report
from sidecarctl.plan_file.document import Surroundings, plan_document
from sidecarctl.reports.layout.documents import json_parts, yaml_text
from sidecarctl.reports.page import Page


def plan_json(report: Report[PlanFacts], page: Page) -> Iterator[str]:
    """The plan as JSON, in parts."""
    del page
    return json_parts(_document(report))


def plan_yaml(report: Report[PlanFacts], page: Page) -> str:
    """The plan as YAML."""
    del page
    return yaml_text(_document(report))


def options_document(options: PlanOptions) -> Object:
    """What was asked for besides the inputs."""
    return {
        "podUpdateDuration": options.duration,
        "fail": list(options.fail),
        "assumeReady": options.assume_ready,
        "rounds": options.rounds,
        "timestamp": options.timestamp,
        "updateStrategy": dict(options.overrides),
    }


def _document(report: Report[PlanFacts]) -> Object:
    facts = report.facts
    return plan_document(
        facts.plan,
        Surroundings(
            inputs=[{"file": one.file, "sha256": one.sha256, "pods": one.pods} for one in facts.digests],
            options=options_document(facts.options),
            origins=facts.origins,
            blocked=facts.blocked,
            findings=report.findings,
            feature_gates=sorted(facts.gates),
            synthetic=facts.synthetic,
            cluster=facts.cluster and facts.cluster.document(),
        ),
    )
