"""What `status --watch` follows: the counts of each SidecarSet, and the state of each pod."""

from collections.abc import Mapping

from sidecarctl.cli.following import Watched
from sidecarctl.engine.rollout.simulated_pods import PodName
from sidecarctl.engine.rollout.statuses import SetStatus
from sidecarctl.features.status.report import head_rows
from sidecarctl.features.status.status import StatusFacts


def watched_status(facts: StatusFacts) -> Watched:
    """The line of each SidecarSet, and the state of its pods, with why."""
    names = {item.sidecarset.name: item for item in facts.sets}
    return Watched(
        {name: head_rows(item)[0] for name, item in names.items()},
        {name: _states(item) for name, item in names.items()},
    )


def _states(status: SetStatus) -> Mapping[PodName, tuple[str, str]]:
    left_out = {item.pod: (str(item.reason), item.message) for item in status.left_out}
    return {pod.pod: (str(pod.state), pod.why) for pod in status.pods} | left_out
