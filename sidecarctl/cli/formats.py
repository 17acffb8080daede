"""The table of formats of documents: the module of each kind of report, which states its formats.

A module is loaded when a report of its kind is first written, to keep start-up fast.
"""

from collections.abc import Iterable, Mapping
from importlib import import_module
from itertools import chain
from typing import TYPE_CHECKING, Any, cast

from sidecarctl.engine.facts.errors import unknown_word
from sidecarctl.engine.facts.values import natural
from sidecarctl.engine.releases.release import DEFAULT
from sidecarctl.engine.report import Report
from sidecarctl.render.formats import Formats
from sidecarctl.render.output import Page

if TYPE_CHECKING:  # few runs make pages
    from sidecarctl.render.page import HtmlPage

_MODULES: Mapping[str, str] = {
    "plan": "sidecarctl.features.plan.text_report",
    "sweep": "sidecarctl.features.plan.sweep",
    "diff": "sidecarctl.features.diff.sets",
    "tree-diff": "sidecarctl.features.diff.trees",
    "kruise-upgrade": "sidecarctl.features.diff.upgrade",
    "status": "sidecarctl.features.status.report",
    "drift": "sidecarctl.features.drift.report",
    "images": "sidecarctl.features.counts.images_report",
    "fleet": "sidecarctl.features.merge.report",
    "cost": "sidecarctl.features.counts.costs_report",
    "explain": "sidecarctl.features.explain.report",
    "explain-set": "sidecarctl.features.explain.report",
    "explain-clusters": "sidecarctl.features.explain.by_cluster",
    "reasons": "sidecarctl.features.explain.report",
    "revision-list": "sidecarctl.features.revisions.report",
    "manifests": "sidecarctl.features.revisions.report",
    "validation": "sidecarctl.features.validate.report",
    "test": "sidecarctl.features.expectations.report",
    "rules": "sidecarctl.features.reference.report",
    "rule": "sidecarctl.features.reference.report",
    "kinds": "sidecarctl.features.reference.report",
    "schema": "sidecarctl.features.reference.report",
    "hash": "sidecarctl.features.reference.report",
    "message": "sidecarctl.features.reference.report",
}
"""Kinds without a module write an artifact, or nothing."""

_WITHOUT_HEAD = ("text", "wide", "markdown")
"""Formats that name the behavior only if it is not the default."""

_NAMED_ELSEWHERE = ("hash", "schema", "kruise-upgrade")
"""Kinds that show it elsewhere, or never: `hash` and `schema` are for programs, an upgrade has it in its title."""
_COMMENTS = ("diff", "tree-diff")
"""Kinds whose Markdown begins with a marker, and names it below."""


def _formats(kind: str) -> Formats:
    return cast("Formats", import_module(_MODULES[kind]).FORMATS[kind]) if kind in _MODULES else {}


def formats_of(kind: str) -> tuple[str, ...]:
    """The formats of the documents of a kind of report; empty for an unknown kind."""
    return tuple(_formats(kind))


def refuse_unknown_format(kind: str, name: str) -> None:
    """UsageError if a kind of report does not have the format."""
    formats = formats_of(kind)
    if name not in formats:
        raise unknown_word("-o", name, formats)


def pages(report: Report[Any], page: Page) -> Iterable[tuple[str, Iterable[str]]]:
    """The document as a folder of HTML pages: their names, and their parts."""
    made = _formats(report.kind)["html"](report, _with_time_of_reading(report, page))
    return cast("HtmlPage", made).files()


def _with_time_of_reading(report: Report[Any], page: Page) -> Page:
    read = _read_at(report.read_at)
    return page._replace(made_by=f"{page.made_by}; {read}") if read and page.made_by else page


def document(report: Report[Any], name: str, page: Page) -> Iterable[str]:
    """The document of a report in one format: a text, or its parts."""
    read, page = _read_at(report.read_at), _with_time_of_reading(report, page)
    text = _formats(report.kind)[name](report, page)
    parts = [text] if isinstance(text, str) else text
    if name not in _WITHOUT_HEAD:
        return parts
    is_named = report.kind in _NAMED_ELSEWHERE or (report.kind in _COMMENTS and name == "markdown")
    names_release = report.release is not DEFAULT and not is_named
    head = [f"behavior: {report.release.behavior}\n\n"] if names_release else []
    return chain(head, parts, [f"\n{read}\n"] if read else [])


def _read_at(versions: Mapping[str, str]) -> str:
    """At which resourceVersions the cluster was read; empty if it was not. JSON has that of each kind."""
    found = {version for each in versions.values() for version in each.split(", ")}
    if not found:
        return ""
    first, *_, last = sorted([*found, *found], key=natural)
    if first == last:
        return f"the cluster was read at resourceVersion {first}"
    return f"the cluster was read at resourceVersions from {first} to {last}"
