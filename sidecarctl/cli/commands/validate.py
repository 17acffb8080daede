"""`sidecarctl validate`."""

from pathlib import Path
from typing import Any

from sidecarctl.cli.collector import without_collector
from sidecarctl.cli.exiting import conclude
from sidecarctl.cli.flags.groups import command as typer_command
from sidecarctl.cli.flags.inputs import DumpFlags
from sidecarctl.cli.flags.reporting import DocumentFlags
from sidecarctl.cli.flags.validation import ValidationFlags, known_rule
from sidecarctl.inputs.emptiness import no_sidecarset
from sidecarctl.inputs.opening import Named, opened
from sidecarctl.inputs.reading_manifests import read_manifests
from sidecarctl.operations.report import Report
from sidecarctl.operations.validate import validate_report
from sidecarctl.operations.validating.facts import ValidationFacts


@typer_command
def command(inputs: DumpFlags, validation: ValidationFlags, reporting: DocumentFlags) -> None:
    """Check SidecarSets: what Kruise or the API server refuses, what nobody checks, and conflicts.

    PATHS hold the SidecarSets, and whatever they meet: pods or workloads, Namespaces, Nodes, Secrets, ConfigMaps.
    With --old, also what an update must not change. A finding ends with the id of its rule: the annotation
    sidecarctl.dev/ignore and --ignore suppress it, --explain tells why. Exit code 1: an error was found, with
    --strict also a warning; 2: something cannot be read, what can be is checked all the same.

    Forms (-o): text, markdown, json, yaml.

    \b
    Examples:
      sidecarctl validate sidecarsets/ deploy.yaml
      sidecarctl validate sidecarsets/ --baseline known.json --write-baseline
    """  # noqa: D301 - click takes this for lines that are not to be wrapped

    def run() -> Report[Any]:
        if validation.explain:
            return _explained(validation.explain)
        options, how, named = validation.options(strict=reporting.strict), inputs.reading(), inputs.named()
        old = Named(validation.old or (), recursive=inputs.recursive)
        with opened(named, old, lenient=True) as (sources, old_sources), without_collector():
            manifests = read_manifests(sources.every, how)
            report = validate_report(manifests, read_manifests(old_sources.paths, how), how, options)
        facts = report.facts
        if not (facts.sidecarsets or facts.failures or manifests.remarks or inputs.allow_empty):
            raise no_sidecarset(named)
        return _with_baseline(report, validation)

    conclude(run, reporting, "message" if validation.explain else "validation")


def _explained(name: str) -> Report[str]:
    from sidecarctl.validation.rule_pages import explanation

    return Report("message", "\n".join(explanation(known_rule(name))))


def _with_baseline(report: Report[ValidationFacts], validation: ValidationFlags) -> Report[ValidationFacts]:
    """The report after its findings were written into the baseline, if that is asked for and nothing failed."""
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
