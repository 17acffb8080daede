"""What a user says about how sets are injected, on the command line or in a SidecarInjection."""

from datetime import UTC, datetime
from typing import NamedTuple

from sidecarctl.api.times import utc_text
from sidecarctl.facts.errors import usage_error
from sidecarctl.injection.context import Context
from sidecarctl.injection.options import Options
from sidecarctl.inputs.world import World

GATES = ("EnableSortSidecarContainerByName", "SidecarSetPatchPodMetadataDefaultsAllowed")
"""The feature gates of Kruise that have a say in injection."""


class InjectionOptions(NamedTuple):
    """Which sets (all of them, when none is named), and how; `timestamp` is in UTC with whole seconds."""

    only: tuple[str, ...] = ()
    timestamp: str | None = None
    feature_gates: frozenset[str] = frozenset()
    seed: int = 0

    def context(self, world: World, said: str = "--only") -> Context:
        """The world with these options; UsageError for a set that is not there (`said` is where it was named)."""
        known = [sidecarset.name for sidecarset in world.sidecarsets]
        for name in self.only:
            if name not in known:
                raise usage_error(f"{said} {name}: there is no such SidecarSet", hint=f"there are {', '.join(known)}")
        chosen = [one for one in world.sidecarsets if not self.only or one.name in self.only]
        options = Options(self.seed, self.feature_gates, self.timestamp)
        return Context(chosen, namespaces=world.namespaces, revisions=world.revisions, options=options)


def epoch_time(epoch: str | None) -> str | None:
    """The time that SOURCE_DATE_EPOCH says, as it is recorded; None where it says nothing, else UsageError."""
    if not epoch:
        return None
    try:
        return utc_text(datetime.fromtimestamp(int(epoch), UTC))
    except (ValueError, OverflowError, OSError):
        raise usage_error(f"SOURCE_DATE_EPOCH={epoch} is no number of seconds") from None
