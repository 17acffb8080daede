"""The file of a push's journal, which is read for `rollback` and `push --resume`."""

from collections.abc import Collection
from pathlib import Path

from sidecarctl.engine.facts.errors import input_error
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.plan_file.journal import Past, is_journal, past_of

_LONGEST_HEAD = 1 << 16


def is_journal_file(path: Path) -> bool:
    """Whether a file can be read and is the journal of a push."""
    try:
        with path.open("rb") as file:
            return is_journal(file.readline(_LONGEST_HEAD))
    except OSError:
        return False


def read_journal(path: Path, digest: str) -> Past:
    """The contents of a journal, empty if there is none; InputError (UnreadableFile), or the errors of `past_of`."""
    try:
        text = path.read_bytes()
    except FileNotFoundError:
        return Past()
    except OSError as fault:
        raise input_error(Reason.UNREADABLE_FILE, f"the journal {path} cannot be read: {fault.strerror}") from None
    return past_of(text, str(path), digest)


def sent_patches(path: Path, digest: str) -> Collection[int]:
    """The numbers of the patches of a plan that were sent, or may have been; errors as of `read_journal`."""
    return read_journal(path, digest).times.keys()
