"""A plan file read back, and what identifies it: its release of Kruise, and a digest, by which `push` detects edits.

The digest covers the values, not the text: a plan may be rewritten as JSON or YAML, with its members in any order.
schemas/rollout-plan.json has the rules for a plan.
"""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple, TypeAlias

from sidecarctl.engine.api.schema_checks import schema_check
from sidecarctl.engine.facts.errors import InputError, impossible, input_error
from sidecarctl.engine.facts.findings import API_VERSION, ObjectReference, behavior_of, spelled_now
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Object, Value
from sidecarctl.engine.files.fixed_files import shipped_schema
from sidecarctl.engine.releases.profiles import PROFILES
from sidecarctl.engine.releases.release import Release

DIGEST = "digest"

_Summarized: TypeAlias = Callable[[], str]


def sealed(document: Object) -> Object:
    """The plan with its digest as the last member: a function, to be called once all iterators are consumed.

    `waves`, and the `pods` of each, may be iterators, consumed while the plan is written.
    """
    sets, summaries = [], []
    for entry in document["sidecarSets"]:
        waves, summary = _noted(entry["waves"])
        sets.append({**entry, "waves": waves})
        summaries.append(summary)

    def digest() -> str:
        summed = [{**item, "waves": summary()} for item, summary in zip(sets, summaries, strict=True)]
        return _digest({**document, "sidecarSets": summed})

    return {**document, "sidecarSets": sets, DIGEST: digest}


def digest_of(document: Object) -> str:
    """The digest that a plan should have; the plan has passed the schema, or was read by `reading.read_plan`."""
    summed = []
    for entry in document["sidecarSets"]:
        waves, summary = _noted(entry["waves"])
        for wave in waves:
            for _ in wave["pods"]:
                pass
        summed.append({**entry, "waves": summary()})
    return _digest({key: value for key, value in {**document, "sidecarSets": summed}.items() if key != DIGEST})


def refuse_edited(document: Object) -> None:
    """ImpossibleError (EditedPlan) for a plan that was changed after it was made, or has no digest."""
    recorded = document.get(DIGEST)
    if not recorded:
        message = "the plan has no digest, so it may have been edited"
        raise impossible(Reason.EDITED_PLAN, message, hint="make a new plan")
    if recorded != digest_of(document):
        message = "the plan was changed after it was made: its digest does not fit"
        raise impossible(Reason.EDITED_PLAN, message, (DIGEST,), hint="make a new plan")


def _noted(waves: Iterable[Object]) -> tuple[Iterator[Object], _Summarized]:
    """The waves, whose values (pods included) are added to the digest as they are consumed."""
    sums = hashlib.sha256()

    def drawn() -> Iterator[Object]:
        for wave in waves:
            pods = hashlib.sha256()
            yield {**wave, "pods": _summed(wave["pods"], pods)}
            sums.update(_canonical({**wave, "pods": pods.hexdigest()}))

    return drawn(), sums.hexdigest


def _summed(items: Iterable[Object], sums: "hashlib._Hash") -> Iterator[Object]:
    for item in items:
        sums.update(_canonical(item))
        yield item


def _digest(summed: Object) -> str:
    return "sha256:" + hashlib.sha256(_canonical(summed)).hexdigest()


def _canonical(value: Value) -> bytes:
    return _ENCODER.encode(value).encode() + b"\n"


_ENCODER = json.JSONEncoder(sort_keys=True, separators=(",", ":"))


def release_of(document: Object) -> Release:
    """The release; ImpossibleError (EditedPlan) for a behavior that is not known here."""
    behavior = behavior_of(document)
    for release in PROFILES.values():
        if release.behavior == behavior:
            return release
    message = f"the behavior of the plan, {behavior}, is not known here"
    raise impossible(Reason.EDITED_PLAN, message, ("behavior",), hint="make a new plan")


KIND = "RolloutPlan"
PodKey: TypeAlias = tuple[str, str]
"""Namespace and name of a pod."""

_MOST_PROBLEMS = 20
"""The problems that are reported at most: the same problem in every pod would be many thousands."""


class PlannedImage(NamedTuple):
    """A container that gets another image: its position in the pod spec, its image before and after."""

    container: str
    among: str
    place: int
    before: str
    after: str


class PlannedAnnotation(NamedTuple):
    """An annotation that changes; `before` is None if it was absent.

    `invented`: it contains a simulated imageID. `hash`: the hash that it then records for the SidecarSet of the
    patch.
    """

    key: str
    before: str | None
    after: str
    invented: bool
    hash: str = ""


