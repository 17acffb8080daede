"""The formats of a kind of report: each a function from the report to text."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.report import Report
from sidecarctl.render.blocks import BlockDocument
from sidecarctl.render.documents import ALL_LEVELS, as_json, as_yaml
from sidecarctl.render.output import Page
from sidecarctl.render.text import text_of

if TYPE_CHECKING:
    from sidecarctl.render.page import HtmlPage

Writer: TypeAlias = Callable[[Report[Any], Page], str | Iterable[str]]
Formats: TypeAlias = Mapping[str, Writer]
"""A function for each format of a kind of report."""
Blocks: TypeAlias = Callable[[Report[Any], Page], BlockDocument]


def data_formats(
    data: Callable[[Report[Any]], Object], *, levels: int = ALL_LEVELS, html: Writer | None = None, **texts: Writer
) -> Formats:
    """The formats of a report: its texts, its data as JSON (the outer `levels` indented) and YAML, its page."""
    page: Formats = {"html": html} if html else {}
    return {**texts, "json": as_json(data, levels), "yaml": as_yaml(data), **page}


def block_formats(
    blocks: Blocks,
    data: Callable[[Report[Any]], Object],
    *,
    levels: int = ALL_LEVELS,
    wide: Blocks | None = None,
    has_page: bool = True,
    **others: Writer,
) -> Formats:
    """The formats of a report that is made of blocks: text, Markdown, its data, a page; `wide` is a longer text."""
    texts: Formats = {"text": as_text(blocks), **({"wide": as_text(wide)} if wide else {})}
    texts = {**texts, "markdown": _as_markdown(blocks), **others}
    return data_formats(data, levels=levels, html=_as_html(blocks) if has_page else None, **texts)


def as_text(blocks: Blocks) -> Callable[[Report[Any], Page], Iterator[str]]:
    """The function that writes a report as text, given the function that makes its blocks."""
    return lambda report, page: text_of(blocks(report, page), page)


def _as_markdown(blocks: Blocks) -> Writer:
    def write(report: Report[Any], page: Page) -> str:
        from sidecarctl.render.markdown import markdown_of  # a format is loaded when it is written

        return markdown_of(blocks(report, page), page)

    return write


def _as_html(blocks: Blocks) -> Callable[[Report[Any], Page], "HtmlPage"]:
    def write(report: Report[Any], page: Page) -> "HtmlPage":
        from sidecarctl.render.html import html_of  # so is the template engine

        return html_of(blocks(report, page), page)

    return write
