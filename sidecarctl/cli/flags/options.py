"""Options that several commands have, each said once."""

from typing import Annotated

import typer

from sidecarctl.cli.flags.config import Config, parse_config, take_defaults
from sidecarctl.operations.transforming.form_names import Form

Paths = Annotated[
    list[str] | None, typer.Argument(metavar="PATHS", help="Files, folders, or - for stdin.", show_default=False)
]
Filenames = Annotated[
    list[str] | None, typer.Option("--filename", "-f", metavar="PATH", help="The same as PATHS; repeatable.")
]
Sidecarsets = Annotated[
    list[str] | None,
    typer.Option(
        "--sidecarsets",
        "-s",
        metavar="PATH",
        help="What decides and is never written: SidecarSets, Namespaces, ControllerRevisions; repeatable.",
    ),
]
ConfigFile = Annotated[
    Config | None,
    typer.Option(
        "--config",
        metavar="FILE",
        parser=parse_config,
        callback=take_defaults,
        is_eager=True,
        help="A SidecarInjection, the object that the KRM function takes; options given here go before its own.",
    ),
]
Recursive = Annotated[bool, typer.Option("--recursive", "-R", help="Folders with all below them.")]
Namespace = Annotated[
    str, typer.Option("--namespace", "-n", metavar="NAME", help="The namespace of objects that name none.")
]
LiveNamespace = Annotated[
    str | None,
    typer.Option(
        "--namespace",
        "-n",
        metavar="NAME",
        help="The namespace of objects that name none [default: default]; with --live of the pods that are read.",
        show_default=False,
    ),
]
Only = Annotated[list[str] | None, typer.Option("--only", metavar="NAME", help="Only this SidecarSet; repeatable.")]
Timestamp = Annotated[
    str | None,
    typer.Option(
        "--timestamp", metavar="TIME", help="The time to record: now, or RFC 3339. [default: the one recorded]"
    ),
]
FeatureGates = Annotated[
    list[str] | None,
    typer.Option("--feature-gates", metavar="GATE=true", help="Feature gates of Kruise; repeatable, or with commas."),
]
Seed = Annotated[
    int, typer.Option("--seed", metavar="N", help="Decides the draws of injectionStrategy policy Partial.")
]
RevisionFrom = Annotated[
    list[str] | None,
    typer.Option("--revision-from", metavar="PATH", help="Older manifests of the sets, as revisions; repeatable."),
]
TemplatePath = Annotated[
    list[str] | None,
    typer.Option(
        "--template-path",
        metavar="KIND.GROUP=PATH",
        help="Where another kind holds its pod template, such as Game.example.com=spec.template; repeatable.",
    ),
]
Force = Annotated[bool, typer.Option("--force", help="Take out also what may have been the pod's own.")]
KeepGoing = Annotated[bool, typer.Option("--keep-going", help="Write the rest when documents fail; exit 1.")]
Strict = Annotated[bool, typer.Option("--strict", help="Warnings give exit code 1.")]
AllowEmpty = Annotated[bool, typer.Option("--allow-empty", help="No manifests, or no SidecarSet, is no error.")]
Jobs = Annotated[int, typer.Option("--jobs", "-j", min=1, metavar="N", help="Worker processes.")]
MaxDocumentSize = Annotated[
    int, typer.Option("--max-document-size", min=1, metavar="MIB", help="Refuse larger documents.")
]
Verbose = Annotated[bool, typer.Option("--verbose", "-v", help="Say each decision.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Say only errors.")]
InPlace = Annotated[bool, typer.Option("--in-place", "-i", help="Write into the files, when all of them are proven.")]
OutputFolder = Annotated[
    str | None,
    typer.Option("--output-folder", "-d", metavar="DIR", help="Write into a folder, at the same relative paths."),
]
FormOption = Annotated[
    Form | None,
    typer.Option(
        "--output", "-o", help="What stdout gets. [default: the input's own text, edited]", show_default=False
    ),
]
Diff = Annotated[bool, typer.Option("--diff", help="Show a unified diff.")]
Check = Annotated[bool, typer.Option("--check", help="Write nothing; exit 1 if anything would change.")]
TrustAnnotatedHash = Annotated[
    bool, typer.Option("--trust-annotated-hash", help="Use the hashes that the sets' manifests record.")
]
