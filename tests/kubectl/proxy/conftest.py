"""A server on a unix socket for each test."""

import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TypeAlias

import pytest

from tests.kubectl.proxy.api_stand_in import ApiStandIn, Asked, Reply

Serve: TypeAlias = Callable[[Callable[[Asked], Reply]], ApiStandIn]


@pytest.fixture
def serve() -> Iterator[Serve]:
    with ExitStack() as stack:

        def started(answer: Callable[[Asked], Reply]) -> ApiStandIn:
            folder = stack.enter_context(tempfile.TemporaryDirectory())  # short: a socket's path is
            return stack.enter_context(ApiStandIn(Path(folder) / "socket", answer))

        yield started
