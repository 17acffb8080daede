"""`sidecarctl explain`."""

from collections.abc import Iterable
from typing import Any

from sidecarctl.cli.exiting import conclude
from sidecarctl.cli.flags.cluster import ClusterFlags, opened_with_cluster
from sidecarctl.cli.flags.explain import ExplainFlags, PathsAndNamesFlags
from sidecarctl.cli.flags.groups import command as typer_command
from sidecarctl.cli.flags.outputs import DocumentFlags
from sidecarctl.cli.spool import Spool
from sidecarctl.operations.explaining.explain import explain, reasons_explained
from sidecarctl.operations.explaining.explained import PodExplanation
from sidecarctl.operations.report import Report

_PODS_IN_MEMORY = 500


@typer_command
def command(inputs: PathsAndNamesFlags, asked: ExplainFlags, cluster: ClusterFlags, reporting: DocumentFlags) -> None:
    """Explain why a pod has its sidecars, and why it is not updated.

    PATHS contain pods (kubectl get pods -A -o yaml), workloads and SidecarSets. For each SidecarSet, the output shows
    every test in order with the field that decides; what is injected, shared, transferred and computed; the
    position of a running pod in the rollout; and what must change. Formats (-o): text, markdown, json, yaml.

    \b
    Examples:
      sidecarctl explain -s sidecarsets/ deploy.yaml
      sidecarctl explain -s sidecarsets/ pods.yaml shop/web-0        why this pod has its sidecars
      sidecarctl explain -s sidecarsets/ pods.yaml logs              all pods of a SidecarSet
      sidecarctl explain -s sidecarsets/ pods.yaml shop/web-0 logs   one pod, one SidecarSet
      sidecarctl explain -s sidecarsets/ -n shop --labels app=web    a pod that does not exist
      sidecarctl explain pods.yaml web-0 --field 'spec.containers[log].env[TZ]'    who put this here
    """  # noqa: D301 - click takes this for lines that are not to be wrapped

    def run() -> Report[Any]:
        if asked.reasons:
            return reasons_explained()
        live = cluster.options(inputs.namespace, inputs.kruise, asked.feature_gates)
        named = inputs.named(asked.revision_from or (), optional=bool(live or asked.labels))
        how = inputs.reading()
        with opened_with_cluster(live, named) as (sources,):
            return explain(sources, how, asked.over(sources.live.gates).question(inputs.words), _spooled)

    conclude(run, reporting, "reasons" if asked.reasons else "explain")


def _spooled(explanations: Iterable[PodExplanation]) -> Spool[PodExplanation]:
    spool: Spool[PodExplanation] = Spool(_PODS_IN_MEMORY)
    for explanation in explanations:
        spool.add([explanation])
    return spool
