"""The plugin for pytest: `pytest --sidecartest` collects *.sidecartest.yaml, each case as a test.

Opt-in: `pytest -p sidecarctl.pytest_plugin`, or `pytest_plugins = ["sidecarctl.pytest_plugin"]` in conftest.py.
It loads nothing of sidecarctl unless the option is given.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from sidecarctl.features.expectations.document import Case, SidecarTest
    from sidecarctl.features.expectations.running import Runner, Settings

_SUFFIXES = (".sidecartest.yaml", ".sidecartest.yml", ".sidecartest.json")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--sidecartest`."""
    group = parser.getgroup("sidecarctl")
    group.addoption("--sidecartest", action="store_true", help="collect *.sidecartest.yaml, each case as a test")


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> "TestFile | None":
    """The collector of a file with tests; None for any other file."""
    if not (parent.config.getoption("--sidecartest") and file_path.name.endswith(_SUFFIXES)):
        return None
    return TestFile.from_parent(parent, path=file_path)


class TestFile(pytest.File):
    """A file with tests."""

    def collect(self) -> Iterator["TestCase"]:
        """Its cases; what is wrong with the file fails it."""
        from sidecarctl.engine.documents.reading.document import Reader
        from sidecarctl.engine.facts.errors import SidecarctlError
        from sidecarctl.engine.files.inputs import Input
        from sidecarctl.features.expectations.document import read_tests

        try:
            tests = read_tests(Input(str(self.path), self.path, Path(self.path.name)), Reader())
        except SidecarctlError as fault:
            raise self.CollectError(str(fault)) from None
        for test in tests:
            for case in test.cases:
                yield TestCase.from_parent(self, name=case.name, test=test, case=case)


class ExpectationError(Exception):
    """A case with a failed expectation."""


class TestCase(pytest.Item):
    """A case."""

    def __init__(self, *, test: "SidecarTest", case: "Case", **settings: Any) -> None:
        super().__init__(**settings)
        self._test = test
        self._case = case

    def runtest(self) -> None:
        """Run the case; ExpectationError with every failed expectation, if there are any."""
        from sidecarctl.engine.facts.errors import SidecarctlError
        from sidecarctl.features.expectations.report import failure_text

        try:
            result = _runner(self.config).result(self._test, self._case)
        except SidecarctlError as fault:
            raise ExpectationError(str(fault)) from None
        if not result.passed:
            raise ExpectationError("\n".join(map(failure_text, result.failures)))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """What failed, without a traceback of the program."""
        if isinstance(excinfo.value, ExpectationError):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """The file, the line and the name of the case."""
        line = self._case.place().line
        return self.path, line - 1 if line else None, self.name


_RUNNER: "pytest.StashKey[Runner]" = pytest.StashKey()


def _runner(config: pytest.Config) -> "Runner":
    """The runner of a session, which reads the inputs of all cases once, with the settings that `test` would have."""
    if _RUNNER not in config.stash:
        from sidecarctl.features.expectations.running import Runner

        config.stash[_RUNNER] = Runner(_settings(config.invocation_params.dir))
    return config.stash[_RUNNER]


def _settings(folder: Path) -> "Settings":
    """The settings in .sidecarctl.yaml, looked for from the folder where pytest was started upward."""
    from sidecarctl.cli.flags.kruise import feature_gates
    from sidecarctl.cli.flags.repository import repository_above
    from sidecarctl.engine.inputs.opening import Named
    from sidecarctl.engine.inputs.reading import Reading
    from sidecarctl.features.expectations.running import Settings
    from sidecarctl.library.loading import named_release

    found = repository_above(folder)
    if found is None:
        return Settings()
    said = found.settings
    how = Reading(
        workloads=said.workloads,
        release=named_release(said.kruise),
        rules=said.rules,
        namespaces=said.namespaces,
    )
    return Settings(how, feature_gates(said.feature_gates), Named((), excluded=found.exclusion))
