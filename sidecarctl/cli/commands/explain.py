"""`sidecarctl explain`."""

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sidecarctl.cli.collector import without_collector
from sidecarctl.cli.exiting import conclude
from sidecarctl.cli.flags.cluster import ClusterFlags
from sidecarctl.cli.flags.groups import command as typer_command
from sidecarctl.cli.flags.injection import InjectionFlags
from sidecarctl.cli.flags.inputs import DumpFlags
from sidecarctl.cli.flags.reporting import DocumentFlags
from sidecarctl.facts.errors import usage_error
from sidecarctl.facts.findings import Finding
from sidecarctl.files.inputs import Input
from sidecarctl.inputs.emptiness import no_sidecarset
from sidecarctl.inputs.opening import Named, Sources, opened
from sidecarctl.inputs.reading import Reading, read_world
from sidecarctl.inputs.reading_subjects import objects_with_pods
from sidecarctl.inputs.world import World, refuse_unknown_sidecarsets
from sidecarctl.operations.explain import pods_explained, reasons_explained, sidecarset_explained
from sidecarctl.operations.explaining.explanations import Explainer
from sidecarctl.operations.explaining.subjects import Subject, invented, subjects_of
from sidecarctl.operations.inject import injection_context
from sidecarctl.operations.report import Report

if TYPE_CHECKING:  # only running pods are of a rollout
    from sidecarctl.kubectl.live import Live
    from sidecarctl.operations.status import SetStatus


class ExplainFlags(InjectionFlags):
    """What is asked."""

    pod: Annotated[
        str, typer.Option("--pod", metavar="[KIND/|NAMESPACE/]NAME", help="Only this pod or workload of PATHS.")
    ] = ""
    labels: Annotated[
        str,
        typer.Option("--labels", metavar="KEY=VALUE,...", help="A pod that does not exist, in the namespace of -n."),
    ] = ""
    sidecarset: Annotated[
        str, typer.Option("--sidecarset", metavar="NAME", help="Turned round: which pods it has, which not, and why.")
    ] = ""
    reasons: Annotated[bool, typer.Option("--reasons", help="List all reason codes.")] = False

    @property
    def kind(self) -> str:
        """Which report is asked for."""
        return "reasons" if self.reasons else "explain-set" if self.sidecarset else "explain"

    def pairs(self) -> dict[str, str]:
        """The labels of the invented pod; UsageError for what is no label."""
        pairs = [pair.partition("=") for pair in self.labels.split(",")]
        for key, joint, _ in pairs:
            if not (key and joint):
                raise usage_error(f"--labels {self.labels} is no list of labels", hint="such as app=web,tier=front")
        return {key: value for key, _, value in pairs}


@typer_command
def command(inputs: DumpFlags, asked: ExplainFlags, cluster: ClusterFlags, reporting: DocumentFlags) -> None:
    """Explain why a pod has the sidecars that it has, and why it is not updated.

    PATHS hold pods (kubectl get pods -A -o yaml), workloads, SidecarSets. For each SidecarSet every test is shown in
    order, with the field that decides; what is injected, shared, transferred and computed; where a running pod stands
    in the rollout; and what would have to change. Forms (-o): text, markdown, json, yaml.

    \b
    Examples:
      sidecarctl explain -s sidecarsets/ deploy.yaml
      sidecarctl explain -s sidecarsets/ pods.yaml --pod shop/web-0
      sidecarctl explain -s sidecarsets/ -n shop --labels app=web
      sidecarctl explain -s sidecarsets/ pods.yaml --sidecarset logs
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
            report = _Run(named, sources, live, inputs.reading(), asked).report(allow_empty=inputs.allow_empty)
        found: Sequence[Finding] = live.findings if live else ()
        return report._replace(findings=[*found, *report.findings])

    conclude(run, reporting, asked.kind)


class _Run:
    """One run over opened files."""

    def __init__(
        self, named: Named, sources: Sources[Input], live: "Live | None", how: Reading, asked: ExplainFlags
    ) -> None:
        self.named, self.sources, self.live, self.how, self.asked = named, sources, live, how, asked

    def report(self, *, allow_empty: bool) -> Report[Any]:
        """The explanation that is asked for."""
        world = self._world()
        if not (world.sidecarsets or allow_empty):
            raise no_sidecarset(self.named)
        explainer = Explainer(world, injection_context(world, self.asked.options()), self._statuses())
        subjects = self._subjects()
        if not self.asked.sidecarset:
            return pods_explained(explainer, subjects)
        refuse_unknown_sidecarsets([self.asked.sidecarset], explainer.context.rules, "--sidecarset")
        return sidecarset_explained(explainer, subjects, self.asked.sidecarset)

    def _world(self) -> World:
        if self.live is None:
            return read_world(self.sources, self.how)
        from sidecarctl.inputs.reading_pods import read_inputs

        return read_inputs(self.sources, self.how, self.live.inputs).whole().world

    def _subjects(self) -> Sequence[Subject]:
        if self.asked.labels:
            return [invented(self.how.namespace, self.asked.pairs())]
        live = self.live.inputs if self.live else ()
        found = objects_with_pods([*self.sources.paths, *live], self.how)
        every = subjects_of(found, self.how.namespace, self.how.workloads)
        chosen = [one for one in every if not self.asked.pod or one.answers_to(self.asked.pod)]
        if self.asked.pod and not chosen:
            raise usage_error(f"--pod {self.asked.pod}: no pod or workload with this name in PATHS")
        if not chosen:
            raise usage_error("there is neither a pod nor a workload to explain", hint="--labels invents a pod")
        return chosen

    def _statuses(self) -> "Callable[[], Sequence[SetStatus]]":
        """The status of all SidecarSets, worked out when the first running pod asks."""
        known: list[Sequence[SetStatus]] = []

        def statuses() -> "Sequence[SetStatus]":
            if not known:
                known.append(self._status())
            return known[0]

        return statuses

    def _status(self) -> "Sequence[SetStatus]":
        from sidecarctl.inputs.reading_pods import read_inputs, whole_pods
        from sidecarctl.operations.status import status_report

        live = self.live.inputs if self.live else ()
        read = read_inputs(self.sources, self.how, live).whole()
        pods = lambda: whole_pods(self.sources, self.how, live)  # noqa: E731 - it is asked for in there
        return status_report(read, pods, self.asked.names, self.how.namespace, self.asked.gates()).facts.sets


def _live(cluster: ClusterFlags, inputs: DumpFlags, stack: ExitStack) -> "Live | None":
    options = cluster.options(inputs.namespace)
    if options is None:
        return None
    from sidecarctl.cli.progress import progress_line
    from sidecarctl.kubectl.live import live_inputs

    return stack.enter_context(live_inputs(options, stack.enter_context(progress_line())))
