"""Writing the journal of a push (schemas/push-journal.json), and the locks that keep two pushes apart.

One JSON object per line, only ever appended, and on the disk before the push continues. So a push that was killed at
any moment knows afterward which patches it may have made.
"""

import errno
import fcntl
import hashlib
import json
import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Self

from sidecarctl.engine.facts.errors import SidecarctlError, impossible, input_error
from sidecarctl.engine.facts.findings import API_VERSION
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.plan_file.journal import JOURNAL_KIND, ContainerRun, Past
from sidecarctl.features.push.plan import PushPlan

_ENCODED = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False).encode


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
            head = {"apiVersion": API_VERSION, "kind": JOURNAL_KIND, "record": "plan"}
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
