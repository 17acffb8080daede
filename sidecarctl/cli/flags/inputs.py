"""What a command reads: PATHS, read-only inputs, and how they are taken."""

from collections.abc import Sequence
from typing import Annotated

import typer

from sidecarctl.api.workloads import parse_workload
from sidecarctl.cli.flags.config import Config, parse_config, take_defaults
from sidecarctl.cli.flags.groups import Flags
from sidecarctl.documents.reading.document import Reader
from sidecarctl.documents.reading.limits import DEFAULT_LIMITS
from sidecarctl.inputs.emptiness import refuse_no_paths
from sidecarctl.inputs.opening import Named
from sidecarctl.inputs.reading import Reading

_MEBIBYTE = 1024 * 1024

Paths = Annotated[
    list[str] | None,
    typer.Argument(metavar="PATHS", help="Files, folders, or - for standard input.", show_default=False),
]
Filenames = Annotated[
    list[str] | None, typer.Option("--filename", "-f", metavar="PATH", help="Same as PATHS; repeatable.")
]
Sidecarsets = Annotated[
    list[str] | None,
    typer.Option(
        "--sidecarsets",
        "-s",
        metavar="PATH",
        help="Read-only inputs: SidecarSets, Namespaces, ControllerRevisions; repeatable.",
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
        help="A SidecarInjection, as for the KRM function; command line options override it.",
    ),
]
Recursive = Annotated[bool, typer.Option("--recursive", "-R", help="Descend into subfolders.")]
Namespace = Annotated[
    str | None,
    typer.Option(
        "--namespace",
        "-n",
        metavar="NAME",
        help="Namespace for objects without one. [default: default]",
        show_default=False,
    ),
]
AllowEmpty = Annotated[bool, typer.Option("--allow-empty", help="Accept inputs without manifests or SidecarSets.")]
TrustAnnotatedHash = Annotated[
    bool, typer.Option("--trust-annotated-hash", help="Use the hashes recorded in SidecarSet manifests.")
]
TemplatePath = Annotated[
    list[str] | None,
    typer.Option(
        "--template-path",
        metavar="KIND.GROUP=PATH",
        help="Path of the pod template in another kind, such as Game.example.com=spec.template; repeatable.",
    ),
]
MaxDocumentSize = Annotated[
    int, typer.Option("--max-document-size", min=1, metavar="MIB", help="Refuse documents larger than this.")
]


class ReadingFlags(Flags):
    """How inputs are read, whatever they are."""

    sidecarsets: Sidecarsets = None
    recursive: Recursive = False
    namespace: Namespace = None
    template_path: TemplatePath = None
    trust_annotated_hash: TrustAnnotatedHash = False
    max_document_size: MaxDocumentSize = 64
    allow_empty: AllowEmpty = False

    def reading(self) -> Reading:
        """The same for the reader of inputs; UsageError for a template path that cannot be meant."""
        reader = Reader(DEFAULT_LIMITS._replace(size=self.max_document_size * _MEBIBYTE))
        workloads = tuple(map(parse_workload, self.template_path or ()))
        return Reading(reader, self.namespace or "default", workloads, self.trust_annotated_hash)

    def tree(self, paths: Sequence[str], older: Sequence[str] = ()) -> Named:
        """Some paths with what -s names."""
        return Named(paths, self.sidecarsets or (), older, self.recursive)


class InputFlags(ReadingFlags):
    """PATHS, and how they are read."""

    paths: Paths = None
    filename: Filenames = None

    def named(self, older: Sequence[str] = (), *, optional: bool = False) -> Named:
        """What the command line names; UsageError for no PATHS, unless they are `optional`, and for empty ones."""
        named = self.tree([*(self.paths or ()), *(self.filename or ())], older)
        if not (optional and not named.paths):
            refuse_no_paths(named)
        return named


class DumpFlags(InputFlags):
    """The same for commands that read dumps of whole clusters."""

    max_document_size: MaxDocumentSize = 1024


class ManifestFlags(InputFlags):
    """The same for commands that transform manifests, whose options a SidecarInjection can hold."""

    config: ConfigFile = None

    def named(self, older: Sequence[str] = (), *, optional: bool = False) -> Named:
        """The paths, with what the config names and holds."""
        named = super().named(older, optional=optional)
        if self.config is None:
            return named
        return named._replace(deciders=[*named.deciders, *self.config.paths], at_hand=self.config.located)
