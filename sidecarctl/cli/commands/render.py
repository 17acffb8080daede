"""`sidecarctl render`."""

from typing import Annotated

import typer

from sidecarctl.cli.exiting import conclude
from sidecarctl.cli.flags.groups import Flags
from sidecarctl.cli.flags.groups import command as typer_command
from sidecarctl.cli.flags.injection import Only
from sidecarctl.cli.flags.inputs import MaxDocumentSize, Namespace, ReadingFlags, Recursive
from sidecarctl.cli.flags.reporting import ReportFlags
from sidecarctl.cli.rendering import RenderRequest, render, waves_of
from sidecarctl.facts.errors import usage_error
from sidecarctl.inputs.opening import Named
from sidecarctl.operations.report import Report
from sidecarctl.plan_file.rendering import RenderForm

Plan = Annotated[str, typer.Argument(metavar="PLAN", help="A plan from plan -o json or -o yaml; - for stdin.")]
Pods = Annotated[
    list[str] | None,
    typer.Argument(metavar="[PODS]", help="For -o merge and -o pods: the pods that the plan was made from."),
]
Form = Annotated[RenderForm, typer.Option("--output", "-o", help="Output format.")]
Wave = Annotated[list[str] | None, typer.Option("--wave", metavar="N|N-M", help="Only these waves; repeatable.")]
OutputFolder = Annotated[
    str | None, typer.Option("--output-folder", "-d", metavar="DIR", help="Write one file per pod, in wave order.")
]
WriteConditions = Annotated[
    bool,
    typer.Option("--write-conditions", help="Include the SidecarSetUpgradable condition, as patches of the status."),
]
Simulated = Annotated[
    bool,
    typer.Option("--simulated", help="Include pods and imageIDs that exist only in the simulation."),
]


class RenderFlags(Flags):
    """What to render, and where to write it."""

    title = "Options"
    plan: Plan
    pods: Pods = None
    output: Form = RenderForm.JSONPATCH
    wave: Wave = None
    only: Only = None
    output_folder: OutputFolder = None
    write_conditions: WriteConditions = False
    simulated: Simulated = False
    namespace: Namespace = None
    recursive: Recursive = False
    max_document_size: MaxDocumentSize = 1024

    def request(self) -> RenderRequest:
        """The same for rendering; UsageError for options that exclude each other."""
        form = self.output
        if self.output_folder == "":
            raise usage_error("-d names no folder", hint="name a folder; . is the current folder")
        if form.needs_pods and not self.pods:
            hint = "use render PLAN PODS, with the dump that the plan was made from"
            raise usage_error(f"-o {form} requires the pods", hint=hint)
        if form is RenderForm.KUBECTL and self.output_folder:
            raise usage_error("-o kubectl prints one script to stdout, so it cannot be combined with -d")
        if form is RenderForm.PODS and self.write_conditions:
            raise usage_error(
                "--write-conditions renders patches of the status, so it cannot be combined with -o pods"
            )
        reading = ReadingFlags(namespace=self.namespace, max_document_size=self.max_document_size).reading()
        return RenderRequest(
            named=Named([self.plan], self.pods or (), recursive=self.recursive),
            how=reading,
            form=form,
            waves=waves_of(self.wave or ()),
            only=self.only or (),
            folder=self.output_folder,
            write_conditions=self.write_conditions,
            simulated=self.simulated,
        )


@typer_command
def command(flags: RenderFlags, reporting: ReportFlags) -> None:
    """Print the patches of a plan, in wave order, each with its preconditions.

    The API server rejects a patch if the pod has changed since the plan was made, as far as the format can check it.

    \b
    jsonpatch, kubectl  uid, names and images of the containers, the text of
                        each annotation that is replaced; resourceVersion
                        if an annotation is added
    merge               uid, resourceVersion
    strategic           uid; in a pod's first patch resourceVersion; neither
                        images nor annotations
    pods                uid, resourceVersion, with kubectl replace

    Every write changes the resourceVersion of a pod, so it is known only for the first patch of a pod, and only if
    the pods of the plan had one. Later merge patches are refused; a later JSON patch that adds an annotation
    overwrites one that was added in the meantime.

    Example:  sidecarctl render plan.json -o kubectl --wave 1 > wave-1.sh
    """  # noqa: D301 - click takes this for lines that are not to be wrapped

    def run() -> Report[int]:
        made = render(flags.request())
        return Report("render", made.number, made.findings, wrote=[flags.output_folder or "-"])

    conclude(run, reporting, "render", stdout_is_free=bool(flags.output_folder))
