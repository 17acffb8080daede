"""Blocks, as each format shows them."""

from pathlib import Path
from typing import get_args

import pytest

from sidecarctl.engine.facts.findings import Finding, Place, warning
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.rollout.simulated_pods import PodName
from sidecarctl.render import blocks, html, markdown, text
from sidecarctl.render.blocks import (
    Badge,
    Bar,
    BarPart,
    Block,
    BlockDocument,
    Code,
    Column,
    Counts,
    Diff,
    FactList,
    FieldRow,
    Fields,
    FindingList,
    Idle,
    Items,
    Lines,
    Names,
    NoteList,
    Overview,
    PodGroup,
    PodList,
    PodRow,
    Ranking,
    Section,
    Sentence,
    Table,
    VersionList,
    columns,
)
from sidecarctl.render.output import Links, Page

NAMES = [PodName("shop", f"web-{number}") for number in range(3)]
FOUND: Finding = warning(Reason.NO_PODS, "odd <b>")
TABLE = Table(
    (Column("name"), Column("number", is_number=True), *columns("more")), [(Code("a|b"), "1,000", Lines(("x", "y")))]
)


def pod_list(number: int) -> PodList:
    rows = [
        PodRow(f"shop/web-{index}", "Waiting", "a1", "yes", "later", "waiting", index % 2) for index in range(number)
    ]
    folded = Table(
        columns("pods", "state", "injected", "ready", "which"), [(f"{number}", "Waiting", "a1", "3", "web")]
    )
    return PodList("SidecarSet a", "ready", number, lambda: rows, lambda: folded)


def written(block: Block, page: Page = Page()) -> tuple[str, str, str]:  # noqa: B008 - a frozen value
    """A block of a section as text, Markdown and HTML, each without what surrounds it."""
    document = BlockDocument("Title", (Section("SidecarSet a", "said", (block,), label="a"),), "status", "Status of")
    plain = "".join(text.text_of(document, page)).removeprefix("a: said\n")
    marked = markdown.markdown_of(document, page).partition("#### a: said\n")[2]
    return plain, marked, "".join(html.html_of(document, page)).partition("</h2>")[2].partition("</main>")[0]


@pytest.mark.parametrize(
    ("block", "plain", "marked", "drawn"),
    [
        (
            FactList((("revision", "a-1"), ("", "a-2")), 10),
            "  revision  a-1\n            a-2\n",
            "\n- revision: a-1\n- revision: a-2\n",
            "<dt>revision</dt><dd>a-1</dd>",
        ),
        (Items(("because",)), "  - because\n", "\n- because\n", "<li>because</li>"),
        (NoteList(("<b>",)), "\n<b>\n", "\n- &#60;b&#62;\n", "<li>&lt;b&gt;</li>"),
        (
            TABLE,
            "\n  NAME  NUMBER  MORE\n  a|b   1,000   x; y\n",
            "\n| name | number | more |\n| --- | ---: | --- |\n| <code>a&#124;b</code> | 1,000 | x<br>y |\n",
            '<th scope="row"><code>a|b</code></th>',
        ),
        (
            VersionList((("hash", "a", "b"), ("revision", "c", "c"))),
            "\n  hash                a -> b\n  revision            c (unchanged)\n",
            "\n- hash: <code>a</code> → <code>b</code>\n- revision: <code>c</code> (unchanged)\n",
            "<dt>revision</dt><dd><code>c</code> (unchanged)</dd>",
        ),
        (
            Fields("a", [FieldRow("spec.x", "1", "2", "order"), FieldRow("spec.y", "1", "2")], 1),
            "\n  FIELD   BEFORE -> AFTER\n  spec.x  1 -> 2 (order)\n  1 more field; -o json has all of them\n",
            "1 more field</summary>",
            "<code>spec.y</code>",
        ),
        (Diff("a", "-x\n+y"), "\n-x\n+y\n", "\n```diff\n-x\n+y\n```\n", '<span class="added">+y'),
        (Diff("a", "-x\n+y", repeats=True), "", "", '<span class="added">+y'),
        (
            Names("workloads", ("x", "y")),
            "\n  x\n  y\n",
            "\n<code>x</code>, <code>y</code>\n",
            "<summary>2 workloads</summary>",
        ),
        (
            PodGroup("3 pods waiting", ("late",), NAMES),
            "\n  3 pods waiting\n      late\n",
            "<details><summary>3 pods waiting</summary>",
            "<li>shop/web-2</li>",
        ),
        (
            Ranking("zone", [("b", 2, 3)]),
            "\n  most unavailable at once, by zone\n    b       2 of 3\n",
            "- b: 2 of 3\n",
            '<td class="n">2</td>',
        ),
        (Bar("Running pods", (BarPart("updated", "updated now", 3),)), "", "", "3 updated now"),
        (Sentence("well", "good"), "", "\nwell\n", '<p class="sentence good alone">well</p>'),
        (Counts("3 in all"), "\n3 in all\n", "", '<p class="quiet">3 in all</p>'),
        (Idle("Nothing to do", ()), "\nNothing to do\n", "\nNothing to do\n", '<p class="idle">Nothing to do</p>'),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, tuple) else "",
)
def test_a_block_in_each_format(block: Block, plain: str, marked: str, drawn: str) -> None:
    found = written(block, Page(width=80))
    assert found[0].startswith(plain) if plain else not found[0]
    assert marked in found[1] if marked else not found[1]
    assert drawn in found[2]


