"""The results of cases: passed or failed, and each failed expectation with all its places."""

from collections.abc import Sequence
from typing import NamedTuple

from sidecarctl.facts.findings import Place
from sidecarctl.facts.values import Path, Value


class Site(NamedTuple):
    """An object in a failure: `Deployment shop/web`, `SidecarSet logs`; its place, and what it says."""

    name: str
    place: Place | None = None
    why: str = ""


class Failure(NamedTuple):
    """An expectation that fails for some objects, for the same reason.

    `field` is the path below `expect`, as text. `new` has the value with which it would hold, if there is one and it
    is the same for all objects. `objects` are pods and workloads, `sidecarsets` what decided.
    """

    field: str
    place: Place
    expected: str
    actual: str
    objects: Sequence[Site] = ()
    sidecarsets: Sequence[Site] = ()
    path: Path = ()
    new: tuple[Value, ...] = ()


class CaseResult(NamedTuple):
    """A case that ran; it passed if it has no failures. `objects`: the number of objects that it was checked for."""

    name: str
    place: Place
    objects: int
    failures: Sequence[Failure] = ()

    @property
    def passed(self) -> bool:
        """Whether every expectation holds."""
        return not self.failures


class UpdatedFile(NamedTuple):
    """A file with tests before and after --update."""

    name: str
    before: str
    after: str


class RunResults(NamedTuple):
    """The cases that ran, in the order of their files; how many there are, and whether they were only listed.

    `stopped`: the first failure ended the run, as -x asks. `updated`: the files that --update changed.
    """

    results: Sequence[CaseResult]
    files: int
    cases: int
    listed: bool = False
    stopped: bool = False
    updated: Sequence[UpdatedFile] = ()

    @property
    def passed(self) -> int:
        """The number of cases that passed."""
        return sum(result.passed for result in self.results)

    @property
    def failed(self) -> int:
        """How many failed."""
        return len(self.results) - self.passed
