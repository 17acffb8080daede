"""How every command ends: its report, or error, becomes documents, reports and an exit code."""

import os
import sys
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext, suppress
from pathlib import Path
from typing import Any, NoReturn

import typer

from sidecarctl.cli.flags.outputs import AskedOutput, ReportFlags
from sidecarctl.cli.flags.repository import settings, used_file
from sidecarctl.cli.invoked import command_name, naming_variables
from sidecarctl.cli.terminal import choose_colors, colored_report, shows_progress, without_commands
from sidecarctl.engine.facts.errors import InternalFaultError, SidecarctlError, usage_error
from sidecarctl.engine.facts.exit_codes import INTERRUPTED, PIPE_CLOSED
from sidecarctl.engine.facts.findings import Finding, error
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.files import replacing
from sidecarctl.engine.files.fixed_files import top_of
from sidecarctl.engine.files.memory import out_of_memory, spooled
from sidecarctl.engine.files.outputs import written
from sidecarctl.engine.files.process import SIGNALLED, silence_stdout, start_collecting
from sidecarctl.engine.files.workers import unwound_on_signals
from sidecarctl.engine.report import ObjectResult, Report, exit_code, failed, noting_release, without_half_read
from sidecarctl.render.output import Links, RunEnd, Verbosity
from sidecarctl.render.run.formats import run_report


def conclude(
    operate: Callable[[], Report[Any]],
    flags: ReportFlags,
    kind: str,
    *,
    stdout_is_free: bool = False,
    link_base: str = "",
) -> NoReturn:
    """Run a command, write the requested outputs, and exit with its code.

    `kind` is that of its report; `stdout_is_free`: a transforming run writes no artifact to stdout. `link_base`:
    what --link-base says.
    """
    choose_colors(flags.color)
    replacing.forget_writes()
    start_collecting()
    with unwound_on_signals():
        code = _interruptible(lambda: _concluded(operate, flags, kind, link_base, stdout_is_free=stdout_is_free))
    raise typer.Exit(code)


def _interruptible(run: Callable[[], int]) -> int:
    try:
        return run()
    except KeyboardInterrupt:
        _tell([f"interrupted; {replacing.what_was_written()}\n"])
        return INTERRUPTED
    except SystemExit as end:
        if isinstance(end.code, int) and end.code > SIGNALLED:
            with suppress(OSError):  # the terminal is gone after a hangup
                _tell([f"terminated; {replacing.what_was_written()}\n"])
        raise
    except BrokenPipeError:
        silence_stdout()
        return PIPE_CLOSED


def _concluded(
    operate: Callable[[], Report[Any]], flags: ReportFlags, kind: str, link_base: str, *, stdout_is_free: bool
) -> int:
    asked: list[AskedOutput] = []
    documents: list[AskedOutput] = []

    def gives_way() -> bool:
        """Whether the text goes to stderr: it was not requested, and a report takes stdout."""
        return not getattr(flags, "output", None) and any(each.file is None and each.form != "text" for each in asked)

    def reported() -> Report[Any]:
        asked[:] = flags.reports()
        flags.strict |= settings().strict
        documents[:] = flags.documents()
        if documents:
            from sidecarctl.cli.formats import refuse_unknown_format  # transforming commands write none

            for output in documents:
                refuse_unknown_format(kind, output.form)
        links = links_to_files(link_base)
        with _progress(kind):
            report = settled(operate())
        is_written = "-" in report.wrote  # by `revisions restore`, which edits a file's text if it can
        if documents and report.facts is not None and not is_written:  # a failure may leave facts: of what was read
            from sidecarctl.cli.documents import write_documents

            write_documents(report, documents, links, flags, instead=_tell if gives_way() else None)
            wrote = [str(output.file or "-") for output in documents if output.file or not gives_way()]
            report = report._replace(wrote=[*report.wrote, *wrote])
        return report

    report = guarded(reported, kind)
    free = stdout_is_free or bool(documents and (gives_way() or all(output.file for output in documents)))
    return exit_code(_with_reports(report, asked, flags, free=free), strict=flags.strict)


def settled(report: Report[Any]) -> Report[Any]:
    """The report with notes about its release, and without the findings whose reasons the settings ignore.

    Nothing else changes: what was not known still decides the exit code.
    """
    report = noting_release(report)
    ignored = settings().rules.ignored & {*map(str, Reason)}
    if not ignored or report.kind == "validation":  # which has parted its findings
        return report
    from sidecarctl.engine.validation.suppression import parted

    by = dict.fromkeys(ignored, "settings")
    kept, suppressed = parted(report.findings, by)
    objects = spooled((_without(result, by) for result in report.objects), _RESULTS_IN_MEMORY)
    severities = frozenset(finding.severity for result in objects for finding in result.change.findings)
    return report._replace(
        findings=kept, suppressed=[*report.suppressed, *suppressed], objects=objects, severities=severities
    )


