"""`drift` on the command line: documents, exit codes, reports, settings."""

import json
from pathlib import Path

import pytest

from sidecarctl.engine.facts.values import Object
from tests.cli.running import Ended, run
from tests.schemas import assert_valid

SAMPLES = Path(__file__).parents[3] / "samples" / "drift"
INPUTS = (SAMPLES / "sidecarset.yaml", SAMPLES / "pods.json")
WITH_REVISIONS = (*INPUTS, "--revision-from", SAMPLES / "older.yaml")


def drift(*arguments: str | Path) -> Ended:
    return run("drift", *WITH_REVISIONS, *arguments)


def document(*arguments: str | Path) -> Object:
    made: Object = json.loads(run("drift", *arguments, "-o", "json").stdout)
    assert_valid(made, "drift-report.json")
    return made


def states(made: Object) -> dict[str, list[str]]:
    return {pod["name"]: pod["states"] for item in made["sidecarSets"] for pod in item["pods"]}


def test_the_document_has_every_pod_with_its_states() -> None:
    made = document(*WITH_REVISIONS)
    assert {item["name"]: item["exists"] for item in made["sidecarSets"]} == {"logs": True, "tracing": False}
    pods = made["sidecarSets"][0]["pods"]
    assert {pod["name"]: pod["states"] for pod in pods} == {
        "web-0": ["InSync"],
        "web-1": ["Changed"],
        "web-2": ["Behind"],
        "web-3": ["InSync"],
        "web-4": ["Missing"],
    }
    (field,) = pods[1]["drifts"][0]["fields"]
    assert field == {
        "field": "spec.containers[log-agent].image",
        "pointer": "/spec/containers/0/image",
        "running": "registry.example.com/log-agent:2.1.0-debug",
        "recorded": "registry.example.com/log-agent:2.1.0",
    }
    assert pods[2]["recorded"]["updateTimestamp"] == "2026-01-01T00:00:00Z"


def test_without_the_revision_a_pod_is_unknown_and_the_message_says_what_helps() -> None:
    (pod,) = (each for each in document(*INPUTS)["sidecarSets"][0]["pods"] if each["name"] == "web-2")
    assert pod["states"] == ["Unknown"]
    assert "--revision-from" in pod["drifts"][0]["why"]


def test_a_missing_sidecar_is_missing_without_the_revision_too(tmp_path: Path) -> None:
    """`status` says SidecarMissing of such a pod; its hash without image tells that its revision has the sidecar."""
    listed = json.loads(INPUTS[1].read_text())
    pod = {item["metadata"]["name"]: item for item in listed["items"]}["web-2"]
    for item, key in ((pod["spec"], "containers"), (pod["status"], "containerStatuses")):
        item[key] = [each for each in item.get(key, ()) if each["name"] != "log-agent"]
    path = tmp_path / "pods.json"
    path.write_text(json.dumps(listed))
    assert states(document(INPUTS[0], path))["web-2"] == ["Missing", "Unknown"]
    pod["metadata"]["annotations"]["kruise.io/sidecarset-hash-without-image"] = "{}"
    path.write_text(json.dumps(listed))
    assert states(document(INPUTS[0], path))["web-2"] == ["Unknown"]
    assert "sidecar log-agent is missing; hash" in run("drift", INPUTS[0], path).stdout


def test_where_labels_of_a_namespace_are_not_known_its_pods_are_no_orphans(tmp_path: Path) -> None:
    """Orphans would be recreated; a dump of pods alone does not say which namespaces a SidecarSet selects."""
    selector = "\n  namespaceSelector: {matchLabels: {env: prod}}\n  selector:"
    path = tmp_path / "set.yaml"
    path.write_text(INPUTS[0].read_text().replace("\n  selector:", selector))
    made = document(path, INPUTS[1], "--only", "logs")
    assert {tuple(each) for each in states(made).values()} == {("Unknown",)}
    assert "the labels of namespace shop are not known" in made["sidecarSets"][0]["pods"][0]["drifts"][0]["why"]
    made = document(path, INPUTS[1], "--only", "logs", "--namespace-labels", "shop=env:dev")
    assert {tuple(each) for each in states(made).values()} == {("Orphan",)}
    ended = run("plan", path, INPUTS[1], "--only", "logs")
    assert "Unknown: 5 pods (shop/web-0, shop/web-1, shop/web-2 +2) match only if" in ended.stdout


