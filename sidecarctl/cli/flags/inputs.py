"""The inputs of a command: PATHS, read-only inputs, and how to read them."""

from collections.abc import Sequence
from typing import Annotated

import typer

from sidecarctl.api.workloads import parse_workload
from sidecarctl.cli.flags.config import Config, parse_config, take_defaults
from sidecarctl.cli.flags.kruise import KruiseFlags
from sidecarctl.documents.reading.document import Reader
from sidecarctl.documents.reading.limits import DEFAULT_LIMITS
from sidecarctl.inputs.emptiness import refuse_no_paths
from sidecarctl.inputs.opening import Named
from sidecarctl.inputs.reading import Reading

_MEBIBYTE = 1024 * 1024

Paths = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="PATHS", help="Files, folders, - for standard input, or git:REV[:PATH].", show_default=False
    ),
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
Exclude = Annotated[
    list[str] | None,
    typer.Option(
        "--exclude",
        metavar="GLOB",
        help="Leave out these files and folders of PATHS, such as charts or 'apps/*/test-*.yaml'; repeatable.",
    ),
]
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
    int, typer.Option("--max-document-size", min=1, metavar="MIB", help="Reject documents larger than this.")
]


class ReadingFlags(KruiseFlags):
    """How to read inputs."""

    title = "Inputs"
    sidecarsets: Sidecarsets = None
    recursive: Recursive = False
    exclude: Exclude = None
    namespace: Namespace = None
    template_path: TemplatePath = None
    trust_annotated_hash: TrustAnnotatedHash = False
    max_document_size: MaxDocumentSize = 64
    allow_empty: AllowEmpty = False

    def reading(self) -> Reading:
        """The same for the reader of inputs; UsageError for an invalid template path or release."""
        reader = Reader(DEFAULT_LIMITS._replace(size=self.max_document_size * _MEBIBYTE))
        workloads = tuple(map(parse_workload, self.template_path or ()))
        return Reading(
            reader,
            self.namespace or "default",
            workloads,
            self.trust_annotated_hash,
            self.release,
            self.allow_unknown,
            self.allow_empty,
            bool(self.kruise),
        )

    def tree(self, paths: Sequence[str], older: Sequence[str] = ()) -> Named:
        """Some paths together with those of -s."""
        return Named(paths, self.sidecarsets or (), older, self.recursive, exclude=self.exclude or ())


class InputFlags(ReadingFlags):
    """PATHS, and how to read them."""

    title = "Inputs"
    paths: Paths = None
    filename: Filenames = None

    def named(self, older: Sequence[str] = (), *, optional: bool = False) -> Named:
        """The named inputs; UsageError without PATHS, unless `optional`, and for empty ones."""
        named = self.tree([*(self.paths or ()), *(self.filename or ())], older)
        if not (optional and not named.paths):
            refuse_no_paths(named)
        return named


class DumpFlags(InputFlags):
    """The same for commands that read dumps of whole clusters."""

    title = "Inputs"
    max_document_size: MaxDocumentSize = 1024


class ManifestFlags(InputFlags):
    """The same for commands that transform manifests, whose options a SidecarInjection can hold."""

    title = "Inputs"
    config: ConfigFile = None

    def named(self, older: Sequence[str] = (), *, optional: bool = False) -> Named:
        """The paths, with those of the config and the objects in it."""
        named = super().named(older, optional=optional)
        if self.config is None:
            return named
        return named._replace(deciders=[*named.deciders, *self.config.paths], at_hand=self.config.located)
