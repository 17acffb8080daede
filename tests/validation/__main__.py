"""Writes docs/rules.md and the schemas of SidecarSet: `python -m tests.validation`."""

import json
from pathlib import Path

from sidecarctl.validation.catalog import rules_page
from sidecarctl.validation.json_schemas import VERSIONS, sidecarset_schema

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "rules.md"
SCHEMAS = {version: ROOT / "schemas" / f"sidecarset-{version}.json" for version in VERSIONS}

if __name__ == "__main__":
    PAGE.write_text(rules_page(), encoding="utf-8")
    for version, file in SCHEMAS.items():
        file.write_text(json.dumps(sidecarset_schema(version), indent=1) + "\n", encoding="utf-8")
