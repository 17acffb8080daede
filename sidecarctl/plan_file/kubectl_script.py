"""The patches of a plan as a shell script that calls kubectl, wave after wave, and waits in between."""

import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from sidecarctl.facts.patterns import lazy_pattern
from sidecarctl.facts.values import Value
from sidecarctl.plan_file.pod_patches import condition_patch_of, json_patch_of
from sidecarctl.plan_file.reading import PlannedCondition, PlannedImage, PlannedPatch
from sidecarctl.plan_file.script_head import HEAD
from sidecarctl.sidecarset.annotations.pod_annotations import HASH

_PLAIN = lazy_pattern(r"[A-Za-z0-9_@%+=:,./-]+\Z")
_STATUSES = {"containers": "containerStatuses", "initContainers": "initContainerStatuses"}


def kubectl_script(patches: Sequence[PlannedPatch], conditions: Iterable[PlannedCondition] = ()) -> str:
    """The script; it waits for every wave, including the last.

    Pods that were not ready do not count against maxUnavailable: neither the plan nor the script waits for them.
    """
    by_round: dict[int, list[PlannedCondition]] = {}
    for entry in conditions:
        by_round.setdefault(entry.round, []).append(entry)
    return "".join(f"{line}\n" for line in [HEAD.rstrip("\n"), *_body(patches, by_round)])


def quoted(text: str) -> str:
    """The text as a shell word."""
    return text if _PLAIN.match(text) else "'" + text.replace("'", "'\"'\"'") + "'"


def _body(patches: Sequence[PlannedPatch], conditions: dict[int, list[PlannedCondition]]) -> Iterator[str]:
    waves = {number: list(own) for number, own in groupby(patches, lambda patch: patch.round)}
    unready = {patch.pod for patch in patches if patch.kind == "upgrade" and not patch.was_ready}
    reset = {patch.pod for patch in patches if patch.kind == "reset"}
    patched: set[tuple[str, str]] = set()
    conditioned: set[tuple[str, str]] = set()  # a condition that was written has changed the pod's resourceVersion
    yield ""
    yield f"confirm {quoted(_pods(len({patch.pod for patch in patches})))}"
    for number in sorted({*waves, *conditions}):
        own = waves.get(number, [])
        yield ""
        yield f"printf '%s\\n' {quoted(_title(number, own))}"
        for patch in own:
            known = patch._replace(resource_version="") if patch.pod in conditioned else patch
            yield _patch_call("patch_again" if patch.pod in patched else "patch", known)
            patched.add(patch.pod)
        for entry in conditions.get(number, ()):
            yield _call("patch_status", entry.namespace, entry.name, condition_patch_of(entry))
            conditioned.add((entry.namespace, entry.name))
        for patch in own:
            if (
                patch.pod not in unready or patch.pod in reset
            ):  # before the old half of a pair is emptied, the new runs
                yield from _image_waits(patch)
            if patch.pod not in unready:
                yield f"await_ready {_words(*patch.pod)}"


def _patch_call(function: str, patch: PlannedPatch) -> str:
    words = (*patch.pod, json.dumps(json_patch_of(patch)), "; ".join(_expected(patch)), *_parts(patch))
    return f"{function} {_words(*words)}"


def _expected(patch: PlannedPatch) -> Iterator[str]:
    """The preconditions of the patch, for people."""
    for operation in json_patch_of(patch):
        if operation["op"] == "test" and operation["path"] in ("/metadata/uid", "/metadata/resourceVersion"):
            yield f"{operation['path'].rpartition('/')[2]} {operation['value']}"
    for image in patch.images:
        yield f"{image.container} as number {image.place} of {image.among}, with the image {image.before}"
    if unchanged := [annotation.key for annotation in patch.annotations if annotation.before is not None]:
        yield f"as when the plan was made: {', '.join(unchanged)}"


def _parts(patch: PlannedPatch) -> Iterator[str]:
    """The parts of STATE that a patched pod has, whatever later patches add."""
    for image in patch.images:
        yield f"[{image.container}={image.after}]"
    for annotation in patch.annotations:
        if annotation.hash and annotation.key == HASH:
            yield f'"hash":"{annotation.hash}","sidecarSetName":"{patch.set_name}"'


def _title(number: int, own: Sequence[PlannedPatch]) -> str:
    waves = dict.fromkeys(f"{patch.set_name}, wave {patch.wave} ({patch.kind})" for patch in own)
    return f"round {number}: {'; '.join(waves) or 'conditions'}: {_pods(len(own))}"


def _pods(count: int) -> str:
    return "1 pod" if count == 1 else f"{count} pods"


def _image_waits(patch: PlannedPatch) -> Iterator[str]:
    for image in patch.images:
        yield f"await_image {_words(*patch.pod, *_status_words(image))}"


def _status_words(image: PlannedImage) -> tuple[str, str, str]:
    return _STATUSES[image.among], image.container, image.after


def _call(function: str, namespace: str, name: str, patch: Value) -> str:
    return f"{function} {_words(namespace, name, json.dumps(patch))}"


def _words(*texts: str) -> str:
    return " ".join(map(quoted, texts))
