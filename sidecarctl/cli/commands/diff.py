"""`sidecarctl diff`."""

from typing import Annotated

import typer

from sidecarctl.cli.exiting import conclude
from sidecarctl.cli.flags import options as option
from sidecarctl.cli.flags.diff import DiffRequest, versions
from sidecarctl.cli.flags.outputs import OutputsOption

Versions = Annotated[
    list[str] | None,
    typer.Argument(metavar="OLD NEW [PODS]...", help="Two versions of sets; pods or workloads.", show_default=False),
]
Before = Annotated[
    list[str] | None, typer.Option("--before", metavar="DIR", help="A whole tree as it was; repeatable.")
]
After = Annotated[list[str] | None, typer.Option("--after", metavar="DIR", help="The same as it is now; repeatable.")]
ExitCode = Annotated[bool, typer.Option("--exit-code", help="Exit 1 on any difference.")]


def command(
    paths: Versions = None,
    before: Before = None,
    after: After = None,
    sidecarsets: option.Sidecarsets = None,
    recursive: option.Recursive = False,
    namespace: option.Namespace = "default",
    output: OutputsOption = None,
    only: option.Only = None,
    exit_code: ExitCode = False,
    feature_gates: option.FeatureGates = None,
    trust_annotated_hash: option.TrustAnnotatedHash = False,
    template_path: option.TemplatePath = None,
    max_document_size: option.MaxDocumentSize = 64,
) -> None:
    """Show what a change of SidecarSets means for pods: nothing, an update in place, or that they must be recreated.

    OLD and NEW are files or folders with sets; PODS a dump of pods with their status, or workloads, to count those
    that the change reaches. With --before and --after: what each workload's pods get, injected by either tree's sets.
    What -s names belongs to both versions.
    Exit code 1 where pods must be recreated, or Kruise refuses the update as such (a container added or renamed,
    another upgradeType, another base of a canary). Forms: text, markdown, json, yaml.

    \b
    Examples:
      sidecarctl diff old.yaml new.yaml pods.json -o markdown=comment.md -o text
      sidecarctl diff --before main/ --after branch/ -R
    """  # noqa: D301 - click takes this for lines that are not to be wrapped

    def run() -> int:
        old, new, pods, trees = versions(paths or [], before, after, sidecarsets or [])
        request = DiffRequest(
            old,
            new,
            pods,
            trees=trees,
            recursive=recursive,
            namespace=namespace,
            only=only or [],
            output=output,
            exit_code=exit_code,
            trust_annotated_hash=trust_annotated_hash,
            template_paths=template_path or [],
            size=max_document_size,
            sidecarsets=sidecarsets or [],
            feature_gates=feature_gates or [],
        )
        if trees:
            from sidecarctl.cli.tree_diffs import diff_trees

            return diff_trees(request)
        from sidecarctl.cli.set_diffs import diff_sets

        return diff_sets(request)

    conclude(run)
