"""`images` and `cost` on the command line: formats, workloads, and what is refused."""

import csv
import json
from io import StringIO
from pathlib import Path

import pytest

from tests.cli.running import run
from tests.engine.rollout.manifests import pod, sidecarset
from tests.schemas import assert_valid

SAMPLES = Path(__file__).parents[3] / "samples"
HALF = SAMPLES / "rollouts" / "partition-50"
ROLLOUT = (HALF / "sidecarset.yaml", HALF / "workloads.yaml")


def test_images_of_workloads_that_other_sidecarsets_injected() -> None:
    made = json.loads(run("images", *ROLLOUT, "--from", HALF / "old.yaml", "-o", "json").stdout)
    assert_valid(made, "image-report.json")
    (use,) = made["sidecarSets"][0]["images"]
    assert (made["pods"], use["way"], use["states"]) == (
        "workloads",
        "InPlace",
        {"Waiting": 50, "HeldByPartition": 50},
    )


def test_images_of_workloads_are_current_without_from() -> None:
    ended = run("images", *ROLLOUT, "-o", "json")
    assert (
        "note: no running pods in the inputs: the pods that the workloads would have now are counted" in ended.stderr
    )
    made = json.loads(ended.stdout)
    assert [use["way"] for item in made["sidecarSets"] for use in item["images"]] == ["Current"]


def test_another_number_of_replicas() -> None:
    ended = run("cost", *ROLLOUT, "--replicas", "Deployment/web=7", "-o", "json")
    assert json.loads(ended.stdout)["total"]["pods"] == 7


def test_the_mirror_of_a_static_pod(tmp_path: Path) -> None:
    mirror = pod("a")
    mirror["metadata"]["annotations"]["kubernetes.io/config.mirror"] = "abc"
    mirror["spec"]["containers"][0]["env"] = [{"name": "IS_INJECTED", "value": "true"}]
    evicted = pod("b")
    evicted["status"] |= {"phase": "Failed", "reason": "Evicted"}
    path = tmp_path / "world.json"
    path.write_text(
        json.dumps({"apiVersion": "v1", "kind": "List", "items": [sidecarset("2").manifest, mirror, evicted]})
    )
    images = json.loads(run("images", path, "-o", "json").stdout)["sidecarSets"][0]
    assert (images["images"], images["leftOut"]) == ([], {"StaticPod": 1, "PodNotActive": 1})
    ended = run("cost", path)
    assert ended.stdout.startswith("1 of 1 pod has sidecars")
    assert "; 1 ended, which count nothing" in ended.stdout
    assert "1 of the pods with sidecars mirrors a static pod, so the sidecars never run there" in ended.stderr


@pytest.mark.parametrize("command", ["images", "cost"])
def test_a_table_for_spreadsheets(command: str) -> None:
    rows = [*csv.reader(StringIO(run(command, *ROLLOUT, "-o", "csv").stdout))]
    assert rows[0][0] == "sidecarSet"
    assert [row[0] for row in rows[1:]] == ["sidecarset"]
    assert {len(row) for row in rows} == {len(rows[0])}


@pytest.mark.parametrize("command", ["images", "cost"])
def test_without_pods_a_warning_says_so(command: str) -> None:
    ended = run(command, HALF / "old.yaml")
    assert (ended.code, "[NoPods]" in ended.stderr) == (0, True)


@pytest.mark.parametrize("command", ["images", "cost"])
@pytest.mark.parametrize("arguments", [("--only", "sidecarst"), ("--replicas", "Deployment/nope=1"), ("-o", "html")])
def test_what_does_not_exist_is_a_usage_error(command: str, arguments: tuple[str, ...]) -> None:
    ended = run(command, *ROLLOUT, *arguments)
    assert (ended.code, ended.stdout) == (2, "")


def test_an_image_that_no_sidecar_has() -> None:
    assert run("images", *ROLLOUT, "--image", "*/none:*").stdout == "no sidecar has an image like */none:*\n"
