"""`plan --sweep`: the same rollout once for each of several values, as a table."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

from sidecarctl import BEHAVIOUR
from sidecarctl.cli.flags.outputs import AskedOutput, write_outputs
from sidecarctl.cli.flags.plan import swept
from sidecarctl.cli.plan_outputs import layout_of, options_document, written
from sidecarctl.cli.plan_sources import PlanInputs
from sidecarctl.facts.errors import usage_error
from sidecarctl.facts.findings import Finding
from sidecarctl.operations.plan import PlanOptions, plan, remarks_of
from sidecarctl.reports.plan.sweep import SweepRow, sweep_document, sweep_markdown, sweep_text


class Swept(NamedTuple):
    """Whether a rollout stalls, is blocked, or fails; and what there is to say about the inputs."""

    is_objection: bool
    remarks: Sequence[Finding]


def run_sweep(text: str, inputs: PlanInputs, options: PlanOptions, outputs: Sequence[AskedOutput]) -> Swept:
    """Simulate once for each value and write the table."""
    field, values = swept(text)
    if options.by or options.by_node:
        raise usage_error("--by and --by-node say nothing in the table of --sweep", hint="leave one of them out")
    rows: list[SweepRow] = []
    remarks: dict[Finding, None] = {}
    for value in values:
        tried = replace(options, overrides={**options.overrides, field: value})
        made = plan(inputs.world, inputs.pods, tried, inputs.nodes)
        rows += [SweepRow(value, one.target.name, one) for one in made.sets]
        remarks |= dict.fromkeys(remarks_of(made, inputs.world, tried))

    def rendered(output: AskedOutput) -> Iterable[str]:
        if output.form == "text":
            return [sweep_text(field, rows, layout_of(output, all_pods=False).width)]
        if output.form == "markdown":
            return [sweep_markdown(field, rows)]
        return written(sweep_document(field, rows, BEHAVIOUR, options_document(options)), output.form)

    write_outputs(outputs, rendered)
    return Swept(any(row.plan.outcome.ending.is_objection for row in rows), list(remarks))
