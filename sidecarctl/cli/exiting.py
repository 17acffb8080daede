"""How every command ends: its report, or error, becomes documents, reports and an exit code."""

import gc
import os
import sys
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from typing import Any, NoReturn

import typer

from sidecarctl.cli.flags.reporting import AskedOutput, ReportFlags
from sidecarctl.cli.invoked import command_name, naming_variables
from sidecarctl.cli.terminal import choose_colors, coloured_report, page_of_stdout, shows_progress
from sidecarctl.facts.errors import InternalFaultError, SidecarctlError
from sidecarctl.facts.exit_codes import INTERRUPTED, PIPE_CLOSED
from sidecarctl.facts.findings import Finding, error
from sidecarctl.facts.reasons import Reason
from sidecarctl.files import effects
from sidecarctl.files.memory import out_of_memory, within_available_memory
from sidecarctl.files.signals import unwound_on_signals
from sidecarctl.files.standard_streams import silence_stdout
from sidecarctl.operations.exit_code import exit_code
from sidecarctl.operations.report import Report, failed, without_half_read
from sidecarctl.reports.formats import document, refuse_unknown_form, run_report
from sidecarctl.reports.page import Page
from sidecarctl.reports.run.run_end import RunEnd
from sidecarctl.reports.verbosity import Verbosity

_FOR_PEOPLE = ("text", "wide")


def conclude(
    operate: Callable[[], Report[Any]], flags: ReportFlags, kind: str, *, stdout_is_free: bool = False
) -> NoReturn:
    """Run a command, write the requested outputs, and exit with its code.

    `kind` is that of its report; `stdout_is_free`: a transforming run writes no artefact to stdout.
    """
    choose_colors(flags.color)
    effects.forget()
    gc.freeze()  # what was loaded is kept to the end anyhow
    gc.enable()
    with unwound_on_signals(), within_available_memory():
        code = _interruptible(lambda: _concluded(operate, flags, kind, stdout_is_free=stdout_is_free))
    raise typer.Exit(code)


def _interruptible(run: Callable[[], int]) -> int:
    try:
        return run()
    except KeyboardInterrupt:
        _tell([f"interrupted; {effects.what_was_written()}\n"])
        return INTERRUPTED
    except BrokenPipeError:
        silence_stdout()
        return PIPE_CLOSED


def _concluded(operate: Callable[[], Report[Any]], flags: ReportFlags, kind: str, *, stdout_is_free: bool) -> int:
    asked: list[AskedOutput] = []
    documents: list[AskedOutput] = []

    def reported() -> Report[Any]:
        asked[:] = flags.reports()
        documents[:] = flags.documents()
        for output in documents:
            refuse_unknown_form(kind, output.form)
        with _progress(kind):
            report = operate()
        if report.facts is not None:  # a failure may leave something to tell: validation of what could be read
            _write_documents(report, documents, all_pods=getattr(flags, "all_pods", False))
            report = report._replace(wrote=[*report.wrote, *(str(output.file or "-") for output in documents)])
        return report

    report = _guarded(reported, kind)
    free = stdout_is_free or bool(documents and all(output.file for output in documents))
    return exit_code(_with_reports(report, asked, flags, free=free), strict=flags.strict)


def _progress(kind: str) -> AbstractContextManager[None]:
    """The line of progress while a command works, where somebody sees it; `push` has a display of its own."""
    if kind == "push" or not shows_progress():
        return nullcontext()
    from sidecarctl.cli.reading_meter import reading_shown

    return reading_shown()


def _guarded(reported: Callable[[], Report[Any]], kind: str) -> Report[Any]:
    """The report, or that of the error that ended the run; users never see a traceback."""
    try:
        return reported()
    except SidecarctlError as fault:
        return failed(kind, naming_variables(fault))
    except BrokenPipeError:
        raise
    except MemoryError:
        return failed(kind, out_of_memory())
    except Exception as fault:  # noqa: BLE001 - anything else is a bug, and the message says what to report
        return failed(kind, InternalFaultError(_internal(fault)))


def _write_documents(report: Report[Any], documents: Iterable[AskedOutput], *, all_pods: bool) -> None:
    documents = list(documents)
    if not documents:
        return
    from sidecarctl.cli.output_files import OutputFiles
    from sidecarctl.files.outputs import written

    with written(OutputFiles()) as files:
        for output in documents:
            page = Page(all_pods=all_pods) if output.file else page_of_stdout(all_pods=all_pods)
            page = page._replace(json_file=_json_beside(output, documents))
            parts = document(report, output.form, page)
            if output.file is None and output.form in _FOR_PEOPLE:
                parts = [coloured_report("".join(parts), sys.stdout)]
            files.add(output.file, parts)
        files.commit()


def _json_beside(output: AskedOutput, documents: Iterable[AskedOutput]) -> str:
    """The link from a document to the JSON of the same run, if both are files."""
    json_file = next((other.file for other in documents if other.form == "json" and other.file), None)
    if not (output.form == "html" and output.file and json_file):
        return ""
    from urllib.parse import quote

    return quote(os.path.relpath(json_file, output.file.parent))


def _with_reports(
    report: Report[Any], asked: Iterable[AskedOutput], flags: ReportFlags, *, free: bool
) -> Report[Any]:
    """Write the reports: the text to stderr, others as requested; a failed write counts as a failure."""
    end = _run_end(report, flags)
    on_stream = next((output for output in asked if output.file is None), None)
    if on_stream is None or free:
        _tell(run_report(report, "text", end))
    try:
        _write_reports(without_half_read(report), asked, end, free=free)
    except SidecarctlError as fault:
        _tell(run_report(failed(report.kind, fault), "text", end._replace(verbosity=Verbosity.QUIET)))
        return report._replace(failure=max(report.failure, fault.exit_code))
    return report


def _run_end(report: Report[Any], flags: ReportFlags) -> RunEnd:
    code = exit_code(report, strict=flags.strict)
    return RunEnd(command_name(), code, flags.strict, flags.verbosity, os.getcwd())  # noqa: PTH109 - a text


def _write_reports(report: Report[Any], asked: Iterable[AskedOutput], end: RunEnd, *, free: bool) -> None:
    asked = list(asked)
    if not asked:
        return
    from sidecarctl.cli.output_files import OutputFiles
    from sidecarctl.files.outputs import written

    with written(OutputFiles()) as files:
        for output in asked:
            parts = run_report(report, output.form, end)
            if output.file is None and not free:
                _tell(parts)
            else:
                files.add(output.file, parts)
        files.commit()


def _tell(parts: Iterable[str]) -> None:
    for part in parts:
        typer.echo(coloured_report(part, sys.stderr), err=True, nl=False, color=True)


def _internal(fault: Exception) -> Finding:
    import traceback

    frame = traceback.extract_tb(fault.__traceback__)[-1]
    where = f"{frame.filename.rpartition('sidecarctl')[2].lstrip('/')}:{frame.lineno}"
    message = f"internal error: {type(fault).__name__}: {fault} ({where})"
    return error(Reason.INTERNAL_FAULT, message, hint="this is a bug; please report it with the manifests")
