"""Compares the expectations for a change or rollout of a SidecarSet with the results of `diff` and `plan`.

A test names the fields that change as findings do: `spec.containers[logs].image`.
"""

import math
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from sidecarctl.engine.api.field_table import did_you_mean, likely_field, unknown_fields
from sidecarctl.engine.facts.errors import ImpossibleError, InputError, input_error, usage_error
from sidecarctl.engine.facts.findings import Finding
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.start_up import lazy_pattern
from sidecarctl.engine.facts.values import Edit, Object, Path, Value, applied, path_text, value_at
from sidecarctl.engine.releases.release import MASTER, Release
from sidecarctl.engine.rollout.plan_options import seconds_of
from sidecarctl.engine.rollout.round.window import max_unavailable_pods
from sidecarctl.engine.sidecarset.conversion import type_of, version_of
from sidecarctl.features.expectations.matching import NOTHING, Mismatch, is_complete, is_like, mismatches
from sidecarctl.library.answers import Change, Rollout, RolloutPod
from sidecarctl.library.inputs import Inputs


class ExpectedOutcome(NamedTuple):
    """What does not hold, and for how many pods; `refused`: the findings that allow no result."""

    pods: int
    mismatches: tuple[Mismatch, ...] = ()
    refused: tuple[Finding, ...] = ()


def change_outcome(about: Object, expect: Object, inputs: Inputs) -> ExpectedOutcome:
    """The failed expectations of a change; InputError if the change is impossible."""
    changed = inputs.with_sidecarset(_changed(about, inputs))
    [change] = [item for item in changed.diff(inputs) if item.sidecarset == about["sidecarset"]]
    if change.findings and "verdicts" not in expect:
        return ExpectedOutcome(change.matched or 0, refused=change.findings)
    return ExpectedOutcome(change.matched or 0, tuple(_of_change(expect, change)))


def rollout_outcome(about: Object, expect: Object, inputs: Inputs) -> ExpectedOutcome:
    """The failed expectations of a rollout; InputError if the change is impossible."""
    changed = inputs.with_sidecarset(_changed(about, inputs))
    strategy = {key: about[key] for key in ("partition", "maxUnavailable") if about.get(key) is not None}
    try:
        rollout = changed.plan(
            about["sidecarset"],
            inputs,
            pod_update_duration=str(about.get("podUpdateDuration") or "1"),
            fail=about.get("fail") or (),
            update_strategy=strategy,
        )
    except ImpossibleError as fault:
        return ExpectedOutcome(0, refused=tuple(fault.findings))
    return ExpectedOutcome(rollout.matched, tuple(_of_rollout(expect, rollout, inputs.world.release)))


def _changed(about: Object, inputs: Inputs) -> Object:
    """The SidecarSet with other images of containers, and other values of fields."""
    name = about["sidecarset"]
    source = inputs.world.sources.get(name)
    if source is None:
        known = ", ".join(inputs.sidecarsets)
        raise usage_error(f"SidecarSet {name} not found", hint=f"SidecarSets: {known}" if known else "")
    images: Mapping[str, str] = about.get("image") or {}
    named = {_image_path(container, source.manifest): image for container, image in images.items()}
    return _with_values(source.manifest, {**named, **(about.get("set") or {})})


def _image_path(container: str, manifest: Object) -> str:
    spec = manifest.get("spec") or {}
    names = [item.get("name") for item in spec.get("initContainers") or () if isinstance(item, dict)]
    return f"spec.{'initContainers' if container in names else 'containers'}[{container}].image"


_STEP = lazy_pattern(r"(?:^|\.)([^.\[\]]+)|\[([^\[\]]+)\]")


def _with_values(manifest: Object, values: Mapping[str, Value]) -> Object:
    """The manifest with these values; InputError, with the path of the key, for a field that cannot be there."""
    kind = type_of(version_of(manifest))
    there = {path for path, _ in unknown_fields(manifest, kind, release=MASTER)}
    for text, value in values.items():
        path = _path_of(text, manifest)
        if path[:2] == ("metadata", "name"):
            raise input_error(
                Reason.WRONG_TYPE, "metadata.name cannot change", (text,), hint="it names another object"
            )
        manifest = _with_value(manifest, path, value)
        for unknown, type_name in unknown_fields(manifest, kind, release=MASTER):
            if unknown not in there:
                raise _no_field(text, unknown, type_name)
    return manifest


def _no_field(text: str, path: Path, type_name: str) -> InputError:
    meant = likely_field(str(path[-1]), type_name, MASTER)
    message = f"{text}: a SidecarSet has no field {path_text(path)}"
    return input_error(Reason.UNKNOWN_FIELD, message, (text,), hint=f"did you mean {meant}?" if meant else "")


