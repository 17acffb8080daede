"""`--watch`: repeats the report of a cluster whenever it changes, until it is interrupted."""

import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeAlias

from sidecarctl.cli.flags.cluster import WatchFlags
from sidecarctl.cli.flags.outputs import DocumentFlags
from sidecarctl.cli.following import Follow, Watched, change_lines
from sidecarctl.cli.formats import document
from sidecarctl.cli.invoked import asked_for
from sidecarctl.cli.terminal import colored_report, page_of_stdout, shows_live
from sidecarctl.engine.facts.errors import InputError, UsageError, usage_error
from sidecarctl.engine.facts.exit_codes import INTERRUPTED
from sidecarctl.engine.facts.findings import Severity
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.files.inputs import STDIN, stop_watching
from sidecarctl.engine.kubectl.live import watched_cluster
from sidecarctl.engine.kubectl.mirror import Mirror
from sidecarctl.engine.report import Report
from sidecarctl.render.lines import finding_line, shown
from sidecarctl.render.output import Verbosity

Operation: TypeAlias = Callable[[Mirror], Report[Any]]
Show: TypeAlias = Callable[[Report[Any], Sequence[str]], None]
"""Shows the next report; the texts say why it may be out of date."""

_PAUSE = 0.2
"""Seconds between two reports; at least as many as one takes, so that a busy cluster leaves the machine some time."""
_FORMS = ("text", "wide")
_ABOUT_ONE_REPORT = {"report": "--report", "exit_code": "--exit-code", "fail_on": "--fail-on", "sweep": "--sweep"}
_INPUTS = ("paths", "filename", "sidecarsets", "revision_from")


def watched(operate: Operation, follow: Follow, kind: str, cluster: WatchFlags, flags: DocumentFlags) -> Report[None]:
    """Show the report of an operation whenever the cluster changes; returns the report of the interrupted run.

    UsageError for options that exclude each other; raises the errors of the operation.
    """
    form = _form(flags)
    displayed = _screen(form, flags) if shows_live(sys.stdout) else _lines(follow, flags)
    report = None
    try:
        with watched_cluster(cluster.connection(), cluster.request_timeout) as mirror, displayed as show:
            while True:
                mirror.look()
                began = time.monotonic()
                try:
                    report = operate(mirror)
                except UsageError as fault:
                    raise (_without_named(fault) if report else fault) from None
                took = time.monotonic() - began
                stop_watching()  # the line of progress, which the first reading has
                show(report, mirror.troubles)
                mirror.wait()
                time.sleep(max(_PAUSE, took))
    except KeyboardInterrupt:
        return Report(kind, None, failure=INTERRUPTED)


def _without_named(fault: UsageError) -> InputError:
    """The error for a SidecarSet that --only names and that has gone since the command began."""
    [found] = fault.findings
    message = f"the SidecarSets have changed: {found.message}"
    return InputError(found._replace(reason=Reason.NO_SIDECARSET, message=message))


def _form(flags: DocumentFlags) -> str:
    """The form of the document; UsageError for options that exclude --watch."""
    for name, option in _ABOUT_ONE_REPORT.items():
        if asked_for(name):
            raise usage_error(
                f"{option} cannot be combined with --watch, which shows reports until it is interrupted"
            )
    if any(STDIN in (asked_for(name) or ()) for name in _INPUTS):
        raise usage_error("standard input (-) can be read only once, and --watch reads its files again")
    output, *others = flags.documents()
    if others or output.file or output.form not in _FORMS:
        raise usage_error("--watch shows one text on stdout", hint="omit -o, or use -o wide")
    return output.form


@contextmanager
def _lines(follow: Follow, flags: DocumentFlags) -> Iterator[Show]:
    """A line for each change on stdout, news on stderr."""
    news, before = _News(flags), Watched()

    def show(report: Report[Any], troubles: Sequence[str]) -> None:
        nonlocal before
        sys.stderr.writelines(f"{line}\n" for line in news.lines(report, troubles))
        now = follow(report.facts)
        for line in change_lines(before, now):
            sys.stdout.write(colored_report(f"{shown(line)}\n", sys.stdout))
        sys.stdout.flush()
        before = now

    yield show


@contextmanager
def _screen(form: str, flags: DocumentFlags) -> Iterator[Show]:
    """The document, updated in place on a terminal, as far as it fits; news above it."""
    from rich.console import Console
    from rich.live import Live
    from rich.text import Text

    news, console = _News(flags), Console(file=sys.stdout, highlight=False)

    def show(report: Report[Any], troubles: Sequence[str]) -> None:
        for line in news.lines(report, troubles):
            console.print(Text(line))
        page = page_of_stdout()._replace(all_pods=flags.all_pods, verbosity=flags.verbosity)
        lines = "".join(document(report, form, page)).splitlines()
        text = colored_report("\n".join(_fitting(lines, console.height)), sys.stdout)
        live.update(Text.from_ansi(text, no_wrap=True, overflow="ellipsis"), refresh=True)

    with Live(console=console, auto_refresh=False, vertical_overflow="crop") as live:
        yield show


def _fitting(lines: Sequence[str], height: int) -> Iterable[str]:
    """The first lines, and how many more there are; the last line of the terminal is the cursor's."""
    if len(lines) < height:
        return lines
    kept = max(height - 2, 1)
    return [*lines[:kept], f"... {len(lines) - kept:,} more lines"]


class _News:
    """Prints each message once: new findings, and when a watch breaks and when it is up to date again."""

    def __init__(self, flags: DocumentFlags) -> None:
        self._is_quiet = flags.verbosity is Verbosity.QUIET
        self._said: set[str] = set()
        self._troubles: Sequence[str] = ()

    def lines(self, report: Report[Any], troubles: Sequence[str]) -> list[str]:
        """The lines that were not printed yet."""
        findings = [item for item in report.findings if item.severity is Severity.ERROR or not self._is_quiet]
        lines = [line for line in map(finding_line, findings) if line not in self._said]
        self._said.update(lines)
        lines += [
            shown(f"{trouble}; what is shown may be out of date")
            for trouble in troubles
            if trouble not in self._troubles
        ]
        lines += ["all watches work again"] if self._troubles and not troubles else []
        self._troubles = troubles
        return lines
