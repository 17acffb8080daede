"""`plan --sweep`: the same rollout once for each of several values, as a table."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from sidecarctl import BEHAVIOUR
from sidecarctl.cli.outputs_option import AskedOutput, write_outputs
from sidecarctl.cli.plan_options import swept
from sidecarctl.cli.plan_outputs import layout_of, options_document, written
from sidecarctl.cli.plan_sources import PlanInputs
from sidecarctl.reports.sweep_table import SweepRow, sweep_document, sweep_markdown, sweep_text
from sidecarctl.tasks.plan import PlanOptions, plan


def run_sweep(text: str, inputs: PlanInputs, options: PlanOptions, outputs: Sequence[AskedOutput]) -> int:
    """Simulate once for each value and write the table; 1 if a rollout stalls, is blocked, or fails."""
    field, values = swept(text)
    rows: list[SweepRow] = []
    for value in values:
        tried = replace(options, overrides={**options.overrides, field: value})
        made = plan(inputs.world, inputs.pods, tried, inputs.nodes)
        rows += [SweepRow(value, one.target.name, one) for one in made.sets]

    def rendered(output: AskedOutput) -> Iterable[str]:
        if output.form == "text":
            return [sweep_text(field, rows, layout_of(output, all_pods=False).width)]
        if output.form == "markdown":
            return [sweep_markdown(field, rows)]
        return written(sweep_document(field, rows, BEHAVIOUR, options_document(options)), output.form)

    write_outputs(outputs, rendered)
    return int(any(row.plan.outcome.ending.is_objection for row in rows))
