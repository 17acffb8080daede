"""docs/reasons.md, made from the reason codes: `python -m tests.reasons_page` writes it."""

from pathlib import Path

from sidecarctl.engine.facts.reason_remedies import REMEDIES
from sidecarctl.engine.facts.reasons import Reason

PAGE = Path(__file__).parent.parent / "docs" / "reasons.md"
_HEAD = """\
# Reason codes

Every finding has a reason code. It is the last word of a line of the report (`[NoSidecarSet]`), the rule of a SARIF
result, the title of a GitHub annotation, and `reason` in JSON. Codes do not change between versions.

This page is generated from the program: `python -m tests.reasons_page`.

| code | meaning | what to do |
| --- | --- | --- |
"""


def page() -> str:
    """The page, codes in alphabetical order."""
    rows = (f"| `{reason}` | {_cell(reason.sentence)} | {_cell(REMEDIES[reason])} |\n" for reason in sorted(Reason))
    return _HEAD + "".join(rows)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


if __name__ == "__main__":
    PAGE.write_text(page())
