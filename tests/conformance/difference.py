"""The first difference between two JSON values, in words."""

from itertools import zip_longest

from sidecarctl.engine.facts.values import Object, Path, Value, path_text

NOTHING = object()


def first_difference(expected: Value, got: Value, path: Path = ()) -> str | None:
    """Where and how two values differ first; None when they are equal, types included."""
    if isinstance(expected, dict) and isinstance(got, dict):
        return _of_mappings(expected, got, path)
    if isinstance(expected, list) and isinstance(got, list):
        return _of_lists(expected, got, path)
    if type(expected) is type(got) and expected == got:
        return None
    return f"{path_text(path) or 'the whole'}: expected {_words(expected)}, got {_words(got)}"


def _of_mappings(expected: Object, got: Object, path: Path) -> str | None:
    for key in [*expected, *(key for key in got if key not in expected)]:
        found = first_difference(expected.get(key, NOTHING), got.get(key, NOTHING), (*path, key))
        if found:
            return found
    return None


def _of_lists(expected: list[Value], got: list[Value], path: Path) -> str | None:
    for index, (item, other) in enumerate(zip_longest(expected, got, fillvalue=NOTHING)):
        if found := first_difference(item, other, (*path, index)):
            return found
    return None


def _words(value: Value) -> str:
    return "nothing" if value is NOTHING else repr(value)
