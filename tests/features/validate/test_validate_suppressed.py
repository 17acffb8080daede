"""What suppresses findings of `sidecarctl validate`, and that none is suppressed silently."""

import json
from pathlib import Path

import pytest

from tests.cli.running import Ended, run

FILE = """\
apiVersion: apps.kruise.io/v1beta1
kind: SidecarSet
metadata:
  name: agent
  annotations: {sidecarctl.dev/ignore: hot-upgrade-image}
spec:
  selector: {matchLabels: {app: web}}
  containers:
  - {name: agent, image: 'agent:1.2', upgradeStrategy: {upgradeType: HotUpgrade}}
"""
REFUSED = FILE.replace("hot-upgrade-image", "container-image").replace("agent:1.2", "")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "set.yaml").write_text(FILE)
    return tmp_path


def rules_of(ended: Ended, member: str = "findings") -> set[str]:
    return {item["rule"] for item in json.loads(ended.stdout)[member]}


def validate(*words: str) -> Ended:
    return run("validate", "set.yaml", "-o", "json", *words)


@pytest.mark.usefixtures("folder")
class TestWithAnAnnotation:
    def test_an_error_is_suppressed_and_counted(self) -> None:
        ended = run("validate", "set.yaml")
        assert ended.code == 0
        assert "; 1 suppressed" in ended.stderr
        assert json.loads(validate().stdout)["suppressed"] == 1

    def test_no_inline_ignore_disregards_it(self) -> None:
        ended = validate("--no-inline-ignore")
        assert ended.code == 1
        assert "hot-upgrade-image" in rules_of(ended)

    def test_show_suppressed_lists_it(self) -> None:
        shown = json.loads(validate("--show-suppressed").stdout)["suppressedFindings"]
        assert [(item["rule"], item["suppressedBy"]) for item in shown] == [("hot-upgrade-image", "annotation")]
        text = run("validate", "set.yaml", "--show-suppressed").stdout
        assert "suppressed by the annotation: error: set.yaml:9:" in text
        markdown = run("validate", "set.yaml", "--show-suppressed", "-o", "markdown").stdout
        assert "#### Suppressed" in markdown
        assert "<code>hot-upgrade-image</code>, suppressed by the annotation" in markdown
        page = run("validate", "set.yaml", "--show-suppressed", "-o", "html").stdout
        assert '<h2 id="suppressed">Suppressed</h2>' in page
        assert ": suppressed by the annotation" in page
        assert "Suppressed" not in run("validate", "set.yaml", "-o", "html").stdout

    @pytest.mark.parametrize(
        ("form", "said"),
        [
            ("github", "; 1 suppressed"),
            ("gitlab", "1 suppressed: list them with --show-suppressed"),
            ("junit", '<property name="suppressed" value="1"/>'),
            ("json", '"suppressed": 1'),
            ("markdown", "; 1 suppressed"),
        ],
    )
    def test_each_report_counts_it(self, form: str, said: str, folder: Path) -> None:
        run("validate", "set.yaml", "--report", f"{form}=report")
        assert said in (folder / "report").read_text()

    def test_sarif_has_it_as_a_suppression(self, folder: Path) -> None:
        run("validate", "set.yaml", "--ignore", "no-resources", "--report", "sarif=report")
        [log] = json.loads((folder / "report").read_text())["runs"]
        kinds = {item["ruleId"]: [by["kind"] for by in item.get("suppressions", [])] for item in log["results"]}
        assert kinds["hot-upgrade-image"] == ["inSource"]
        assert kinds["no-resources"] == ["external"]
        assert kinds["no-namespace-limit"] == []
        assert log["properties"]["suppressed"] == 2

    def test_nothing_suppresses_what_kruise_refuses(self, folder: Path) -> None:
        (folder / "set.yaml").write_text(REFUSED)
        validate("--baseline", "known.json", "--write-baseline")
        ended = validate("--baseline", "known.json", "--ignore", "container-image")
        assert ended.code == 1
        assert "container-image" in rules_of(ended)


@pytest.mark.usefixtures("folder")
class TestSeveritiesOfRules:
    @pytest.mark.parametrize(("word", "code"), [("error", 1), ("warning", 0), ("note", 0), ("off", 0)])
    def test_by_option(self, word: str, code: int) -> None:
        ended = validate("--rule", f"no-resources={word}", "--show-suppressed")
        assert ended.code == code
        told = {item["rule"]: item["severity"] for item in json.loads(ended.stdout)["findings"]}
        assert told.get("no-resources", "off") == word
        assert ("no-resources" in rules_of(ended, "suppressedFindings")) == (word == "off")

    @pytest.mark.parametrize("word", ["off", "'off'"])
    def test_by_the_settings_and_the_option_wins(self, folder: Path, word: str) -> None:
        (folder / ".sidecarctl.yaml").write_text(f"severities: {{no-resources: {word}}}")
        shown = json.loads(validate("--show-suppressed").stdout)["suppressedFindings"]
        assert ("no-resources", "settings") in {(item["rule"], item["suppressedBy"]) for item in shown}
        assert "no-resources" in rules_of(validate("--rule", "no-resources=warning"))

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ("no-resources=loud", "write no-resources= and one of off, note, warning, error"),
            ("no-resource=off", "did you mean no-resources?"),
            ("container-image=note", "Kubernetes rejects what breaks container-image, so it stays an error"),
        ],
    )
    def test_words_that_are_none(self, text: str, said: str) -> None:
        ended = validate("--rule", text)
        assert ended.code == 2
        assert said in ended.stderr
