"""The lines of a journal, checked by schemas/push-journal.json: what a valid record is, is said there only."""

import json
from collections.abc import Iterator, Mapping
from functools import cache

from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match

from sidecarctl.facts.errors import input_error
from sidecarctl.facts.reasons import Reason
from sidecarctl.facts.values import Object, Value
from sidecarctl.files.shipped_schemas import shipped_schema

KIND = "PushJournal"


def records_of(text: bytes, name: str) -> Iterator[Object]:
    """The records of a journal's whole lines; `name` is its file's.

    InputError (InvalidJournal) with the line, the field and what is expected there.
    """
    for number, line in enumerate(text.splitlines(), 1):
        if problem := _problem(_decoded(line)):
            message = f"{name}:{number}: not a line of the journal of a push: {problem}"
            raise input_error(Reason.INVALID_JOURNAL, message)
        yield json.loads(line)


def _decoded(line: bytes) -> Value:
    try:
        return json.loads(line)
    except ValueError:
        return None


def _problem(record: Value) -> str:
    """What is wrong with a record; empty if nothing is."""
    if not isinstance(record, dict):
        return "expected a JSON object"
    checks = _checks()
    kind = record.get("record")
    if not isinstance(kind, str) or kind not in checks:
        return f"record: expected {', '.join(checks)}"
    fault = best_match(checks[kind].iter_errors(record))
    if fault is None:
        return ""
    field = fault.json_path.removeprefix("$").removeprefix(".")
    return f"{field}: {fault.message}" if field else fault.message


@cache
def _checks() -> Mapping[str, Draft202012Validator]:
    """The check of each kind of record, by the name that a record says it is."""
    parts = shipped_schema(KIND)["oneOf"]
    return {part["properties"]["record"]["const"]: Draft202012Validator(part) for part in parts}
