"""A kubectl on PATH that stands in for the real one, and a server on a unix socket, for each test."""

import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TypeAlias

import pytest

from tests.engine.kubectl.api_stand_in import ApiStandIn, Asked, Reply
from tests.engine.kubectl.stand_in import StandIn

Serve: TypeAlias = Callable[[Callable[[Asked], Reply]], ApiStandIn]


@pytest.fixture
def kubectl(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> StandIn:
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    return StandIn(folder)


@pytest.fixture
def serve() -> Iterator[Serve]:
    with ExitStack() as stack:

        def started(answer: Callable[[Asked], Reply]) -> ApiStandIn:
            folder = stack.enter_context(tempfile.TemporaryDirectory())  # short: a socket's path is
            return stack.enter_context(ApiStandIn(Path(folder) / "socket", answer))

        yield started
