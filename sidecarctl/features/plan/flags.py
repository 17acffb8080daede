"""How `plan` simulates a rollout, and what-if options for the update strategy."""

import re
from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import Annotated, TypeAlias

import typer

from sidecarctl.cli.flags.amounts import count_or_share
from sidecarctl.cli.flags.cluster import PrintRbac, WatchFlags
from sidecarctl.cli.flags.kruise import InjectionFlags, recorded_time
from sidecarctl.cli.flags.outputs import failing
from sidecarctl.engine.facts.errors import usage_error
from sidecarctl.engine.facts.start_up import lazy_pattern
from sidecarctl.engine.facts.values import Object, Value
from sidecarctl.engine.rollout.facts import OBJECTIONS, UNFINISHED, Ending
from sidecarctl.engine.rollout.plan_options import PlanOptions, PlanRequest, update_duration
from sidecarctl.engine.sidecarset.set_images import SetImage, set_image


class Updates(StrEnum):
    """How updates in flight end."""

    FINISH = "finish"
    STUCK = "stuck"


From = Annotated[
    list[str] | None,
    typer.Option(
        "--from",
        metavar="OLD",
        envvar="SIDECARCTL_FROM",
        help="The current SidecarSets: create pods from the workloads in PATHS and inject them with these; "
        "repeatable.",
    ),
]
Replicas = Annotated[
    list[str] | None,
    typer.Option(
        "--replicas",
        metavar="[NS/]KIND/NAME=N",
        help="With --from: the number of pods of a workload, of each of its templates; repeatable.",
    ),
]
InFlight = Annotated[
    Updates,
    typer.Option("--in-flight", help="Whether updates that are already in flight finish or are stuck."),
]
MaxUnavailable = Annotated[
    str | None, typer.Option("--max-unavailable", metavar="N|N%", help="Plan with this maxUnavailable.")
]
SetImages = Annotated[
    list[str] | None,
    typer.Option(
        "--set-image",
        metavar="[SET/]CONTAINER=IMAGE",
        help="What if this container had this image? Without SET: in every SidecarSet that has it; repeatable.",
    ),
]


