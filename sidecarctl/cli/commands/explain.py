"""`sidecarctl explain`."""

from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import ExitStack
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sidecarctl.cli.collector import without_collector
from sidecarctl.cli.exiting import conclude
from sidecarctl.cli.flags.cluster import ClusterFlags
from sidecarctl.cli.flags.groups import command as typer_command
from sidecarctl.cli.flags.injection import InjectionFlags
from sidecarctl.cli.flags.inputs import DumpFlags
from sidecarctl.cli.flags.reporting import DocumentFlags
from sidecarctl.cli.spool import Spool
from sidecarctl.facts.errors import usage_error
from sidecarctl.facts.findings import Finding
from sidecarctl.files.inputs import Input
from sidecarctl.inputs.emptiness import no_sidecarset, refuse_no_paths
from sidecarctl.inputs.names_among_paths import Words, words_of
from sidecarctl.inputs.opening import Named, Sources, opened
from sidecarctl.inputs.reading import Reading, read_world
from sidecarctl.inputs.reading_subjects import objects_with_pods
from sidecarctl.inputs.world import World
from sidecarctl.operations.explain import (
    pods_explained,
    reasons_explained,
    sidecarset_explained,
)
from sidecarctl.operations.explaining.asked import AskedAbout, asked_about
from sidecarctl.operations.explaining.explained import PodExplanation
from sidecarctl.operations.explaining.explanations import Explainer
from sidecarctl.operations.explaining.subjects import Subject, invented, subjects_of
from sidecarctl.operations.inject import injection_context
from sidecarctl.operations.report import Report

if TYPE_CHECKING:  # only running pods are of a rollout
    from sidecarctl.inputs.reading_pods import Inputs
    from sidecarctl.kubectl.live import Live
    from sidecarctl.operations.status import SetStatus

_LARGE = 1024 * 1024
"""Bytes of a file from which on it is no manifest of some workloads, but a dump."""
_PODS_IN_MEMORY = 500


PathsAndNames = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="PATHS [POD] [SIDECARSET]",
        help="Files, folders, - for standard input, or git:REV[:PATH]; a word that is none of these is the name "
        "of a pod, a "
        "workload ([KIND/|NAMESPACE/]NAME) or a SidecarSet ([sidecarset/]NAME) in them.",
        show_default=False,
    ),
]


class PathsAndNamesFlags(DumpFlags):
    """PATHS, and names of objects in them."""

    title = "Inputs"
    paths: PathsAndNames = None

    @cached_property
    def words(self) -> Words:
        """The words of the command line, split into paths and names."""
        return words_of(self.paths or ())

    def named(self, older: Sequence[str] = (), *, optional: bool = False) -> Named:
        """The files that are named; UsageError for no PATHS, unless they are `optional`."""
        files = [*self.words.paths, *(self.filename or ())]
        if not (files or optional) and self.words.names:
            name = self.words.names[0]
            raise usage_error(f"{name}: not found", hint="names are searched in PATHS, or with --live in the cluster")
        named = self.tree(files, older)
        if files or not optional:
            refuse_no_paths(named)
        return named


class ExplainFlags(InjectionFlags):
    """The question."""

    title = "Question"
    pod: Annotated[
        list[str] | None,
        typer.Option(
            "--pod", metavar="[KIND/|NAMESPACE/]NAME", help="Only this pod or workload of PATHS; repeatable."
        ),
    ] = None
    labels: Annotated[
        str,
        typer.Option("--labels", metavar="KEY=VALUE,...", help="A pod that does not exist, in the namespace of -n."),
    ] = ""
    sidecarset: Annotated[
        str,
        typer.Option(
            "--sidecarset", metavar="NAME", help="Show which pods a SidecarSet applies to, which not, and why."
        ),
    ] = ""
    reasons: Annotated[bool, typer.Option("--reasons", help="List all reason codes.")] = False

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
def command(inputs: PathsAndNamesFlags, asked: ExplainFlags, cluster: ClusterFlags, reporting: DocumentFlags) -> None:
    """Explain why a pod has its sidecars, and why it is not updated.

    PATHS contain pods (kubectl get pods -A -o yaml), workloads and SidecarSets. For each SidecarSet, the output shows
    every test in order with the field that decides; what is injected, shared, transferred and computed; the
    position of a running pod in the rollout; and what must change. Forms (-o): text, markdown, json, yaml.

    \b
    Examples:
      sidecarctl explain -s sidecarsets/ deploy.yaml
      sidecarctl explain -s sidecarsets/ pods.yaml shop/web-0        why this pod has its sidecars
      sidecarctl explain -s sidecarsets/ pods.yaml logs              all pods of a SidecarSet
      sidecarctl explain -s sidecarsets/ pods.yaml shop/web-0 logs   one pod, one SidecarSet
      sidecarctl explain -s sidecarsets/ -n shop --labels app=web    a pod that does not exist
    """  # noqa: D301 - click takes this for lines that are not to be wrapped

    def run() -> Report[Any]:
        if asked.reasons:
            return reasons_explained()
        optional = bool(cluster.live or asked.labels)
        named = inputs.named(asked.revision_from or (), optional=optional)
        with ExitStack() as stack:
            (sources,) = stack.enter_context(opened(named))
            live = _live(cluster, inputs, stack)
            stack.enter_context(without_collector())
            how = inputs.reading().of_cluster(live.release if live else None)
            report = _Run(named, sources, live, how, asked, inputs.words).report(allow_empty=inputs.allow_empty)
        found: Sequence[Finding] = live.findings if live else ()
        return report._replace(findings=[*found, *report.findings])

    conclude(run, reporting, "reasons" if asked.reasons else "explain")


