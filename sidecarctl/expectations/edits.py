"""A SidecarSet with other values of some fields, which a test names as findings do: `spec.containers[logs].image`."""

from collections.abc import Mapping

from sidecarctl.api.field_table import did_you_mean, likely_field, unknown_fields
from sidecarctl.facts.errors import InputError, input_error
from sidecarctl.facts.reasons import Reason
from sidecarctl.facts.start_up import lazy_pattern
from sidecarctl.facts.values import Edit, Object, Path, Value, applied, path_text, value_at
from sidecarctl.releases.release import MASTER
from sidecarctl.sidecarset.conversion import type_of, version_of

_STEP = lazy_pattern(r"(?:^|\.)([^.\[\]]+)|\[([^\[\]]+)\]")


def with_values(manifest: Object, values: Mapping[str, Value]) -> Object:
    """The manifest with these values; InputError, with the path of the key, for a field that cannot be there."""
    kind = type_of(version_of(manifest))
    there = {path for path, _ in unknown_fields(manifest, kind, release=MASTER)}
    for text, value in values.items():
        path = path_of(text, manifest)
        if path[:2] == ("metadata", "name"):
            raise input_error(
                Reason.WRONG_TYPE, "metadata.name cannot change", (text,), hint="it names another object"
            )
        manifest = _with(manifest, path, value)
        for unknown, type_name in unknown_fields(manifest, kind, release=MASTER):
            if unknown not in there:
                raise _no_field(text, unknown, type_name)
    return manifest


def _no_field(text: str, path: Path, type_name: str) -> InputError:
    meant = likely_field(str(path[-1]), type_name, MASTER)
    message = f"{text}: a SidecarSet has no field {path_text(path)}"
    return input_error(Reason.UNKNOWN_FIELD, message, (text,), hint=f"did you mean {meant}?" if meant else "")


def path_of(text: str, manifest: Object) -> Path:
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


def _with(manifest: Object, path: Path, value: Value) -> Object:
    """The manifest with a value; missing maps on the path are added."""
    for size in range(1, len(path)):
        if not isinstance(value_at(manifest, path[:size]), dict | list):
            whole = value
            for step in reversed(path[size:]):
                whole = {step: whole}
            return dict(applied(manifest, [Edit("set", path[:size], whole)]))
    return dict(applied(manifest, [Edit("set", path, value)]))
