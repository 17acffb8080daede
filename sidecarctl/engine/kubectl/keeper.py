"""Runs kubectl, and ends it when sidecarctl is gone. A separate program, since a killed process cannot clean up.

    python -I -S keeper.py FOLDER COMMAND WORD...

Its stdin is a pipe whose write end sidecarctl holds. When that closes, for whatever reason, the command and all that
it has started end, and the folder is removed. It leads a session, so that Ctrl-C on a terminal reaches sidecarctl
alone, which still waits for answers that are in progress.
"""

import os
import select
import signal
import sys

_GRACE = 2.0  # seconds for a command to end by itself
_NOT_RUN = 127  # as in shells


def main(folder: str, words: list[str]) -> int:
    """Run a command until it ends or stdin does; its exit code."""
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda *_: None)  # not ignored, which the command would inherit
    ended, held = os.pipe()  # `held` is open in the command and in what it starts
    os.set_inheritable(held, True)  # noqa: FBT003 - a function of the standard library, which takes no name
    try:
        process = os.posix_spawnp(words[0], words, os.environ, file_actions=_NO_STDIN)
    except OSError as fault:
        sys.stderr.write(f"{words[0]}: {fault.strerror}\n")
        return _NOT_RUN
    os.close(held)
    select.select([ended, sys.stdin], [], [])
    _remove(folder)
    os.killpg(0, signal.SIGTERM)
    if not select.select([ended], [], [], _GRACE)[0]:
        os.killpg(0, signal.SIGKILL)
    return _exit_code(os.waitpid(process, 0)[1])


_NO_STDIN = [(os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0)]


def _exit_code(status: int) -> int:
    code = os.waitstatus_to_exitcode(status)
    return code if code >= 0 else 128 - code


def _remove(folder: str) -> None:
    """Remove a folder of plain files; one that is already gone is no error."""
    try:
        for name in os.listdir(folder):  # noqa: PTH208 - pathlib takes longer to import than kubectl to start
            os.unlink(os.path.join(folder, name))  # noqa: PTH108, PTH118 - without pathlib it starts at once
        os.rmdir(folder)  # noqa: PTH106 - the same
    except OSError:
        return


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
