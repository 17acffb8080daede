"""The journal of a push: what was meant to be done, then what came of it (schemas/push-journal.json).

One JSON object a line, only ever appended, on the disk before anything goes on. So a push that was killed at any
moment knows afterwards which patches it may have made.
"""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from sidecarctl.facts.document_head import API_VERSION
from sidecarctl.facts.errors import SidecarctlError, impossible, input_error
from sidecarctl.facts.reasons import Reason
from sidecarctl.facts.values import Object
from sidecarctl.push.journal.records import KIND, records_of
from sidecarctl.push.plan.planned import PushPlan
from sidecarctl.push.pods.live_pods import ContainerRun

JOURNAL_SUFFIX = ".journal"
"""What the name of a plan gets for that of its journal."""

_LONGEST_HEAD = 1 << 16


@dataclass(slots=True)
class Past:
    """What earlier runs of a push did, by the numbers of its steps.

    `times`: the times that patches recorded which may have been made; `runs`: how the containers ran before.
    `done`: patched, and ready since. `ended`: how the last run ended; empty for one that was killed.
    """

    times: dict[int, set[str]] = field(default_factory=dict)
    runs: dict[int, Mapping[str, ContainerRun]] = field(default_factory=dict)
    done: set[int] = field(default_factory=set)
    ended: str = ""
    size: int = 0
    """Bytes that hold whole lines."""

    @property
    def is_empty(self) -> bool:
        """Whether there was no run."""
        return not self.size

    def take(self, record: Object) -> None:
        """Take a record of what was done (of `records_of`)."""
        what = record["record"]
        if what == "run":
            self.ended = ""
        elif what == "intent":
            self.times.setdefault(record["step"], set()).add(record["time"])
            self.runs[record["step"]] = {name: ContainerRun(*run) for name, run in record["containers"].items()}
        elif what == "done":
            self.done.add(record["step"])
        elif what == "end":
            self.ended = record["result"]


def is_journal(path: Path) -> bool:
    """Whether a file is the journal of a push, by its first line."""
    try:
        with path.open("rb") as file:
            return bool(json.loads(file.readline(_LONGEST_HEAD))["kind"] == KIND)
    except (OSError, ValueError, KeyError, TypeError):
        return False


def read_journal(path: Path, digest: str) -> Past:
    """What a journal says; nothing for one that does not exist. A torn last line counts as not written.

    Raises ImpossibleError (OtherJournal) for that of a plan with another digest, InputError (InvalidJournal) for a
    file that is not a journal.
    """
    try:
        text = path.read_bytes()
    except FileNotFoundError:
        return Past()
    except OSError as fault:
        raise input_error(Reason.UNREADABLE_FILE, f"the journal {path} cannot be read: {fault.strerror}") from None
    whole = text[: text.rfind(b"\n") + 1]
    past = Past(size=len(whole))
    for number, record in enumerate(records_of(whole, str(path))):
        if (record["record"] == "plan") != (number == 0):
            raise input_error(
                Reason.INVALID_JOURNAL, f"{path}:{number + 1}: a journal names its plan in line 1, and there only"
            )
        if number == 0 and record["digest"] != digest:
            hint = "resume with the plan that it was begun with, or name another --journal"
            raise impossible(Reason.OTHER_JOURNAL, f"the journal {path} is that of another plan", hint=hint)
        past.take(record)
    return past


class Journal:
    """A journal that is written; records that `note` takes are on the disk after `flush`.

    Both raise InputError (JournalUnwritable) where they cannot be written: then nothing may be patched any more.
    """

    def __init__(self, path: Path, plan: PushPlan, past: Past) -> None:
        self._path = path
        self._lines: list[str] = []
        try:
            self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            os.ftruncate(self._file, past.size)
            os.lseek(self._file, 0, os.SEEK_END)
        except OSError as fault:
            raise self._unwritable(fault) from None
        if past.is_empty:
            head = {"apiVersion": API_VERSION, "kind": KIND, "record": "plan"}
            self.note({**head, "plan": plan.name, "digest": plan.digest})

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._file)

    def note(self, *records: Object) -> None:
        """Take records to be written."""
        self._lines += (json.dumps(record, separators=(",", ":"), ensure_ascii=False) + "\n" for record in records)

    def flush(self) -> None:
        """Write them, and wait until they are on the disk."""
        if not self._lines:
            return
        data = "".join(self._lines).encode(errors="surrogatepass")
        self._lines = []
        try:
            while data:
                data = data[os.write(self._file, data) :]
            os.fsync(self._file)
        except OSError as fault:
            raise self._unwritable(fault) from None

    def _unwritable(self, fault: OSError) -> SidecarctlError:
        message = f"the journal {self._path} cannot be written: {fault.strerror}"
        return input_error(Reason.JOURNAL_UNWRITABLE, message, hint="make room, then go on with --resume")


def containers_record(runs: Mapping[str, ContainerRun]) -> Object:
    """How containers run, as the journal has it."""
    return {name: list(run) for name, run in runs.items()}
