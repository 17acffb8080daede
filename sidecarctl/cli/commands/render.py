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

    The API server refuses a patch where a pod has changed since the plan was made, as far as the form can check it.

    \b
    jsonpatch, kubectl  uid, names and images of the containers, the text of
                        each annotation that is replaced; resourceVersion
                        where an annotation is added
    merge               uid, resourceVersion
    strategic           uid; in a pod's first patch resourceVersion; neither
                        images nor annotations
    pods                uid, resourceVersion, with kubectl replace

    Every write changes a pod's resourceVersion, so it is known for the first patch of a pod alone, and only if the
    pods of the plan had one. A later merge patch is refused; a later JSON patch that adds an annotation overwrites it
    if somebody else has added it meanwhile.

    Example:  sidecarctl render plan.json --format kubectl --wave 1 > wave-1.sh
    """  # noqa: D301 - click takes this for lines that are not to be wrapped
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
