"""`sidecarctl validate --kruise-from --kruise-to`: fails if an upgrade of Kruise would break something."""

import json
from pathlib import Path

import pytest

from sidecarctl.engine.facts.values import Object, Value
from tests.cli.running import Ended, run
from tests.engine.rollout.manifests import pod
from tests.features.diff.upgraded_sets import AGENT, HOT, NATIVE, PROBED, sidecarset
from tests.schemas import assert_valid


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def gate(before: str, after: str, *objects: Object, options: tuple[str, ...] = ()) -> Ended:
    Path("sets.json").write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}))
    return run("validate", "--kruise-from", before, "--kruise-to", after, "sets.json", *options)


def test_the_gate_lets_pass_what_stays_as_it_is() -> None:
    ended = gate("1.7", "1.7.4", sidecarset())
    assert ended.code == 0
    assert ended.stderr == "upgrade from Kruise 1.7, 1 SidecarSet in 1 file: no findings\n"


@pytest.mark.parametrize(
    ("before", "after", "given", "code"),
    [
        ("1.7", "1.8", {"updateStrategy": {"partition": 1, "selector": {"matchLabels": {"a": "b"}}}}, 1),
        ("1.7", "1.6", {"initContainers": [NATIVE], "updateStrategy": {"type": "NotUpdate"}}, 1),
        ("1.4", "1.5", {"containers": [PROBED]}, 1),
        ("1.7", "1.8", {"updateStrategy": {"maxUnavailable": "1%"}}, 0),
        ("1.8", "1.9", {"containers": [HOT]}, 0),
        ("1.4", "1.5", {}, 0),
    ],
    ids=["rejected", "a field that ceases", "pods to recreate", "another pace", "hot resets", "a new revision"],
)
def test_the_gate_fails_if_something_breaks(before: str, after: str, given: Object, code: int) -> None:
    assert gate(before, after, sidecarset(**given)).code == code


def test_the_gate_is_a_validation_with_the_rules_ids_and_places() -> None:
    strategy: Value = {"partition": 1, "selector": {"matchLabels": {"app": "web"}}}
    bad = sidecarset(updateStrategy=strategy, containers=[{**AGENT, "imagePullPolicy": "always"}])
    ended = gate("1.7", "1.8", bad, options=("-o", "json"))
    found: Object = json.loads(ended.stdout)
    assert_valid(found, "validation-result.json")
    assert (found["behaviorBefore"], found["behavior"]) == ("Kruise 1.7", "Kruise 1.8")
    assert [finding["rule"] for finding in found["findings"] if finding["severity"] == "error"] == [
        "partition-and-selector"
    ]
    assert gate("1.7", "1.8", bad, options=("--ignore", "partition-and-selector")).code == 0


def test_the_gate_allows_what_the_new_release_does_not_know_on_request() -> None:
    given = sidecarset(initContainers=[NATIVE], updateStrategy={"type": "NotUpdate"})
    ended = gate("1.7", "1.6", given, options=("--allow-unknown",))
    assert "warning: sets.json" in ended.stdout
    assert "[UnknownToRelease]" in ended.stdout
    assert "error: sets.json" in gate("1.7", "1.6", given).stdout


def test_the_gate_looks_at_the_pods_too() -> None:
    pods = [pod(f"p{index}") for index in range(10)]
    ended = gate("1.8", "1.7", sidecarset(updateStrategy={"maxUnavailable": "1%"}), *pods)
    assert ended.code == 1
    assert "the rollout over these pods ends as Stalled instead of Complete" in ended.stdout


def test_the_baseline_of_a_gate() -> None:
    given = sidecarset(containers=[PROBED])
    known = ("--baseline", "known.json")
    assert gate("1.4", "1.5", given, options=(*known, "--write-baseline")).code == 0
    ended = gate("1.4", "1.5", given, options=known)
    assert ended.code == 0
    assert "suppressed" in ended.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--kruise-from", "1.6"), "--kruise-from and --kruise-to must be used together"),
        (("--kruise-from", "1.6", "--kruise-to", "1.9", "--kruise", "1.7"), "cannot be combined with --kruise"),
        (("--kruise-from", "1.6", "--kruise-to", "1.9", "--old", "sets.json"), "cannot be combined with --old"),
        (("--kruise-from", "1.6", "--kruise-to", "0.9"), "(one of 1.0)"),
    ],
)
def test_command_lines_of_a_gate_that_make_no_sense(words: tuple[str, ...], said: str) -> None:
    Path("sets.json").write_text(json.dumps(sidecarset()))
    ended = run("validate", "sets.json", *words)
    assert (ended.code, ended.stdout) == (2, "")
    assert said in ended.stderr


def test_a_gate_without_sidecarsets_is_refused() -> None:
    assert gate("1.6", "1.9", pod()).code == 2
