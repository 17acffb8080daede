"""`sidecarctl-fn`: the console script that kustomize and kpt call; it loads no more than a call needs."""

import os
import sys
from typing import TYPE_CHECKING

from sidecarctl import __version__
from sidecarctl.engine.facts.exit_codes import INTERNAL_FAULT, INTERRUPTED, PIPE_CLOSED
from sidecarctl.engine.files.process import ended_quietly, forget_all, open_missing, silence_stdout, stop_collecting

if TYPE_CHECKING:
    from sidecarctl.krm.output import FunctionAnswer

_LARGE = 1 << 20
"""From this many bytes on, a call may run out of memory."""

HELP = """\
sidecarctl-fn: a KRM function that injects SidecarSets into the manifests of a kustomize build or a kpt package.

  sidecarctl-fn                      a ResourceList on stdin to a ResourceList on stdout
  sidecarctl-fn CONFIG INPUT...      standalone: a functionConfig file and manifests (- is stdin) to manifests

kustomize:  kustomize build --enable-alpha-plugins --enable-exec DIR
            (kubectl kustomize does not run it: see `sidecarctl plugin install --legacy`)
kpt:        kpt fn eval DIR --exec sidecarctl-fn --fn-config CONFIG

The functionConfig is a SidecarInjection (sidecarctl.dev/v1alpha1), a SidecarSet, or a ConfigMap.
"""


def main() -> None:
    """Answer one call, and exit with its code."""
    stop_collecting()  # until the process ends with the call
    open_missing()
    ended_quietly(_called)


def _called() -> None:
    words = sys.argv[1:]
    if words in (["--help"], ["-h"], ["--version"]):
        sys.stdout.write(HELP if words != ["--version"] else f"sidecarctl-fn {__version__}\n")
        return
    code = _concluded(words)
    forget_all()
    sys.exit(code)


def _concluded(words: list[str]) -> int:
    from sidecarctl.engine.facts.errors import SidecarctlError

    try:
        return _run(words)
    except SidecarctlError as fault:
        from sidecarctl.render.lines import finding_line

        return _failed([finding_line(finding) for finding in fault.findings], fault.exit_code)
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        silence_stdout()
        return PIPE_CLOSED
    except OSError:  # the answer cannot be written to stdout
        raise
    except Exception as fault:  # noqa: BLE001 - no traceback ever reaches a user; what to report does
        where = f"{type(fault).__name__}: {fault}"
        return _failed([f"error: internal error: {where} (this is a bug; please report it)"], INTERNAL_FAULT)


def _run(words: list[str]) -> int:
    from sidecarctl.engine.facts.start_up import BY_PATHLIB, Lazily

    with Lazily(BY_PATHLIB):
        from sidecarctl.krm.output import FunctionAnswer
    answer: FunctionAnswer
    if words:
        from sidecarctl.krm.function import answer_to_arguments

        answer = answer_to_arguments(words, os.environ, sys.stdin.buffer.read)
    else:
        answer = _answer(sys.stdin.buffer.read())
    sys.stdout.buffer.write(answer.text.encode())
    sys.stdout.buffer.flush()
    return _failed(list(answer.lines), answer.exit_code)


def _answer(call: bytes) -> "FunctionAnswer":
    from sidecarctl.krm.function import answer_to

    if len(call) < _LARGE:
        return answer_to(call, os.environ)
    from sidecarctl.engine.files.memory import out_of_memory

    try:
        return answer_to(call, os.environ)
    except MemoryError:
        raise out_of_memory() from None


def _failed(lines: list[str], code: int) -> int:
    sys.stderr.write("".join(f"{line}\n" for line in lines))
    return code


if __name__ == "__main__":
    main()
