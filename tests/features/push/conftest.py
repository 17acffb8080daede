"""Locks of its own for each test: all of them push the same SidecarSet to the same cluster."""

import tempfile

import pytest


@pytest.fixture(autouse=True)
def locks(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path_factory.mktemp("locks")))
