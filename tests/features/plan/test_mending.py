"""A plan that brings a good image to pods which a bad one made unready."""

from pathlib import Path

import pytest

from sidecarctl.engine.facts.values import Object
from tests.engine.rollout.manifests import not_ready, pod
from tests.features.plan.planning import SET, dump, planned


def broken(name: str, *containers: str) -> Object:
    """A pod that is not ready, because these containers are not."""
    manifest = not_ready(pod(name))
    statuses = [
        {**status, "ready": status["name"] not in containers} for status in manifest["status"]["containerStatuses"]
    ]
    return {**manifest, "status": {**manifest["status"], "containerStatuses": statuses}}


def ending(folder: Path, pods: list[Object], *options: str, code: int = 0) -> tuple[str, int]:
    (folder / "set.yaml").write_text(SET)
    dump(folder / "pods.json", pods)
    item = planned(folder, *options, code=code)["sidecarSets"][0]
    return item["ending"], item["counts"]["after"]["updatedReadyPods"]


def test_a_good_image_makes_pods_ready(tmp_path: Path) -> None:
    pods = [*(broken(f"bad{index}", "agent") for index in range(8)), *(pod(f"p{index}") for index in range(5))]
    assert ending(tmp_path, pods) == ("Complete", 13)


@pytest.mark.parametrize("containers", [("app",), ("agent", "app"), ()])
def test_pods_that_are_not_ready_for_another_reason_stay_so(tmp_path: Path, containers: tuple[str, ...]) -> None:
    pods = [*(broken(f"bad{index}", *containers) for index in range(2)), *(pod(f"p{index}") for index in range(3))]
    assert ending(tmp_path, pods, code=1) == ("Stalled", 2)


def test_a_pod_that_does_not_report_every_container_stays_so(tmp_path: Path) -> None:
    held = broken("bad0", "agent")
    held["status"]["containerStatuses"] = held["status"]["containerStatuses"][:1]
    assert ending(tmp_path, [held])[1] == 0


def test_one_that_fails_again_stays_so(tmp_path: Path) -> None:
    pods = [broken("bad0", "agent"), broken("bad1", "agent"), *(pod(f"p{index}") for index in range(3))]
    assert ending(tmp_path, pods, "--fail", "bad*", code=1) == ("Stalled", 2)
