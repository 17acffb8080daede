"""Blocks as a page, or as a folder with a page for each section."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from sidecarctl.engine.facts.values import Object
from sidecarctl.render.blocks import Block, BlockDocument, FindingList, Idle, Overview, PodList, Section, WaveList
from sidecarctl.render.findings import findings_view
from sidecarctl.render.output import Page
from sidecarctl.render.page import FindingRow, HtmlPage, PagePart, finding_rows
from sidecarctl.render.pods import PodsView, pods_view
from sidecarctl.render.rollouts import waves_view


class SectionView(NamedTuple):
    """A section with what is drawn in it; `pods` are those of it, for the overview."""

    anchor: str
    group: str
    title: str
    label: str
    badge: str
    mood: str
    summary: str
    blocks: Sequence[object]
    pods: PodsView | None


class BlockPage(NamedTuple):
    """A page as its template shows it."""

    title: str
    headline: str
    command: str
    blocks: Sequence[object]
    findings: tuple[FindingRow, ...]
    data: Object
    is_of_sets: bool

    @property
    def sections(self) -> list[SectionView]:
        """The sections among the blocks."""
        return [block for block in self.blocks if isinstance(block, SectionView)]

    @property
    def overview(self) -> Overview | None:
        """A table that leads to the sections, if the report has its own."""
        tables = (block for block in self.blocks if isinstance(block, Overview) and block.for_pages)
        return next(tables, None)

    @property
    def groups(self) -> list[tuple[str, list[SectionView]]]:
        """The groups of sections; those of no group are one."""
        return [(name, list(own)) for name, own in groupby(self.sections, lambda section: section.group)]


def html_of(document: BlockDocument, page: Page) -> HtmlPage:
    """The page. If it becomes a folder, each section has a page."""
    return HtmlPage("blocks.html", _drawn(document, page), page, document.behavior, _parts(document, page))


def _parts(document: BlockDocument, page: Page) -> Iterator[PagePart]:
    for section in document.sections:
        own = document._replace(
            title=f"{document.of} {section.title}".strip(),
            headline=document.title if document.headline else "",
            blocks=(section,),
            findings=[finding for finding in document.findings if str(finding.subject or "") == section.title],
        )
        yield PagePart(section.title, section.badge, section.mood, section.summary, _drawn(own, page))
    for block in document.blocks:
        if isinstance(block, Idle):
            yield from (PagePart(*part, None) for part in block.parts)


def _drawn(document: BlockDocument, page: Page) -> BlockPage:
    drawing = _Drawing(page)
    blocks = [drawing.of(block) for block in document.blocks]
    return BlockPage(
        document.title,
        document.headline,
        document.command,
        blocks,
        finding_rows(document.findings),
        drawing.data,
        is_of_sets=bool(document.of),
    )


class _Drawing:
    """Makes what a page draws of each block, and collects the data that its script reads."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._groups: dict[str, int] = {}
        self.data: dict[str, list[Object]] = {"tables": [], "charts": []}

    def of(self, block: Block) -> object:
        """The block as its template shows it."""
        match block:
            case Section():
                return self._section(block)
            case WaveList():
                view = waves_view(block, self._page, len(self.data["charts"]))
                self.data["charts"].append(view.data)
                return view
            case FindingList():
                return findings_view(block, self._page)
            case PodList():
                pods, table = pods_view(block, self._page, len(self.data["tables"]))
                self.data["tables"].append(table)
                return pods
        return block

    def _section(self, section: Section) -> SectionView:
        number = self._groups[section.group] = self._groups.get(section.group, 0) + 1
        blocks = [self.of(block) for block in section.blocks]
        return SectionView(
            f"section-{[*self._groups].index(section.group) + 1}-{number}",
            section.group,
            section.title,
            section.label or section.title,
            section.badge,
            section.mood,
            section.summary,
            blocks,
            next((block for block in blocks if isinstance(block, PodsView)), None),
        )
