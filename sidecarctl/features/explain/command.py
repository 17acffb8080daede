"""`sidecarctl explain`: the question, and its answer."""

from collections.abc import Iterable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, NamedTuple, Self

import typer

from sidecarctl.cli.clusters.running import conclude_over_clusters
from sidecarctl.cli.exiting import conclude
from sidecarctl.cli.flags.cluster import ClusterFlags, opened_with_cluster
from sidecarctl.cli.flags.fleet import ClusterChoiceFlags
from sidecarctl.cli.flags.groups import command as typer_command
from sidecarctl.cli.flags.inputs import DumpFlags
from sidecarctl.cli.flags.kruise import InjectionFlags
from sidecarctl.cli.flags.outputs import DocumentFlags
from sidecarctl.cli.flags.repository import completed, repository, settings
from sidecarctl.engine.api.workloads import is_kind
from sidecarctl.engine.facts.errors import usage_error
from sidecarctl.engine.facts.start_up import lazy_pattern
from sidecarctl.engine.files.inputs import EXTENSIONS, STDIN
from sidecarctl.engine.inputs.opening import Named
from sidecarctl.engine.inputs.reading import refuse_no_paths
from sidecarctl.engine.inputs.settings import Cluster
from sidecarctl.engine.report import Report
from sidecarctl.features.explain.explain import Question, explain, reasons_explained

_NAME = lazy_pattern(r"(?:([A-Za-z0-9.]+)/(?=.*/))?(?:[A-Za-z0-9][A-Za-z0-9.-]*/)?[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?")
"""`[KIND/][NAMESPACE/]NAME`, as the API allows names."""

_SETS = ("sidecarset", "sidecarsets", "sidecarsets.apps.kruise.io")


class Words(NamedTuple):
    """The words of a command line: files and folders, SidecarSets (`sidecarset/NAME`), objects of any kind."""

    paths: list[str]
    sidecarsets: list[str]
    names: list[str]


def words_of(words: Iterable[str]) -> Words:
    """Sorts the words: whatever exists is a path, and so is any word that cannot be the name of an object."""
    found = Words([], [], [])
    for word in words:
        kind, slash, name = word.partition("/")
        if _is_path(word):
            found.paths.append(word)
        elif slash and kind.lower() in _SETS:
            found.sidecarsets.append(name)
        else:
            found.names.append(word)
    return found


def _is_path(word: str) -> bool:
    looks_so = word == STDIN or word.startswith("git:") or word.endswith(EXTENSIONS)
    if looks_so or Path(word).exists():
        return True
    name = _NAME.fullmatch(word)
    return name is None or bool(name[1] and not is_kind(name[1]))


class PathsAndNamesFlags(DumpFlags):
    """PATHS, and names of objects in them."""

    title = "Inputs"
    paths: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="PATHS [POD] [SIDECARSET]",
            help="Files, folders, - for standard input, or git:REV[:PATH]; a word that is none of these is the name "
            "of a pod, a "
            "workload ([KIND/][NAMESPACE/]NAME, as for kubectl) or a SidecarSet ([sidecarset/]NAME) in them.",
            show_default=False,
        ),
    ] = None

    @cached_property
    def words(self) -> Words:
        """The words of the command line, split into paths and names."""
        return words_of(self.paths or ())

    @property
    def names_paths(self) -> bool:
        """Whether the command line names files."""
        return bool(self.words.paths or self.filename)

    def of_cluster(self, cluster: Cluster) -> Self:
        """The inputs of a cluster, whose paths are words too."""
        own = super().of_cluster(cluster)
        vars(own).pop("words", None)
        return own

    def named(self, older: Sequence[str] = (), *, optional: bool = False) -> Named:
        """The files that are named; UsageError for no PATHS, unless they are `optional`."""
        files = [*self.words.paths, *(self.filename or ())]
        if not (files or optional or repository()) and self.words.names:
            name = self.words.names[0]
            raise usage_error(
                f"{name}: not found", hint="names are looked up in PATHS, or with --live in the cluster"
            )
        named = completed(self.tree(files, older))
        if named.paths or not optional:
            refuse_no_paths(named)
        return named


