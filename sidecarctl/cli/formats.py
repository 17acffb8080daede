"""The table of formats of documents: the function that writes each kind of report in each format.

The functions of a kind are imported when it is first written, to keep start-up fast.
"""

from collections.abc import Callable, Iterable, Mapping
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeAlias

from sidecarctl.engine.facts.errors import unknown_word
from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.releases.release import DEFAULT
from sidecarctl.engine.report import Report
from sidecarctl.render.documents import ALL_LEVELS, LARGE, as_json, as_yaml
from sidecarctl.render.output import Page

if TYPE_CHECKING:  # few runs make pages
    from sidecarctl.render.page import HtmlPage

Writer: TypeAlias = Callable[[Report[Any], Page], str | Iterable[str]]
Writers: TypeAlias = Mapping[str, Writer]
"""A function for each format of a kind of report."""

_WITHOUT_HEAD = ("text", "wide", "markdown")
"""Formats that name the behavior only if it is not the default."""

_NAMED_ELSEWHERE = ("hash", "schema", "kruise-upgrade")
"""Kinds that name it elsewhere, or not at all: `hash` and `schema` are for programs, an upgrade titles it."""
_COMMENTS = ("diff", "tree-diff")
"""Kinds whose Markdown begins with a marker, and names it below."""


def formats_of(kind: str) -> tuple[str, ...]:
    """The formats of the documents of a kind of report; empty for an unknown kind."""
    return tuple(_DOCUMENTS[kind]()) if kind in _DOCUMENTS else ()


def refuse_unknown_format(kind: str, name: str) -> None:
    """UsageError if a kind of report does not have the format."""
    formats = formats_of(kind)
    if name not in formats:
        raise unknown_word("-o", name, formats)


def pages(report: Report[Any], page: Page) -> Iterable[tuple[str, Iterable[str]]]:
    """The document as a folder of HTML pages: their names, and their parts."""
    return _html(report, _with_time_of_reading(report, page)).files()


def _with_time_of_reading(report: Report[Any], page: Page) -> Page:
    read = _read_at(report.read_at)
    return page._replace(made_by=f"{page.made_by}; {read}") if read and page.made_by else page


def document(report: Report[Any], name: str, page: Page) -> Iterable[str]:
    """The document of a report in one format: a text, or its parts."""
    read, page = _read_at(report.read_at), _with_time_of_reading(report, page)
    parts = _parts(_DOCUMENTS[report.kind]()[name](report, page))
    if name not in _WITHOUT_HEAD:
        return parts
    is_named = report.kind in _NAMED_ELSEWHERE or (report.kind in _COMMENTS and name == "markdown")
    names_release = report.release is not DEFAULT and not is_named
    head = [f"behavior: {report.release.behavior}\n\n"] if names_release else []
    return chain(head, parts, [f"\n{read}\n"] if read else [])


def _read_at(versions: Mapping[str, str]) -> str:
    """At which resourceVersion the cluster was read; empty if none was."""
    if not versions:
        return ""
    if len(set(versions.values())) == 1:
        return f"the cluster was read at resourceVersion {next(iter(versions.values()))}"
    each = ", ".join(f"{kind} at {version}" for kind, version in versions.items())
    return f"the cluster was read at these resourceVersions: {each}"


def _parts(text: str | Iterable[str]) -> Iterable[str]:
    return [text] if isinstance(text, str) else text


def _formats(
    data: Callable[[Report[Any]], Object], *, levels: int = ALL_LEVELS, has_page: bool = False, **texts: Writer
) -> Writers:
    """The formats of a report: its texts, its data as JSON (the outer `levels` indented) and YAML, its page."""
    page: Writers = {"html": _html} if has_page else {}
    return {**texts, "json": as_json(data, levels), "yaml": as_yaml(data), **page}


def _plan() -> Writers:
    from sidecarctl.features.plan.rows import plan_data
    from sidecarctl.features.plan.text_report import plan_markdown, plan_text

    return _formats(plan_data, text=plan_text, markdown=plan_markdown, levels=LARGE, has_page=True)


def _sweep() -> Writers:
    from sidecarctl.features.plan.sweep import sweep_data, sweep_markdown, sweep_text

    return _formats(sweep_data, text=sweep_text, markdown=sweep_markdown, has_page=True)


def _diff() -> Writers:
    from sidecarctl.features.diff.markdown import diff_markdown
    from sidecarctl.features.diff.sets import diff_data, diff_text

    return _formats(diff_data, text=diff_text, markdown=diff_markdown, has_page=True)


def _tree_diff() -> Writers:
    from sidecarctl.features.diff.markdown import tree_markdown
    from sidecarctl.features.diff.trees import tree_data, tree_text

    return _formats(tree_data, text=tree_text, markdown=tree_markdown, has_page=True)


def _kruise_upgrade() -> Writers:
    from sidecarctl.features.diff.upgrade import upgrade_data, upgrade_markdown, upgrade_text

    return _formats(upgrade_data, text=upgrade_text, markdown=upgrade_markdown, has_page=True)


def _status() -> Writers:
    from sidecarctl.features.status.report import status_data, status_markdown, status_text, wide_text

    return _formats(status_data, text=status_text, wide=wide_text, markdown=status_markdown, has_page=True)


