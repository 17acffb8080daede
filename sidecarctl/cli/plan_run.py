"""How `plan` runs: gather the inputs, simulate, write the reports."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from sidecarctl import BEHAVIOUR
from sidecarctl.api.workloads import parse_workload
from sidecarctl.cli.collector import without_collector
from sidecarctl.cli.flags.injection import feature_gates, recorded_time
from sidecarctl.cli.flags.live import LiveOptions, live_inputs
from sidecarctl.cli.flags.outputs import asked_outputs, write_outputs
from sidecarctl.cli.plan_outputs import FORMS, Made, rendered, report_findings
from sidecarctl.cli.plan_sources import PlanInputs, gathered_inputs, whole_pods
from sidecarctl.cli.plan_sweep import run_sweep
from sidecarctl.cli.worlds import Named, Sources, no_sidecarset_in, opened
from sidecarctl.documents.document import Reader
from sidecarctl.documents.limits import DEFAULT_LIMITS
from sidecarctl.facts.errors import input_error, usage_error
from sidecarctl.facts.findings import Finding, Severity
from sidecarctl.facts.paths import value_at
from sidecarctl.facts.reasons import Reason
from sidecarctl.facts.values import Object
from sidecarctl.files.inputs import Input
from sidecarctl.inputs.gathering import Gatherer
from sidecarctl.operations.plan import PlanOptions, plan, remarks_of
from sidecarctl.operations.sidecarset_warnings import remarks
from sidecarctl.rollout.plans import Plan
from sidecarctl.tasks.blocked_pods import Blocked, blocked_fields, wanted_pods

OBJECTION = 1
_STRATEGY = ("spec", "updateStrategy")


@dataclass(frozen=True, slots=True)
class PlanRequest:
    """What the command line asks for; `overrides` may raise a UsageError."""

    named: Named
    namespace: str
    outputs: Sequence[str]
    only: Sequence[str]
    replicas: Sequence[str]
    duration: int
    fail: Sequence[str]
    assume_ready: bool
    rounds: int | None
    overrides: Callable[[], Object]
    sweep: str | None
    by: Sequence[str]
    by_node: Sequence[str]
    all_pods: bool
    timestamp: str | None
    resource_version: str
    feature_gates: Sequence[str]
    seed: int
    trust_annotated_hash: bool
    template_paths: Sequence[str]
    strict: bool
    allow_empty: bool
    max_document_size: int
    quiet: bool
    cluster: LiveOptions | None = None

    def options(self) -> PlanOptions:
        """How the rollout is simulated; UsageError for what makes no sense."""
        return PlanOptions(
            only=self.only,
            duration=self.duration,
            fail=self.fail,
            assume_ready=self.assume_ready,
            rounds=self.rounds,
            timestamp=recorded_time(self.timestamp),
            resource_version=self.resource_version,
            overrides=self.overrides(),
            by=self.by,
            by_node=self.by_node,
        )

    def gatherer(self) -> Gatherer:
        """How files are read."""
        reader = Reader(DEFAULT_LIMITS._replace(size=self.max_document_size * 1024 * 1024))
        return Gatherer(reader, self.namespace, tuple(map(parse_workload, self.template_paths)))


def run(request: PlanRequest) -> int:
    """Do what the command line asks for; the exit code."""
    cluster = request.cluster
    if cluster is not None and request.named.revision_from:
        raise usage_error("--from makes pods of workloads, and --live reads them from a cluster: say one of them")
    outputs = asked_outputs(request.outputs, FORMS)
    options, gatherer, gates = request.options(), request.gatherer(), feature_gates(request.feature_gates)
    with (
        without_collector(),
        opened(request.named, optional=cluster is not None) as sources,
        live_inputs(cluster) as live,
    ):
        inputs = _inputs(request, sources, gatherer, gates, live.inputs)
        findings = [*live.findings, *remarks(inputs.world), *inputs.findings]
        if request.sweep:
            swept = run_sweep(request.sweep, inputs, options, outputs)
            findings += swept.remarks
            _report(request, findings)
            return _exit_code(request, findings, is_objection=swept.is_objection)
        made = plan(inputs.world, inputs.pods, options, inputs.nodes)
        blocked = _blocked(made, inputs, [*sources.paths, *live.inputs], gatherer, gates)
        findings += remarks_of(made, inputs.world, options)
        _report(request, findings)
        facts = replace(_facts(request, made, inputs, options, blocked, findings), cluster=live.identity)
        write_outputs(outputs, lambda output: rendered(facts, output))
    return _exit_code(request, findings, is_objection=made.is_objection)


def _report(request: PlanRequest, findings: Sequence[Finding]) -> None:
    if not request.quiet:
        report_findings(findings)


def _exit_code(request: PlanRequest, findings: Sequence[Finding], *, is_objection: bool) -> int:
    return OBJECTION if is_objection or (request.strict and _objects(findings)) else 0


def _objects(findings: Sequence[Finding]) -> bool:
    return any(finding.severity is not Severity.NOTE for finding in findings)


def _inputs(
    request: PlanRequest, sources: Sources, gatherer: Gatherer, gates: frozenset[str], live: Sequence[Input]
) -> PlanInputs:
    inputs = gathered_inputs(
        sources,
        gatherer,
        replicas=request.replicas,
        seed=request.seed,
        gates=gates,
        trust_annotated_hash=request.trust_annotated_hash,
        only=request.only,
        live=live,
    )
    _refuse_emptiness(request, inputs)
    return inputs


def _facts(
    request: PlanRequest,
    made: Plan,
    inputs: PlanInputs,
    options: PlanOptions,
    blocked: Blocked,
    findings: Sequence[Finding],
) -> Made:
    return Made(
        plan=made,
        inputs=inputs.inputs,
        options=options,
        origins=_origins(made, inputs, options),
        blocked=blocked,
        findings=_with_errors(findings, made),
        gates=feature_gates(request.feature_gates),
        synthetic=inputs.synthetic,
        all_pods=request.all_pods,
        behaviour=BEHAVIOUR,
    )


def _refuse_emptiness(request: PlanRequest, inputs: PlanInputs) -> None:
    if request.allow_empty:
        return
    if not inputs.world.sidecarsets:
        raise no_sidecarset_in(request.named)
    if request.cluster is None and not inputs.pods and inputs.has_workloads and not inputs.synthetic:
        message = "there are workloads, but no pods, among the inputs"
        hint = "give a dump of kubectl get pods -A -o json, or say --from OLD, the sets as they are now"
        raise input_error(Reason.NO_PODS, message, hint=hint)


def _blocked(
    made: Plan, inputs: PlanInputs, files: Sequence[Input], gatherer: Gatherer, gates: frozenset[str]
) -> Blocked:
    """What blocks the blocked pods; their whole manifests are read again, because no other pod needs them."""
    wanted = wanted_pods(made)
    manifests: Iterator[Object] = iter(())
    if wanted:
        manifests = iter(inputs.whole) if inputs.synthetic else whole_pods(files, gatherer.reader)
    return blocked_fields(made, manifests, gatherer.namespace, gates)


def _origins(made: Plan, inputs: PlanInputs, options: PlanOptions) -> dict[str, dict[str, str]]:
    """Where each set's partition and maxUnavailable come from; nothing for a default."""
    flags = {"partition": "--partition", "maxUnavailable": "--max-unavailable"}
    origins: dict[str, dict[str, str]] = {}
    for one in made.sets:
        source = inputs.world.sources[one.target.name]
        own = origins.setdefault(one.target.name, {})
        for field, flag in flags.items():
            if field in options.overrides:
                own[field] = flag
            elif value_at(source.manifest, (*_STRATEGY, field)) is not None:
                own[field] = str(source.place((*_STRATEGY, field)))
    return origins


def _with_errors(findings: Sequence[Finding], made: Plan) -> list[Finding]:
    return [*findings, *(one.outcome.error for one in made.sets if one.outcome.error)]
