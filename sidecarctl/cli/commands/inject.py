"""`sidecarctl inject`."""

from sidecarctl.api.workloads import parse_workload
from sidecarctl.cli.exiting import conclude
from sidecarctl.cli.flags import options as option
from sidecarctl.cli.flags.injection import injection_options
from sidecarctl.cli.transform import TransformRequest, transform
from sidecarctl.cli.worlds import Named
from sidecarctl.operations.inject import Inject
from sidecarctl.operations.transforming.pod_templates import Templates
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
    timestamp: option.Timestamp = None,
    feature_gates: option.FeatureGates = None,
    seed: option.Seed = 0,
    revision_from: option.RevisionFrom = None,
    trust_annotated_hash: option.TrustAnnotatedHash = False,
    template_path: option.TemplatePath = None,
    keep_going: option.KeepGoing = False,
    strict: option.Strict = False,
    allow_empty: option.AllowEmpty = False,
    jobs: option.Jobs = 1,
    max_document_size: option.MaxDocumentSize = 64,
    verbose: option.Verbose = False,
    quiet: option.Quiet = False,
) -> None:
    """Inject sidecars into pods and workloads, exactly as Kruise would at creation.

    stdout gets the same text with the sidecars in it, stderr a line for each object. Everything else stays to the
    byte; what no set matches leaves as it came.

    Example:  sidecarctl inject -s sidecarsets/ deploy.yaml --diff
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
        needs_sets=True,
        trust_annotated_hash=trust_annotated_hash,
        jobs=jobs,
        max_document_size=max_document_size,
        verbosity=verbosity(verbose=verbose, quiet=quiet),
    )

    def run() -> int:
        how = injection_options(only or [], timestamp, feature_gates or [], seed)
        workloads = [parse_workload(text) for text in template_path or []]
        return transform(
            request,
            "to inject" if check else "injected",
            lambda world: Inject(Templates(world, namespace, workloads), how.context(world), explains=verbose),
        )

    conclude(run)
