"""How `diff OLD NEW` runs."""

from dataclasses import replace

from sidecarctl.cli.colours import tell
from sidecarctl.cli.diff_readings import read_version, refuse_emptiness
from sidecarctl.cli.flags.diff import FORMS, DiffRequest
from sidecarctl.cli.flags.outputs import AskedOutput, asked_outputs, write_outputs
from sidecarctl.cli.readings import Reading, unreadable_pods
from sidecarctl.cli.terminal import text_width
from sidecarctl.facts.findings import Finding, Severity, warning
from sidecarctl.facts.reasons import Reason
from sidecarctl.inputs.world import Located, World
from sidecarctl.operations.comparing.affected_pods import is_pod_to_be
from sidecarctl.operations.diff import DiffReport, Pods, diff_of
from sidecarctl.reports.diff.document import diff_document
from sidecarctl.reports.diff.markdown import diff_markdown
from sidecarctl.reports.diff.text import diff_text
from sidecarctl.reports.layout.documents import json_text, yaml_text
from sidecarctl.reports.layout.lines import shown
from sidecarctl.reports.run.findings import folded_lines


def diff_sets(request: DiffRequest) -> int:
    """Compare the sets; the exit code."""
    outputs, gates = asked_outputs(request.output, FORMS), request.gates()
    old, new = (read_version(request, paths) for paths in (request.old, request.new))
    beside = read_version(replace(request, sidecarsets=()), request.pods)
    refuse_emptiness(request, old, new)
    before, after = (_with_namespaces(one.world, beside.world) for one in (old, new))
    report = diff_of(before, after, _pods(request, new, beside), request.only)
    unreadable = unreadable_pods(after, beside.unreadable)
    failures = list(dict.fromkeys([*old.failures, *new.failures, *beside.failures, *unreadable]))
    findings = [*failures, *_forgotten(request, new), *_remarks(request, beside), *report.findings]
    for line in folded_lines(findings):
        tell(line)
    write_outputs(outputs, lambda output: _rendered(output, report, findings, gates))
    return 2 if failures else _exit_code(request, report, findings)


def _forgotten(request: DiffRequest, new: Reading) -> list[Finding]:
    """A warning where the new version has no set at all, which a forgotten path looks like."""
    if new.world.sources or new.failures:
        return []
    old_names, new_names = (", ".join(map(shown, paths)) for paths in (request.old, request.new))
    message = f"{new_names}: there is no SidecarSet in it, so all sets of {old_names} count as removed"
    hint = "was NEW forgotten? sidecarctl diff OLD NEW [PODS...]"
    return [warning(Reason.NO_SIDECARSET, message, hint=hint)]


def _remarks(request: DiffRequest, beside: Reading) -> list[Finding]:
    """A warning where there is nothing to count, though something was given."""
    if not request.pods or beside.pods or beside.workloads or beside.failures or beside.unreadable:
        return []
    message = f"{', '.join(request.pods)}: there are neither pods nor workloads in it"
    return [warning(Reason.NO_MANIFEST, message, hint="-R takes folders with all below them")]


def _with_namespaces(world: World, beside: World) -> World:
    return world._replace(namespaces={**beside.namespaces, **world.namespaces})


def _pods(request: DiffRequest, new: Reading, beside: Reading) -> Pods:
    """The pods and workloads of NEW and of what stands beside it."""
    found = [*new.pods, *beside.pods]
    workloads: list[Located] = [*new.workloads, *beside.workloads]
    return Pods([pod for pod in found if not is_pod_to_be(pod)], workloads, request.namespace, request.kinds())


def _rendered(output: AskedOutput, report: DiffReport, findings: list[Finding], gates: frozenset[str]) -> str:
    if output.form == "text":
        return diff_text(report, None if output.file else text_width())
    if output.form == "markdown":
        return diff_markdown(report)
    document = diff_document(report, findings, gates)
    return json_text(document) if output.form == "json" else yaml_text(document)


def _exit_code(request: DiffRequest, report: DiffReport, findings: list[Finding]) -> int:
    if report.is_objection or any(finding.severity is Severity.ERROR for finding in findings):
        return 1
    return int(request.exit_code and report.differs)
