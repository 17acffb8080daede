"""Two pushes of one set into one cluster exclude each other on one machine."""

import fcntl
import hashlib
import os
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from sidecarctl.facts.errors import impossible, input_error
from sidecarctl.facts.reasons import Reason


@contextmanager
def locked(cluster: str, sets: Iterable[str]) -> Iterator[None]:
    """Hold the locks of sets in a cluster. ImpossibleError (PushLocked) where another process holds one.

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
    """A folder of this user alone."""
    path = Path(tempfile.gettempdir()) / f"sidecarctl-push-{os.getuid()}"
    try:
        path.mkdir(mode=0o700, exist_ok=True)
        if path.lstat().st_uid != os.getuid() or path.is_symlink():
            raise PermissionError(1, "it belongs to another user")
    except OSError as fault:
        message = f"the folder of locks {path} cannot be used: {fault.strerror}"
        raise input_error(Reason.JOURNAL_UNWRITABLE, message, hint="choose another folder with TMPDIR") from None
    return path
