"""`sidecarctl test`: which cases run, over which inputs, and how failures are reported."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from sidecarctl.engine.inputs.objects import objects_in
from tests.cli.manifests import BAD_YAML, DEPLOYMENT, REJECTED, SET
from tests.cli.running import run
from tests.schemas import assert_valid

SAMPLES = Path(__file__).parents[3] / "samples"
HEAD = """\
apiVersion: sidecarctl.dev/v1alpha1
kind: SidecarTest
inputs: {sidecarsets: [../sets], manifests: [../apps]}
cases:
"""
GOOD = "- {name: web has logs, select: {name: web}, expect: {injected: [logs]}}\n"
BAD = "- {name: nothing has logs, select: {}, expect: {injected: []}}\n"


@pytest.fixture(autouse=True)
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for folder in ("sets", "apps", "tests"):
        Path(folder).mkdir()
    Path("sets/set.yaml").write_text(SET)
    Path("apps/web.yaml").write_text(DEPLOYMENT)
    Path("tests/a.sidecartest.yaml").write_text(HEAD + GOOD + BAD)
    return tmp_path


def test_a_failure_has_all_places() -> None:
    ended = run("test")
    assert ended.code == 1
    assert ended.stdout == (
        "tests/a.sidecartest.yaml\n"
        "  ok    web has logs\n"
        "  FAIL  nothing has logs\n"
        "        injected: expected nothing\n"
        "                       got logs\n"
        "          expected at tests/a.sidecartest.yaml:6:59\n"
        "          Deployment shop/web at apps/web.yaml:10:5\n"
        "          SidecarSet logs at sets/set.yaml:1:1: the namespace and the selector match\n"
        "1 passed, 1 failed\n"
    )
    assert not ended.stderr


def test_chosen_cases() -> None:
    assert run("test", "-k", "WEB").stdout.endswith("1 passed\n")
    assert run("test", "-k", "web", "-k", "nothing").stdout.endswith("1 passed, 1 failed\n")
    ended = run("test", "-k", "mesh")
    assert (ended.code, ended.stdout) == (2, "")
    assert "-k mesh: no case has such a name (cases: web has logs, nothing has logs)" in ended.stderr


def test_listed_cases_do_not_run() -> None:
    Path("apps/web.yaml").write_text(BAD_YAML)
    ended = run("test", "--list")
    assert ended.code == 0
    assert ended.stdout == "tests/a.sidecartest.yaml\n  web has logs\n  nothing has logs\n2 cases in 1 file\n"


def test_the_first_failure_can_stop() -> None:
    Path("tests/a.sidecartest.yaml").write_text(HEAD + BAD + GOOD)
    ended = run("test", "-x")
    assert ended.code == 1
    assert ended.stdout.endswith("0 passed, 1 failed; stopped at the first failure\n")


def test_a_selection_of_nothing_fails_unless_it_may() -> None:
    nothing = "- {name: none, select: {namespace: kube-system}, expect: {injected: []}}\n"
    Path("tests/a.sidecartest.yaml").write_text(HEAD + nothing)
    ended = run("test")
    assert ended.code == 1
    assert "select: expected a pod or workload\n" in ended.stdout
    Path("tests/a.sidecartest.yaml").write_text(HEAD + nothing.replace("none,", "none, allowEmpty: true,"))
    assert run("test").code == 0


def test_junit_has_a_test_case_for_each_case() -> None:
    Path("tests/b.sidecartest.yaml").write_text(HEAD + GOOD)
    run("test", "--report", "junit=junit.xml")
    suite = ET.parse("junit.xml").getroot()[0]  # noqa: S314 - our own
    found = {(case.get("classname"), case.get("name")): len(case) for case in suite.iter("testcase")}
    assert found[("tests/a.sidecartest.yaml", "SidecarTest web has logs")] == 0
    assert found[("tests/a.sidecartest.yaml", "SidecarTest nothing has logs")] == 1
    assert found[("tests/b.sidecartest.yaml", "SidecarTest web has logs")] == 0


def test_the_document_has_the_places() -> None:
    ended = run("test", "-o", "json")
    document = json.loads(ended.stdout)
    assert_valid(document, "test-result.json")
    assert document["counts"] == {"passed": 1, "failed": 1, "cases": 2}
    [failure] = document["cases"][1]["failures"]
    assert (failure["file"], failure["line"]) == ("tests/a.sidecartest.yaml", 6)
    assert [(site["file"], site["line"]) for site in failure["objects"]] == [("apps/web.yaml", 10)]
    assert [site["file"] for site in failure["sidecarSets"]] == ["sets/set.yaml"]


@pytest.mark.parametrize("form", ["github", "sarif", "gitlab", "markdown", "json"])
def test_every_report_has_the_failure(form: str) -> None:
    run("test", "--report", f"{form}=report")
    text = Path("report").read_text()
    assert "injected: expected nothing, got logs in Deployment shop/web" in text.replace("&#58;", ":")
    assert "ExpectationFailed" in text


def test_a_pod_that_kruise_rejects() -> None:
    Path("apps/web.yaml").write_text(REJECTED)
    ended = run("test", "-k", "web")
    assert ended.code == 1
    assert "expected what Kruise accepts" in ended.stdout
    reason = next(word for word in ended.stdout.replace("]", "[").split("[") if word.istitle() or word.isalnum())
    Path("tests/a.sidecartest.yaml").write_text(
        f"{HEAD}- {{name: refuses, select: {{}}, expect: {{refused: {reason}}}}}\n"
    )
    assert run("test").code == 0
    Path("apps/web.yaml").write_text(DEPLOYMENT)
    ended = run("test")
    assert ended.code == 1
    assert "got accepted" in ended.stdout


def test_a_namespace_without_labels_decides_nothing() -> None:
    """Whether a pod gets nothing is not known there, so that `injected: []` must not hold."""
    text = SET.replace("spec:", "spec:\n  namespaceSelector: {matchLabels: {team: shop}}")
    Path("sets/set.yaml").write_text(text)
    ended = run("test", "-k", "nothing")
    assert ended.code == 1
    assert "expected to know what the pod gets" in ended.stdout
    labels = "inputs: {namespaceLabels: {shop: {team: other}}, "
    Path("tests/a.sidecartest.yaml").write_text((HEAD + BAD).replace("inputs: {", labels))
    assert run("test").code == 0


def test_inputs_that_cannot_be_read() -> None:
    Path("apps/web.yaml").write_text(BAD_YAML)
    ended = run("test")
    assert (ended.code, ended.stdout) == (2, "")
    assert "apps/web.yaml:3:" in ended.stderr


def test_inputs_that_do_not_exist() -> None:
    Path("tests/a.sidecartest.yaml").write_text((HEAD + GOOD).replace("../apps", "../app"))
    ended = run("test")
    assert ended.code == 2
    assert (
        "error: app: cannot be read: No such file or directory (named in tests/a.sidecartest.yaml:3:9)"
        in ended.stderr
    )


def test_no_tests() -> None:
    ended = run("test", "apps")
    assert ended.code == 2
    assert "no tests found in apps" in ended.stderr


def test_inputs_of_a_revision() -> None:
    def git(*words: str) -> None:
        subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@example.com", *words], check=True)

    git("init", "-q", ".")
    git("add", ".")
    git("commit", "-qm", "first")
    Path("sets/set.yaml").write_text(SET.replace("app: web", "app: other"))
    assert run("test", "-k", "web").code == 1
    Path("tests/a.sidecartest.yaml").write_text((HEAD + GOOD).replace("../sets", "git:HEAD:sets"))
    assert run("test").code == 0


def test_many_cases_read_their_inputs_once(monkeypatch: pytest.MonkeyPatch) -> None:
    cases = "".join(GOOD.replace("web has", f"web {number} has") for number in range(50))
    for file in ("a", "b"):
        Path(f"tests/{file}.sidecartest.yaml").write_text(HEAD + cases)
    seen: list[str] = []

    def counted(file: str, *rest: Any) -> Any:
        seen.append(file)
        return objects_in(file, *rest)

    monkeypatch.setattr("sidecarctl.engine.inputs.manifests.objects_in", counted)
    assert run("test").stdout.endswith("100 passed\n")
    assert sorted(seen) == ["apps/web.yaml", "sets/set.yaml"]


def test_tests_among_manifests_are_none_themselves() -> None:
    """Other commands read the folder that holds tests, and find no pods in them."""
    pod = "- {name: p, pod: {spec: {containers: [{name: a, image: b}]}}, expect: {injected: []}}\n"
    Path("apps/a.sidecartest.yaml").write_text(HEAD + pod)
    ended = run("inject", "-s", "sets", "apps", "--check")
    assert "sidecartest" not in ended.stderr
    assert "1 to inject; 1 other object" in ended.stderr


@pytest.mark.parametrize(("limit", "told"), [("5%", ""), ("0%", "at most 0% (0)")])
def test_percentages_are_rounded_as_max_unavailable_is(limit: str, told: str, tmp_path: Path) -> None:
    """5% of 10 pods are one pod."""
    shutil.copytree(SAMPLES, tmp_path / "samples")
    file = tmp_path / "samples/tests/rollouts.sidecartest.yaml"
    file.write_text(file.read_text().replace("atMostUnavailable: 10%", f"atMostUnavailable: {limit}"))
    ended = run("test", file)
    assert (ended.code, told in ended.stdout) == (int(bool(told)), True)
