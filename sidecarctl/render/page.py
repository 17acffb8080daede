"""From a page model to HTML: the only place that knows the template engine.

A page is one file that loads nothing. Its Content-Security-Policy names its one style sheet and its one script by
their hashes, so that nothing else can run, whatever a manifest contains. All text is escaped; characters that are
replaced for terminals are replaced here too.
"""

import json
import re
from base64 import b64encode
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, NamedTuple, Protocol

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from sidecarctl.engine.facts.findings import Finding, named
from sidecarctl.engine.facts.values import Object, Value, path_text
from sidecarctl.render.blocks import Card
from sidecarctl.render.charts import drawn_course, used_bands
from sidecarctl.render.lines import rule_id, shown
from sidecarctl.render.output import Page


class FindingRow(NamedTuple):
    """A finding in its parts; unknown parts are empty. `code` is the rule's id, else the reason."""

    severity: str
    code: str
    place: str
    subject: str
    path: str
    message: str
    hint: str


def finding_rows(findings: Iterable[Finding]) -> tuple[FindingRow, ...]:
    """A row for each finding, in their order."""
    return tuple(
        FindingRow(
            str(finding.severity),
            rule_id(finding),
            str(finding.place or ""),
            str(finding.subject or ""),
            path_text(finding.path),
            finding.message,
            finding.hint,
        )
        for finding in findings
    )


class Model(Protocol):
    """What every page has. `data` is what the script reads, as JSON in a block that is not executed."""

    @property
    def title(self) -> str:
        """The heading."""

    @property
    def findings(self) -> tuple[FindingRow, ...]:
        """What the run found."""

    @property
    def data(self) -> Object:
        """Empty if the script needs only the page itself."""


class PagePart(NamedTuple):
    """A part that can be its own page, and its line in the index; `model` is None if there is only that line."""

    name: str
    badge: str
    mood: str
    sentence: str
    model: Model | None


class IndexPage(NamedTuple):
    """The pages of a run: the name of each file, and what is in it."""

    title: str
    pages: tuple[tuple[str, PagePart], ...]
    findings: tuple[FindingRow, ...]
    data: Object


@dataclass(frozen=True, slots=True)
class HtmlPage:
    """A page, made as it is written; or a folder of pages.

    `model` is the frozen value that the template shows, as `page`; `parts` get their own pages in a folder, one page
    has everything if there are none.
    """

    template: str
    model: Model
    page: Page
    behavior: str
    parts: Iterable[PagePart] = ()

    def __iter__(self) -> Iterator[str]:
        return self._rendered(self.template, self.model)

    def files(self) -> Iterator[tuple[str, Iterator[str]]]:
        """A page for each part, and the index; if there is one part, the page itself is the index."""
        parts = list(self.parts)
        if len(parts) < 2:
            yield _INDEX, iter(self)
            return
        names = [_file_name(number, part.name) if part.model else "" for number, part in enumerate(parts, 1)]
        for name, part in zip(names, parts, strict=True):
            if part.model:
                yield name, self._rendered(self.template, part.model, has_index=True)
        index = IndexPage(self.model.title, tuple(zip(names, parts, strict=True)), self.model.findings, {})
        yield _INDEX, self._rendered("index.html", index)

    def _rendered(self, template: str, model: Model, *, has_index: bool = False) -> Iterator[str]:
        environment = _environment()
        style, script = (_source(environment, name) for name in ("page.css", "page.js"))
        # Both are our own, and do not change after their hashes are computed.
        assets = {"style": Markup(style), "script": Markup(script)}  # noqa: S704 - files of ours, not input
        return environment.get_template(template).generate(
            page=model,
            made=self.page,
            behavior=self.behavior,
            has_index=has_index,
            policy=_policy(style, script),
            **assets,
        )


_INDEX = "index.html"


def _file_name(number: int, name: str) -> str:
    """`2-SidecarSet-mesh-proxy.html`: a name that a manifest cannot use to write elsewhere."""
    return f"{number}-{re.sub(r'[^A-Za-z0-9]+', '-', name).strip('-')[:80]}.html"


def _environment() -> Environment:
    environment = Environment(
        autoescape=True,
        finalize=_finalized,
        loader=PackageLoader("sidecarctl.render"),
        lstrip_blocks=True,
        trim_blocks=True,
        undefined=StrictUndefined,
    )
    environment.filters["island"] = _island
    environment.filters["number"] = _number
    environment.filters["kind"] = _kind
    environment.filters["named"] = named
    environment.filters["marked"] = _marked
    environment.filters["course"] = drawn_course
    environment.filters["bands"] = _bands
    environment.filters["breakable"] = breakable
    return environment


def _policy(style: str, script: str) -> str:
    return "; ".join(
        [
            "default-src 'none'",
            f"style-src 'sha256-{_digest(style)}'",
            f"script-src 'sha256-{_digest(script)}'",
            "img-src data:",
            "base-uri 'none'",
            "form-action 'none'",
        ]
    )


def _source(environment: Environment, name: str) -> str:
    if environment.loader is None:
        raise AssertionError
    return environment.loader.get_source(environment, name)[0]


def _digest(text: str) -> str:
    return b64encode(sha256(text.encode()).digest()).decode()


def _finalized(value: Any) -> Any:
    return shown(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _number(value: int) -> str:
    return f"{value:,}"


_DIFF_MARKS = {"+": "added", "-": "removed", "@": "place"}


def _marked(text: str) -> list[tuple[str, str]]:
    """The lines of a unified diff, each with its kind."""
    return [
        ("file" if line.startswith(("--- ", "+++ ")) else _DIFF_MARKS.get(line[:1], "same"), line)
        for line in text.splitlines()
    ]


def _bands(cards: Iterable[Card]) -> tuple[tuple[str, str], ...]:
    """The bands that have pods in any of the charts: their colors, and words."""
    return used_bands(counts for card in cards for counts in card.course.counts)


def _kind(value: object) -> str:
    """The name of a class, by which a template chooses how to write a block."""
    return type(value).__name__


def breakable(text: str) -> str:
    """A time with a blank, where a narrow column can break it."""
    return text.replace("T", " ") if text[:1].isdigit() else text


def _island(value: Value) -> Markup:
    """JSON in which an HTML parser cannot see the end of the block."""
    text = json.dumps(value, separators=(",", ":"))
    for mark in "<>&":
        text = text.replace(mark, f"\\u{ord(mark):04x}")
    return Markup(text)  # noqa: S704 - just made safe