def _path_of(text: str, manifest: Object) -> Path:
    """The path that a text names: members by name, items of lists by their `name` or index."""
    path: Path = ()
    end = 0
    for found in _STEP.finditer(text):
        if found.start() != end:
            break
        end = found.end()
        path = (*path, _step(found[1] or found[2], value_at(manifest, path), text))
    if end != len(text) or not path:
        message = f"{text} is not a path"
        raise input_error(Reason.WRONG_TYPE, message, (text,), hint="such as spec.containers[log-agent].image")
    return path


def _step(word: str, value: Value, text: str) -> str | int:
    if not isinstance(value, list):
        return word
    names = [item.get("name") if isinstance(item, dict) else None for item in value]
    if word in names:
        return names.index(word)
    if word.isdecimal() and int(word) < len(value):
        return int(word)
    known = [str(name) for name in names if name]
    meant = did_you_mean(word, known)
    hint = f"did you mean {meant}?" if meant else f"items: {', '.join(known)}"
    raise input_error(Reason.MISSING_FIELD, f"{text}: there is no item {word}", (text,), hint=hint)


def _with_value(manifest: Object, path: Path, value: Value) -> Object:
    """The manifest with a value; missing maps on the path are added."""
    for size in range(1, len(path)):
        if not isinstance(value_at(manifest, path[:size]), dict | list):
            whole = value
            for step in reversed(path[size:]):
                whole = {step: whole}
            return dict(applied(manifest, [Edit("set", path[:size], whole)]))
    return dict(applied(manifest, [Edit("set", path, value)]))


def _of_change(expect: Object, change: Change) -> Iterator[Mismatch]:
    for key, expected in expect.items():
        if key == "verdicts":
            if not is_complete(expected or (), change.verdicts):
                verdicts = list(change.verdicts)
                said = ", ".join(verdicts)
                why = "; ".join(finding.message for finding in change.findings)
                yield Mismatch(
                    (key,), ", ".join(expected or ()) or NOTHING, f"{said}: {why}" if why else said, (verdicts,)
                )
        elif key != "refused":
            yield from mismatches(expected, getattr(change, key), (key,))


def _of_rollout(expect: Object, rollout: Rollout, release: Release) -> Iterator[Mismatch]:
    for key, expected in expect.items():
        match key:
            case "ending":
                if expected != rollout.ending:
                    yield Mismatch((key,), expected, f"{rollout.ending}: {rollout.summary}", (rollout.ending,))
            case "atMostUnavailable":
                yield from _unavailable(expected, rollout, release)
            case "within":
                yield from _time(expected, rollout)
            case "firstWave":
                yield from _first_wave(expected, rollout)
            case "waves":
                yield from mismatches(expected, len(rollout.waves), (key,))
            case "updated":
                yield from mismatches(expected, getattr(rollout, key), (key,))


def _unavailable(limit: int | str, rollout: Rollout, release: Release) -> Iterator[Mismatch]:
    """A percentage refers to the matched pods, and is rounded as maxUnavailable is."""
    largest = rollout.largest_unavailable
    allowed = max_unavailable_pods(limit, rollout.matched, release)
    if largest > allowed:
        said = f"{largest:,} of {rollout.matched:,} pods" if isinstance(limit, str) else f"{largest:,}"
        new = f"{math.ceil(largest * 100 / rollout.matched)}%" if isinstance(limit, str) else largest
        most = f"at most {limit} ({allowed:,})" if isinstance(limit, str) else f"at most {limit}"
        yield Mismatch(("atMostUnavailable",), most, said, (new,))


def _time(limit: str, rollout: Rollout) -> Iterator[Mismatch]:
    """Whether the rollout ends in time; one that is held or stalls ends with its last change (see `ending`)."""
    if rollout.seconds is None or rollout.seconds > seconds_of(limit):
        taken = _clock(rollout.seconds or 0)
        yield Mismatch(("within",), f"within {limit}", taken, (taken,))


def _clock(seconds: int) -> str:
    parts = ((seconds // 3600, "h"), (seconds // 60 % 60, "m"), (seconds % 60, "s"))
    return "".join(f"{number}{unit}" for number, unit in parts if number) or "0s"


def _first_wave(expected: Object, rollout: Rollout) -> Iterator[Mismatch]:
    path = ("firstWave",)
    if not rollout.waves:
        yield Mismatch(path, "a first wave", f"{NOTHING}: {rollout.summary}")
        return
    pods = rollout.waves[0].pods
    if "pods" in expected:
        yield from mismatches(expected["pods"], len(pods), (*path, "pods"))
    for key, glob in (expected.get("labels") or {}).items():
        others = [pod for pod in pods if not (key in pod.labels and is_like(glob, str(pod.labels[key])))]
        if others:
            yield Mismatch((*path, "labels", key), glob, _named(others, key))


_SHOWN = 3


def _named(pods: list[RolloutPod], key: str) -> str:
    named = [f"{pod.labels.get(key) or NOTHING} in {pod.namespace}/{pod.name}" for pod in pods[:_SHOWN]]
    more = len(pods) - _SHOWN
    return ", ".join([*named, f"{more:,} more"] if more > 0 else named)
