"""The Kruise to compute: its release, its feature gates, an upgrade, and the options of injection."""

import os
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Annotated, Self

import typer

from sidecarctl.cli.flags.groups import Flags
from sidecarctl.cli.flags.repository import settings
from sidecarctl.engine.api.field_table import did_you_mean
from sidecarctl.engine.api.text_forms import epoch_time, parse_time, utc_text
from sidecarctl.engine.facts.errors import unknown_word, usage_error
from sidecarctl.engine.injection.decisions import InjectionOptions
from sidecarctl.engine.releases.feature_gates import GATES, OTHERS, gates_that_differ, is_known
from sidecarctl.engine.releases.profiles import UnknownReleaseError, release_named
from sidecarctl.engine.releases.release import DEFAULT, Release
from sidecarctl.engine.report import Form
from sidecarctl.engine.sidecarset.webhook_scope import CHART, KUSTOMIZATION


class ReleaseFlags(Flags):
    """The release of Kruise."""

    title = "Release of Kruise"
    kruise: Annotated[
        str,
        typer.Option(
            "--kruise",
            metavar="VERSION",
            help="The release of Kruise to compute: 1.0 to 1.9, or master. [default: " + DEFAULT.name + "]",
            show_default=False,
        ),
    ] = ""

    @property
    def release(self) -> Release:
        """The requested release, else the default; UsageError if its behavior is not known."""
        name = self.kruise or settings().kruise
        return named_release("--kruise", name) if name else DEFAULT


class KruiseFlags(ReleaseFlags):
    """The release of Kruise, of commands that read SidecarSets."""

    allow_unknown: Annotated[
        bool,
        typer.Option(
            "--allow-unknown",
            help="Ignore features that the release of Kruise does not know, as it would.",
        ),
    ] = False
    installed_by: Annotated[
        str,
        typer.Option(
            "--installed-by",
            metavar="chart|kustomization",
            help="How Kruise was installed: decides which namespaces its webhook sees.",
        ),
    ] = CHART

    @property
    def installation(self) -> str:
        """How Kruise was installed; UsageError for another word."""
        if self.installed_by not in (CHART, KUSTOMIZATION):
            raise unknown_word("--installed-by", self.installed_by, [CHART, KUSTOMIZATION])
        return self.installed_by


def named_release(option: str, name: str) -> Release:
    """The release with the name in an option; UsageError, with the nearest names, if unknown."""
    try:
        return release_named(name)
    except UnknownReleaseError as unknown:
        raise usage_error(f"{option} {name} {unknown.why}", hint=f"one of {', '.join(unknown.nearest)}") from None


KruiseFrom = Annotated[
    str, typer.Option("--kruise-from", metavar="VERSION", help="The release of Kruise that runs now.")
]
KruiseTo = Annotated[
    str, typer.Option("--kruise-to", metavar="VERSION", help="The release that it is to be upgraded to.")
]


def upgrade_of(kruise_from: str, kruise_to: str, kruise: str, hint: str) -> tuple[Release, Release]:
    """Both releases; UsageError if only one is named, or a third one by --kruise, and for one that is not known."""
    if not (kruise_from and kruise_to):
        raise usage_error("--kruise-from and --kruise-to must be used together", hint=hint)
    if kruise and kruise != os.environ.get("SIDECARCTL_KRUISE"):  # where it may be for other commands
        raise usage_error("--kruise-from and --kruise-to cannot be combined with --kruise", hint=hint)
    return named_release("--kruise-from", kruise_from), named_release("--kruise-to", kruise_to)


Only = Annotated[list[str] | None, typer.Option("--only", metavar="NAME", help="Only this SidecarSet; repeatable.")]
Timestamp = Annotated[
    str | None,
    typer.Option(
        "--timestamp", metavar="TIME", help="Time to record: now, or RFC 3339. [default: the recorded time]"
    ),
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
    feature_gates: Annotated[
        list[str] | None,
        typer.Option(
            "--feature-gates", metavar="GATE=true", help="Kruise feature gates; repeatable or comma-separated."
        ),
    ] = None

    def gates(self) -> frozenset[str]:
        """The gates that differ from their defaults; UsageError for an unknown gate."""
        return feature_gates([*settings().feature_gates, *(self.feature_gates or ())])

    def over(self, running: Sequence[str]) -> Self:
        """These options over the gates of a cluster: those that the user named go before them."""
        return type(self)(**{**vars(self), "feature_gates": [*running, *(self.feature_gates or ())]})


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
    seed: Annotated[
        int, typer.Option("--seed", metavar="N", help="Seed for the random choice of injectionStrategy Partial.")
    ] = 0
    revision_from: RevisionFrom = None

    def options(self) -> InjectionOptions:
        """The options of an injection; UsageError for invalid values."""
        time = recorded_time(self.timestamp)
        return InjectionOptions(tuple(self.names), self.seed, self.gates(), time)


class InjectFlags(InjectionFlags):
    """The options of an injection whose output may be applied, or checked."""

    title = "What is computed"
    without_kruise: Annotated[
        bool,
        typer.Option(
            "--without-kruise",
            help="For clusters without Kruise: leave out what only Kruise fulfills (barriers, its readiness gate).",
        ),
    ] = False
    as_pods: Annotated[
        bool,
        typer.Option("--as-pods", help="Print the pods that would be created, in full, instead of the workloads."),
    ] = False

    def options(self) -> InjectionOptions:
        """The options of an injection; UsageError for invalid values."""
        return super().options()._replace(without_kruise=self.without_kruise)

    def refuse_contradictions(self, *, prints: bool, form: Form) -> None:
        """UsageError if pods cannot be written as requested: they are printed, as YAML."""
        if self.as_pods and not (prints and form in (Form.TEXT, Form.YAML)):
            raise usage_error("--as-pods prints YAML to stdout", hint="omit -i, -d, --diff, --check, and forms of -o")


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
    """The gates that differ from their defaults, from `GATE=true,GATE=false` as in Kruise; UsageError for others.

    As for Helm, the comma may have a backslash.
    """
    gates: dict[str, bool] = {}
    for item in ",".join(asked).replace("\\,", ",").split(","):
        gate, _, value = item.strip().partition("=")
        if not gate:
            continue
        if not is_known(gate):
            raise unknown_word("--feature-gates", gate, hint=_meant(gate))
        if value not in ("true", "false", ""):
            raise usage_error(f"--feature-gates {item}: write {gate}=true or {gate}=false")
        gates[gate] = value != "false"
    return gates_that_differ(gates)


def _meant(gate: str) -> str:
    meant = did_you_mean(gate, [*GATES, *OTHERS])
    return f"did you mean {meant}?" if meant else f"those that decide about pods: {', '.join(GATES)}"
