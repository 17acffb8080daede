"""`sidecarctl test`: files with tests to a report."""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from sidecarctl.engine.facts.errors import InputError, input_error, usage_error
from sidecarctl.engine.facts.findings import API_VERSION, Finding, ObjectReference, error
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.files.inputs import Input
from sidecarctl.engine.inputs.opening import Named, Sources, opened
from sidecarctl.engine.inputs.reading import listed
from sidecarctl.engine.report import Checked, Report
from sidecarctl.features.expectations.document import (
    KIND,
    Case,
    CaseResult,
    Failure,
    RunResults,
    SidecarTest,
    UpdatedFile,
    few,
    read_tests,
)
from sidecarctl.features.expectations.running import Runner, Settings
from sidecarctl.features.expectations.starting import updated_file

SUFFIXES = (".sidecartest.yaml", ".sidecartest.yml", ".sidecartest.json")
"""The endings of test file names in folders."""


class RunRequest(NamedTuple):
    """What to run: cases whose names contain one of `names` (all for none); `lists` them without running.

    `stops`: at the first case that fails. `updates` writes files; with it the cases run again afterward.
    """

    names: Sequence[str] = ()
    lists: bool = False
    stops: bool = False
    updates: Callable[[Sequence[UpdatedFile]], None] | None = None


def run_tests(named: Named, settings: Settings, request: RunRequest) -> Report[RunResults]:
    """The results of the cases below some paths; an objection if one fails.

    InputError if a file or the inputs of a case cannot be read, or there is no test at all; UsageError for names that
    no case has.
    """
    if request.updates:
        changed = updated(named, settings, request)
        request.updates(changed)
        again = run_tests(named, settings, request._replace(updates=None))
        return again._replace(facts=again.facts._replace(updated=changed), wrote=[file.name for file in changed])
    tests = _found_tests(named, settings)
    chosen = [(test, case) for test in tests for case in test.cases if _is_chosen(case, request.names)]
    if not chosen and request.names:
        known = ", ".join(case.name for test in tests for case in test.cases)
        raise usage_error(f"-k {' '.join(request.names)}: no case has such a name", hint=f"cases: {known}")
    results: list[CaseResult] = []
    runner = Runner(settings)
    for test, case in chosen:
        result = CaseResult(case.name, case.place(), 0) if request.lists else runner.result(test, case)
        results.append(result)
        if request.stops and not result.passed:
            break
    files, cases = len({test.file for test in tests}), sum(len(test.cases) for test in tests)
    facts = RunResults(results, files, cases, request.lists, stopped=len(results) < len(chosen))
    return Report(
        "test",
        facts,
        is_objection=bool(facts.failed),
        objections=[finding for result in results for finding in findings_of(result)],
        checked=[Checked(_reference(result), result.place) for result in results],
        release=settings.how.release,
    )


def updated(named: Named, settings: Settings, request: RunRequest) -> list[UpdatedFile]:
    """The files that change if the current values are written into them."""
    runner = Runner(settings)
    changed: list[UpdatedFile] = []
    with opened(named) as (sources,):
        for source in _files(sources):
            tests = _read([source], settings, named)
            chosen = ((test, case) for test in tests for case in test.cases if _is_chosen(case, request.names))
            results = [(case, runner.result(test, case)) for test, case in chosen]
            file = updated_file(source, settings.how.reader, results)
            changed += [file] if file.before != file.after else []
    return changed


def _files(sources: Sources[Input]) -> list[Input]:
    return [source for source in sources.paths if source.is_named or source.name.endswith(SUFFIXES)]


def _found_tests(named: Named, settings: Settings) -> list[SidecarTest]:
    """The tests of files, and of those below folders whose names end in one of SUFFIXES."""
    with opened(named) as (sources,):
        return _read(_files(sources), settings, named)


def _read(files: Sequence[Input], settings: Settings, named: Named) -> list[SidecarTest]:
    tests: list[SidecarTest] = []
    failures: list[Finding] = []
    for source in files:
        if source.is_copy:
            raise usage_error(f"{source.name} has no folder that paths of a test could be relative to")
        try:
            tests += read_tests(source, settings.how.reader)
        except InputError as fault:
            failures += fault.findings
    if failures:
        raise InputError(*failures)
    if not tests:
        hint = f"the names of files with tests end in {SUFFIXES[0]}; --init DIR writes a first one"
        raise input_error(Reason.NO_MANIFEST, f"no tests found in {listed(named.paths)}", hint=hint)
    return tests


def _is_chosen(case: Case, names: Sequence[str]) -> bool:
    return not names or any(name.lower() in case.name.lower() for name in names)


def findings_of(result: CaseResult) -> Iterator[Finding]:
    """A finding for each failed expectation, at its line in the test."""
    for failure in result.failures:
        finding = error(Reason.EXPECTATION_FAILED, _failure_sentence(failure))
        yield finding._replace(subject=_reference(result), place=failure.place)


def _failure_sentence(failure: Failure) -> str:
    """A failed expectation as one line, with the objects and SidecarSets and their places."""
    objects = few(failure.objects)
    about = f"{failure.field}: " if failure.field else ""
    said = f"{about}expected {failure.expected}, got {failure.actual}"
    return "; ".join(filter(None, [f"{said}{f' in {objects}' if objects else ''}", few(failure.sidecarsets)]))


def _reference(result: CaseResult) -> ObjectReference:
    return ObjectReference(API_VERSION, KIND, "", result.name)
