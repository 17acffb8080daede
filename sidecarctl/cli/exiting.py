"""How every command ends: the only place that turns errors into lines on stderr and an exit code."""

import gc
from collections.abc import Callable, Iterable
from typing import NoReturn

import typer

from sidecarctl.cli.colours import tell
from sidecarctl.facts.errors import SidecarctlError
from sidecarctl.facts.findings import Finding, error
from sidecarctl.facts.reasons import Reason
from sidecarctl.files.ending_signals import EndedBySignalError
from sidecarctl.files.standard_streams import INTERRUPTED, PIPE_CLOSED, silence_stdout
from sidecarctl.reports.layout.lines import finding_line

INTERNAL = 4


def conclude(body: Callable[[], int]) -> NoReturn:
    """Run a command's body and exit with its code, or with that of the error that ended it."""
    gc.freeze()  # what was loaded is kept to the end anyhow
    gc.enable()
    raise typer.Exit(_code_of(body))


def _code_of(body: Callable[[], int]) -> int:
    try:
        return body()
    except SidecarctlError as fault:
        report(fault.findings)
        return fault.exit_code
    except KeyboardInterrupt:
        return INTERRUPTED
    except EndedBySignalError as fault:
        return fault.exit_code
    except BrokenPipeError:
        silence_stdout()
        return PIPE_CLOSED
    except Exception as fault:  # noqa: BLE001 - no traceback ever reaches a user; what to report does
        report([_internal(fault)])
        return INTERNAL


def report(findings: Iterable[Finding]) -> None:
    """Write findings to stderr, one a line."""
    for finding in findings:
        tell(finding_line(finding))


def _internal(fault: Exception) -> Finding:
    import traceback

    frame = traceback.extract_tb(fault.__traceback__)[-1]
    where = f"{frame.filename.rpartition('sidecarctl')[2].lstrip('/')}:{frame.lineno}"
    message = f"internal fault: {type(fault).__name__}: {fault} ({where})"
    return error(Reason.INTERNAL_FAULT, message, hint="this is a bug; please report it with the manifests")
