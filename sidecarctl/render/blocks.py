"""A report as a tree of blocks: values that text, Markdown and pages are written from.

A report makes its blocks once. What differs between formats, such as how many rows they list and what they fold, is a
rule of the writer (`text.py`, `markdown.py`, `html.py`); a writer passes over blocks that it cannot show.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from sidecarctl.engine.facts.findings import Finding, Place

if TYPE_CHECKING:  # texts of pods that are not rolled out load no rollouts
    from sidecarctl.engine.rollout.simulated_pods import PodName
    from sidecarctl.engine.rollout.summary.rollout_plan import RoundCounts


class Code(NamedTuple):
    """A name or a value in a fixed-width font, linked to its place if that has an address."""

    text: str
    place: Place | None = None


class Lines(NamedTuple):
    """Texts below each other in a cell."""

    lines: tuple[str, ...]


class Badge(NamedTuple):
    """A word in the color of a mood."""

    text: str
    mood: str


Cell: TypeAlias = "str | Code | Lines | Names | Badge"


class FactList(NamedTuple):
    """Labels and texts, one below the other; the texts of a plain text begin at the column."""

    rows: tuple[tuple[str, str], ...]
    column: int


class Items(NamedTuple):
    """Sentences as a list."""

    lines: tuple[str, ...]


class NoteList(NamedTuple):
    """Sentences about the whole report."""

    lines: tuple[str, ...]


class Column(NamedTuple):
    """The heading of a column. `short`: for plain text; `is_extra`: follows from others, so narrow texts omit it."""

    title: str
    is_number: bool = False
    short: str = ""
    is_extra: bool = False
    kind: str = ""


def columns(*titles: str) -> tuple[Column, ...]:
    """Columns of text."""
    return tuple(map(Column, titles))


class Table(NamedTuple):
    """Rows under headings. `is_wide`: plain text does not fit it into the width.

    `is_aligned`: plain text aligns the numbers on the right, and has no blank line before. `is_grid`: the columns are
    values, too, under a heading that pages do not hide.
    """

    columns: tuple[Column, ...]
    rows: Sequence[Sequence[Cell]]
    name: str = ""
    is_aligned: bool = False
    is_wide: bool = False
    is_grid: bool = False


class PodRow(NamedTuple):
    """A pod. `further`: its other states; `rank`: pages begin with the lowest; `is_listed`: in a text, too.

    `more` is the cell of the fourth column.
    """

    pod: str
    state: str
    revision: str
    more: str
    why: str
    color: str
    rank: int
    workload: str = ""
    further: str = ""
    is_listed: bool = True

    @property
    def whole_why(self) -> str:
        """The reason, after the further states."""
        return "; ".join(filter(None, (self.further, self.why)))


class PodList(NamedTuple):
    """The pods of a SidecarSet: one by one, or a row for equal ones.

    `listed` is the number of rows that a text would list; `more` the heading of the fourth column. Both lists are
    made when they are written, as most formats need only one of them.
    """

    name: str
    more: str
    listed: int
    rows: Callable[[], Sequence[PodRow]]
    folded: Callable[[], Table]


class CourseNumbers(NamedTuple):
    """The numbers of pods over the rounds of a rollout; only pages draw it.

    `limit` is what maxUnavailable allows, `largest` the most pods that were unavailable at once; `rounds` and `most`
    are the scales.
    """

    counts: "Sequence[RoundCounts]"
    limit: int
    largest: int
    rounds: int
    most: int | None = None


class Card(NamedTuple):
    """One of several results to compare: its ending and what it is best at, a small chart, numbers."""

    title: str
    badge: str
    mood: str
    marks: tuple[str, ...]
    course: CourseNumbers
    facts: tuple[tuple[str, str], ...]


class Cards(NamedTuple):
    """Results to compare, drawn on the same scales; only pages show them.

    `end` is the label of the last round, `best` what the marks of the cards mean.
    """

    cards: tuple[Card, ...]
    end: str
    best: str


class BarPart(NamedTuple):
    """Some of the pods of a SidecarSet: their color, what they have in common, how many they are."""

    color: str
    word: str
    pods: int


class Bar(NamedTuple):
    """Pods by what happens to them, as a bar on pages; `whose` says which pods are counted."""

    whose: str
    parts: tuple[BarPart, ...]


class VersionList(NamedTuple):
    """Labels with their values before and after."""

    rows: tuple[tuple[str, str, str], ...]


class FieldRow(NamedTuple):
    """A field that differs, its values on one line; `structures`: whether each of them has members."""

    path: str
    before: str
    after: str
    note: str = ""
    structures: tuple[bool, bool] = (False, False)


class Fields(NamedTuple):
    """Fields that differ. Texts show at most so many."""

    name: str
    rows: Sequence[FieldRow]
    most: int


class Diff(NamedTuple):
    """A unified diff. `repeats`: the fields say the same, so that only pages show it."""

    name: str
    text: str
    repeats: bool = False


class Names(NamedTuple):
    """The names of equal objects; `what` they are. In a cell, only the first."""

    what: str
    names: tuple[str, ...]


class Overview(NamedTuple):
    """A table for readers of Markdown who look at nothing else.

    Pages make theirs from the sections. One `for_pages` is only for them; its first rows lead to the sections.
    """

    table: Table
    for_pages: bool = False


class WaveLine(NamedTuple):
    """A wave, or several equal waves in a row: the first and the last of them, their rounds, the pods of each.

    `amount` counts the pods in words, `at` is when it begins, if known; `remark` says why it is as large as it is.
    """

    first: int
    last: int
    rounds: tuple[int, int]
    kind: str
    pods: int
    amount: str
    unavailable: int
    names: "tuple[PodName, ...]"
    remark: str
    at: str

    @property
    def span(self) -> str:
        """`7`, `7-12`."""
        return f"{self.first:,}" if self.first == self.last else f"{self.first:,}-{self.last:,}"


class PatchLine(NamedTuple):
    """A pod of a wave: what is done to it, its images before and after, and why it has this place."""

    wave: int
    kind: str
    pod: str
    note: str
    images: tuple[tuple[str, str, str], ...]
    why: str


class WaveList(NamedTuple):
    """The waves of a rollout, and the chart of its course.

    `lines` makes lines: at most so many, and with more than so many waves, equal waves in a row share one. `patches`
    are the pods of a line. `held` are lines of the chart: by what pods are held back, where from the top, in percent,
    and why.
    """

    name: str
    number: int
    course: CourseNumbers
    lines: Callable[[int, int], Sequence[WaveLine]]
    patches: Callable[[WaveLine], Iterator[PatchLine]]
    held: tuple[tuple[str, str, str], ...]
    step_seconds: int | None


class PodGroup(NamedTuple):
    """Pods under a heading, with details, and commands, which no format wraps; texts fold the names."""

    title: str
    details: tuple[str, ...]
    names: "Sequence[PodName]"
    commands: tuple[str, ...] = ()


class Ranking(NamedTuple):
    """The values of a label, each with the most unavailable pods and all of its pods; those with most pods first."""

    by: str
    rows: Sequence[tuple[str, int, int]]


class Idle(NamedTuple):
    """A sentence about SidecarSets without a section; `parts` name each in the index of a folder of pages."""

    sentence: str
    parts: tuple[tuple[str, str, str, str], ...]


class Counts(NamedTuple):
    """What is counted in all, for a plain text, and for a page that does not say it at its top."""

    text: str


class Sentence(NamedTuple):
    """A sentence in the color of a mood; a plain text leaves it to the report on stderr."""

    text: str
    mood: str


class FindingList(NamedTuple):
    """Findings as a report of their own, and `failures` to read, which a plain text leaves to stderr.

    `suppressed`: findings, and what suppresses each, in words. `excerpts`: the lines of files by their numbers.
    `about`: of a rule what it finds, why, and what to do.
    """

    findings: Sequence[Finding]
    failures: Sequence[Finding]
    suppressed: Sequence[tuple[Finding, str]]
    excerpts: Mapping[str, Mapping[int, str]]
    about: Callable[[str], tuple[str, ...]]


Block: TypeAlias = (
    "FactList | Items | NoteList | Table | PodList | CourseNumbers | Cards | Bar | VersionList | Fields | Diff"
    " | Names | Overview | Counts | WaveList | PodGroup | Ranking | Idle | Sentence | FindingList | Section"
)


class Section(NamedTuple):
    """Blocks about one object, such as a SidecarSet; in a folder of pages it is one of them.

    `label` names it in plain text, before the `summary`, or the `heading` if there is one; `badge` is a word
    about it, in the color of the `mood`. Sections of a `group` are listed under it; `is_dense`: without blank lines.
    `is_ending`: the summary is how it ends, which a plain text says last, and Markdown at the top of the section.
    """

    title: str
    summary: str
    blocks: tuple[Block, ...]
    label: str = ""
    badge: str = ""
    mood: str = "held"
    heading: str = ""
    group: str = ""
    is_dense: bool = False
    is_ending: bool = False


class BlockDocument(NamedTuple):
    """A whole report. `of` begins the title of a page about one section; `command` is what pages name.

    `known` are findings that were there before a change, which `is_idle` if it has no effect and no new finding.
    `headline` says the most important at the top; `nothing` is what a text says if it has no blocks. The Markdown of
    a comment folds its sections, and names the `other_behavior` if that is not of the default release.
    `wraps_at`: the width of a text that is not written to a terminal; None for no limit.
    """

    title: str
    blocks: tuple[Block, ...]
    command: str
    of: str = ""
    findings: Sequence[Finding] = ()
    known: Sequence[Finding] = ()
    is_idle: bool = False
    behavior: str = ""
    nothing: str = ""
    headline: str = ""
    is_comment: bool = False
    other_behavior: str = ""
    wraps_at: int | None = None

    @property
    def sections(self) -> tuple[Section, ...]:
        """Its sections, one for each SidecarSet."""
        return tuple(block for block in self.blocks if isinstance(block, Section))
