"""How hard property tests try: less in the everyday run than in the slow one, and never against the clock."""

import os
import signal
import sys
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

from tests.effort import EVERYDAY, THOROUGH

if TYPE_CHECKING:
    from playwright.sync_api import Browser

# In continuous integration a property has the same examples each time, so that a change fails for what it did itself;
# other runs look for new ones, and for more of them.
_SAME = bool(os.environ.get("CI"))

for _profile, _examples in (("everyday", EVERYDAY), ("thorough", THOROUGH // 2 if _SAME else THOROUGH)):
    settings.register_profile(
        _profile,
        max_examples=_examples,
        derandomize=_SAME,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow],
    )
settings.load_profile("everyday")

# What starts the tests may ignore signals (`nohup`, a shell in the background), and what they start would inherit it.
for _number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    if signal.getsignal(_number) is signal.SIG_IGN:
        signal.signal(_number, signal.SIG_DFL)

# Where the tests run decides nothing: a terminal's colors, the repository of a git hook, options of the program, and
# where a code host shows its files.
_KEPT = ("GIT_CONFIG", "SIDECARCTL_TOOLS")
for _name in list(os.environ):
    if _name.startswith(
        ("FORCE_COLOR", "NO_COLOR", "GIT_", "SIDECARCTL_", "GITHUB_", "CI_")
    ) and not _name.startswith(_KEPT):
        del os.environ[_name]


@pytest.fixture(scope="session")
def browser() -> Iterator["Browser"]:
    """The one browser of a process: a second one cannot be started beside it."""
    from tests.pages.browsing import a_browser  # only tests of pages load playwright

    with a_browser() as found:
        yield found


_TOOLS = Path(__file__).parent / "tools"
_STARTS_OTHERS = {"browser", "typed", "dist"}
"""Fixtures that open a browser, type in a shell, or build the package."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave what starts browsers, shells and the real tools to `make test-slow`."""
    for item in items:
        fixtures = set(getattr(item, "fixturenames", ()))
        if fixtures & _STARTS_OTHERS or item.path.is_relative_to(_TOOLS):
            item.add_marker(pytest.mark.slow)


@pytest.hookimpl(wrapper=True, trylast=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None]:
    """Run what is not measured without a tracer: in workers pytest-cov stops its own, but an outer one takes over."""
    tracer = sys.gettrace()
    if item.get_closest_marker("no_cover"):
        sys.settrace(None)
    try:
        return (yield)
    finally:
        sys.settrace(tracer)


@pytest.fixture
def ends_as_a_process(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """For what the program does to the process in which it ends: undone after the test."""
    monkeypatch.setattr(sys, "unraisablehook", sys.unraisablehook)
    before = signal.getsignal(signal.SIGINT)
    yield
    signal.signal(signal.SIGINT, before)
