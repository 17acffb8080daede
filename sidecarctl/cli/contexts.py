"""The options that decide about injection, and the context that they make of a world."""

import os
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from sidecarctl.api.times import parse_time, utc_text
from sidecarctl.facts.errors import usage_error
from sidecarctl.injection.context import Context
from sidecarctl.injection.options import Options
from sidecarctl.tasks.world import World

GATES = ("EnableSortSidecarContainerByName", "SidecarSetPatchPodMetadataDefaultsAllowed")


class InjectionOptions(NamedTuple):
    """What the command line says about how sets are injected."""

    only: Sequence[str] = ()
    timestamp: str | None = None
    feature_gates: Sequence[str] = ()
    seed: int = 0

    def context(self, world: World) -> Context:
        """The world with these options; UsageError for what they cannot mean."""
        known = [sidecarset.name for sidecarset in world.sidecarsets]
        for name in self.only:
            if name not in known:
                raise usage_error(f"--only {name}: there is no such SidecarSet", hint=f"there are {', '.join(known)}")
        chosen = [one for one in world.sidecarsets if not self.only or one.name in self.only]
        options = Options(self.seed, feature_gates(self.feature_gates), recorded_time(self.timestamp))
        return Context(chosen, namespaces=world.namespaces, revisions=world.revisions, options=options)


def recorded_time(asked: str | None) -> str | None:
    """The time to record: as asked, else SOURCE_DATE_EPOCH, else none; never the clock's unless asked for."""
    if asked == "now":
        return utc_text(datetime.now(UTC))
    if asked:
        time = parse_time(asked)
        if time is None:
            raise usage_error(f"--timestamp {asked} is no time", hint="now, or RFC 3339 such as 2026-01-31T12:00:00Z")
        return utc_text(time)
    epoch = os.environ.get("SOURCE_DATE_EPOCH")
    if not epoch:
        return None
    try:
        return utc_text(datetime.fromtimestamp(int(epoch), UTC))
    except (ValueError, OverflowError, OSError):
        raise usage_error(f"SOURCE_DATE_EPOCH={epoch} is no number of seconds") from None


def feature_gates(asked: Sequence[str]) -> frozenset[str]:
    """The gates that are on, from `GATE=true,GATE=false` as Kruise takes them."""
    on: set[str] = set()
    for item in ",".join(asked).split(","):
        gate, _, value = item.strip().partition("=")
        if not gate:
            continue
        if gate not in GATES or value not in ("true", "false", ""):
            raise usage_error(
                f"--feature-gates {item} is not known", hint=f"GATE=true or GATE=false of {', '.join(GATES)}"
            )
        (on.discard if value == "false" else on.add)(gate)
    return frozenset(on)
