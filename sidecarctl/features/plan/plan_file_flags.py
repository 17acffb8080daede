"""A plan file, with the pods that `render` and `rollback` look at with it."""

from pathlib import Path
from typing import Annotated

import typer

from sidecarctl.cli.flags.groups import Flags
from sidecarctl.cli.flags.inputs import MaxDocumentSize, Namespace, ReadingFlags, Recursive, Sidecarsets
from sidecarctl.cli.flags.kruise import Only, Timestamp, recorded_time
from sidecarctl.engine.facts.errors import usage_error
from sidecarctl.engine.files.inputs import STDIN
from sidecarctl.engine.inputs.opening import Named
from sidecarctl.engine.inputs.reading import Reading
from sidecarctl.engine.plan_file.journal import JOURNAL_SUFFIX
from sidecarctl.engine.plan_file.rendering import RenderForm
from sidecarctl.engine.rollout.plan_options import PlanOptions
from sidecarctl.engine.sidecarset.unknown_namespaces import DUMP
from sidecarctl.features.plan.flags import InFlight, MaxUnavailable, Updates, overrides, waves_of
from sidecarctl.features.plan.journal_file import is_journal_file
from sidecarctl.features.plan.rendering import RenderRequest


class RenderFlags(Flags):
    """What to render, and where to write it."""

    title = "Options"
    plan: Annotated[str, typer.Argument(metavar="PLAN", help="A plan from plan -o json or -o yaml; - for stdin.")]
    pods: Annotated[
        list[str] | None,
        typer.Argument(metavar="[PODS]", help="For -o merge and -o pods: the pods that the plan was made from."),
    ] = None
    output: Annotated[RenderForm, typer.Option("--output", "-o", help="Output format.")] = RenderForm.JSONPATCH
    waves: Annotated[
        list[str] | None, typer.Option("--waves", metavar="N|N-M", help="Only these waves; repeatable.")
    ] = None
    only: Only = None
    output_folder: Annotated[
        str | None,
        typer.Option("--output-folder", "-d", metavar="DIR", help="Write one file per pod, in wave order."),
    ] = None
    write_conditions: Annotated[
        bool,
        typer.Option(
            "--write-conditions", help="Include the SidecarSetUpgradable condition, as patches of the status."
        ),
    ] = False
    simulated: Annotated[
        bool,
        typer.Option("--simulated", help="Include pods and imageIDs that exist only in the simulation."),
    ] = False
    namespace: Namespace = None
    recursive: Recursive = None
    max_document_size: MaxDocumentSize = 1024

    def request(self) -> RenderRequest:
        """What to render; UsageError for options that exclude each other."""
        form = self.output
        if self.output_folder == "":
            raise usage_error("-d needs a folder", hint="name a folder; . is the current folder")
        if form.needs_pods and not self.pods:
            hint = "use render PLAN PODS, with the dump that the plan was made from"
            raise usage_error(f"-o {form} needs the pods", hint=hint)
        if form is RenderForm.KUBECTL and self.output_folder:
            raise usage_error("-o kubectl prints one script to stdout, so it cannot be combined with -d")
        if form is RenderForm.PODS and self.write_conditions:
            raise usage_error(
                "--write-conditions renders patches of the status, so it cannot be combined with -o pods"
            )
        return RenderRequest(
            form=form,
            waves=waves_of(self.waves or ()),
            only=self.only or (),
            as_files=self.output_folder is not None,
            write_conditions=self.write_conditions,
            simulated=self.simulated,
        )

    def named(self) -> Named:
        """The plan, with the pods next to it."""
        return Named([self.plan], self.pods or (), recursive=self.recursive)

    def reading(self) -> Reading:
        """How to read files."""
        return ReadingFlags(namespace=self.namespace, max_document_size=self.max_document_size).reading()


class RollbackFlags(Flags):
    """The plan to roll back, and the current pods."""

    plan: Annotated[
        str,
        typer.Argument(metavar="PLAN", help="The plan to roll back, from plan -o json or -o yaml; or PLAN.journal."),
    ]
    pods: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[PODS]",
            help=f"The current pods: {DUMP}; or use --live.",
        ),
    ] = None
    journal: Annotated[
        str, typer.Option("--journal", metavar="FILE", help="Roll back only what this journal of a push records.")
    ] = ""
    to: Annotated[
        str, typer.Option("--to", metavar="HASH", help="The version to return to, if pods had several.")
    ] = ""
    only: Only = None
    max_unavailable: MaxUnavailable = None
    in_flight: InFlight = Updates.FINISH
    timestamp: Timestamp = None
    sidecarsets: Sidecarsets = None
    namespace: Namespace = None
    recursive: Recursive = None
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
        if self.plan == STDIN or not is_journal_file(journal):
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
