"""`sidecarctl validate`."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sidecarctl.cli.exiting import conclude
from sidecarctl.cli.flags.cluster import ClusterFlags, opened_with_cluster
from sidecarctl.cli.flags.groups import command as typer_command
from sidecarctl.cli.flags.inputs import DumpFlags
from sidecarctl.cli.flags.outputs import DocumentFlags
from sidecarctl.cli.flags.repository import changes_since
from sidecarctl.cli.flags.validation import ValidationFlags, known_rule
from sidecarctl.facts.errors import usage_error
from sidecarctl.facts.findings import Finding
from sidecarctl.files.process import WithoutCollector
from sidecarctl.operations.report import Report
from sidecarctl.operations.validate import ValidationFacts, validate, without_known


@typer_command
def command(inputs: DumpFlags, validation: ValidationFlags, cluster: ClusterFlags, reporting: DocumentFlags) -> None:
    """Check SidecarSets: errors that Kruise or the API server rejects, conflicts, and good practice.

    PATHS contain the SidecarSets, and related objects: pods or workloads, and what is in their namespaces:
    Services, LimitRanges, ResourceQuotas, HorizontalPodAutoscalers, Secrets, ConfigMaps; Namespaces and Nodes.
    With --live, SidecarSets, pods, Namespaces, and the releases of Kruise and Kubernetes are read from a cluster;
    SidecarSets in PATHS replace its own, and other kinds come from PATHS alone. With --old, also checks what an
    update must not change. A finding ends with the id of its rule: suppress it with the annotation
    sidecarctl.dev/ignore or --ignore, and see the reasons with --explain. Exit code 1: an error was found, with
    --strict also a warning; 2: an input cannot be read (the others are still checked).

    With --kruise-from and --kruise-to: what an upgrade of Kruise breaks, or changes; what both releases find is
    left out.

    Formats (-o): text, markdown, json, yaml, html.

    \b
    Examples:
      sidecarctl validate sidecarsets/ deploy.yaml
      sidecarctl validate sidecarsets/ --baseline known.json --write-baseline
      sidecarctl validate --live sidecarsets/
      sidecarctl validate --kruise-from 1.6 --kruise-to 1.9 sidecarsets/ pods.json
    """  # noqa: D301 - click takes this for lines that are not to be wrapped

    def run() -> Report[Any]:
        if validation.explain:
            return _explained(validation.explain)
        asks_kubernetes = not validation.named_kubernetes
        live = cluster.options(
            inputs.namespace, inputs.kruise, validation.feature_gates, asks_kubernetes=asks_kubernetes
        )
        if live and validation.is_upgrade:
            raise usage_error("--kruise-from and --kruise-to cannot be combined with --live")
        options, how = validation.options(strict=reporting.strict), inputs.reading()
        named = inputs.named(optional=live is not None)
        if validation.is_upgrade:
            from sidecarctl.operations.comparing.upgrade_run import gated

            releases, _ = upgrade = validation.upgrade(named, inputs.kruise)
            with WithoutCollector():
                return _with_baseline(gated(releases, upgrade.named, how, options), validation)
        earlier = validation.old or ()
        shows_lines = any(output.form == "html" for output in reporting.documents())
        with opened_with_cluster(live, named, inputs.earlier(earlier), lenient=True) as (sources, old):
            options = validation.of_cluster(options, sources.live)
            report = validate(sources, old, how, options, shows_lines=shows_lines)
        further = [*changes_since(earlier), *sources.live.findings]
        return _with_further(_with_baseline(report, validation), further)

    conclude(run, reporting, "message" if validation.explain else "validation")


def _with_further(report: Report[ValidationFacts], further: Sequence[Finding]) -> Report[ValidationFacts]:
    """The report with findings that nothing suppresses: changed settings, and what a cluster did not tell."""
    facts = report.facts._replace(findings=[*further, *report.facts.findings])
    return report._replace(facts=facts, findings=[*further, *report.findings])


def _explained(name: str) -> Report[str]:
    from sidecarctl.validation.catalogue import explanation

    return Report("message", "\n".join(explanation(known_rule("--explain", name))))


def _with_baseline(report: Report[ValidationFacts], validation: ValidationFlags) -> Report[ValidationFacts]:
    """The report, after writing its findings to the baseline if requested and nothing failed."""
    if not validation.write_baseline or not validation.baseline or report.failure:
        return report
    from sidecarctl.cli.output_files import OutputFiles
    from sidecarctl.files.outputs import written

    report, known = without_known(report)
    with written(OutputFiles()) as files:
        files.add(Path(validation.baseline), [validation.baseline_text(known)])
        files.commit()
    return report
