"""A plan for push: the SidecarSets, a step for each patch, and the options."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from typing import NamedTuple

from sidecarctl.engine.facts.errors import SidecarctlError, impossible
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Object, Value, natural
from sidecarctl.engine.inputs.opening import ClusterIdentity
from sidecarctl.engine.plan_file.reading import (
    DIGEST,
    PlannedCondition,
    PlannedPatch,
    PodKey,
    read_plan,
    refuse_edited,
    release_of,
)
from sidecarctl.engine.releases.release import Release
from sidecarctl.engine.rollout.facts import OBJECTIONS
from sidecarctl.engine.rollout.targets import Target, target_of
from sidecarctl.engine.sidecarset.admission import admit
from sidecarctl.engine.sidecarset.pod_annotations import HASH, read_hashes


class PushStep(NamedTuple):
    """One patch of one pod.

    `number`: its place in the plan, from 0. Waves count from 1, over all sets: the rounds that patch a pod. The
    hashes are those recorded for the step's set, before and after; None if nothing is known of it.
    """

    number: int
    wave: int
    patch: PlannedPatch
    hash_before: str | None
    hash_after: str | None

    @property
    def pod(self) -> PodKey:
        """Namespace and name."""
        return self.patch.pod

    @property
    def set_name(self) -> str:
        """The set that is rolled out by it."""
        return self.patch.set_name

    @property
    def is_reset(self) -> bool:
        """Whether it empties the idle half of a hot pair."""
        return self.patch.kind == "reset"

    def __str__(self) -> str:
        return "/".join(self.pod)


class PushPlan(NamedTuple):
    """What to do, in which cluster.

    `targets` are the sets by name; `hashes` those that a set may have in the cluster: its own, in a rollback also
    that of the rollout which is taken back. `named` are the pods that the plan names anywhere, also those that it
    does not patch.
    """

    name: str
    digest: str
    cluster: ClusterIdentity
    release: Release
    targets: Mapping[str, Target]
    hashes: Mapping[str, frozenset[str]]
    steps: Sequence[PushStep]
    conditions: Sequence[PlannedCondition]
    named: frozenset[PodKey]
    newest: str = ""
    """When the newest of its patched pods was created (RFC 3339); empty if unknown."""
    partial_view: tuple[str, ...] = ()
    """Why the plan does not cover all pods that count; empty if it does."""
    leaves: tuple[str, ...] = ()
    """The pods that it should update and does not, in a sentence for each SidecarSet that stalls."""

    @property
    def waves(self) -> int:
        """How many there are."""
        return self.steps[-1].wave if self.steps else 0

    @property
    def namespaces(self) -> list[str]:
        """The namespaces of its pods, sorted."""
        return sorted({namespace for namespace, _ in self.named}, key=natural)

    @property
    def is_hot(self) -> bool:
        """Whether it upgrades hot pairs."""
        return any(self.targets[step.set_name].hot for step in self.steps)


def read_push_plan(document: Value) -> PushPlan:
    """The plan in a document.

    Raises InputError for what is no RolloutPlan; ImpossibleError (SyntheticPlan, EditedPlan) for one of invented
    pods, and for one whose digest does not fit.
    """
    rollout = read_plan(document)
    if rollout.synthetic:
        message = "the plan was made from workloads, not from the pods of a cluster"
        raise impossible(Reason.SYNTHETIC_PLAN, message, ("synthetic",), hint="make a plan with plan --live")
    refuse_edited(document)
    release = release_of(document)
    targets = {planned["name"]: _target(planned, release) for planned in document["sidecarSets"]}
    cluster = document.get("cluster") or {}
    return PushPlan(
        name=document["metadata"]["name"],
        digest=document[DIGEST],
        cluster=ClusterIdentity(cluster.get("uid") or "", cluster.get("kruiseVersion") or ""),
        release=release,
        targets=targets,
        hashes={
            planned["name"]: frozenset({planned["hash"], planned.get("rollbackOf") or planned["hash"]})
            for planned in document["sidecarSets"]
        },
        steps=tuple(_steps(rollout.patches)),
        conditions=rollout.conditions,
        named=frozenset(_named(document)),
        newest=max(_created(document), default=""),
        partial_view=tuple(
            finding["message"] for finding in document["findings"] if finding["reason"] == Reason.PARTIAL_VIEW
        ),
        leaves=tuple(
            f"SidecarSet {planned['name']}: {planned['message']}"
            for planned in document["sidecarSets"]
            if planned.get("ending") in OBJECTIONS
        ),
    )


def _target(planned: Object, release: Release) -> Target:
    """A set of the plan; ImpossibleError (EditedPlan) if its hash here differs from the recorded one."""
    try:
        sidecarset = admit(planned["manifest"], release)
    except SidecarctlError as fault:
        raise impossible(
            Reason.EDITED_PLAN, f"SidecarSet {planned['name']} of the plan cannot be read: {fault}"
        ) from None
    if (sidecarset.hash, sidecarset.hash_without_image) != (planned["hash"], planned["hashWithoutImage"]):
        message = f"the hash of SidecarSet {planned['name']} is {sidecarset.hash}, the plan says {planned['hash']}"
        raise impossible(Reason.EDITED_PLAN, message, hint="make a new plan with this version of sidecarctl")
    return target_of(sidecarset, planned["revision"])._replace(
        raises_versions=True, rolls_back=planned.get("rollbackOf") or ""
    )


def _steps(patches: Sequence[PlannedPatch]) -> Iterator[PushStep]:
    waves = {number: wave for wave, number in enumerate(sorted({patch.round for patch in patches}), 1)}
    recorded: dict[tuple[PodKey, str], str] = {}
    for number, patch in enumerate(patches):
        own = (patch.pod, patch.set_name)
        edit = next((edit for edit in patch.annotations if edit.key == HASH and edit.hash), None)
        before = recorded.get(own)
        if before is None and edit is not None:
            before = read_hashes(edit.before).recorded(patch.set_name)
        after = edit.hash if edit else before
        if after is not None:
            recorded[own] = after
        light = patch._replace(annotations=())  # patches are computed from live pods, so their texts are not needed
        yield PushStep(number, waves[patch.round], light, before, after)


def _created(value: Value) -> Iterator[str]:
    for planned in value["sidecarSets"]:
        for wave in planned["waves"]:
            yield from ((pod.get("sortKey") or {}).get("created") or "" for pod in wave["pods"])


def _named(value: Value) -> Iterator[PodKey]:
    """Every pod that a plan names."""
    for planned in value["sidecarSets"]:
        lists = [wave["pods"] for wave in planned["waves"]]
        lists += [planned[key] for key in ("conditions", "waiting", "busy", "blocked", "holdingBudget", "leftOut")]
        lists += planned["heldBack"].values()
        for pods in lists:
            yield from ((pod["namespace"], pod["name"]) for pod in pods)


LIMITS = ("waves", "max_parallel", "max_unavailable", "first_pod_alone", "settle", "timeout", "max_failures")
"""The options of a push that `--resume` keeps."""


@dataclass(frozen=True, slots=True)
class PushSettings:
    """The options: how fast, how far, and when to stop; times in seconds.

    `waves`: those to carry out, all when empty. `max_parallel`: requests at once. `max_unavailable` may lower
    that of the plan. `settle`: how long a pod has to stay ready; `timeout`: how long a wave may take.
    `max_failures`: failed pods that do not stop it. `adopt`: pods that somebody else patched count as planned.
    `confirms`: each wave needs confirmation before it begins.
    """

    waves: AbstractSet[int] = frozenset()
    max_parallel: int = 8
    max_unavailable: int | str | None = None
    first_pod_alone: bool = True
    settle: float = 10.0
    timeout: float = 600.0
    max_failures: int = 0
    pause_after: int | None = None
    confirms: bool = False
    adopt: bool = False

    @property
    def limits(self) -> Object:
        """The options that limit a push, by their names here: what a journal keeps."""
        kept = {name: getattr(self, name) for name in LIMITS}
        return {**kept, "waves": sorted(self.waves)}

    def with_limits(self, limits: Object, names: Iterable[str]) -> "PushSettings":
        """These options with the limits of an earlier run, where they have these names."""
        found = {name: limits[name] for name in names if name in limits}
        if "waves" in found:
            found["waves"] = frozenset(found["waves"])
        return replace(self, **found)

    def asks_for(self, wave: int) -> bool:
        """Whether a wave was selected."""
        return not self.waves or wave in self.waves
