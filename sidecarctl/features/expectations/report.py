"""The reports of `test`: a line for each case, and for each failure the expected and actual values, and where."""

from collections.abc import Iterable, Iterator, Mapping

from sidecarctl.engine.facts.findings import document_head, place_json
from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.report import Report
from sidecarctl.features.expectations.document import CaseResult, Failure, RunResults, Site
from sidecarctl.render.formats import Formats, data_formats
from sidecarctl.render.lines import joined, shortened, shown
from sidecarctl.render.markdown import cell, code, fitting, linked
from sidecarctl.render.output import Page, Verbosity
from sidecarctl.render.unified_diff import file_header, hunks

_SHOWN = 5
"""Objects of a failure that have a line of their own."""


def tests_text(report: Report[RunResults], page: Page) -> Iterator[str]:
    """A line for each case, the failures below it, and how many passed; if quiet only what failed."""
    for updated in report.facts.updated:
        yield joined(map(shown, (file_header(updated.name) + hunks(updated.before, updated.after)).split("\n")[:-1]))
    file = ""
    for result in report.facts.results:
        if result.passed and page.verbosity is Verbosity.QUIET:
            continue
        if result.place.file != file:
            file = result.place.file
            yield f"{shown(file)}\n"
        yield f"  {_mark(result, report.facts)}{shown(result.name)}{_count(result, page)}\n"
        for failure in result.failures:
            yield from (f"{line}\n" for line in _failure_lines(failure, page))
    if page.verbosity is not Verbosity.QUIET:
        yield f"{summary(report.facts)}\n"


def _mark(result: CaseResult, facts: RunResults) -> str:
    return "" if facts.listed else "ok    " if result.passed else "FAIL  "


def _count(result: CaseResult, page: Page) -> str:
    if page.verbosity is not Verbosity.VERBOSE or not result.objects:
        return ""
    return f" ({_number(result.objects, 'pod')})"


def failure_text(failure: Failure) -> str:
    """A failed expectation with all its places, as lines."""
    return "\n".join(_failure_lines(failure, Page()))


def _failure_lines(failure: Failure, page: Page) -> Iterator[str]:
    about = f"{failure.field}: " if failure.field else ""
    yield shortened(f"        {about}expected {failure.expected}")
    yield shortened(f"        {' ' * len(about)}     got {failure.actual}")
    yield f"          expected at {failure.place}"
    shows = len(failure.objects) if page.verbosity is Verbosity.VERBOSE else _SHOWN
    for site in (*failure.objects[:shows], *failure.sidecarsets):
        yield shortened(f"          {_site(site)}")
    if len(failure.objects) > shows:
        yield f"          and {len(failure.objects) - shows:,} more"


def _site(site: Site) -> str:
    at = f" at {site.place}" if site.place else ""
    return f"{site.name}{at}" + (f": {site.why}" if site.why else "")


def summary(facts: RunResults) -> str:
    """`3 passed, 1 failed; 2 not run: stopped at the first failure (-x)`."""
    if facts.listed:
        return f"{_number(len(facts.results), 'case')} in {_number(facts.files, 'file')}"
    parts = [f"{facts.passed:,} passed"] + ([f"{facts.failed:,} failed"] if facts.failed else [])
    said = ", ".join(parts)
    return f"{said}; stopped at the first failure" if facts.stopped else said


def _number(number: int, what: str) -> str:
    return f"{number:,} {what}{'s' * (number != 1)}"


def tests_markdown(report: Report[RunResults], page: Page) -> str:
    """The counts, then a table of the failures."""
    sections = ["\n".join(_rows(result, page)) + "\n" for result in report.facts.results if not result.passed]
    return fitting(f"### Tests of sidecars\n\n{cell(summary(report.facts))}\n", sections, "case")


def _rows(result: CaseResult, page: Page) -> Iterator[str]:
    yield f"#### {cell(result.name)}\n"
    yield "| expected | got | where |"
    yield "| --- | --- | --- |"
    for failure in result.failures:
        about = f"{code(failure.field)}: " if failure.field else ""
        sites = [Site("", failure.place), *failure.objects[:_SHOWN], *failure.sidecarsets]
        where = "<br>".join(_linked(site, page) for site in sites)
        more = len(failure.objects) - _SHOWN
        where += f"<br>{more:,} more" if more > 0 else ""
        yield f"| {about}{cell(failure.expected)} | {cell(failure.actual)} | {where} |"


def _linked(site: Site, page: Page) -> str:
    place = linked(str(site.place), site.place, page.links) if site.place else ""
    return " ".join(filter(None, [cell(site.name), place]))


def tests_data(report: Report[RunResults]) -> Object:
    """The results as an object of kind TestResult (schemas/test-result.json)."""
    facts = report.facts
    return {
        **document_head("TestResult", report.release.behavior),
        "files": facts.files,
        "counts": {"passed": 0 if facts.listed else facts.passed, "failed": facts.failed, "cases": facts.cases},
        "stopped": facts.stopped,
        "updated": [file.name for file in facts.updated],
        "cases": [_case(result, facts) for result in facts.results],
    }


def _case(result: CaseResult, facts: RunResults) -> Object:
    outcome = "listed" if facts.listed else "passed" if result.passed else "failed"
    return {
        "name": result.name,
        **place_json(result.place),
        "outcome": outcome,
        "objects": result.objects,
        "failures": [_failure(failure) for failure in result.failures],
    }


def _failure(failure: Failure) -> Object:
    return {
        "field": failure.field,
        **place_json(failure.place),
        "expected": failure.expected,
        "actual": failure.actual,
        "objects": list(_sites(failure.objects)),
        "sidecarSets": list(_sites(failure.sidecarsets)),
    }


def _sites(sites: Iterable[Site]) -> Iterator[Object]:
    for site in sites:
        members = {"name": site.name, **place_json(site.place), "reason": site.why}
        yield {key: value for key, value in members.items() if value}


FORMATS: Mapping[str, Formats] = {"test": data_formats(tests_data, text=tests_text, markdown=tests_markdown)}
"""The formats of results of tests."""
