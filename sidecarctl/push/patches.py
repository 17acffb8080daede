"""The JSON patch of a step, computed from the live pod by the planning code, and the results of sending it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from sidecarctl.api.go_json import is_stable
from sidecarctl.facts.reasons import Reason
from sidecarctl.facts.values import Object, Value, pointer_text
from sidecarctl.push.plan import PushStep
from sidecarctl.push.pods import LivePod, PodStanding
from sidecarctl.rollout.facts import AnnotationEdit, PodPatch
from sidecarctl.rollout.round.upgrades import reset, upgrade
from sidecarctl.rollout.targets import Target


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


class Built(NamedTuple):
    """A patch that may be sent; `images` and `annotations` are what the pod then has."""

    operations: Sequence[Object]
    images: Sequence[tuple[str, str, str]]
    """List of the pod's spec, container, image."""
    annotations: Sequence[tuple[str, str]]


class OtherPatchError(Exception):
    """The live pod would get a different patch than planned; the text says how they differ."""


def built(step: PushStep, target: Target, live: LivePod, now: str) -> Built:
    """The patch, with tests of everything that it replaces; `now` is the time that it records (RFC 3339).

    Raises OtherPatchError if the images to be set are not the planned ones, SidecarctlError if the set's
    metadata cannot be merged.
    """
    made = _made(step, target, live, now)
    planned = {(image.container, image.before, image.after) for image in step.patch.images}
    found = {(image.container, image.before, image.after) for image in made.images}
    if planned != found:
        raise OtherPatchError(f"images to be set are {_images(found)}, the plan says {_images(planned)}")
    return Built(
        [*_tests(made, live), *_changes(made, live)],
        [(image.among, image.container, image.after) for image in made.images],
        [(edit.key, edit.after) for edit in made.annotations],
    )


def _made(step: PushStep, target: Target, live: LivePod, now: str) -> PodPatch:
    present = target._replace(now=now, hash_entry=target.hash_entry._replace(update_timestamp=now))
    pod = live.fresh()
    change = reset(present, pod) if step.is_reset else upgrade(present, pod)
    return change.apply("reset" if step.is_reset else "upgrade", was_ready=step.patch.was_ready)


def changed_by_admission(asked: Built, answer: Object) -> str:
    """What a webhook changed in the API server's answer; empty if nothing."""
    found = []
    spec, annotations = answer.get("spec") or {}, (answer.get("metadata") or {}).get("annotations") or {}
    for among, container, image in asked.images:
        held = {item.get("name"): item.get("image") for item in spec.get(among) or ()}.get(container)
        if held != image:
            found.append(f"the image of {container} became {held}, {image} was asked for")
    found += [
        f"the annotation {key} has another text" for key, text in asked.annotations if annotations.get(key) != text
    ]
    return "; ".join(found)


def _tests(made: PodPatch, live: LivePod) -> Iterator[Object]:
    """Tests of the uid, of each container's position and image, and of each text.

    The resourceVersion where a key is absent, or how the server writes a text depends on the Go that built it.
    """
    if live.uid:
        yield _operation("test", ("metadata", "uid"), live.uid)
    if any(edit.before is None or not is_stable(edit.before) for edit in made.annotations):
        yield _operation(
            "test", ("metadata", "resourceVersion"), live.manifest["metadata"].get("resourceVersion", "")
        )
    for image in made.images:
        place = _place(live, image.among, image.container)
        yield _operation("test", (*place, "name"), image.container)
        yield _operation("test", (*place, "image"), image.before)
    for edit in made.annotations:
        if edit.before is not None and is_stable(edit.before):
            yield _operation("test", _annotation(edit), edit.before)


def _changes(made: PodPatch, live: LivePod) -> Iterator[Object]:
    for image in made.images:
        yield _operation("replace", (*_place(live, image.among, image.container), "image"), image.after)
    for edit in made.annotations:
        yield _operation("add" if edit.before is None else "replace", _annotation(edit), edit.after)


def _place(live: LivePod, among: str, container: str) -> tuple[str, str, int]:
    names = [item.get("name") for item in live.manifest["spec"][among]]
    return "spec", among, names.index(container)


def _annotation(edit: AnnotationEdit) -> tuple[str, ...]:
    return "metadata", "annotations", edit.key


def _operation(name: str, path: tuple[str | int, ...], value: Value) -> Object:
    return {"op": name, "path": pointer_text(path), "value": value}


def _images(images: set[tuple[str, str, str]]) -> str:
    return ", ".join(f"{name}: {before} > {after}" for name, before, after in sorted(images)) or "none"
