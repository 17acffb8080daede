"""Writes docs/rules.md and the schemas of SidecarSet: `python -m tests.engine.validation`."""

import json
from pathlib import Path

from sidecarctl.engine.validation.json_schemas import VERSIONS, sidecarset_schema
from tests.engine.validation.rules_page import rules_page

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "docs" / "rules.md"
SCHEMAS = {version: ROOT / "schemas" / f"sidecarset-{version}.json" for version in VERSIONS}

if __name__ == "__main__":
    PAGE.write_text(rules_page(), encoding="utf-8")
    for version, file in SCHEMAS.items():
        file.write_text(json.dumps(sidecarset_schema(version), indent=1) + "\n", encoding="utf-8")
