"""sidecarctl documents, checked by their shipped JSON Schemas: each rule is in the schema only.

The check of a schema is made from its keywords, of those that our schemas use; tests compare its answers with
jsonschema's. That library takes 50 ms to load, the KRM function 80 ms for everything it does; and jsonschema takes
4.2 s for a plan of 10,000 pods, this 0.2 s, all the rest of `render` 0.7 s.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import TypeAlias

from sidecarctl.engine.api.decoding import described
from sidecarctl.engine.api.field_table import did_you_mean
from sidecarctl.engine.api.text_forms import parse_time
from sidecarctl.engine.facts.findings import Finding, error
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Object, Value

Check: TypeAlias = Callable[[Value], Sequence[Finding]]
"""The errors in a value, with their paths; empty if it is valid."""

_TYPES: Mapping[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "object": (dict,),
    "array": (list,),
    "null": (type(None),),
}
_NAMES = {
    "string": "a string",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "object": "an object",
    "array": "a list",
}
_PASSED_OVER = {
    *("$schema", "$id", "$defs", "title", "description", "examples"),
    *("type", "additionalProperties", "required"),
}


def schema_check(schema: Object) -> Check:
    """The check for a schema.

    Messages use the `title` for what is expected. KeyError for a keyword that our schemas do not use.
    """
    return _Checks(schema.get("$defs", {})).of(schema)


_Limit: TypeAlias = Callable[[Value], bool]
_LIMITS: Mapping[str, Callable[[Value], tuple[_Limit, str]]] = {
    "not": lambda refused: (lambda value: value != refused["const"], f"anything but {refused['const']}"),
    "minimum": lambda least: (lambda value: value >= least, f"a number of at least {least}"),
    "minItems": lambda least: (lambda value: len(value) >= least, f"at least {least} item{'s' * (least > 1)}"),
    "minLength": lambda least: (lambda value: len(value) >= least, "a string that is not empty"),
    "pattern": lambda pattern: (lambda value: re.search(pattern, value) is not None, f"a string like {pattern}"),
    "format": lambda _: (lambda value: parse_time(value) is not None, "a time in RFC 3339"),
}
"""Keywords for values of the right type, each with what the value should be."""


class _Checks:
    """Makes checks of the parts of a schema; `defs` are the parts that `$ref` names."""

    def __init__(self, defs: Mapping[str, Object]) -> None:
        self._defs = defs

    def of(self, schema: Value) -> Check:
        """The check of a part: of its type first, and of everything else where the type is right."""
        if schema is True:
            return _anything
        if "$ref" in schema:
            return self.of(self._defs[schema["$ref"].removeprefix("#/$defs/")])
        further = [made for keyword in schema if (made := self._keyword(keyword, schema)) is not None]
        if "type" not in schema:
            return partial(_every, further)
        kinds, expected = _kinds(schema["type"]), schema.get("title") or _expected(schema["type"])
        only = further[0] if len(further) == 1 else partial(_every, further) if further else _anything

        def check(value: Value) -> Sequence[Finding]:
            if type(value) not in kinds:
                return [_wrong(value, expected)]
            return () if value is None else only(value)

        return check

    def _keyword(self, keyword: str, schema: Object) -> Check | None:
        """What a keyword requires; None for those that are checked with others, or require nothing."""
        asked = schema[keyword]
        if keyword in _LIMITS:
            return _limit(*_LIMITS[keyword](asked), schema.get("title", ""))
        match keyword:
            case "properties":
                return self._object(schema)
            case "additionalProperties" | "required" if "properties" not in schema:
                return self._object(schema)
            case "items":
                return partial(_items, self.of(asked))
            case "anyOf":
                return partial(_any, [self.of(part) for part in asked])
            case "enum" | "const":
                return partial(_word, asked if keyword == "enum" else [asked])
        if keyword not in _PASSED_OVER:
            raise KeyError(keyword)
        return None

    def _object(self, schema: Object) -> Check:
        members = {name: self.of(part) for name, part in schema.get("properties", {}).items()}
        others = schema.get("additionalProperties", True)
        check = self.of(others) if isinstance(others, dict) else _anything if others else None
        return partial(_members, members, check, schema.get("required", ()))


def _members(
    members: Mapping[str, Check], others: Check | None, required: Sequence[str], value: Object
) -> list[Finding]:
    found: list[Finding] = []
    for key, member in value.items():
        check = members.get(key, others)
        if check is None:
            found.append(_unknown(key, members))
        elif problems := check(member):
            found += _below(key, problems)
    return found + [error(Reason.MISSING_FIELD, f"{name} is missing") for name in required if name not in value]


def _items(check: Check, value: list[Value]) -> list[Finding]:
    return [found for index, item in enumerate(value) for found in _below(index, check(item))]


def _below(step: str | int, problems: Sequence[Finding]) -> Iterator[Finding]:
    for problem in problems:
        yield problem._replace(path=(step, *problem.path))


def _every(checks: Sequence[Check], value: Value) -> list[Finding]:
    return [found for check in checks for found in check(value)]


def _any(checks: Sequence[Check], value: Value) -> Sequence[Finding]:
    return min((check(value) for check in checks), key=len)


def _anything(_: Value) -> Sequence[Finding]:
    return ()


def _limit(is_met: _Limit, usual: str, expected: str) -> Check:
    return lambda value: () if is_met(value) else [_wrong(value, expected or usual)]


def _word(words: Sequence[Value], value: Value) -> Sequence[Finding]:
    if value in words:
        return ()
    known = [word for word in words if isinstance(word, str)]  # null and false stand for one of them
    meant = did_you_mean(value, known) if isinstance(value, str) else ""
    expected = " or ".join(filter(None, (", ".join(known[:-1]), known[-1])))
    return [_wrong(value, expected)._replace(hint=f"did you mean {meant}?" if meant else "")]


def _unknown(key: str, members: Mapping[str, Check]) -> Finding:
    meant = did_you_mean(key, members)
    hint = f"did you mean {meant}?" if meant else f"valid fields: {', '.join(members)}"
    return error(Reason.UNKNOWN_FIELD, f"unknown field {key}", (key,), hint=hint)


def _wrong(value: Value, expected: str) -> Finding:
    return error(Reason.WRONG_TYPE, f"expected {expected}, got {described(value)}")


def _kinds(named: str | Sequence[str]) -> frozenset[type]:
    names = [named] if isinstance(named, str) else named
    return frozenset(kind for name in names for kind in _TYPES[name])


def _expected(named: str | Sequence[str]) -> str:
    names = [named] if isinstance(named, str) else named
    return " or ".join(_NAMES[name] for name in names if name != "null") or "null"
