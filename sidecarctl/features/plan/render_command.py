"""`sidecarctl render`."""

from sidecarctl.cli.documents import write_folder
from sidecarctl.cli.exiting import conclude
from sidecarctl.cli.flags.groups import command as typer_command
from sidecarctl.cli.flags.outputs import ReportFlags
from sidecarctl.engine.files.outputs import to_stdout
from sidecarctl.engine.files.process import WithoutCollector
from sidecarctl.engine.inputs.opening import opened
from sidecarctl.engine.report import Report
from sidecarctl.features.plan.plan_file_flags import RenderFlags
from sidecarctl.features.plan.rendering import render
from sidecarctl.render.documents import json_text


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

    Example:  sidecarctl render plan.json -o kubectl --waves 1 > wave-1.sh
    """  # noqa: D301 - click takes this for lines that are not to be wrapped

    def run() -> Report[int]:
        request, how = flags.request(), flags.reading()
        with opened(flags.named()) as (sources,), WithoutCollector():
            made = render(sources, how, request, json_text)
        findings = made.findings
        if flags.output_folder is None:
            to_stdout("".join(text for _, text in made.texts))
        else:
            findings = *findings, *write_folder(flags.output_folder, made.texts)
        return Report("render", made.number, findings, wrote=[flags.output_folder or "-"])

    conclude(run, reporting, "render", stdout_is_free=bool(flags.output_folder))
