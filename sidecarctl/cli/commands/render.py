"""`sidecarctl render`."""

from typing import Annotated

import typer

from sidecarctl.cli.exiting import conclude
from sidecarctl.cli.flags import options as option
from sidecarctl.cli.render_run import RenderRequest, run
from sidecarctl.plan_file.rendering import RenderForm


def command(
    plan: Annotated[str, typer.Argument(metavar="PLAN", help="The plan: of plan -o json or -o yaml; - for stdin.")],
    pods: Annotated[
        list[str] | None,
        typer.Argument(metavar="[PODS]", help="The pods that the plan was made from, for merge and pods."),
    ] = None,
    form: Annotated[
        RenderForm, typer.Option("--format", envvar="SIDECARCTL_FORMAT", help="What to print.")
    ] = RenderForm.JSONPATCH,
    wave: Annotated[
        list[str] | None, typer.Option("--wave", metavar="N|N-M", help="Only these waves; repeatable.")
    ] = None,
    only: option.Only = None,
    output_folder: Annotated[
        str | None, typer.Option("--output-folder", "-d", metavar="DIR", help="A file for each pod, in wave order.")
    ] = None,
    write_conditions: Annotated[
        bool,
        typer.Option("--write-conditions", help="Also the condition SidecarSetUpgradable, as patches of status."),
    ] = False,
    simulated: Annotated[
        bool, typer.Option("--simulated", help="Also what only the simulated cluster knows: made pods, imageIDs.")
    ] = False,
    namespace: option.Namespace = "default",
    recursive: option.Recursive = False,
    max_document_size: option.MaxDocumentSize = 1024,
) -> None:
    """Print the patches of a plan, in the order of its waves, with what must hold before each of them.

    Example:  sidecarctl render plan.json --format kubectl --wave 1 > wave-1.sh
    """
    request = RenderRequest(
        plan,
        pods or [],
        form,
        wave or [],
        only or [],
        output_folder,
        write_conditions,
        simulated,
        namespace,
        recursive,
        max_document_size,
    )
    conclude(lambda: run(request))
