"""A plan as a document: kind RolloutPlan (schemas/rollout-plan.json)."""

from collections.abc import Iterator

from sidecarctl.facts.values import Object
from sidecarctl.operations.plan import PlanFacts
from sidecarctl.operations.planning.plan_options import PlanOptions
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
    """The options of the simulation."""
    return {
        "podUpdateDuration": options.duration,
        "podUpdateSeconds": options.step_seconds,
        "fail": list(options.fail),
        "assumeReady": options.assume_ready,
        "inFlight": "stuck" if options.stuck else "finish",
        "rounds": options.rounds,
        "timestamp": options.timestamp,
        "updateStrategy": dict(options.overrides),
    }


def _document(report: Report[PlanFacts]) -> Object:
    facts = report.facts
    return plan_document(
        facts.plan,
        Surroundings(
            inputs=[{"file": digest.file, "sha256": digest.sha256, "pods": digest.pods} for digest in facts.digests],
            options=options_document(facts.options),
            origins=facts.origins,
            blocked=facts.blocked,
            findings=report.findings,
            feature_gates=sorted(facts.gates),
            synthetic=facts.synthetic,
            behaviour=report.release.behaviour,
            deciding={name: [entry._asdict() for entry in decided] for name, decided in facts.deciding.items()},
            step_seconds=facts.options.step_seconds,
            cluster=facts.cluster and facts.cluster.document(),
        ),
    )
