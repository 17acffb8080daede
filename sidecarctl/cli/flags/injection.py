"""The options that decide about injection, as the command line spells them."""

import os
from collections.abc import Sequence
from datetime import UTC, datetime

from sidecarctl.api.times import parse_time, utc_text
from sidecarctl.config.injection_options import GATES, InjectionOptions, epoch_time
from sidecarctl.facts.errors import usage_error


def injection_options(
    only: Sequence[str], timestamp: str | None, gates: Sequence[str], seed: int
) -> InjectionOptions:
    """What the command line says about how sets are injected; UsageError for what it cannot mean."""
    return InjectionOptions(tuple(only), recorded_time(timestamp), feature_gates(gates), seed)


def recorded_time(asked: str | None) -> str | None:
    """The time to record: as asked, else SOURCE_DATE_EPOCH, else none; never the clock's unless asked for.

    UsageError for what is no time in RFC 3339, or no number of seconds.
    """
    if asked == "now":
        return utc_text(datetime.now(UTC))
    if asked:
        time = parse_time(asked)
        if time is None:
            raise usage_error(f"--timestamp {asked} is no time", hint="now, or RFC 3339 such as 2026-01-31T12:00:00Z")
        return utc_text(time)
    return epoch_time(os.environ.get("SOURCE_DATE_EPOCH"))


def feature_gates(asked: Sequence[str]) -> frozenset[str]:
    """The gates that are on, from `GATE=true,GATE=false` as Kruise takes them; UsageError for others."""
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