_RESULTS_IN_MEMORY = 5000


def _without(result: ObjectResult, ignored: Mapping[str, str]) -> ObjectResult:
    from sidecarctl.engine.validation.suppression import parted

    return result._replace(change=result.change._replace(findings=tuple(parted(result.change.findings, ignored)[0])))


def _progress(kind: str) -> AbstractContextManager[None]:
    """The progress line while a command works, if a terminal shows it; `push` has its own display."""
    if kind == "push" or not shows_progress():
        return nullcontext()
    from sidecarctl.cli.progress import reading_shown

    return reading_shown()


def guarded(reported: Callable[[], Report[Any]], kind: str) -> Report[Any]:
    """The report, or that of the error that ended the run; users never see a traceback."""
    try:
        return reported()
    except SidecarctlError as fault:
        return failed(kind, naming_variables(fault))
    except BrokenPipeError:
        raise
    except MemoryError:
        pass  # the memory of the run is freed with the exception, and only then is there enough for a report
    except Exception as fault:  # noqa: BLE001 - anything else is a bug, and the message says what to report
        return failed(kind, InternalFaultError(_internal(fault)))
    return failed(kind, out_of_memory())


def _with_reports(
    report: Report[Any], asked: Iterable[AskedOutput], flags: ReportFlags, *, free: bool
) -> Report[Any]:
    """Write the reports: the text to stderr, others as requested; a failed write counts as a failure.

    A document on stdout already says what the command objects to.
    """
    end = _run_end(report, flags)
    on_stream = next((output for output in asked if output.file is None), None)
    if on_stream is None or free:
        _tell(run_report(report._replace(objections=()) if "-" in report.wrote else report, "text", end))
    try:
        _write_reports(without_half_read(report), asked, end, free=free)
    except SidecarctlError as fault:
        _tell(run_report(failed(report.kind, fault), "text", end._replace(verbosity=Verbosity.QUIET)))
        return report._replace(failure=max(report.failure, fault.exit_code))
    return report


def _run_end(report: Report[Any], flags: ReportFlags) -> RunEnd:
    code = exit_code(report, strict=flags.strict)
    folder = os.getcwd()  # noqa: PTH109 - a text
    return RunEnd(
        command_name(),
        code,
        flags.strict,
        flags.verbosity,
        folder,
        links_to_files(""),
        used_file(),
        str(top_of(Path(folder)) or folder),
    )


def _write_reports(report: Report[Any], asked: Iterable[AskedOutput], end: RunEnd, *, free: bool) -> None:
    asked = list(asked)
    if not asked:
        return
    from sidecarctl.cli.documents import OutputFiles  # most runs have no other report than their lines

    with written(OutputFiles()) as files:
        for output in asked:
            parts = run_report(report, output.form, end)
            if output.file is None and not free:
                _tell(parts, has_commands=output.form == "github")
            else:
                files.add(output.file, parts)
        files.commit()


def _tell(parts: Iterable[str], *, has_commands: bool = False) -> None:
    """Write to stderr; `has_commands`: of a workflow, and of our own."""
    for part in parts if has_commands else map(without_commands, parts):
        typer.echo(colored_report(part, sys.stderr), err=True, nl=False, color=True)


def _internal(fault: Exception) -> Finding:
    import traceback

    frame = traceback.extract_tb(fault.__traceback__)[-1]
    where = f"{frame.filename.rpartition('sidecarctl')[2].lstrip('/')}:{frame.lineno}"
    message = f"internal error: {type(fault).__name__}: {fault} ({where})"
    return error(Reason.INTERNAL_FAULT, message, hint="this is a bug; please report it with the manifests")


_HOSTS = {
    ("GITHUB_SERVER_URL", "GITHUB_REPOSITORY", "GITHUB_SHA"): "{0}/{1}/blob/{2}",
    ("CI_PROJECT_URL", "CI_COMMIT_SHA"): "{0}/-/blob/{1}",
}
"""The variables of GitHub and of GitLab, and the address of the commit's files that they make."""


def links_to_files(link_base: str, environment: Mapping[str, str] = os.environ) -> Links:
    """The links for the folder that the command runs in; UsageError for a base that is not an address."""
    base = link_base or next(filter(None, (_address(names, text, environment) for names, text in _HOSTS.items())), "")
    if not base:
        return Links()
    if not base.startswith(("https://", "http://")):
        raise usage_error(
            f"--link-base {base} is not an address", hint="such as https://github.com/acme/platform/blob/main"
        )
    folder = Path.cwd()
    return Links(base.rstrip("/"), str(top_of(folder) or folder), str(folder))


def _address(names: tuple[str, ...], text: str, environment: Mapping[str, str]) -> str:
    values = [environment.get(name, "") for name in names]
    return text.format(*values) if all(values) else ""