class PlanFlags(InjectionFlags):
    """The simulation; the injection options affect pods created from workloads."""

    title = "Simulation"
    from_old: From = None
    replicas: Replicas = None
    pod_update_duration: Annotated[
        str,
        typer.Option(
            "--pod-update-duration",
            metavar="STEPS|TIME",
            help="Number of rounds that a pod update takes, up to 1000, or a time (45s) to show when waves begin.",
        ),
    ] = "1"
    fail: Annotated[
        list[str] | None,
        typer.Option(
            "--fail",
            metavar="POD",
            help="A pod ([NS/]NAME, or a pattern with *) that never becomes ready; repeatable.",
        ),
    ] = None
    assume_ready: Annotated[
        bool, typer.Option("--assume-ready", help="Assume that every updated pod becomes ready.")
    ] = False
    in_flight: InFlight = Updates.FINISH
    rounds: Annotated[
        int | None, typer.Option("--rounds", min=1, metavar="N", help="Stop after this many rounds.")
    ] = None
    partition: Annotated[
        str | None, typer.Option("--partition", metavar="N|N%", help="Plan with this partition.")
    ] = None
    max_unavailable: MaxUnavailable = None
    selector: Annotated[
        str | None,
        typer.Option(
            "--selector", metavar="LABELS", help="Plan with this updateStrategy selector: a=b,c in (d,e),!f."
        ),
    ] = None
    paused: Annotated[
        bool | None,
        typer.Option("--paused/--no-paused", help="Plan with the rollout paused or unpaused.", show_default=False),
    ] = None
    set_image: SetImages = None
    sweep: Annotated[
        list[str] | None,
        typer.Option(
            "--sweep",
            metavar="partition=A,B,...",
            help="Compare several values in a table; or maxUnavailable=. Both: a grid of rows by columns.",
        ),
    ] = None
    by: Annotated[
        list[str] | None,
        typer.Option(
            "--by",
            metavar="LABEL",
            help="Report the maximum of unavailable pods per value of a pod label; repeatable.",
        ),
    ] = None
    by_node: Annotated[
        list[str] | None,
        typer.Option("--by-node", metavar="LABEL", help="The same per value of a label of the Nodes in PATHS."),
    ] = None
    recreate: Annotated[
        bool,
        typer.Option("--recreate", help="Show how to recreate the pods that only get the new version as new pods."),
    ] = False
    resource_version: Annotated[
        str,
        typer.Option("--resource-version", metavar="VERSION", help="resourceVersion for SidecarSets without one."),
    ] = ""
    fail_on: Annotated[
        list[str] | None,
        typer.Option(
            "--fail-on",
            metavar="ENDING,...",
            help="Exit 1 for these endings, any or none; by default for Stalled, Blocked, Error and Unknown.",
        ),
    ] = None

    def fails(self) -> frozenset[Ending]:
        """The endings for which the command exits with 1; UsageError for an unknown one."""
        named = failing("plan", self.fail_on, UNFINISHED)
        return OBJECTIONS if named is None else named

    def refuse_contradictions(self, *, is_live: bool) -> None:
        """UsageError for pods from two places, and for numbers of pods that are not made."""
        if is_live and self.from_old:
            raise usage_error(
                "--from creates pods from workloads, and --live reads them from a cluster: use only one of them"
            )
        if self.recreate and self.sweep:
            raise usage_error("--recreate is about one plan, and --sweep compares several: use only one of them")
        if self.replicas and not self.from_old:
            raise usage_error("--replicas needs --from OLD: it sets the number of pods of a workload")

    def request(self, *, strict: bool = False) -> PlanRequest:
        """What to plan; UsageError for invalid values."""
        rows, columns = swept(self.sweep or ())
        return PlanRequest(
            options=self.plan_options(),
            gates=self.gates(),
            fails=self.fails(),
            sweep=rows,
            sweep_columns=columns,
            strict=strict,
            replicas=self.replicas or (),
            seed=self.seed,
            images=set_images(self.set_image),
            recreates=self.recreate,
        )

    def plan_options(self) -> PlanOptions:
        """The options of the simulation; UsageError for invalid values."""
        steps, seconds = update_duration(self.pod_update_duration)
        return PlanOptions(
            only=self.names,
            duration=steps,
            step_seconds=seconds,
            fail=self.fail or (),
            assume_ready=self.assume_ready,
            stuck=self.in_flight is Updates.STUCK,
            rounds=self.rounds,
            timestamp=recorded_time(self.timestamp),
            resource_version=self.resource_version,
            overrides=overrides(self.partition, self.max_unavailable, self.selector, paused=self.paused),
            by=self.by or (),
            by_node=self.by_node or (),
        )


class PlanClusterFlags(WatchFlags):
    """The cluster to read, if any, once or with --watch, or the rights for that."""

    print_rbac: PrintRbac = False

    def roles(self, namespace: str | None, *, recreates: bool) -> Iterator[Object]:
        """The RBAC roles for reading this cluster; UsageError without --live."""
        if not self.live:
            raise usage_error("--print-rbac needs --live: a plan from files needs no rights")
        from sidecarctl.engine.kubectl.roles import reading_roles

        return reading_roles(namespace or "", watches=self.watch, recreates=recreates)


def set_images(texts: Sequence[str] | None) -> list[SetImage]:
    """The images of --set-image; UsageError for another form."""
    return [set_image(text) for text in texts or ()]


_Swept: TypeAlias = tuple[str, list[int | str]]
_MOST_SWEPT = 2
_SWEPT = {"partition": "partition", "maxUnavailable": "maxUnavailable", "max-unavailable": "maxUnavailable"}
_MOST_WAVES = 1_000_000
_WAVES = lazy_pattern(r"([0-9]{1,9})(?:-([0-9]{1,9}))?")
_REQUIREMENT = lazy_pattern(
    r"\s*(?:!\s*(?P<absent>[^\s=!,()]+)"
    r"|(?P<key>[^\s=!,()]+)\s*(?:(?P<sign>==?|!=)\s*(?P<value>[^\s=!,()]*)"
    r"|\s(?P<word>in|notin)\s*\((?P<values>[^()]*)\))?)\s*(?:,|\Z)"
)


