"""Findings and names as lines for people: nothing from a manifest controls the terminal."""

import re
from functools import cache

from sidecarctl.facts.findings import Finding

_LONG = 160
"""Characters up to which a line holds nothing that is worth cutting."""


def shown(text: str) -> str:
    """The text on one line, with what would not show as itself replaced by a mark."""
    return text if text.isprintable() else _unseen().sub("\ufffd", text)


@cache
def _unseen() -> re.Pattern[str]:
    # Control characters, and those that turn the direction of the text around.
    return re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]")


def finding_line(finding: Finding) -> str:
    """`error: deploy.yaml:12:3: Deployment shop/web: spec.x: what is wrong (what would be right) [ReasonCode]`.

    What a rule of validation found ends with the rule's id in place of the reason.
    """
    return shown(_with_short_quotes(f"{finding.severity}: {finding} [{finding.rule or finding.reason}]"))


def _with_short_quotes(line: str) -> str:
    """The line with the beginning alone of what it quotes at length, such as an expression."""
    return re.sub(r'"([^"]{80})[^"]{40,}"', r'"\1…"', line) if len(line) > _LONG else line
