"""The options of commands that count pods, or those that workloads would have."""

from collections.abc import Sequence

from sidecarctl.cli.flags.earlier import earlier
from sidecarctl.cli.flags.inputs import DumpFlags
from sidecarctl.cli.flags.kruise import ChoiceFlags, RevisionFrom
from sidecarctl.engine.comparing.counted_pods import CountRequest
from sidecarctl.engine.facts.errors import usage_error
from sidecarctl.engine.inputs.opening import Named
from sidecarctl.features.plan.flags import From, Replicas


class CountingFlags(ChoiceFlags):
    """The SidecarSets, their earlier manifests, and the pods of workloads."""

    title = "What is counted"
    revision_from: RevisionFrom = None
    from_old: From = None
    replicas: Replicas = None

    def request(self) -> CountRequest:
        """What to count; UsageError for an unknown feature gate."""
        return CountRequest(self.names, self.gates(), self.replicas or ())

    def counted(self, inputs: DumpFlags, *, is_live: bool) -> Sequence[Named]:
        """The inputs, and the current SidecarSets; UsageError for pods from two places, and without PATHS."""
        if is_live and self.from_old:
            raise usage_error(
                "--from creates pods from workloads, and --live reads them from a cluster: use only one of them"
            )
        return inputs.named(self.revision_from or (), optional=is_live), earlier(inputs, self.from_old or ())