class PlannedPatch(NamedTuple):
    """A patch of a pod in a wave of a SidecarSet; waves of a SidecarSet count from 1.

    `was_ready`: the pod was ready before it, as a rollout sees readiness, and counts against maxUnavailable.
    `is_first`: the first patch of the pod in the plan. `resource_version`: of the pod before its first patch;
    empty if unknown.
    """

    set_name: str
    wave: int
    round: int
    namespace: str
    name: str
    uid: str
    kind: str
    images: tuple[PlannedImage, ...]
    annotations: tuple[PlannedAnnotation, ...]
    was_ready: bool
    is_first: bool = True
    resource_version: str = ""

    @property
    def pod(self) -> PodKey:
        """Namespace and name."""
        return self.namespace, self.name

    @property
    def reference(self) -> ObjectReference:
        """The pod, as findings name it."""
        return ObjectReference("v1", "Pod", *self.pod)

    @property
    def is_invented(self) -> bool:
        """Whether it writes an imageID that only the simulation knows."""
        return any(annotation.invented for annotation in self.annotations)


class PlannedCondition(NamedTuple):
    """The condition SidecarSetUpgradable that a round writes on a pod."""

    set_name: str
    round: int
    namespace: str
    name: str
    uid: str
    condition: Object


class PlannedRollout(NamedTuple):
    """Everything that a plan writes to pods, in order."""

    patches: list[PlannedPatch]
    conditions: list[PlannedCondition]
    synthetic: bool


def read_plan(document: Value) -> PlannedRollout:
    """The patches of a plan, by round, then set, then their order in the wave.

    InputError if the document is not a RolloutPlan.
    """
    if not isinstance(document, dict) or document.get("kind") != KIND:
        raise input_error(Reason.WRONG_TYPE, "not a RolloutPlan", ("kind",), hint="create one with plan -o json=FILE")
    refuse_invalid(document, KIND)
    patches = [patch for item in document["sidecarSets"] for patch in _patches(item)]
    conditions = [entry for item in document["sidecarSets"] for entry in _conditions(item)]
    patches.sort(key=lambda patch: (patch.round, patch.set_name))
    conditions.sort(key=lambda entry: (entry.round, entry.set_name))
    return PlannedRollout(list(_later_marked(patches)), conditions, document["synthetic"])


def refuse_invalid(document: Object, kind: str) -> None:
    """InputError for a document that is not of this version, or does not pass the schema of its kind."""
    if document.get("apiVersion") != API_VERSION:
        message = f"unknown version {document.get('apiVersion')}"
        raise input_error(Reason.UNKNOWN_VERSION, message, ("apiVersion",), hint=f"supported: {API_VERSION}")
    if problems := schema_check(shipped_schema(kind))(spelled_now(document)):
        raise InputError(*problems[:_MOST_PROBLEMS])


def _patches(item: Object) -> Iterator[PlannedPatch]:
    for number, wave in enumerate(item["waves"], 1):
        for pod in wave["pods"]:
            yield PlannedPatch(
                item["name"],
                number,
                wave["round"],
                pod["namespace"],
                pod["name"],
                pod.get("uid", ""),
                pod["kind"],
                tuple(
                    PlannedImage(image["container"], image["in"], image["index"], image["before"], image["after"])
                    for image in pod["images"]
                ),
                tuple(_annotation(value, item["name"]) for value in pod["annotations"]),
                pod["wasReady"],
                resource_version=pod.get("resourceVersion", ""),
            )


def _later_marked(patches: Iterable[PlannedPatch]) -> Iterator[PlannedPatch]:
    """The patches; later patches of a pod have no resourceVersion, which the first one changes."""
    patched: set[PodKey] = set()
    for patch in patches:
        yield patch._replace(is_first=False, resource_version="") if patch.pod in patched else patch
        patched.add(patch.pod)


def _annotation(value: Object, set_name: str) -> PlannedAnnotation:
    invented = any(entry.get("simulatedImageIDs") for entry in value["entries"])
    hashes = (item["value"].get("hash", "") for item in value["entries"] if item["sidecarSet"] == set_name)
    return PlannedAnnotation(value["key"], value["before"], value["after"], invented, next(hashes, ""))


def _conditions(item: Object) -> Iterator[PlannedCondition]:
    for entry in item["conditions"]:
        after = {key: entry["after"][key] for key in ("status", "reason", "message")}
        yield PlannedCondition(
            item["name"],
            entry["round"],
            entry["namespace"],
            entry["name"],
            entry.get("uid", ""),
            {"type": "SidecarSetUpgradable", **after},
        )
