"""Options that affect injection."""

import os
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Annotated

import typer

from sidecarctl.api.times import parse_time, utc_text
from sidecarctl.cli.flags.groups import Flags
from sidecarctl.config.injection_options import GATES, epoch_time
from sidecarctl.facts.errors import usage_error
from sidecarctl.injection.options import InjectionOptions

Only = Annotated[list[str] | None, typer.Option("--only", metavar="NAME", help="Only this SidecarSet; repeatable.")]
Timestamp = Annotated[
    str | None,
    typer.Option(
        "--timestamp", metavar="TIME", help="Time to record: now, or RFC 3339. [default: the recorded time]"
    ),
]
GatesOption = Annotated[
    list[str] | None,
    typer.Option("--feature-gates", metavar="GATE=true", help="Kruise feature gates; repeatable or comma-separated."),
]
Seed = Annotated[
    int, typer.Option("--seed", metavar="N", help="Seed for the random choice of injectionStrategy Partial.")
]
RevisionFrom = Annotated[
    list[str] | None,
    typer.Option(
        "--revision-from", metavar="PATH", help="Earlier SidecarSet manifests, used as revisions; repeatable."
    ),
]


class GateFlags(Flags):
    """The feature gates."""

    title = "Release of Kruise"
    feature_gates: GatesOption = None

    def gates(self) -> frozenset[str]:
        """The enabled gates; UsageError for an unknown gate."""
        return feature_gates(self.feature_gates or ())


class ChoiceFlags(GateFlags):
    """Which SidecarSets, and the feature gates."""

    title = "What is computed"
    only: Only = None

    @property
    def names(self) -> Sequence[str]:
        """The requested SidecarSets; empty for all."""
        return self.only or ()


class InjectionFlags(ChoiceFlags):
    """How SidecarSets are injected."""

    title = "What is computed"
    timestamp: Timestamp = None
    seed: Seed = 0
    revision_from: RevisionFrom = None

    def options(self) -> InjectionOptions:
        """The same for injection; UsageError for invalid values."""
        return InjectionOptions(tuple(self.names), self.seed, self.gates(), recorded_time(self.timestamp))


def recorded_time(asked: str | None) -> str | None:
    """The time to record: as requested, else SOURCE_DATE_EPOCH, else none; the clock only if requested.

    UsageError if it is not a time in RFC 3339, or a number of seconds.
    """
    if asked == "now":
        return utc_text(datetime.now(UTC))
    if asked:
        time = parse_time(asked)
        if time is None:
            raise usage_error(
                f"--timestamp {asked} is not a time", hint="use now, or RFC 3339 such as 2026-01-31T12:00:00Z"
            )
        return utc_text(time)
    return epoch_time(os.environ.get("SOURCE_DATE_EPOCH"))


def feature_gates(asked: Sequence[str]) -> frozenset[str]:
    """The enabled gates, from `GATE=true,GATE=false` as in Kruise; UsageError for others."""
    on: set[str] = set()
    for item in ",".join(asked).split(","):
        gate, _, value = item.strip().partition("=")
        if not gate:
            continue
        if gate not in GATES or value not in ("true", "false", ""):
            raise usage_error(
                f"--feature-gates {item}: unknown feature gate", hint=f"GATE=true or GATE=false of {', '.join(GATES)}"
            )
        (on.discard if value == "false" else on.add)(gate)
    return frozenset(on)
