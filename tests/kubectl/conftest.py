"""The stand-in on PATH."""

from pathlib import Path

import pytest

from tests.kubectl.stand_in import StandIn


@pytest.fixture
def kubectl(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> StandIn:
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    return StandIn(folder)
