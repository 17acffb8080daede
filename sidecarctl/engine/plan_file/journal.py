"""Reading the journal of a push (schemas/push-journal.json): what it sent, and how that ended."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import NamedTuple

from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match

from sidecarctl.engine.facts.errors import impossible, input_error
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Object, Value
from sidecarctl.engine.files.fixed_files import shipped_schema

JOURNAL_KIND = "PushJournal"

JOURNAL_SUFFIX = ".journal"
"""The suffix that turns the name of a plan into that of its journal."""


class ContainerRun(NamedTuple):
    """The status of a container. `waiting` is the reason why it does not run; empty if it does."""

    image: str
    image_id: str
    ready: bool
    restarts: int
    waiting: str


@dataclass(slots=True)
class Past:
    """What earlier runs of a push did, by the numbers of its steps.

    `times`: the times that patches recorded which may have been made; `runs`: how the containers ran before.
    `done`: patched, and ready since; `failed`: patched, and not ready then.
    `ended`: how the last run ended; empty for one that was killed.
    """

    times: dict[int, set[str]] = field(default_factory=dict)
    runs: dict[int, Mapping[str, ContainerRun]] = field(default_factory=dict)
    done: set[int] = field(default_factory=set)
    failed: set[int] = field(default_factory=set)
    ended: str = ""
    limits: Object = field(default_factory=dict)
    size: int = 0
    """The bytes up to the last whole line."""

    @property
    def is_empty(self) -> bool:
        """Whether there was no run so far."""
        return not self.size

    def take(self, record: Object) -> None:
        """Add a record (from `records_of`)."""
        what = record["record"]
        if what == "run":
            self.ended = ""
            self.limits = record.get("limits") or {}
        elif what == "intent":
            self.times.setdefault(record["step"], set()).add(record["time"])
            self.failed.discard(record["step"])
            self.runs[record["step"]] = {name: ContainerRun(*run) for name, run in record["containers"].items()}
        elif what == "done":
            self.done.add(record["step"])
        elif what == "failed":
            self.failed.add(record["step"])
        elif what == "end":
            self.ended = record["result"]


def is_journal(head: bytes) -> bool:
    """Whether a file is the journal of a push, by its first line."""
    try:
        return bool(json.loads(head)["kind"] == JOURNAL_KIND)
    except (ValueError, KeyError, TypeError):
        return False


def past_of(text: bytes, name: str, digest: str) -> Past:
    """The contents of a journal; `name` is its file's. A torn last line counts as not written.

    Raises ImpossibleError (OtherJournal) for that of a plan with another digest, InputError (InvalidJournal) for a
    file that is not a journal.
    """
    whole = text[: text.rfind(b"\n") + 1]
    past = Past(size=len(whole))
    for number, record in enumerate(_journal_records(whole, name)):
        if (record["record"] == "plan") != (number == 0):
            raise input_error(
                Reason.INVALID_JOURNAL, f"{name}:{number + 1}: a journal names its plan in line 1, and there only"
            )
        if number == 0 and record["digest"] != digest:
            hint = "resume with the plan that it was started with, or name another --journal"
            raise impossible(Reason.OTHER_JOURNAL, f"the journal {name} belongs to another plan", hint=hint)
        past.take(record)
    return past


def _journal_records(text: bytes, name: str) -> Iterator[Object]:
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
    """The problem of a record; empty if it is valid."""
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
    """The check of each kind of record, by its name in a record."""
    parts = shipped_schema(JOURNAL_KIND)["oneOf"]
    return {part["properties"]["record"]["const"]: Draft202012Validator(part) for part in parts}