def test_only_one_sidecarset() -> None:
    made = document(*WITH_REVISIONS, "--only", "logs")
    assert [item["name"] for item in made["sidecarSets"]] == ["logs"]


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ((), 0),
        (("--exit-code",), 1),
        (("--fail-on", "Orphan"), 1),
        (("--fail-on", "Changed,Missing"), 1),
        (("--fail-on", "Updating,Unknown"), 0),
        (("--fail-on", "none"), 0),
    ],
)
def test_the_exit_code(options: tuple[str, ...], code: int) -> None:
    assert drift(*options).code == code


def test_a_state_that_does_not_exist() -> None:
    ended = drift("--fail-on", "Chnged")
    assert (ended.code, "Changed" in ended.stderr) == (2, True)


def test_text_lists_what_drifted_and_all_pods_if_requested() -> None:
    text = drift().stdout
    assert "logs: 5 pods: 1 Missing, 1 Changed, 1 Behind, 2 InSync" in text
    assert "web-0" not in text
    assert "runs registry.example.com/log-agent:2.1.0-debug, recorded registry.example.com/log-agent:2.1.0" in text
    assert "web-0" in drift("--all-pods").stdout


def test_many_pods_are_folded(tmp_path: Path) -> None:
    listed = json.loads(INPUTS[1].read_text())
    base = listed["items"][1]
    listed["items"] = [{**base, "metadata": {**base["metadata"], "name": f"web-{index}"}} for index in range(30)]
    (tmp_path / "pods.json").write_text(json.dumps(listed))
    text = run("drift", INPUTS[0], tmp_path / "pods.json").stdout
    assert text.count("spec.containers[log-agent].image") == 1
    assert "web-2 and 27 more  spec.containers[log-agent].image" in text  # the last column is wrapped, never cut


def test_fields_are_ignored_by_option_and_by_the_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert states(document(*WITH_REVISIONS, "--ignore", "image"))["web-1"] == ["InSync"]
    (tmp_path / ".git").mkdir()
    (tmp_path / ".sidecarctl.yaml").write_text("ignoreFields: [image]\nfailOn: {drift: [Changed]}\n")
    monkeypatch.chdir(tmp_path)
    made = document(*WITH_REVISIONS)
    assert states(made)["web-1"] == ["InSync"]
    assert made["ignoredFields"] == {"image": 2}  # of the pod that is behind too
    assert drift().code == 0
    assert drift("--ignore", "nothing").stdout.endswith(
        "ignored: nothing differs 0 times\nignored: image differs 2 times\n"
    )


@pytest.mark.parametrize("form", ["sarif", "junit", "markdown", "github", "gitlab"])
def test_every_report_names_the_drifted_pods(form: str, tmp_path: Path) -> None:
    drift("--report", f"{form}={tmp_path}/report")
    said = (tmp_path / "report").read_text()
    assert all(name in said for name in ("shop/web-1", "shop/web-2", "shop/web-4", "SidecarChanged"))


def test_markdown_has_a_table() -> None:
    text = drift("-o", "markdown").stdout
    assert "| pod | state | injected | since | why |" in text
    assert "| shop/web-4 | Missing |" in text


def test_the_page_has_every_pod_with_its_worst_state() -> None:
    page = drift("-o", "html").stdout
    assert "Drift from 2 SidecarSets" in page
    assert '<th scope="row">shop/web-1</th>' in page
    assert '<td data-label="since">2026-01-01 00:00:00Z</td>' in page
    assert page.count('data-state="Changed"') == 1


def test_inputs_without_any_pod_are_not_silently_in_sync() -> None:
    ended = run("drift", SAMPLES / "sidecarset.yaml")
    assert (ended.code, "no pods found in the inputs" in ended.stderr) == (0, True)
