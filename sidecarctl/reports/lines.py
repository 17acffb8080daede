"""Findings and names as lines for people: nothing from a manifest controls the terminal."""

import re

from sidecarctl.facts.findings import Finding

# Control characters, and those that turn the direction of the text around.
_UNSEEN = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]")


def shown(text: str) -> str:
    """The text on one line, with what would not show as itself replaced by a mark."""
    return _UNSEEN.sub("\ufffd", text)


def finding_line(finding: Finding) -> str:
    """`error: deploy.yaml:12:3: Deployment shop/web: spec.x: what is wrong (what would be right) [ReasonCode]`."""
    return shown(f"{finding.severity}: {finding} [{finding.reason}]")
