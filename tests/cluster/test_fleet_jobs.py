"""The Jobs of samples/fleet are as a real API server wants them."""

from pathlib import Path

import pytest
import yaml

from tests.cluster.control_plane import ControlPlane

SAMPLE = Path(__file__).parents[2] / "samples" / "fleet"


@pytest.mark.parametrize("name", ["job.yaml", "merge.yaml"])
def test_a_real_api_server_takes_the_jobs(control_plane: ControlPlane, name: str) -> None:
    with control_plane.api() as api:
        path = "/apis/batch/v1/namespaces/default/jobs?dryRun=All&fieldValidation=Strict"
        answer = api.ask("POST", path, yaml.safe_load((SAMPLE / name).read_text()))
    assert (answer.code, answer.warnings) == (201, ()), answer.body
