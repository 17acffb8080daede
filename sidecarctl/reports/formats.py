"""The table of formats: which function makes which form of which report.

A new format is one module and one row. Functions are loaded when they are used, to keep start-up fast.
"""

from collections.abc import Iterable
from importlib import import_module
from itertools import chain
from typing import Any

from sidecarctl.facts.errors import usage_error
from sidecarctl.operations.report import Report
from sidecarctl.releases.release import MASTER
from sidecarctl.reports.page import Page
from sidecarctl.reports.run.run_end import RunEnd

# The documents of a kind of report: functions of the report and the page.
_DOCUMENTS = {
    "plan": {
        "text": "plan.text:plan_text",
        "markdown": "plan.markdown:plan_markdown",
        "json": "plan.document:plan_json",
        "yaml": "plan.document:plan_yaml",
        "html": "html.plan_page:plan_html",
    },
    "sweep": {
        "text": "plan.sweep:sweep_text",
        "markdown": "plan.sweep:sweep_markdown",
        "json": "plan.sweep:sweep_json",
        "yaml": "plan.sweep:sweep_yaml",
        "html": "html.sweep_page:sweep_html",
    },
    "diff": {
        "text": "diff.text:diff_text",
        "markdown": "diff.markdown:diff_markdown",
        "json": "diff.document:diff_json",
        "yaml": "diff.document:diff_yaml",
        "html": "html.diff_page:diff_html",
    },
    "tree-diff": {
        "text": "diff.trees:tree_text",
        "markdown": "diff.trees:tree_markdown",
        "json": "diff.tree_document:tree_json",
        "yaml": "diff.tree_document:tree_yaml",
        "html": "html.diff_page:tree_html",
    },
    "kruise-upgrade": {
        "text": "diff.upgrade_text:upgrade_text",
        "markdown": "diff.upgrade_markdown:upgrade_markdown",
        "json": "diff.upgrade_document:upgrade_json",
        "yaml": "diff.upgrade_document:upgrade_yaml",
        "html": "html.upgrade_page:upgrade_html",
    },
    "status": {
        "text": "status.text:status_text",
        "wide": "status.text:wide_text",
        "markdown": "status.markdown:status_markdown",
        "json": "status.document:status_json",
        "yaml": "status.document:status_yaml",
        "html": "html.status_page:status_html",
    },
    "explain": {
        "text": "explain.text:pods_text",
        "markdown": "explain.markdown:pods_markdown",
        "json": "explain.document:pods_json",
        "yaml": "explain.document:pods_yaml",
    },
    "explain-set": {
        "text": "explain.text:set_text",
        "markdown": "explain.markdown:set_markdown",
        "json": "explain.document:set_json",
        "yaml": "explain.document:set_yaml",
    },
    "reasons": {
        "text": "explain.text:reasons_text",
        "markdown": "explain.markdown:reasons_markdown",
        "json": "explain.document:reasons_json",
    },
    "revision-list": {
        "text": "revisions:revisions_text",
        "json": "revisions:revisions_json",
        "yaml": "revisions:revisions_yaml",
    },
    "manifests": {
        "text": "manifests:manifests_yaml",
        "yaml": "manifests:manifests_yaml",
        "json": "manifests:manifests_json",
        "name": "manifests:manifest_names",
    },
    "validation": {
        "text": "validation.text:validation_text",
        "markdown": "validation.markdown:validation_markdown",
        "json": "validation.document:validation_json",
        "yaml": "validation.document:validation_yaml",
        "html": "html.validation_page:validation_html",
    },
    "rules": {
        "text": "validation.rules:rules_text",
        "json": "validation.rules:rules_json",
        "yaml": "validation.rules:rules_yaml",
    },
    "schema": {
        "text": "schemas:schema_json",
        "json": "schemas:schema_json",
        "yaml": "schemas:schema_yaml",
    },
    "hash": {"text": "hashes:hash_text"},
    "message": {"text": "messages:message_text"},
    "render": {},
    "push": {},
    "run": {},
}

# The reports of a run, for every kind: functions of the report and of the end of the run.
_REPORTS = {
    "text": "run.text:report_text",
    "json": "run.document:report_json",
    "sarif": "run.sarif:report_sarif",
    "junit": "run.junit:report_junit",
    "github": "run.github:report_github",
    "gitlab": "run.gitlab:report_gitlab",
    "markdown": "run.markdown:report_markdown",
}

_WITHOUT_HEAD = ("text", "wide", "markdown")
"""Forms that name the behaviour only where it is not the default."""

_NAMED_ELSEWHERE = ("hash", "kruise-upgrade")
"""Kinds that name it elsewhere, or not at all: lines of `hash` are for programs, an upgrade has it in its title."""

DOCUMENT_FORMS = tuple(dict.fromkeys(form for forms in _DOCUMENTS.values() for form in forms))
REPORT_FORMS = tuple(_REPORTS)


def forms_of(kind: str) -> tuple[str, ...]:
    """The forms of the documents of a kind of report; empty for an unknown kind."""
    return tuple(_DOCUMENTS.get(kind, ()))


def refuse_unknown_form(kind: str, form: str) -> None:
    """UsageError if a kind of report does not have the form."""
    forms = _DOCUMENTS[kind]
    if form not in forms:
        raise usage_error(f"-o {form}: not supported by this command", hint=f"one of {', '.join(forms)}")


def document(report: Report[Any], form: str, page: Page) -> Iterable[str]:
    """The document of a report in one form: a text, or its parts."""
    parts = _parts(_loaded(_DOCUMENTS[report.kind][form])(report, page))
    if form not in _WITHOUT_HEAD or report.kind in _NAMED_ELSEWHERE or report.release is MASTER:
        return parts
    return chain([f"behaviour: {report.release.behaviour}\n\n"], parts)


def run_report(report: Report[Any], form: str, end: RunEnd) -> Iterable[str]:
    """The report of a run in one form."""
    return _parts(_loaded(_REPORTS[form])(report, end))


def _parts(text: str | Iterable[str]) -> Iterable[str]:
    return [text] if isinstance(text, str) else text


def _loaded(name: str) -> Any:
    module, _, function = name.partition(":")
    return getattr(import_module(f"sidecarctl.reports.{module}"), function)
