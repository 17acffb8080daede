"""The shipped schemas, for tests of the documents that they describe."""

import json
from functools import cache
from pathlib import Path

from jsonschema import Draft202012Validator

from sidecarctl.engine.facts.values import Value

_FOLDER = Path(__file__).parent.parent / "schemas"


def assert_valid(document: Value, schema: str) -> None:
    """Fail with the first difference of a document from a schema."""
    _validator(schema).validate(document)


@cache  # the check of a schema takes many times as long as that of a document
def _validator(schema: str) -> Draft202012Validator:
    read = json.loads((_FOLDER / schema).read_text())
    Draft202012Validator.check_schema(read)
    return Draft202012Validator(read)
