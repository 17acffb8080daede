"""The inputs of a command: PATHS, read-only inputs, and how to read them."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Self

import typer

from sidecarctl.cli.flags.kruise import KruiseFlags
from sidecarctl.cli.flags.repository import NoConfig, completed, excluded, namespaces_by_path, rendering, settings
from sidecarctl.engine.api.label_selectors import Labels
from sidecarctl.engine.api.workload_rows import WorkloadKind
from sidecarctl.engine.documents.reading.document import Reader
from sidecarctl.engine.documents.reading.streams import DEFAULT_LIMITS
from sidecarctl.engine.facts.errors import SidecarctlError
from sidecarctl.engine.inputs.first_look import FirstLook
from sidecarctl.engine.inputs.opening import Named
from sidecarctl.engine.inputs.reading import Reading, refuse_no_paths
from sidecarctl.engine.inputs.settings import Cluster
from sidecarctl.engine.inputs.world import parse_namespace_labels
from sidecarctl.render.lines import finding_line

if TYPE_CHECKING:
    from sidecarctl.cli.flags.config_file import Config


def parse_config(file: str) -> "Config":
    """The config of a file, for Typer: an error ends the command as usual."""
    from sidecarctl.cli.flags.config_file import read_config  # few runs name one

    try:
        return read_config(file)
    except SidecarctlError as fault:
        typer.echo("".join(f"{finding_line(finding)}\n" for finding in fault.findings), err=True, nl=False)
        raise typer.Exit(fault.exit_code) from None


def take_defaults(context: typer.Context, config: Any) -> Any:  # a Config or None; Typer resolves what is here
    """Use the config's options as the command's defaults: the command line and the environment override them."""
    if config is not None:
        context.default_map = {**(context.default_map or {}), **config.defaults()}
    return config


_MEBIBYTE = 1024 * 1024

Sidecarsets = Annotated[
    list[str] | None,
    typer.Option(
        "--sidecarsets",
        "-s",
        metavar="PATH",
        help="Read-only inputs: SidecarSets, Namespaces, ControllerRevisions; repeatable.",
    ),
]
Recursive = Annotated[
    bool | None,
    typer.Option(
        "--recursive/--no-recursive",
        "-R",
        help="Read folders with their subfolders: the default, except for -i.",
        show_default=False,
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
TemplatePath = Annotated[
    list[str] | None,
    typer.Option(
        "--template-path",
        metavar="KIND.GROUP=PATH",
        help="Path of a pod template in another kind, such as Game.example.com=spec.template; [*] and .* stand for "
        "every item and member, . for the object itself. ,replicas=PATH or N and ,label=KEY:VALUE say what pods it "
        "makes. Repeatable, also for one kind.",
    ),
]
MaxDocumentSize = Annotated[
    int, typer.Option("--max-document-size", min=1, metavar="MIB", help="Reject documents larger than this.")
]


class ReadingFlags(KruiseFlags):
    """How to read inputs."""

    title = "Inputs"
    sidecarsets: Sidecarsets = None
    recursive: Recursive = None
    exclude: Annotated[
        list[str] | None,
        typer.Option(
            "--exclude",
            metavar="GLOB",
            help="Leave out these files and folders, such as charts or 'apps/*/test-*.yaml'; repeatable.",
        ),
    ] = None
    no_ignore: Annotated[
        bool, typer.Option("--no-ignore", help="Read hidden folders, and what git ignores in folders, too.")
    ] = False
    no_config: NoConfig = False
    render: Annotated[
        bool,
        typer.Option(
            "--render",
            help="Render what `render` of .sidecarctl.yaml lists, by your kustomize and helm, and read it.",
        ),
    ] = False
    namespace: Namespace = None
    namespace_labels: Annotated[
        list[str] | None,
        typer.Option(
            "--namespace-labels",
            metavar="NAMESPACE=KEY:VALUE,...",
            help="Labels of a Namespace that no input has, such as shop=env:prod,tier:gold; repeatable.",
        ),
    ] = None
    template_paths: TemplatePath = None
    trust_annotated_hash: Annotated[
        bool, typer.Option("--trust-annotated-hash", help="Use the hashes recorded in SidecarSet manifests.")
    ] = False
    max_document_size: MaxDocumentSize = 64
    strict_yaml: Annotated[
        bool,
        typer.Option(
            "--strict-yaml",
            help="Also parse documents that cannot matter to the command; an error in one of them exits with 2.",
        ),
    ] = False
    allow_empty: Annotated[
        bool,
        typer.Option(
            "--allow-empty",
            help="Accept inputs without manifests or SidecarSets, and injecting nothing because Namespaces are "
            "missing.",
        ),
    ] = False

    def reading(self, *, tells_all: bool = False, jobs: int | None = 1) -> Reading:
        """How to read the inputs; UsageError for an invalid template path or release.

        `tells_all`: the command reports every object, so every document is parsed. `jobs`: how many processes
        parse; None for as many as pay off.
        """
        limits = DEFAULT_LIMITS._replace(size=self.max_document_size * _MEBIBYTE)
        reader = Reader(limits, known=self.cluster.known)
        workloads = (*self._taught(), *settings().workloads)
        return Reading(
            reader,
            self.namespace or "default",
            workloads,
            self.trust_annotated_hash,
            self.release,
            self.allow_unknown,
            self.allow_empty,
            self.installation,
            settings().rules,
            self._namespaces(),
            FirstLook(not (self.strict_yaml or tells_all), frozenset(workload.kind for workload in workloads)),
            jobs or 0,
        )

    def _taught(self) -> Sequence[WorkloadKind]:
        if not self.template_paths:
            return ()
        from sidecarctl.engine.api.taught_kinds import parse_workloads  # few runs teach kinds

        return parse_workloads(self.template_paths)

    def _namespaces(self) -> Mapping[str, Labels]:
        if not self.namespace_labels:
            return settings().namespaces

        return {**settings().namespaces, **parse_namespace_labels(self.namespace_labels)}

    cluster = Cluster()

    def of_cluster(self, cluster: Cluster) -> Self:
        """The inputs of one of several clusters: its own come after PATHS; --kruise goes before its release."""
        own = {"paths": [*(vars(self)["paths"] or ()), *cluster.paths]} if cluster.paths else {}
        return type(self)(**{**vars(self), **own, "kruise": self.kruise or cluster.kruise, "cluster": cluster})

    @property
    def names_paths(self) -> bool:
        """Whether the command line names what to work on."""
        return bool(vars(self)["paths"])

    @property
    def every_path(self) -> list[str]:
        """The paths of the command line, and of the cluster."""
        return [*(vars(self)["paths"] or ()), *(self.sidecarsets or ())]

    def tree(self, paths: Sequence[str], older: Sequence[str] = ()) -> Named:
        """Some paths together with those of -s, and with what clusters share."""
        shared = self.cluster.include
        return self.alone(paths)._replace(
            deciders=self.sidecarsets or (), older=older, usual=shared, yields=bool(shared)
        )

    def alone(self, paths: Sequence[str]) -> Named:
        """Some paths without those of -s."""
        return Named(
            paths,
            recursive=self.recursive,
            exclude=self.exclude or (),
            ignores=not self.no_ignore,
            excluded=excluded(),
            namespaces=namespaces_by_path(),
            render=rendering(self.cluster.name) if self.render else None,
        )


class InputFlags(ReadingFlags):
    """PATHS, and how to read them."""

    title = "Inputs"
    paths: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="PATHS", help="Files, folders, - for standard input, or git:REV[:PATH].", show_default=False
        ),
    ] = None
    filename: Annotated[
        list[str] | None, typer.Option("--filename", "-f", metavar="PATH", help="Same as PATHS; repeatable.")
    ] = None

    def _paths(self) -> list[str]:
        return [*(self.paths or ()), *(self.filename or ())]

    @property
    def names_paths(self) -> bool:
        """Whether the command line names what to work on."""
        return bool(self._paths())

    @property
    def every_path(self) -> list[str]:
        """The paths of the command line, and of the cluster."""
        return [*self._paths(), *(self.sidecarsets or ())]

    def named(self, older: Sequence[str] = (), *, optional: bool = False) -> Named:
        """The named inputs; UsageError without PATHS, unless `optional`, and for empty ones."""
        named = completed(self.tree(self._paths(), older))
        if not (optional and not named.paths):
            refuse_no_paths(named)
        return named


class SidecarSetFlags(InputFlags):
    """The inputs of commands that look at SidecarSets alone."""

    title = "Inputs"
    leaves_out = frozenset(("namespace_labels", "template_paths", "installed_by", "render"))


class DumpFlags(InputFlags):
    """The inputs of commands that read dumps of whole clusters."""

    title = "Inputs"
    max_document_size: MaxDocumentSize = 1024


class ManifestFlags(InputFlags):
    """The inputs of commands that transform manifests, whose options a SidecarInjection can hold."""

    title = "Inputs"
    config: Annotated[
        "Config | None",
        typer.Option(
            "--config",
            metavar="FILE",
            parser=parse_config,
            callback=take_defaults,
            is_eager=True,
            help="A SidecarInjection, as for the KRM function; command line options override it.",
        ),
    ] = None

    deciding = tuple[str, ...]()

    def of_cluster(self, cluster: Cluster) -> Self:
        """The inputs of a cluster; the files that the command line names are worked on alone, its own decide."""
        if not self.names_paths:
            return super().of_cluster(cluster)
        own = super().of_cluster(cluster._replace(paths=()))
        return type(self)(**{**vars(own), "deciding": cluster.paths})

    def named(self, older: Sequence[str] = (), *, optional: bool = False) -> Named:
        """The paths, with those of the config and the objects in it."""
        named = super().named(older, optional=optional)
        named = named._replace(deciders=[*named.deciders, *self.deciding])
        if self.config is None:
            return named
        return named._replace(deciders=[*named.deciders, *self.config.paths], at_hand=self.config.located)
