"""The journal of a push (schemas/push-journal.json), and the locks that keep two pushes apart.

One JSON object per line, only ever appended, and on the disk before the push continues. So a push that was killed at
any moment knows afterward which patches it may have made.
"""

import errno
import fcntl
import hashlib
import json
import os
import tempfile
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Self

from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match

from sidecarctl.engine.facts.errors import SidecarctlError, impossible, input_error
from sidecarctl.engine.facts.findings import API_VERSION
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Object, Value
from sidecarctl.engine.files.fixed_files import shipped_schema
from sidecarctl.features.push.plan import PushPlan
from sidecarctl.features.push.pods import ContainerRun

KIND = "PushJournal"


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
    parts = shipped_schema(KIND)["oneOf"]
    return {part["properties"]["record"]["const"]: Draft202012Validator(part) for part in parts}


JOURNAL_SUFFIX = ".journal"
"""The suffix that turns the name of a plan into that of its journal."""

_LONGEST_HEAD = 1 << 16
_ENCODED = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False).encode


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


def is_journal(path: Path) -> bool:
    """Whether a file is the journal of a push, by its first line."""
    try:
        with path.open("rb") as file:
            return bool(json.loads(file.readline(_LONGEST_HEAD))["kind"] == KIND)
    except (OSError, ValueError, KeyError, TypeError):
        return False


def read_journal(path: Path, digest: str) -> Past:
    """The contents of a journal, empty if it does not exist. A torn last line counts as not written.

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
    for number, record in enumerate(_journal_records(whole, str(path))):
        if (record["record"] == "plan") != (number == 0):
            raise input_error(
                Reason.INVALID_JOURNAL, f"{path}:{number + 1}: a journal names its plan in line 1, and there only"
            )
        if number == 0 and record["digest"] != digest:
            hint = "resume with the plan that it was begun with, or name another --journal"
            raise impossible(Reason.OTHER_JOURNAL, f"the journal {path} is that of another plan", hint=hint)
        past.take(record)
    return past


def sent_patches(path: Path, digest: str) -> Collection[int]:
    """The numbers of the patches of a plan that were sent, or may have been; errors as of `read_journal`."""
    return read_journal(path, digest).times.keys()


class Journal:
    """A journal to write to; records passed to `note` are on disk after `flush`.

    Both raise InputError (JournalUnwritable) if they cannot be written: then nothing may be patched anymore.
    """

    def __init__(self, path: Path, plan: PushPlan, past: Past) -> None:
        self._path = path
        self._is_new = past.is_empty
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
        """Queue records."""
        self._lines += (_ENCODED(record) + "\n" for record in records)

    def flush(self) -> None:
        """Write the queued records, and wait until they are on disk."""
        if not self._lines:
            return
        data = "".join(self._lines).encode(errors="surrogatepass")
        self._lines = []
        try:
            while data:
                data = data[os.write(self._file, data) :]
            os.fsync(self._file)
        except OSError as fault:
            if self._is_new:
                self._path.unlink(missing_ok=True)  # there is nothing to resume from
            raise self._unwritable(fault) from None
        self._is_new = False

    def _unwritable(self, fault: OSError) -> SidecarctlError:
        message = f"the journal {self._path} cannot be written: {fault.strerror}"
        if self._is_new and fault.errno not in (errno.ENOSPC, errno.EDQUOT):
            hint = "--journal names another file"
        else:
            hint = "make room, then push again" if self._is_new else "make room, then continue with --resume"
        return input_error(Reason.JOURNAL_UNWRITABLE, message, hint=hint)


def containers_record(runs: Mapping[str, ContainerRun]) -> Object:
    """The states of containers, in the form of the journal."""
    return {name: list(run) for name, run in runs.items()}


@contextmanager
def locked(cluster: str, sets: Iterable[str]) -> Iterator[None]:
    """Hold the locks of sets in a cluster. ImpossibleError (PushLocked) if another process holds one.

    The system gives them up with the process, however that ends; so the files may stay.
    """
    with ExitStack() as held:
        for name in sorted(sets):
            held.enter_context(_lock(_folder(), cluster, name))
        yield


@contextmanager
def _lock(folder: Path, cluster: str, name: str) -> Iterator[None]:
    key = hashlib.sha256(f"{cluster}\0{name}".encode(errors="surrogatepass")).hexdigest()
    file = os.open(folder / f"{key[:32]}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            message = f"another push of SidecarSet {name} runs on this machine"
            raise impossible(Reason.PUSH_LOCKED, message, hint="wait until it has ended") from None
        yield
    finally:
        os.close(file)


def _folder() -> Path:
    """A folder that only this user may access."""
    path = Path(tempfile.gettempdir()) / f"sidecarctl-push-{os.getuid()}"
    try:
        path.mkdir(mode=0o700, exist_ok=True)
        if path.lstat().st_uid != os.getuid() or path.is_symlink():
            raise PermissionError(1, "it belongs to another user")
    except OSError as fault:
        message = f"the folder of locks {path} cannot be used: {fault.strerror}"
        raise input_error(Reason.JOURNAL_UNWRITABLE, message, hint="choose another folder with TMPDIR") from None
    return path
