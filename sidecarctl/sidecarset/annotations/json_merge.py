"""The JSON merge of patchPodMetadata, nearly RFC 7386 (docs/behaviour/injection.md, "Pod metadata first")."""

from sidecarctl.sidecarset.annotations.spelled_json import SpelledJson, parse

_HTML = {ord(character): f"\\u{ord(character):04x}" for character in "<>&\u2028\u2029"}


def merge(value: str, patch: str) -> str:
    """The text of `value` with `patch` merged into it; ValueError, with the reason, if it cannot be merged."""
    origin, change = _parsed(value, "the pod's value"), _parsed(patch, "the patch")
    return _merged_whole(origin, change).text.translate(_HTML)


def _parsed(text: str, whose: str) -> SpelledJson:
    try:
        parsed = parse(text)
    except ValueError as problem:
        raise ValueError(f"{whose} is not JSON: {problem}") from problem
    if parsed.is_null:
        raise ValueError(f"{whose} is null")
    return parsed


def _merged_whole(origin: SpelledJson, change: SpelledJson) -> SpelledJson:
    if change.members is None and change.items is None:
        raise ValueError("the patch is neither an object nor a list")
    if change.members is None or origin.members is None:
        return _pruned(change)
    return _merged(origin, change)


def _merged(origin: SpelledJson, change: SpelledJson) -> SpelledJson:
    """A change that meets a value: only two objects merge, and only an object keeps nulls out of a list."""
    if origin.members is None:
        return _pruned(change)
    if change.members is None:
        return change
    members = dict(origin.members)
    for key, value in change.members.items():
        present = members.get(key)
        if value.is_null:
            members.pop(key, None)
        elif present is None or present.is_null:
            members[key] = _pruned(value)
        else:
            members[key] = _merged(present, value)
    return SpelledJson.of_members(members)


def _pruned(value: SpelledJson) -> SpelledJson:
    """The value without null members at any depth; null items of lists stay."""
    if value.members is not None:
        kept = {key: _pruned(member) for key, member in value.members.items() if not member.is_null}
        return SpelledJson.of_members(kept)
    if value.items is not None:
        return SpelledJson.of_items([_pruned(item) for item in value.items])
    return value
