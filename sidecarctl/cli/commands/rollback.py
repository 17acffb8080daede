"""`sidecarctl rollback`."""

from pathlib import Path
from typing import Annotated

import typer

from sidecarctl.cli.collector import without_collector
from sidecarctl.cli.exiting import conclude
from sidecarctl.cli.flags.cluster import ClusterFlags
from sidecarctl.cli.flags.groups import Flags
from sidecarctl.cli.flags.groups import command as typer_command
from sidecarctl.cli.flags.injection import Only, Timestamp, recorded_time
from sidecarctl.cli.flags.inputs import MaxDocumentSize, Namespace, ReadingFlags, Recursive, Sidecarsets
from sidecarctl.cli.flags.plan import InFlight, MaxUnavailable, Updates, overrides
from sidecarctl.cli.flags.reporting import DocumentFlags
from sidecarctl.cli.rendering import read_plan_file
from sidecarctl.facts.errors import ImpossibleError, impossible, usage_error
from sidecarctl.facts.placing import in_file
from sidecarctl.facts.reasons import Reason
from sidecarctl.facts.values import Object
from sidecarctl.files.inputs import STDIN, Input
from sidecarctl.inputs.opening import Named, Sources, opened
from sidecarctl.inputs.reading import Reading
from sidecarctl.inputs.reading_pods import read_inputs, whole_pods
from sidecarctl.inputs.world import refuse_unknown_sidecarsets
from sidecarctl.kubectl.live import live_inputs
from sidecarctl.operations.plan import PlanFacts, RolloutInputs
from sidecarctl.operations.planning.plan_options import PlanOptions
from sidecarctl.operations.report import Report
from sidecarctl.operations.rollback import rollback_report
from sidecarctl.plan_file.cluster_identity import ClusterIdentity
from sidecarctl.plan_file.digest import DIGEST, refuse_edited
from sidecarctl.plan_file.earlier_sets import EarlierSet, earlier_sets
from sidecarctl.plan_file.plan_release import release_of
from sidecarctl.plan_file.reading import read_plan
from sidecarctl.push.journal.journal import JOURNAL_SUFFIX, is_journal, read_journal

Plan = Annotated[
    str,
    typer.Argument(metavar="PLAN", help="The plan to roll back, from plan -o json or -o yaml; or PLAN.journal."),
]
JournalOption = Annotated[
    str, typer.Option("--journal", metavar="FILE", help="Roll back only what this journal of a push records.")
]
Pods = Annotated[
    list[str] | None,
    typer.Argument(metavar="[PODS]", help="The current pods: kubectl get pods -A -o json; or use --live."),
]
To = Annotated[str, typer.Option("--to", metavar="HASH", help="The version to return to, if pods had several.")]


class RollbackFlags(Flags):
    """The plan to roll back, and the current pods."""

    plan: Plan
    pods: Pods = None
    journal: JournalOption = ""
    to: To = ""
    only: Only = None
    max_unavailable: MaxUnavailable = None
    in_flight: InFlight = Updates.FINISH
    timestamp: Timestamp = None
    sidecarsets: Sidecarsets = None
    namespace: Namespace = None
    recursive: Recursive = False
    max_document_size: MaxDocumentSize = 1024

    def options(self) -> PlanOptions:
        """The options of the simulation; UsageError for invalid values."""
        return PlanOptions(
            only=self.only or (),
            stuck=self.in_flight is Updates.STUCK,
            timestamp=recorded_time(self.timestamp),
            overrides=overrides(None, self.max_unavailable, None, paused=None),
        )

    def plan_and_journal(self) -> tuple[str, Path | None]:
        """The file of the plan, and that of the journal, if one is named."""
        if self.journal:
            return self.plan, Path(self.journal)
        journal = Path(self.plan)
        if self.plan == STDIN or not is_journal(journal):
            return self.plan, None
        plan = self.plan.removesuffix(JOURNAL_SUFFIX)
        if plan == self.plan:
            message = f"{self.plan} is a journal, and its name does not say which plan it is of"
            raise usage_error(message, hint=f"use rollback PLAN --journal {self.plan}")
        return plan, journal

    def named(self) -> Named:
        """The pods, and the other inputs."""
        return Named(self.pods or (), self.sidecarsets or (), recursive=self.recursive)

    def reading(self) -> Reading:
        """How to read files."""
        return ReadingFlags(
            namespace=self.namespace, max_document_size=self.max_document_size, allow_empty=True
        ).reading()


