"""`sidecarctl validate`."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sidecarctl.cli.collector import without_collector
from sidecarctl.cli.exiting import conclude
from sidecarctl.cli.flags.groups import command as typer_command
from sidecarctl.cli.flags.inputs import DumpFlags
from sidecarctl.cli.flags.reporting import DocumentFlags
from sidecarctl.cli.flags.validation import ValidationFlags, known_rule
from sidecarctl.files.inputs import Input
from sidecarctl.inputs.emptiness import no_sidecarset
from sidecarctl.inputs.opening import Named, opened
from sidecarctl.inputs.reading_manifests import read_manifests
from sidecarctl.operations.report import Report
from sidecarctl.operations.validate import validate_report
from sidecarctl.operations.validating.facts import ValidationFacts


@typer_command
def command(inputs: DumpFlags, validation: ValidationFlags, reporting: DocumentFlags) -> None:
    """Check SidecarSets: errors that Kruise or the API server rejects, conflicts, and good practice.

    PATHS contain the SidecarSets, and related objects: pods or workloads, Namespaces, Nodes, Secrets, ConfigMaps.
    With
    --old, also checks what an update must not change. A finding ends with the id of its rule: suppress it with the
    annotation sidecarctl.dev/ignore or --ignore, and see the reasons with --explain. Exit code 1: an error was found,
    with --strict also a warning; 2: an input cannot be read (the others are still checked). With --kruise-from and
    --kruise-to: what an upgrade of Kruise breaks, or changes; what both releases find is left out.

    Forms (-o): text, markdown, json, yaml, html.

    \b
    Examples:
      sidecarctl validate sidecarsets/ deploy.yaml
      sidecarctl validate sidecarsets/ --baseline known.json --write-baseline
      sidecarctl validate --kruise-from 1.6 --kruise-to 1.9 sidecarsets/ pods.json
    """  # noqa: D301 - click takes this for lines that are not to be wrapped

    def run() -> Report[Any]:
        if validation.explain:
            return _explained(validation.explain)
        options, how, named = validation.options(strict=reporting.strict), inputs.reading(), inputs.named()
        if validation.is_upgrade:
            from sidecarctl.cli.upgrading import gated  # the simulation, which other validations do not need

            return _with_baseline(gated(validation.upgrade(named, inputs.kruise), how, options), validation)
        old = Named(validation.old or (), recursive=inputs.recursive)
        with opened(named, old, lenient=True) as (sources, old_sources), without_collector():
            manifests = read_manifests(sources.every, how)
            report = validate_report(manifests, read_manifests(old_sources.paths, how), how, options)
            if any(output.form == "html" for output in reporting.documents()):
                report = _with_excerpts(report, sources.every)
        facts = report.facts
        if not (facts.sidecarsets or facts.failures or manifests.remarks or inputs.allow_empty):
            raise no_sidecarset(named)
        return _with_baseline(report, validation)

    conclude(run, reporting, "message" if validation.explain else "validation")


def _explained(name: str) -> Report[str]:
    from sidecarctl.validation.rule_pages import explanation

    return Report("message", "\n".join(explanation(known_rule(name))))


def _with_excerpts(report: Report[ValidationFacts], sources: Sequence[Input]) -> Report[ValidationFacts]:
    """The report with the lines that its findings are about."""
    from sidecarctl.inputs.excerpts import excerpts

    facts = report.facts
    places = (finding.place for finding in (*facts.findings, *facts.failures))
    return report._replace(facts=facts._replace(excerpts=excerpts(sources, filter(None, places))))


def _with_baseline(report: Report[ValidationFacts], validation: ValidationFlags) -> Report[ValidationFacts]:
    """The report, after writing its findings to the baseline if requested and nothing failed."""
    if not validation.write_baseline or not validation.baseline or report.failure:
        return report
    from sidecarctl.cli.output_files import OutputFiles
    from sidecarctl.files.outputs import written

    findings = list(report.facts.findings)
    with written(OutputFiles()) as files:
        files.add(Path(validation.baseline), [validation.baseline_text(findings)])
        files.commit()
    facts = report.facts._replace(findings=(), suppressed=report.facts.suppressed + len(findings))
    return report._replace(facts=facts, findings=())
