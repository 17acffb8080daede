"""libyaml without the library beside it: the same events, the same errors, and the library can still be imported."""

import json
import subprocess
import sys

import pytest

TEXTS = [
    "a: {b: [c, 'd']}\n",
    "a: [b\n",
    "a: b: c\n",
    "a: \x01\n",
    "a: \t- b\n",
    "{a:b}\n",
    "a: &b c\nd: *e\n",
    "- {http://a: b}\n",
    "a: !<tag:yaml.org,2002:int> x\n",
    "%TAG ! x\n---\na: 1\n",
]
PROGRAM = """\
import json, sys
{first}
from sidecarctl.engine.documents.reading.document import Reader
from sidecarctl.engine.facts.errors import InputError
def answer(text):
    try: return [document.value for document in Reader().documents_of(text)]
    except InputError as fault: return str(fault)
answers = [answer(text) for text in json.loads(sys.argv[1])]
loaded = [name for name in sys.modules if name.startswith("ruamel.yaml.")]
from io import StringIO
from ruamel.yaml import YAML
from ruamel.yaml.scanner import ScannerError
pure = [YAML(typ="safe", pure=is_pure).load(StringIO("a: [1]")) for is_pure in (True, False)]
json.dump([answers, loaded, pure], sys.stdout)
"""


def answered(first: str) -> list[list[object]]:
    words = [sys.executable, "-c", PROGRAM.format(first=first), json.dumps(TEXTS)]
    ended = subprocess.run(words, capture_output=True, text=True, check=True)
    answers: list[list[object]] = json.loads(ended.stdout)
    return answers


@pytest.fixture(scope="module")
def alone() -> list[list[object]]:
    return answered("")


def test_answers_are_those_beside_the_library(alone: list[list[object]]) -> None:
    beside = answered("import ruamel.yaml")
    assert alone[0] == beside[0]
    assert "ruamel.yaml.constructor" in beside[1]


def test_the_library_is_not_loaded_but_can_be(alone: list[list[object]]) -> None:
    assert not {"ruamel.yaml.constructor", "ruamel.yaml.main", "ruamel.yaml.scanner"}.intersection(map(str, alone[1]))
    assert alone[2] == [{"a": [1]}, {"a": [1]}]


@pytest.mark.parametrize("module", ["reader", "composer"])
def test_a_parser_that_needs_more_is_imported_with_the_whole_library(alone: list[list[object]], module: str) -> None:
    lacking = f"from sidecarctl.engine.documents.reading import libyaml; libyaml._EXCEPTIONS['{module}'] = 'Other'"
    answers, loaded, _ = answered(lacking)
    assert answers == alone[0]
    assert "ruamel.yaml.constructor" in loaded
