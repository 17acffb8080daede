"""A plan as a document: kind RolloutPlan (schemas/rollout-plan.json)."""

from sidecarctl.facts.values import Object
from sidecarctl.operations.planning.plan import PlanFacts
from sidecarctl.operations.planning.plan_options import PlanOptions
from sidecarctl.operations.report import Report
from sidecarctl.plan_file.document import PlanContext, plan_document


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


def plan_data(report: Report[PlanFacts]) -> Object:
    """The whole plan."""
    facts = report.facts
    return plan_document(
        facts.plan,
        PlanContext(
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
            cluster=facts.cluster and {**facts.cluster.document(), **report.cluster().get("cluster", {})},
        ),
    )
