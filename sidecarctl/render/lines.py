"""Findings and names as lines for people: nothing from a manifest controls the terminal."""

import re
from collections.abc import Iterable

from sidecarctl.engine.facts.findings import Finding
from sidecarctl.engine.facts.findings import shown as shown  # noqa: PLC0414 - reports have all about lines from here

_LONG = 160
"""Lines up to this length are not shortened."""
_LONGEST = 4000
"""Characters of a line that is shortened: most of a terminal's page."""


def joined(lines: Iterable[str]) -> str:
    """The lines, each with a line break."""
    return "".join(f"{line}\n" for line in lines)


def count(number: int, what: str) -> str:
    """`1 pod`, `2 pods`."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def finding_line(finding: Finding) -> str:
    """`error: deploy.yaml:12:3: Deployment shop/web: spec.x: what is wrong (what would be right) [ReasonCode]`.

    A finding of a validation rule ends with the id of the rule instead of the reason.
    """
    return shortened(f"{finding.severity}: {finding} [{rule_id(finding)}]")


def rule_id(finding: Finding) -> str:
    """The stable id, such as `no-resources` (docs/rules.md) or `UnknownField` (docs/reasons.md)."""
    return finding.rule or str(finding.reason)


def shortened(text: str) -> str:
    """The text on one line, with long quotations and long words of manifests shortened.

    Quotations, such as expressions, lose their end; words and the whole text lose their middle, because the ends of
    names distinguish them.
    """
    if len(text) > _LONG:
        text = re.sub(r'"([^"]{80})[^"]{40,}"', r'"\1…"', text)
        text = re.sub(r"(\S{200})\S{100,}(\S{60})", r"\1…\2", text)
    return shown(text if len(text) <= _LONGEST else f"{text[: _LONGEST - 200]}…{text[-200:]}")
