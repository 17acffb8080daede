"""The JSON patch of a step, made from the live pod by the code that planned it, and the check of its answer."""

from collections.abc import Iterator, Sequence

from sidecarctl.facts.named_tuples import NamedTuple
from sidecarctl.facts.paths import pointer_text
from sidecarctl.facts.values import Object, Value
from sidecarctl.push.plan.planned import Step
from sidecarctl.push.pods.live_pods import LivePod
from sidecarctl.rollout.pods.targets import Target
from sidecarctl.rollout.round.cold_and_hot_upgrade import reset, upgrade
from sidecarctl.rollout.round.rollout_facts import AnnotationEdit, PodPatch

CONTENT_TYPE = "application/json-patch+json"


class Built(NamedTuple):
    """A patch that may be sent; `images` and `annotations` are what the pod then has."""

    operations: Sequence[Object]
    images: Sequence[tuple[str, str, str]]
    """List of the pod's spec, container, image."""
    annotations: Sequence[tuple[str, str]]


class OtherPatchError(Exception):
    """The live pod would get another patch than the one that was planned; the text says how they differ."""


def built(step: Step, target: Target, live: LivePod, now: str) -> Built:
    """The patch, with tests of everything that it replaces; `now` is the time that it records (RFC 3339).

    Raises OtherPatchError where the images to be set are not the planned ones, SidecarctlError where the set's
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


def _made(step: Step, target: Target, live: LivePod, now: str) -> PodPatch:
    present = target._replace(now=now, hash_entry=target.hash_entry._replace(update_timestamp=now))
    pod = live.fresh()
    change = reset(present, pod) if step.is_reset else upgrade(present, pod)
    return change.apply("reset" if step.is_reset else "upgrade", was_ready=step.patch.was_ready)


def changed_by_admission(asked: Built, answer: Object) -> str:
    """What the API server's answer has otherwise than it was asked for, because a webhook changed it; else empty."""
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
    """The uid, each container at its place with its image, each text; the resourceVersion where a key is absent."""
    if live.uid:
        yield _operation("test", ("metadata", "uid"), live.uid)
    if any(edit.before is None for edit in made.annotations):
        yield _operation(
            "test", ("metadata", "resourceVersion"), live.manifest["metadata"].get("resourceVersion", "")
        )
    for image in made.images:
        place = _place(live, image.among, image.container)
        yield _operation("test", (*place, "name"), image.container)
        yield _operation("test", (*place, "image"), image.before)
    for edit in made.annotations:
        if edit.before is not None:
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