class ExplainFlags(InjectionFlags):
    """The question."""

    title = "Question"
    pod: Annotated[
        list[str] | None,
        typer.Option(
            "--pod", metavar="[KIND/][NAMESPACE/]NAME", help="Only this pod or workload of PATHS; repeatable."
        ),
    ] = None
    labels: Annotated[
        str,
        typer.Option(
            "--labels",
            metavar="KEY=VALUE,...",
            help="Explain a new pod with these labels, in the namespace of -n; with the name of a workload, its pods "
            "with these labels added.",
        ),
    ] = ""
    field: Annotated[
        str,
        typer.Option(
            "--field",
            metavar="PATH",
            help="Who put this field into the pod: 'spec.containers[web].env[TZ]', 'metadata.annotations[KEY]'.",
        ),
    ] = ""
    sidecarset: Annotated[
        str,
        typer.Option(
            "--sidecarset", metavar="NAME", help="Show which pods a SidecarSet applies to, which not, and why."
        ),
    ] = ""
    every: Annotated[
        bool, typer.Option("--all", help="Explain every SidecarSet, even if many do not apply for one reason.")
    ] = False
    reasons: Annotated[bool, typer.Option("--reasons", help="List all reason codes.")] = False

    def question(self, words: Words) -> Question:
        """The question; UsageError for invalid values."""
        return Question(
            options=self.options(),
            names=words.names,
            pods=self.pod or (),
            sidecarsets=[*([self.sidecarset] if self.sidecarset else []), *words.sidecarsets],
            labels=self.pairs() if self.labels else None,
            unfolded=self.every,
            field=self.field,
            kubernetes=settings().kubernetes,
        )

    def pairs(self) -> dict[str, str]:
        """The labels of the invented pod; UsageError if malformed."""
        pairs = [pair.partition("=") for pair in self.labels.split(",")]
        for key, joint, _ in pairs:
            if not (key and joint):
                raise usage_error(
                    f"--labels {self.labels} is not a list of labels", hint="such as app=web,tier=front"
                )
        return {key: value for key, _, value in pairs}


@typer_command
def command(
    inputs: PathsAndNamesFlags,
    asked: ExplainFlags,
    cluster: ClusterFlags,
    fleet: ClusterChoiceFlags,
    reporting: DocumentFlags,
) -> None:
    """Explain why a pod has its sidecars, and why it is not updated.

    PATHS contain pods (kubectl get pods,namespaces,controllerrevisions.apps,poddisruptionbudgets -A -o
    json), workloads and SidecarSets. For each SidecarSet, the output shows
    every test in order with the field that decides; what is injected, shared, transferred and computed; the
    position of a running pod in the rollout; and what must change. About a SidecarSet alone, it shows which pods
    get it, and which of its sidecars could be native. Formats (-o): text, markdown, json, yaml.
    Without PATHS, and with clusters in .sidecarctl.yaml: the answer of the cluster that has the pod or workload, or
    of each that has the SidecarSet.

    \b
    Examples:
      sidecarctl explain -s sets/ deploy.yaml
      sidecarctl explain -s sets/ pods.yaml shop/web-0       why it has sidecars
      sidecarctl explain -s sets/ pods.yaml logs             pods of a SidecarSet
      sidecarctl explain -s sets/ pods.yaml shop/web-0 logs  one of each
      sidecarctl explain -s sets/ -n shop --labels app=web   a pod to come
      sidecarctl explain pods.yaml web-0 --field 'spec.containers[log].env[TZ]'
    """  # noqa: D301 - click takes this for lines that are not to be wrapped

    def run(of: Cluster) -> Report[Any]:
        own = inputs.of_cluster(of)
        live = cluster.options(own.namespace, inputs.kruise, asked.feature_gates)
        named = own.named(asked.revision_from or (), optional=bool(live or asked.labels))
        how = own.reading()
        with opened_with_cluster(live, named) as (sources,):
            return explain(sources, how, asked.over((*of.gates, *sources.live.gates)).question(own.words))

    def together(clusters: Sequence[Cluster]) -> Report[Any]:
        from sidecarctl.features.explain.by_cluster import explained_by_cluster  # few repositories name clusters

        return explained_by_cluster(run, [*inputs.words.names, *(asked.pod or ())], clusters)

    if asked.reasons:
        conclude(reasons_explained, reporting, "reasons")
    conclude_over_clusters(run, inputs, fleet, reporting, "explain", together=together)
