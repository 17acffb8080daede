"""`sidecarctl rollback`."""

from functools import partial

from sidecarctl.cli.exiting import conclude
from sidecarctl.cli.flags.cluster import ClusterFlags, with_cluster
from sidecarctl.cli.flags.groups import command as typer_command
from sidecarctl.cli.flags.outputs import DocumentFlags
from sidecarctl.engine.facts.errors import usage_error
from sidecarctl.engine.files.process import WithoutCollector
from sidecarctl.engine.inputs.opening import Named, opened
from sidecarctl.engine.report import Report
from sidecarctl.features.plan.journal_file import sent_patches
from sidecarctl.features.plan.plan import PlanFacts
from sidecarctl.features.plan.plan_file_flags import RollbackFlags
from sidecarctl.features.plan.rollback import pushed_plan, rollback


@typer_command
def command(flags: RollbackFlags, cluster: ClusterFlags, reporting: DocumentFlags) -> None:
    """Plan how to undo a plan: back to the images that its pods had before.

    The result is an ordinary plan, for render and push. Only pods that PLAN patches are changed, not pods
    created since. A HotUpgrade pair is upgraded once more, to the earlier image, and its halves swap roles. The
    SidecarSet in the cluster does not change: unpausing it rolls the pods forward again.

    The feature gates are those of PLAN. With a journal, only pods that the push patched, or may have patched.

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
        sent = partial(sent_patches, journal) if journal else None
        with opened(Named([path]), flags.named()) as (plan, files), WithoutCollector():
            pushed = pushed_plan(plan, flags.reading(), options.only, flags.to, sent)
            with with_cluster(live, files) as pods:
                return rollback(pushed, pods, options)

    conclude(run, reporting, "plan")
