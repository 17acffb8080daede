"""`sidecarctl status`."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Annotated

import typer

from sidecarctl.cli.collector import without_collector
from sidecarctl.cli.colours import tell
from sidecarctl.cli.exiting import conclude
from sidecarctl.cli.flags import options as option
from sidecarctl.cli.flags.injection import feature_gates as gates_of
from sidecarctl.cli.flags.live import (
    Context,
    Kubeconfig,
    KubectlTimeout,
    LiveOption,
    LiveOptions,
    live_inputs,
    live_options,
)
from sidecarctl.cli.flags.outputs import AskedOutput, OutputsOption, asked_outputs, write_outputs
from sidecarctl.cli.readings import How, Reading, reading, unlimited
from sidecarctl.cli.terminal import text_width
from sidecarctl.cli.worlds import Named, Sources, opened
from sidecarctl.documents.document import Reader
from sidecarctl.documents.limits import DEFAULT_LIMITS
from sidecarctl.facts.errors import usage_error
from sidecarctl.facts.findings import Finding, Severity
from sidecarctl.files.inputs import Input
from sidecarctl.kubectl.connection import Connection
from sidecarctl.operations.sidecarset_warnings import remarks
from sidecarctl.operations.status import StatusReport, status_of, with_blocking_fields
from sidecarctl.reports.run.findings import folded_lines

FORMS = ("text", "wide", "json", "yaml")
AllPods = Annotated[bool, typer.Option("--all-pods", help="Name every pod, however many there are.")]


def command(
    paths: option.Paths = None,
    filename: option.Filenames = None,
    sidecarsets: option.Sidecarsets = None,
    recursive: option.Recursive = False,
    namespace: option.LiveNamespace = None,
    output: OutputsOption = None,
    all_pods: AllPods = False,
    only: option.Only = None,
    revision_from: option.RevisionFrom = None,
    feature_gates: option.FeatureGates = None,
    trust_annotated_hash: option.TrustAnnotatedHash = False,
    strict: option.Strict = False,
    allow_empty: option.AllowEmpty = False,
    max_document_size: option.MaxDocumentSize = 64,
    live: LiveOption = False,
    context: Context = "",
    kubeconfig: Kubeconfig = "",
    kubectl_timeout: KubectlTimeout = 300,
) -> None:
    """Show the counts that Kruise would write into the sets' status, and where each pod stands.

    PATHS hold SidecarSets, pods with their status (kubectl get pods -A -o yaml), Namespaces, ControllerRevisions.
    With --live they are read from a cluster through kubectl, apart from sets that PATHS have. Forms: text, wide (all
    that is known of each pod), json, yaml.

    \b
    Examples:
      sidecarctl status sidecarsets/ pods.yaml -o text -o json=status.json
      sidecarctl status --live --context production
    """  # noqa: D301 - click takes this for lines that are not to be wrapped
    named = Named([*(paths or []), *(filename or [])], sidecarsets or [], revision_from or [], recursive)
    how = How(namespace or "default", trust_annotated_hash=trust_annotated_hash, allow_empty=allow_empty)
    asked = _Asked(
        named,
        how,
        only or [],
        output,
        all_pods=all_pods,
        strict=strict,
        size=max_document_size,
        gates=gates_of(feature_gates or []),
    )

    def run() -> int:
        connection = Connection(context, kubeconfig)
        return _run(asked, live_options(connection, namespace, kubectl_timeout, live=live))

    conclude(run)


@dataclass(frozen=True, slots=True)
class _Asked:
    named: Named
    how: How
    only: list[str]
    output: list[str] | None
    all_pods: bool
    strict: bool
    size: int
    gates: frozenset[str]

    def reader(self) -> Reader:
        """How documents are read."""
        return Reader(DEFAULT_LIMITS._replace(size=self.size * 1024 * 1024))


def _run(asked: _Asked, cluster: LiveOptions | None) -> int:
    outputs = asked_outputs(asked.output, FORMS)
    reader = asked.reader()
    with (
        opened(asked.named, lenient=True, optional=cluster is not None) as sources,
        live_inputs(cluster) as live,
        without_collector(),
    ):
        read = reading(sources, reader, asked.how, live.inputs)
        _refuse_unknown(asked.only, read)
        report = _with_fields(status_of(read.world, read.pods, asked.only), sources, live.inputs, asked)
    findings = [*read.failures, *live.findings, *remarks(read.world), *report.findings]
    for line in folded_lines(findings):
        tell(line)
    write_outputs(outputs, lambda output: _rendered(output, report, findings, asked))
    return _exit_code(read, findings, strict=asked.strict)


def _with_fields(report: StatusReport, sources: Sources, live: Sequence[Input], asked: _Asked) -> StatusReport:
    """The report with the fields that block pods; these pods are read again, whole, because no other need be."""
    wanted = [(one.target, one.blocked) for one in report.sets if one.blocked]
    if not wanted:
        return report
    from sidecarctl.cli.plan_sources import whole_pods
    from sidecarctl.tasks.blocked_pods import blocking_fields

    files = whole_pods([*sources.deciders, *sources.paths], asked.reader())
    answers = whole_pods(live, unlimited(asked.reader()))
    fields = blocking_fields(wanted, chain(files, answers), asked.how.namespace, asked.gates)
    return with_blocking_fields(report, fields)


def _refuse_unknown(only: list[str], read: Reading) -> None:
    for name in only:
        if name not in read.world.sources:
            known = ", ".join(read.world.sources)
            raise usage_error(f"--only {name}: there is no such SidecarSet", hint=f"there are {known}")


def _rendered(output: AskedOutput, report: StatusReport, findings: list[Finding], asked: _Asked) -> str:
    from sidecarctl.reports.layout import documents as machine_documents
    from sidecarctl.reports.status import document as status_document
    from sidecarctl.reports.status import text as status_text

    if output.form in ("json", "yaml"):
        document = status_document.status_document(report.sets, findings, asked.gates)
        return (machine_documents.json_text if output.form == "json" else machine_documents.yaml_text)(document)
    width = None if output.file else text_width()
    if output.form == "wide":
        return status_text.wide_text(report.sets, width)
    return status_text.status_text(report.sets, width, all_pods=asked.all_pods)


def _exit_code(read: Reading, findings: list[Finding], *, strict: bool) -> int:
    if read.failures:
        return 2
    objections = (Severity.ERROR, Severity.WARNING) if strict else (Severity.ERROR,)
    return int(any(finding.severity in objections for finding in findings))
