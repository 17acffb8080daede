"""The forms in which a plan leaves, and the findings about its inputs."""

import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from sidecarctl.cli.colours import tell
from sidecarctl.cli.flags.outputs import AskedOutput
from sidecarctl.cli.terminal import text_width
from sidecarctl.facts.findings import Finding
from sidecarctl.facts.values import Object
from sidecarctl.inputs.gathering import InputDigest
from sidecarctl.kubectl.identity import ClusterIdentity
from sidecarctl.operations.plan import PlanOptions
from sidecarctl.reports.plan.markdown import plan_markdown
from sidecarctl.reports.plan.text import Layout, Told, plan_text
from sidecarctl.reports.run.findings import folded_lines
from sidecarctl.rollout.plans import Plan
from sidecarctl.tasks.blocked_pods import Blocked

FORMS = ("text", "markdown", "json", "yaml")
_WIDTH = 100
_INDENTED = 6
"""Levels of a document that are indented: each pod stands on a line of its own."""


@dataclass(frozen=True, slots=True)
class Made:
    """A plan and all that its reports say besides."""

    plan: Plan
    inputs: Sequence[InputDigest]
    options: PlanOptions
    origins: Mapping[str, Mapping[str, str]]
    blocked: Blocked
    findings: Sequence[Finding]
    gates: frozenset[str]
    synthetic: bool
    all_pods: bool
    behaviour: str
    cluster: ClusterIdentity | None = None


def rendered(made: Made, output: AskedOutput) -> Iterable[str]:
    """The plan in one form."""
    if output.form in ("json", "yaml"):
        return written(_document(made), output.form)

    told = Told(made.origins, made.blocked, made.synthetic)
    if output.form == "markdown":
        return [plan_markdown(made.plan, told, made.findings)]
    return [plan_text(made.plan, told, layout_of(output, all_pods=made.all_pods))]


def layout_of(output: AskedOutput, *, all_pods: bool) -> Layout:
    """How wide a text may be where it goes, and whether bars can be drawn there."""
    if output.file is not None:
        return Layout(_WIDTH, all_pods=all_pods)
    draws = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
    return Layout(max(text_width() or _WIDTH, 40), "█" if draws else "#", all_pods)


def written(document: Object, form: str) -> Iterable[str]:
    """A document as JSON or as YAML, in parts."""
    from sidecarctl.reports.layout.json_lines import drawn, laid_out

    if form == "json":
        return laid_out(document, _INDENTED)
    from sidecarctl.operations.transforming.forms import block_text

    return [block_text(drawn(document))]


def report_findings(findings: Sequence[Finding]) -> None:
    """Tell the findings on stderr: of those that very many pods have in common only the first few."""
    for line in folded_lines(findings):
        tell(line)


def _document(made: Made) -> Object:
    from sidecarctl.plan_file.document import Surroundings, plan_document

    return plan_document(
        made.plan,
        Surroundings(
            behaviour=made.behaviour,
            inputs=[{"file": one.file, "sha256": one.sha256, "pods": one.pods} for one in made.inputs],
            options=options_document(made.options),
            origins=made.origins,
            blocked=made.blocked,
            findings=made.findings,
            feature_gates=sorted(made.gates),
            synthetic=made.synthetic,
            cluster=made.cluster and cluster_document(made.cluster),
        ),
    )


def cluster_document(identity: ClusterIdentity) -> Object:
    """Which cluster a plan is for; what is not known is left out."""
    known = {"uid": identity.uid, "kruiseVersion": identity.kruise}
    return {key: value for key, value in known.items() if value}


def options_document(options: PlanOptions) -> Object:
    """What was asked for besides the inputs."""
    return {
        "podUpdateDuration": options.duration,
        "fail": list(options.fail),
        "assumeReady": options.assume_ready,
        "rounds": options.rounds,
        "timestamp": options.timestamp,
        "updateStrategy": dict(options.overrides),
    }