class _Run:
    """One run over opened files."""

    def __init__(
        self,
        named: Named,
        sources: Sources[Input],
        live: "Live | None",
        how: Reading,
        asked: ExplainFlags,
        words: Words,
    ) -> None:
        self.named, self.sources, self.live, self.how, self.asked = named, sources, live, how, asked
        self.words = words
        self._read: Inputs | None = None

    def report(self, *, allow_empty: bool) -> Report[Any]:
        """The requested explanation."""
        world = self._world()
        if not (world.sidecarsets or allow_empty):
            raise no_sidecarset(self.named)
        context = injection_context(world, self.asked.options())
        about = self._asked_about(context.rules)
        explainer = Explainer(
            world, context, self._statuses([about.sidecarset] if about.sidecarset else self.asked.names)
        )
        subjects = about.chosen(self._subjects(about))
        if about.sidecarset and not (about.pods or self.asked.labels):
            return sidecarset_explained(explainer, subjects, about.sidecarset)
        return pods_explained(explainer, subjects, about.sidecarset, _spooled)

    def _asked_about(self, known: Collection[str]) -> AskedAbout:
        sidecarsets = [*([self.asked.sidecarset] if self.asked.sidecarset else []), *self.words.sidecarsets]
        return asked_about(self.words.names, self.asked.pod or (), sidecarsets, known)

    def _world(self) -> World:
        if self.live or any(source.path.stat().st_size >= _LARGE for source in self.sources.paths):
            self._read = self._inputs()
            return self._read.world
        return read_world(self.sources, self.how)

    def _inputs(self) -> "Inputs":
        """Everything in the inputs, pods trimmed; a large dump is read item by item, and only once."""
        if self._read is None:
            from sidecarctl.inputs.reading_pods import read_inputs

            live = self.live.inputs if self.live else ()
            return read_inputs(self.sources, self.how, live, keeps_templates=False).whole()
        read, self._read = self._read, None
        return read

    def _subjects(self, about: AskedAbout) -> Iterable[Subject]:
        if self.asked.labels:
            return [invented(self.how.namespace, self.asked.pairs())]
        live = self.live.inputs if self.live else ()
        found = objects_with_pods([*self.sources.paths, *live], self.how)
        named = (
            found if about.names is None else (located for located in found if located.reference.name in about.names)
        )
        return subjects_of(named, self.how.namespace, self.how.workloads)

    def _statuses(self, only: Sequence[str]) -> "Callable[[], Sequence[SetStatus]]":
        """The status of the SidecarSets that are asked about, computed for the first running pod.

        Of a dump at once: then nothing of it is held yet, and it has to be read again.
        """
        known: list[Sequence[SetStatus]] = []
        if self._read and any("status" in pod for pod in self._read.pods):
            known.append(self._status(only))

        def statuses() -> "Sequence[SetStatus]":
            if not known:
                known.append(self._status(only))
            return known[0]

        return statuses

    def _status(self, only: Sequence[str]) -> "Sequence[SetStatus]":
        from sidecarctl.inputs.reading_pods import whole_pods
        from sidecarctl.operations.status import status_report

        live = self.live.inputs if self.live else ()
        pods = lambda: whole_pods(self.sources, self.how, live)  # noqa: E731 - it is asked for in there
        return status_report(self._inputs(), pods, only, self.how.namespace, self.asked.gates()).facts.sets


def _spooled(explanations: Iterable[PodExplanation]) -> Spool[PodExplanation]:
    spool: Spool[PodExplanation] = Spool(_PODS_IN_MEMORY)
    for explanation in explanations:
        spool.add([explanation])
    return spool


def _live(cluster: ClusterFlags, inputs: DumpFlags, stack: ExitStack) -> "Live | None":
    options = cluster.options(inputs.namespace, inputs.kruise)
    if options is None:
        return None
    from sidecarctl.kubectl.live import live_inputs

    return stack.enter_context(live_inputs(options))
