"""`sidecarctl uninject`."""

from sidecarctl.api.workloads import parse_workload
from sidecarctl.cli.exiting import conclude
from sidecarctl.cli.flags import options as option
from sidecarctl.cli.flags.injection import injection_options
from sidecarctl.cli.transform import TransformRequest, transform
from sidecarctl.cli.worlds import Named
from sidecarctl.injection.removal_scope import Request
from sidecarctl.operations.transforming.pod_templates import Templates
from sidecarctl.operations.uninject import Uninject
from sidecarctl.reports.run.text import verbosity


def command(
    paths: option.Paths = None,
    filename: option.Filenames = None,
    sidecarsets: option.Sidecarsets = None,
    config: option.ConfigFile = None,
    recursive: option.Recursive = False,
    namespace: option.Namespace = "default",
    in_place: option.InPlace = False,
    output_folder: option.OutputFolder = None,
    output: option.FormOption = None,
    diff: option.Diff = False,
    check: option.Check = False,
    only: option.Only = None,
    force: option.Force = False,
    feature_gates: option.FeatureGates = None,
    seed: option.Seed = 0,
    revision_from: option.RevisionFrom = None,
    template_path: option.TemplatePath = None,
    keep_going: option.KeepGoing = False,
    strict: option.Strict = False,
    allow_empty: option.AllowEmpty = False,
    jobs: option.Jobs = 1,
    max_document_size: option.MaxDocumentSize = 64,
    verbose: option.Verbose = False,
    quiet: option.Quiet = False,
) -> None:
    """Take out of pods and workloads what injection put in, also by Kruise's own webhook.

    Give the sets with -s: they tell what they brought. Without them, containers are known by IS_INJECTED, volumes go
    when nothing mounts them any more, and pull secrets and patched annotations stay. What cannot be known stays and
    is reported as NotReversible. App containers are never touched.

    Example:  sidecarctl uninject -s sidecarsets/ pod.yaml --diff
    """
    named = Named([*(paths or []), *(filename or [])], sidecarsets or [], revision_from or [], recursive, config)
    request = TransformRequest(
        named,
        in_place=in_place,
        folder=output_folder,
        form=output,
        diff=diff,
        check=check,
        keep_going=keep_going,
        strict=strict,
        allow_empty=allow_empty,
        needs_sets=False,
        trust_annotated_hash=False,
        jobs=jobs,
        max_document_size=max_document_size,
        verbosity=verbosity(verbose=verbose, quiet=quiet),
    )

    def run() -> int:
        how = injection_options([], None, feature_gates or [], seed)
        what = Request(frozenset(only) if only else None, force)
        workloads = [parse_workload(text) for text in template_path or []]
        return transform(
            request,
            "to uninject" if check else "uninjected",
            lambda world: Uninject(Templates(world, namespace, workloads), how.context(world), what),
        )

    conclude(run)
