"""The formats of the report of a run; each is imported when it is written."""

from collections.abc import Iterable
from typing import Any

from sidecarctl.engine.report import Report
from sidecarctl.render.output import RunEnd

REPORT_FORMATS = {
    "text": "The report of a run as lines on stderr: one for each object, the findings, then the counts.",
    "json": "The report of a run as a document: kind RunReport (schemas/run-report.json).",
    "sarif": "Findings as SARIF 2.1.0, within the limits of GitHub code scanning.",
    "junit": "Findings as JUnit XML: a test case for each object, in `diff` for each SidecarSet and reason, "
    "and one for the run.",
    "github": "Findings as annotations of a GitHub workflow.",
    "gitlab": "Findings as a GitLab code quality report.",
    "markdown": "The report of a run as Markdown, short enough for a pull request comment.",
}
"""The formats of --report, and what each contains."""


def run_report(report: Report[Any], name: str, end: RunEnd) -> Iterable[str]:
    """The report of a run in one format of REPORT_FORMATS."""
    match name:
        case "text":
            from sidecarctl.render.run.text import report_text

            return report_text(report, end)
        case "json":
            from sidecarctl.render.run.document import report_json

            return report_json(report, end)
        case "sarif":
            from sidecarctl.render.run.code_hosts import report_sarif

            return report_sarif(report, end)
        case "junit":
            from sidecarctl.render.run.junit import report_junit

            return report_junit(report, end)
        case "github":
            from sidecarctl.render.run.code_hosts import report_github

            return report_github(report, end)
        case "gitlab":
            from sidecarctl.render.run.code_hosts import report_gitlab

            return report_gitlab(report, end)
        case _:
            from sidecarctl.render.run.markdown import report_markdown

            return [report_markdown(report, end)]
