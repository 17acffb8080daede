"""Text that Kubernetes rejects is rejected in short and long documents, alone and among others."""

import re
from pathlib import Path

import pytest

from tests.cli.manifests import SET
from tests.cli.running import run

HEAD = "apiVersion: v1\nkind: ConfigMap\n"
FAULTS = {
    "an escape of JSON": 'a: "\\/"',
    "an escape of JSON in a key": '"\\/": a',
    "half of a surrogate pair": 'a: "\\ud800"',
    "a repeated key": "a: {b: 1, b: 2}",
    "null as a key": "a: {null: 1}",
    "a number that no JSON can hold": "a: .inf",
    "an alias without an anchor": "a: *b",
    "nested too deeply": "a: " + "[" * 300 + "]" * 300,
    "a character": "a: \x07",
    "a list as a key": "a: {[b]: 1}",
}
LONG = "more:\n" + "- {a: b}\n" * 6000  # more events than are kept


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("set.yaml").write_text(SET)


def refusal(text: str) -> str:
    """Why inject refuses the text, without places: of a long text that of a first key is not known."""
    Path("one.yaml").write_text(text)
    ended = run("inject", "--strict-yaml", "-s", "set.yaml", "one.yaml")
    assert ended.code == 2, ended.stderr
    [told] = [line for line in ended.stderr.splitlines() if line.startswith("error: ")]
    return re.sub(r"one\.yaml:[0-9]+:[0-9]+| \(first defined [^)]*\)", "", told)


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_the_size_of_a_document_does_not_matter(fault: str) -> None:
    alone = refusal(f"{HEAD}{fault}\n")
    assert refusal(f"{HEAD}{fault}\n{LONG}") == alone
    assert refusal(f"{HEAD}{LONG}{fault}\n") == alone
    assert refusal(f"{HEAD}flow: {{url: [http://a:b]}}\n{fault}\n") == alone
    assert refusal(f"{HEAD}---\n{HEAD}{fault}\n---\n{HEAD}") == alone


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_nor_does_a_long_list_around_it(fault: str) -> None:
    alone = refusal(f"{HEAD}{fault}\n")
    items = "- apiVersion: v1\n  kind: ConfigMap\n  data: {a: b}\n" * 25_000
    item = f"- apiVersion: v1\n  kind: ConfigMap\n  {fault}\n"
    around = "apiVersion: v1\nkind: List\nitems:\n"
    assert refusal(around + item + items) == alone
    assert refusal(around + items + item) == alone