def test_a_page_draws_every_block() -> None:
    kinds = {getattr(kind, "__forward_arg__", kind) for kind in get_args(Block)} or set(str(Block).split(" | "))
    drawn = {"PodList": "PodsView", "WaveList": "WavesView", "FindingList": "FindingsView", "Section": "SectionView"}
    template = (Path(html.__file__).parent / "templates" / "blocks.html").read_text()
    names = [drawn.get(str(kind), str(kind)) for kind in kinds if str(kind) != "CourseNumbers"]  # part of others
    assert names
    assert [name for name in names if f'"{name}": ' not in template] == []


@pytest.mark.parametrize(("number", "plain", "marked"), [(20, 20, 20), (21, 1, 21), (50, 1, 50), (51, 1, 1)])
def test_each_format_lists_so_many_pods(number: int, plain: int, marked: int) -> None:
    found = written(pod_list(number))
    assert found[0].count(" Waiting ") == plain
    assert found[1].count("| Waiting |") == marked
    assert found[2].count('class="square ') == number
    every = written(pod_list(number), Page(all_pods=True))
    assert every[0].count(" Waiting ") == every[1].count("| Waiting |") == number


def test_a_narrow_text_keeps_states_whole() -> None:
    plain, _, _ = written(pod_list(1), Page(width=50))
    assert plain.splitlines()[2:] == [
        "  shop/web-0  Waiting  revision a1, ready: yes;",
        "                       later",
    ]


def test_an_ending_is_last_in_text_and_first_elsewhere() -> None:
    section = Section("SidecarSet a", "It ends.", (Items(("x",)),), badge="Complete", mood="good", is_ending=True)
    document = BlockDocument("Rollout of SidecarSet a", (section,), "plan", "Rollout of")
    assert "".join(text.text_of(document, Page())) == "SidecarSet a\n  - x\n\nIt ends.\n"
    marked = "### ✅ Rollout of SidecarSet a\n\n**It ends.**\n\n- x\n"
    assert markdown.markdown_of(document, Page()) == marked


def test_a_comment_begins_with_what_matters_and_folds_the_rest() -> None:
    overview = Overview(Table(columns("SidecarSet", "verdict"), [(Code("a", Place("set.yaml", 3)), "Recreate")]))
    section = Section(
        "SidecarSet a", "said", (Items(("why",)),), label="a", badge="Recreate", heading="Recreate: said"
    )
    document = BlockDocument(
        "Changes", (overview, section), "diff", findings=[FOUND], headline="1 changes.", is_comment=True
    )
    comment = markdown.markdown_of(document, Page(links=Links("https://example.com/x")))
    assert comment.startswith("<!-- sidecarctl diff -->\n**1 changes.**\n\n| SidecarSet | verdict |\n| --- | --- |\n")
    assert '| <a href="https://example.com/x/set.yaml#L3"><code>a</code></a> | Recreate |' in comment
    assert comment.endswith("<details><summary><code>a</code>: Recreate</summary>\n\n- why\n\n</details>\n")
    nothing = document._replace(blocks=(overview._replace(table=overview.table._replace(rows=[])),), findings=())
    assert "\nNo SidecarSet differs.\n" in markdown.markdown_of(nothing, Page())


def test_findings_are_tables_of_markdown_that_are_kept_whole() -> None:
    block = FindingList([FOUND], [], [(FOUND, "an option")], {}, lambda _: ("a", "b", "c"))
    document = BlockDocument("Validation", (block,), "validate")
    assert "".join(text.text_of(document, Page())) == (
        "warning: odd <b> [NoPods]\nsuppressed by an option: warning: odd <b> [NoPods]\n"
    )
    titles = ["#### Warnings", "#### Suppressed"]
    assert [line for line in markdown.markdown_of(document, Page()).split("\n") if line.startswith("####")] == titles


def test_a_badge_is_a_mark() -> None:
    _, marked, drawn = written(Table(columns("a", "b"), [("x", Badge("Blocked", "bad"))]))
    assert "| x | ❌ Blocked |" in marked
    assert '<span class="badge bad">Blocked</span>' in drawn
    assert blocks.columns("a") == (Column("a"),)
