"""The patch of a step, computed from the live pod by the planning code, and the results of sending it."""

from dataclasses import dataclass
from typing import TypeAlias

from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.plan_file.reading import PlannedAnnotation, PlannedImage, PlannedPatch
from sidecarctl.engine.rollout.facts import ImageChange, PodPatch
from sidecarctl.engine.rollout.round.upgrades import reset, upgrade
from sidecarctl.engine.rollout.targets import Target
from sidecarctl.features.push.plan import PushStep
from sidecarctl.features.push.pods import LivePod, PodStanding


@dataclass(frozen=True, slots=True)
class Patched:
    """The patch was carried out; the pod as in the answer. `changed`: what a webhook changed."""

    live: LivePod
    changed: str = ""


@dataclass(frozen=True, slots=True)
class OtherwiseFound:
    """Nothing was carried out, because the pod is in an unexpected state; the pod as it was read again."""

    standing: PodStanding
    live: LivePod | None


@dataclass(frozen=True, slots=True)
class Later:
    """Nothing was carried out; a retry may succeed.

    `seconds`: when, if the server says so. `throttled`: the server has too much to do. `is_held`: a
    PodUnavailableBudget does not allow it now.
    """

    why: str
    seconds: float | None = None
    throttled: bool = False
    is_held: bool = False


@dataclass(frozen=True, slots=True)
class PatchRefused:
    """The server rejects the patch, and would do so again."""

    reason: Reason
    why: str


SendResult: TypeAlias = Patched | OtherwiseFound | Later | PatchRefused


class OtherPatchError(Exception):
    """The live pod would get a different patch than planned; the text says how they differ."""


def built(step: PushStep, target: Target, live: LivePod, now: str) -> PlannedPatch:
    """The patch as the live pod needs it; `now` is the time that it records (RFC 3339).

    Raises OtherPatchError if the images to be set are not the planned ones, SidecarctlError if the set's
    metadata cannot be merged.
    """
    made = _made(step, target, live, now)
    planned = {(image.container, image.before, image.after) for image in step.patch.images}
    found = {(image.container, image.before, image.after) for image in made.images}
    if planned != found:
        raise OtherPatchError(f"images to be set are {_images(found)}, the plan says {_images(planned)}")
    return step.patch._replace(
        uid=live.uid,
        resource_version=live.manifest["metadata"].get("resourceVersion", ""),
        images=tuple(
            PlannedImage(image.container, image.among, _place(live, image), image.before, image.after)
            for image in made.images
        ),
        annotations=tuple(
            PlannedAnnotation(edit.key, edit.before, edit.after, invented=False) for edit in made.annotations
        ),
    )


def _made(step: PushStep, target: Target, live: LivePod, now: str) -> PodPatch:
    present = target._replace(now=now, hash_entry=target.hash_entry._replace(update_timestamp=now))
    pod = live.fresh()
    change = reset(present, pod) if step.is_reset else upgrade(present, pod)
    return change.apply("reset" if step.is_reset else "upgrade", was_ready=step.patch.was_ready)


def changed_by_admission(asked: PlannedPatch, answer: Object) -> str:
    """What a webhook changed in the API server's answer; empty if nothing."""
    found = []
    spec, annotations = answer.get("spec") or {}, (answer.get("metadata") or {}).get("annotations") or {}
    for image in asked.images:
        held = {item.get("name"): item.get("image") for item in spec.get(image.among) or ()}.get(image.container)
        if held != image.after:
            found.append(f"the image of {image.container} became {held} instead of {image.after}")
    found += [
        f"the annotation {edit.key} has another text"
        for edit in asked.annotations
        if annotations.get(edit.key) != edit.after
    ]
    return "; ".join(found)


def _place(live: LivePod, image: ImageChange) -> int:
    return [item.get("name") for item in live.manifest["spec"][image.among]].index(image.container)


def _images(images: set[tuple[str, str, str]]) -> str:
    return ", ".join(f"{name}: {before} > {after}" for name, before, after in sorted(images)) or "none"