@typer_command
def command(flags: RollbackFlags, cluster: ClusterFlags, reporting: DocumentFlags) -> None:
    """Plan the rollback of a plan: to the images that its pods had before.

    The result is an ordinary plan, for render and push. Only pods that PLAN patches are changed, not pods
    created since. A HotUpgrade pair is upgraded once more, to the earlier image, and its halves swap roles. The
    SidecarSet in the cluster does not change: unpausing it rolls the pods forward again.

    With a journal, only pods that the push patched, or may have patched.

    Formats (-o): text, markdown, json, yaml.

    \b
    Example:
      sidecarctl rollback plan.json --live -o text -o json=back.json
      sidecarctl rollback plan.json.journal --live -o json=back.json
    """  # noqa: D301 - click takes this for lines that are not to be wrapped

    def run() -> Report[PlanFacts]:
        options = flags.options()
        live = cluster.options(flags.namespace, identifies=True)
        if not (live or flags.pods):
            raise usage_error("rollback needs the current pods", hint="use rollback PLAN PODS, or --live")
        path, journal = flags.plan_and_journal()
        with opened(Named([path]), flags.named()) as (plan, pods), without_collector():
            document, earlier, how = _read(plan, journal, flags, options)
            with live_inputs(live) as read:
                _refuse_other_cluster(document, read.identity, plan.paths[0].name)
                found = read_inputs(pods, how, read.inputs, keeps_templates=False)
                found.whole()
                inputs = RolloutInputs(
                    found.world,
                    found.pods,
                    lambda: whole_pods(pods, how, read.inputs),
                    found.nodes,
                    found.digests,
                    read.findings,
                    cluster=read.identity or _recorded(document),
                )
                return rollback_report(inputs, earlier, found.world, options, how, frozenset())

    conclude(run, reporting, "plan")


def _read(
    plan: Sources[Input], journal: Path | None, flags: RollbackFlags, options: PlanOptions
) -> tuple[Object, list[EarlierSet], Reading]:
    """The plan, what it replaces, and how to read that: with the Kruise of the plan."""
    how = flags.reading()
    document, rollout = read_plan_file(plan, how.reader, lambda value: (value, read_plan(value)))
    refuse_unknown_sidecarsets(options.only, [sidecarset["name"] for sidecarset in document["sidecarSets"]])
    try:
        refuse_edited(document)
        if rollout.synthetic:
            message = "the plan was made from workloads, not from existing pods"
            raise impossible(Reason.SYNTHETIC_PLAN, message, ("synthetic",))
        how = how._replace(release=release_of(document))
        patches = [patch for patch in rollout.patches if not options.only or patch.set_name in options.only]
        if journal is not None:
            sent = {rollout.patches[number] for number in read_journal(journal, document[DIGEST]).times}
            patches = [patch for patch in patches if patch in sent]
        return document, earlier_sets(document, rollout, patches, flags.to), how
    except ImpossibleError as fault:
        raise ImpossibleError(*in_file(fault.findings, plan.paths[0].name)) from None


def _recorded(document: Object) -> ClusterIdentity | None:
    cluster = document.get("cluster")
    return None if cluster is None else ClusterIdentity(cluster.get("uid") or "", cluster.get("kruiseVersion") or "")


def _refuse_other_cluster(document: Object, identity: ClusterIdentity | None, file: str) -> None:
    recorded = _recorded(document)
    if identity and recorded and identity.uid and recorded.uid and identity.uid != recorded.uid:
        message = "the plan is for another cluster"
        hint = "select the cluster of the plan with --context"
        fault = impossible(Reason.OTHER_CLUSTER, message, ("cluster", "uid"), hint=hint)
        raise ImpossibleError(*in_file(fault.findings, file))
