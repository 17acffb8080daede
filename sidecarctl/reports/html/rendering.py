"""From a page model to HTML: the only place that knows the template engine.

A page is one file that loads nothing. Its Content-Security-Policy names its one style sheet and its one script by
their hashes, so that nothing else can run, whatever a manifest holds. All text is escaped, and what a terminal would
not be shown is not shown here either.
"""

import json
from base64 import b64encode
from collections.abc import Iterable, Iterator
from hashlib import sha256
from typing import Any, NamedTuple, Protocol

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from sidecarctl.facts.findings import Finding
from sidecarctl.facts.values import Object, Value, path_text
from sidecarctl.reports.layout.lines import shown
from sidecarctl.reports.output import Page


class FindingRow(NamedTuple):
    """A finding in its parts; what is not known is empty. `code` is the rule's id, else the reason."""

    severity: str
    code: str
    place: str
    subject: str
    path: str
    message: str
    hint: str


def finding_rows(findings: Iterable[Finding]) -> tuple[FindingRow, ...]:
    """A row for each finding, in their order."""
    return tuple(map(finding_row, findings))


def finding_row(finding: Finding) -> FindingRow:
    """The row of a finding."""
    return FindingRow(
        str(finding.severity),
        finding.rule or str(finding.reason),
        str(finding.place or ""),
        str(finding.subject or ""),
        path_text(finding.path),
        finding.message,
        finding.hint,
    )


class Model(Protocol):
    """What every page has. `data` is what the script reads, as JSON in a block that is not run."""

    @property
    def title(self) -> str:
        """The heading."""

    @property
    def data(self) -> Object:
        """Empty where the script only looks at the page itself."""


def rendered(template: str, model: Model, page: Page, behaviour: str) -> Iterator[str]:
    """The page in parts; `model` is the frozen model that the template shows, as `page`."""
    environment = Environment(
        autoescape=True,
        finalize=_finalized,
        loader=PackageLoader("sidecarctl.reports.html"),
        lstrip_blocks=True,
        trim_blocks=True,
        undefined=StrictUndefined,
    )
    environment.filters["island"] = _island
    environment.filters["number"] = _number
    style, script = (_source(environment, name) for name in ("page.css", "page.js"))
    policy = "; ".join(
        [
            "default-src 'none'",
            f"style-src 'sha256-{_digest(style)}'",
            f"script-src 'sha256-{_digest(script)}'",
            "img-src data:",
            "base-uri 'none'",
            "form-action 'none'",
        ]
    )
    # Both are our own, and do not change after their hashes are computed.
    assets = {"style": Markup(style), "script": Markup(script)}  # noqa: S704 - files of ours, not input
    return environment.get_template(template).generate(
        page=model, made=page, behaviour=behaviour, policy=policy, **assets
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


def _island(value: Value) -> Markup:
    """JSON that no parser of HTML sees an end in."""
    text = json.dumps(value, separators=(",", ":"))
    for mark in "<>&":
        text = text.replace(mark, f"\\u{ord(mark):04x}")
    return Markup(text)  # noqa: S704 - just made safe
