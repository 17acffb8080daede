"""Writes docs/rules.md anew from the rules: `python -m tests.validation`."""

from pathlib import Path

from sidecarctl.validation.rule_pages import rules_page

PAGE = Path(__file__).parents[2] / "docs" / "rules.md"

if __name__ == "__main__":
    PAGE.write_text(rules_page(), encoding="utf-8")