def _drift() -> Writers:
    from sidecarctl.features.drift.report import drift_data, drift_markdown, drift_text

    return _formats(drift_data, text=drift_text, markdown=drift_markdown, levels=LARGE, has_page=True)


def _images() -> Writers:
    from sidecarctl.features.counts.images_report import images_csv, images_data, images_markdown, images_text

    return _formats(images_data, text=images_text, markdown=images_markdown, csv=images_csv)


def _fleet() -> Writers:
    from sidecarctl.features.merge.report import fleet_data, fleet_markdown, fleet_text

    return _formats(fleet_data, text=fleet_text, markdown=fleet_markdown, levels=LARGE, has_page=True)


def _cost() -> Writers:
    from sidecarctl.features.counts.costs_report import cost_csv, cost_data, cost_markdown, cost_text

    return _formats(cost_data, text=cost_text, markdown=cost_markdown, csv=cost_csv)


def _explain() -> Writers:
    from sidecarctl.features.explain.report import pods_data, pods_markdown, pods_text

    return _formats(pods_data, text=pods_text, markdown=pods_markdown)


def _explain_set() -> Writers:
    from sidecarctl.features.explain.report import set_data, set_markdown, set_text

    return _formats(set_data, text=set_text, markdown=set_markdown)


def _reasons() -> Writers:
    from sidecarctl.features.explain.report import reasons_data, reasons_markdown, reasons_text

    return {"text": reasons_text, "markdown": reasons_markdown, "json": as_json(reasons_data)}


def _revision_list() -> Writers:
    from sidecarctl.features.revisions.report import revisions_data, revisions_text

    return _formats(revisions_data, text=revisions_text)


def _manifests() -> Writers:
    from sidecarctl.features.revisions.report import manifest_names, manifests_list, manifests_yaml

    return {
        "text": manifests_yaml,
        "yaml": manifests_yaml,
        "json": as_json(manifests_list),
        "name": manifest_names,
    }


def _validation() -> Writers:
    from sidecarctl.features.validate.report import validation_data, validation_markdown, validation_text

    return _formats(validation_data, text=validation_text, markdown=validation_markdown, has_page=True)


def _test() -> Writers:
    from sidecarctl.features.expectations.report import tests_data, tests_markdown, tests_text

    return _formats(tests_data, text=tests_text, markdown=tests_markdown)


def _rules() -> Writers:
    from sidecarctl.features.validate.report import rules_data, rules_text

    return _formats(rules_data, text=rules_text)


def _kinds() -> Writers:
    from sidecarctl.features.reference.report import kinds_data, kinds_markdown, kinds_text

    return _formats(kinds_data, text=kinds_text, markdown=kinds_markdown)


def _schema() -> Writers:
    from sidecarctl.features.reference.report import schema_data

    return {"text": as_json(schema_data), "json": as_json(schema_data), "yaml": as_yaml(schema_data)}


def _hash() -> Writers:
    from sidecarctl.features.reference.report import hash_data, hash_text

    return _formats(hash_data, text=hash_text)


def _message() -> Writers:
    from sidecarctl.features.reference.report import message_text

    return {"text": message_text}


def _html(report: Report[Any], page: Page) -> "HtmlPage":
    """The page of a report. Each kind imports only its own: all together take as long as a small run."""
    match report.kind:
        case "plan":
            from sidecarctl.features.plan.plan_page import plan_html

            return plan_html(report, page)
        case "sweep":
            from sidecarctl.features.plan.sweep_page import sweep_html

            return sweep_html(report, page)
        case "diff":
            from sidecarctl.features.diff.diff_page import diff_html

            return diff_html(report, page)
        case "tree-diff":
            from sidecarctl.features.diff.diff_page import tree_html

            return tree_html(report, page)
        case "kruise-upgrade":
            from sidecarctl.features.diff.diff_page import upgrade_html

            return upgrade_html(report, page)
        case "status":
            from sidecarctl.features.status.status_page import status_html

            return status_html(report, page)
        case "drift":
            from sidecarctl.features.drift.drift_page import drift_html

            return drift_html(report, page)
        case "fleet":
            from sidecarctl.features.merge.fleet_page import fleet_html

            return fleet_html(report, page)
        case _:
            from sidecarctl.features.validate.validation_page import validation_html

            return validation_html(report, page)


_DOCUMENTS: Mapping[str, Callable[[], Writers]] = {
    "plan": _plan,
    "sweep": _sweep,
    "diff": _diff,
    "tree-diff": _tree_diff,
    "kruise-upgrade": _kruise_upgrade,
    "status": _status,
    "drift": _drift,
    "images": _images,
    "fleet": _fleet,
    "cost": _cost,
    "explain": _explain,
    "explain-set": _explain_set,
    "reasons": _reasons,
    "revision-list": _revision_list,
    "manifests": _manifests,
    "validation": _validation,
    "test": _test,
    "rules": _rules,
    "kinds": _kinds,
    "schema": _schema,
    "hash": _hash,
    "message": _message,
    "render": dict,
    "push": dict,
    "run": dict,
}
"""The formats of each kind of report; the last three write an artifact, or nothing."""
