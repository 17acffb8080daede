"""`diff` of trees shows what is new in a change: what was found before it, too, is counted and folded."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.manifests import DEPLOYMENT, SET
from tests.cli.running import Ended, run
from tests.schemas import assert_valid

DOUBTFUL = SET + "  bogus: 1\n"
NEWER = DOUBTFUL.replace("log-agent:2.4.1", "log-agent:2.5.0")
IDLE = "<!-- sidecarctl diff --><!-- nothing new -->"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    tree("old", DOUBTFUL)
    tree("new", DOUBTFUL)


def tree(name: str, sets: str, workload: str = DEPLOYMENT) -> None:
    Path(name).mkdir(exist_ok=True)
    Path(name, "set.yaml").write_text(sets)
    Path(name, "web.yaml").write_text(workload)


def diff(*words: str) -> Ended:
    return run("diff", "--before", "old", "--after", "new", *words)


def test_what_was_found_before_is_counted_and_not_annotated() -> None:
    tree("new", f"# another line\n{NEWER}")
    ended = diff("-o", "markdown", "--report", "github=annotations.txt")
    assert "bogus" not in ended.stderr
    assert "not new: 1 finding of the base: 1 warning" in ended.stderr
    assert "bogus" not in Path("annotations.txt").read_text()
    assert "<details><summary>1 finding of the base: 1 warning</summary>\n\n- ⚠️ <code>new/set.yaml:" in ended.stdout
    assert "base: warning: new/set.yaml:" in diff("-v").stderr


def test_the_document_holds_what_was_found_before() -> None:
    document = json.loads(diff("-o", "json").stdout)
    assert_valid(document, "injection-diff.json")
    assert [item["reason"] for item in document["baseFindings"]] == ["UnknownField"]
    assert document["findings"] == []


def test_one_more_of_the_same_is_new() -> None:
    tree("new", NEWER + "  bogis: 1\n")
    ended = diff()
    assert "bogis" in ended.stderr
    assert "bogus" not in ended.stderr


def test_a_comment_says_if_there_is_nothing_to_say() -> None:
    text = diff("-o", "markdown").stdout
    assert text.splitlines()[0] == IDLE
    tree("new", DOUBTFUL, DEPLOYMENT.replace("image: web", "image: store"))
    assert diff("-o", "markdown").stdout.splitlines()[0] == IDLE  # the pods get the same sidecars


@pytest.mark.parametrize(
    "change",
    [
        lambda: tree("new", NEWER),
        lambda: tree("new", f"{DOUBTFUL}  bogis: 1\n"),
        lambda: tree("new", DOUBTFUL, f"{DEPLOYMENT}---\n{DEPLOYMENT.replace('name: web', 'name: second', 1)}"),
        lambda: tree("new", DOUBTFUL, DEPLOYMENT.replace("app: web", "app: shop")),
    ],
)
def test_an_effect_or_a_new_finding_is_worth_a_comment(change: Callable[[], None]) -> None:
    change()
    assert diff("-o", "markdown").stdout.splitlines()[0] == "<!-- sidecarctl diff -->"


def test_strict_minds_what_is_new() -> None:
    assert diff("--strict").code == 0
    tree("new", f"{DOUBTFUL}  bogis: 1\n")
    assert diff("--strict").code == 1


def test_a_workload_that_was_rejected_before_is_no_objection() -> None:
    wrong = SET.replace("name: log-agent", "name: web")
    for name in ("old", "new"):
        tree(name, wrong, f"{DEPLOYMENT}      initContainers: [{{name: web, image: init:1}}]\n")
    both = diff()
    tree("old", SET)
    assert (both.code, diff().code) == (0, 1), both.stderr
