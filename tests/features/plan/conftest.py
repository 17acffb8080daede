"""The folder that tests of `sidecarctl plan` work in."""

from pathlib import Path

import pytest

from tests.engine.rollout.manifests import pod
from tests.features.plan.planning import SET, dump


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "set.yaml").write_text(SET)
    dump(tmp_path / "pods.json", [pod(f"p{index}") for index in range(5)])
    return tmp_path