def overrides(
    partition: str | None, max_unavailable: str | None, selector: str | None, *, paused: bool | None
) -> Object:
    """The members of updateStrategy that replace those of the SidecarSets."""
    given: Object = {
        "partition": None if partition is None else count_or_share("--partition", partition),
        "maxUnavailable": None if max_unavailable is None else count_or_share("--max-unavailable", max_unavailable),
        "selector": None if selector is None else label_selector(selector),
        "paused": paused,
    }
    return {key: value for key, value in given.items() if value is not None}


def swept(texts: Sequence[str]) -> tuple[_Swept | None, _Swept | None]:
    """The fields of updateStrategy that are swept, with their values: those of the rows, and those of the columns."""
    if len(texts) > _MOST_SWEPT:
        message = f"--sweep is given {len(texts)} times, and a grid has only rows and columns"
        raise usage_error(message, hint="give at most two, one for partition and one for maxUnavailable")
    given = [_swept(text) for text in texts]
    if len({field for field, _ in given}) < len(given):
        every = ",".join(str(value) for _, values in given for value in values)
        raise usage_error(f"--sweep {given[0][0]} is given twice", hint=f"use --sweep {given[0][0]}={every}")
    return (given[0] if given else None), (given[1] if given[1:] else None)


def _swept(text: str) -> _Swept:
    option, _, values = text.partition("=")
    if values and option not in _SWEPT:
        raise usage_error(f"--sweep {text}: {option} cannot be swept", hint=f"use one of {', '.join(_SWEPT)}")
    if not values:
        raise usage_error(f"--sweep {text} has no values", hint="such as --sweep partition=0,20%,50%,80%")
    tried = [value.strip() for value in values.split(",")]
    if "" in tried:
        raise usage_error(f"--sweep {text} has an empty value", hint="such as --sweep partition=0,20%,50%")
    return _SWEPT[option], [*dict.fromkeys(count_or_share(f"--sweep {option}", value, "=") for value in tried)]


def waves_of(texts: Sequence[str]) -> frozenset[int]:
    """The waves in `N` and `N-M`, counted from 1; UsageError for anything else."""
    waves: set[int] = set()
    for text in texts:
        found = _WAVES.fullmatch(text)
        first, last = (int(found[1]), int(found[2] or found[1])) if found else (0, 0)
        if not 1 <= first <= last <= _MOST_WAVES:
            hint = "use a number such as 1, or a range such as 2-5; waves count from 1"
            raise usage_error(f"--waves {text} is not a wave", hint=hint)
        waves |= set(range(first, last + 1))
    return frozenset(waves)


def label_selector(text: str) -> Object:
    """A selector in kubectl syntax (`a=b,c!=d,e in (f,g),!h`) as the API has it."""
    expressions: list[Object] = []
    at = 0
    while at < len(text):
        found = _REQUIREMENT.match(text, at)
        if found is None:
            raise usage_error(f"--selector {text} is malformed", hint="such as app=web,tier in (a,b),!legacy")
        expressions.append(_expression(found))
        at = found.end()
    return {"matchExpressions": expressions}


def _expression(found: re.Match[str]) -> Object:
    if found["absent"]:
        return {"key": found["absent"], "operator": "DoesNotExist"}
    if found["word"]:
        operator = "In" if found["word"] == "in" else "NotIn"
        return _valued(found["key"], operator, [value.strip() for value in found["values"].split(",")])
    if found["sign"]:
        return _valued(found["key"], "NotIn" if found["sign"] == "!=" else "In", [found["value"]])
    return {"key": found["key"], "operator": "Exists"}


def _valued(key: str, operator: str, values: Sequence[Value]) -> Object:
    return {"key": key, "operator": operator, "values": list(values)}
