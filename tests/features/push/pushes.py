"""Pushes that tests begin with: pods with version 1 of the sidecar, and a plan that brings version 2."""

import itertools
import json
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from sidecarctl.engine.api.label_selectors import Labels
from sidecarctl.engine.facts.errors import ImpossibleError
from sidecarctl.engine.facts.findings import Finding, warning
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.inputs.opening import ClusterIdentity
from sidecarctl.engine.inputs.trimmed_pods import trimmed_pod
from sidecarctl.engine.plan_file.document import PlanContext, plan_document
from sidecarctl.engine.report import Report, exit_code
from sidecarctl.engine.rollout.plan_options import PlanOptions
from sidecarctl.engine.rollout.simulated_rollout import ClusterBehavior, Simulation
from sidecarctl.engine.rollout.summary.rollout_plan import run
from sidecarctl.engine.rollout.targets import target_of
from sidecarctl.engine.sidecarset.sets import SidecarSet
from sidecarctl.features.plan.rows import options_document
from sidecarctl.features.push.deciding.machine import Machine
from sidecarctl.features.push.events import PushEvent, PushFacts
from sidecarctl.features.push.plan import PushPlan, PushSettings, PushStep, read_push_plan
from sidecarctl.features.push.pushing import PushEnvironment as Around
from sidecarctl.features.push.pushing import PushRequest, push
from sidecarctl.render.documents import json_text
from tests.engine.rollout.manifests import pod, sidecarset
from tests.features.push.fake_cluster import UID, FakeCluster

NOW = "2026-02-01T00:00:00Z"
QUICK = PushSettings(settle=0.0, timeout=60.0, first_pod_alone=False)
_STEP, _TICK = 1.0, 0.02  # seconds


def document_of(
    sets: Sequence[SidecarSet],
    pods: Iterable[Object],
    *,
    uid: str = UID,
    synthetic: bool = False,
    namespaces: Mapping[str, Labels] | None = None,
    partial_view: str = "",
) -> Object:
    """The plan of a rollout, as a file of it is read."""
    targets = [target_of(item, f"{item.name}-2", now=None)._replace(raises_versions=True) for item in sets]
    behavior = ClusterBehavior(mends=True, finishes_begun=True)
    plan = run(Simulation(targets, [trimmed_pod(item, "default") for item in pods], namespaces or {}, behavior))
    cluster = ClusterIdentity(uid).document()
    findings = [warning(Reason.PARTIAL_VIEW, partial_view)] if partial_view else []
    around = PlanContext([], options_document(PlanOptions()), {}, {}, findings, synthetic=synthetic, cluster=cluster)
    document: Object = json.loads(json_text(plan_document(plan, around)))
    return document


class Log:
    """Who looks on in tests: keeps the events, and answers questions."""

    def __init__(self, answers: Iterable[bool] = (), on_event: Callable[[PushEvent], None] = lambda _: None) -> None:
        self.events: list[PushEvent] = []
        self.asked: list[int] = []
        self._answers = iter(answers)
        self._on_event = [on_event]
        self.at_every_look: Callable[[], None] = lambda: None

    def show(self, events: Iterable[PushEvent], machine: Machine) -> None:
        del machine
        for event in events:
            self.events.append(event)
            for act in self._on_event:
                act(event)
        self.at_every_look()

    def also(self, on_event: Callable[[PushEvent], None]) -> None:
        """Do something more on each event."""
        self._on_event.append(on_event)

    def confirm(self, wave: int, steps: Sequence[PushStep]) -> bool:
        assert {step.wave for step in steps} == {wave}
        self.asked.append(wave)
        return next(self._answers)

    def of(self, kind: type) -> list[Any]:
        """The events of a kind."""
        return [event for event in self.events if isinstance(event, kind)]


class Ended(NamedTuple):
    """A push that has ended."""

    report: Report[PushFacts]

    @property
    def facts(self) -> PushFacts:
        return self.report.facts

    @property
    def findings(self) -> Sequence[Finding]:
        return self.report.findings

    @property
    def exit_code(self) -> int:
        return exit_code(self.report)


@dataclass
class Shop:
    """A cluster with pods, and a plan over them."""

    folder: Path
    cluster: FakeCluster
    document: Object
    settings: PushSettings = QUICK
    log: Log = field(default_factory=Log)
    skipped: float = 0.0
    """Seconds by which the clock of the push is ahead."""
    tick: float | None = None

    @property
    def plan(self) -> PushPlan:
        return read_push_plan(self.document)

    @property
    def journal(self) -> Path:
        return self.folder / "plan.json.journal"

    def records(self) -> list[Object]:
        """The lines of the journal."""
        return [json.loads(line) for line in self.journal.read_text().splitlines()]

    def runs_out_of_time_after(self, kind: type) -> None:
        """Let a wave's time pass quickly after the first event of a kind; in steps that are no gap in time."""

        def pass_time() -> None:
            self.skipped += _STEP * bool(self.log.of(kind))

        self.tick = _TICK  # the push looks at its clock again
        self.log.at_every_look = pass_time

    def push(self, **options: Any) -> "Ended":
        """Push; options of the request, and settings."""
        names = PushSettings.__dataclass_fields__
        settings = replace(self.settings, **{key: options.pop(key) for key in list(options) if key in names})
        request = PushRequest(self.plan, self.journal, settings, **options)
        stamps = (f"2026-02-01T00:{second // 60 % 60:02}:{second % 60:02}Z" for second in itertools.count(1))
        around = Around(
            lambda: time.monotonic() + self.skipped,
            lambda: next(stamps),
            lambda: 0.0,
            self.log,
            self.cluster.review,
            self.tick,
        )
        return Ended(push(request, self.cluster, around))


def refusals(here: Shop, **options: Any) -> Sequence[Finding]:
    """Why a push is refused; nothing has been touched then."""
    before = dict(here.cluster.patched)
    with pytest.raises(ImpossibleError) as refused:
        here.push(**options)
    assert dict(here.cluster.patched) == before
    return refused.value.findings


def shop(  # noqa: PLR0913 - a test says what is special about it
    folder: Path,
    count: int = 3,
    *,
    hot: bool = False,
    max_unavailable: int | str = 1,
    cluster: FakeCluster | None = None,
    hold: bool = True,
    answers: Iterable[bool] = (),
    **spec: Any,
) -> Shop:
    """Pods in a cluster that has the new set, paused; the plan is that of the set when it is not."""
    cluster = cluster or FakeCluster(kruise="1.9.0")
    pods = [cluster.create(pod(f"p{index}", hot=hot)) for index in range(count)]
    new = sidecarset("2", hot=hot, updateStrategy={"maxUnavailable": max_unavailable}, **spec)
    if hold:
        strategy = {"maxUnavailable": max_unavailable, "paused": True}
        cluster.hold(sidecarset("2", hot=hot, **{**spec, "updateStrategy": strategy}).manifest)
    return Shop(folder, cluster, document_of([new], pods), log=Log(answers))
