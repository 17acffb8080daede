"""Every SidecarSet of the samples tells editors its schema, and is valid by it."""

import json
import re
from pathlib import Path

import pytest
import yaml
from jsonschema import Draft7Validator

ROOT = Path(__file__).parents[3]
DOCUMENTS = [
    pytest.param(path, text, id=f"{path.relative_to(ROOT)}-{index}")
    for path in sorted((ROOT / "samples").rglob("*.yaml"))
    for index, text in enumerate(re.split("(?m)^---\n", path.read_text()))
    if "\nkind: SidecarSet\n" in text
]


@pytest.mark.parametrize(("path", "text"), DOCUMENTS)
def test_a_sample_names_the_schema_that_it_is_valid_by(path: Path, text: str) -> None:
    named = re.match(r"# yaml-language-server: \$schema=(\S+)\n", text)
    assert named, "an editor needs the schema in the first line of the document"
    schema = json.loads((path.parent / named[1]).read_text())
    manifest = yaml.safe_load(text)
    assert schema["title"] == f"SidecarSet of {manifest['apiVersion']}"
    Draft7Validator(schema).validate(manifest)
