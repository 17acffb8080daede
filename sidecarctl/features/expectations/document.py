"""A file of kind SidecarTest, checked and split into cases (schemas/sidecar-test.json); and the results of cases."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from sidecarctl.engine.api.schema_checks import Check, schema_check
from sidecarctl.engine.documents.reading.document import Document, Reader
from sidecarctl.engine.facts.errors import InputError, in_file, input_error
from sidecarctl.engine.facts.findings import Finding, Place, error
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Object, Path, Value, value_at
from sidecarctl.engine.files.fixed_files import shipped_schema
from sidecarctl.engine.inputs.objects import Source, all_documents
from sidecarctl.engine.releases.release import DEFAULT
from sidecarctl.engine.rollout.plan_options import seconds_of
from sidecarctl.features.expectations.matching import pattern_problems

KIND = "SidecarTest"

OF_PODS = ("injected", "containers", "initContainers", "volumes", "order", "env", "annotations", "labels", "absent")
SUBJECTS: Mapping[str, Sequence[str]] = {
    "select": (*OF_PODS, "refused"),
    "pod": (*OF_PODS, "refused"),
    "change": ("verdicts", "recreated", "updated", "lost", "gained", "refused"),
    "rollout": ("ending", "atMostUnavailable", "within", "waves", "firstWave", "updated", "refused"),
    "sidecarset": ("refused",),
}
"""The subjects of a case, and what can be expected of each."""

_TYPES = {
    "containers": "[]core.Container",
    "initContainers": "[]core.Container",
    "volumes": "[]core.Volume",
    "annotations": "map[string]string",
    "labels": "map[string]string",
}
"""The API types of the parts of pods that expectations name."""


class Case(NamedTuple):
    """A case of a file: its subject (one of SUBJECTS), and what is expected; `path` leads to it."""

    name: str
    subject: str
    about: Value
    expect: Object
    allows_none: bool
    file: str
    document: Document
    path: Path

    def place(self, path: Path = ()) -> Place:
        """The place of a field of the case."""
        return self.document.place((*self.path, *path))._replace(file=self.file)


class SidecarTest(NamedTuple):
    """The cases of a document, and their inputs, as written."""

    file: str
    document: Document
    inputs: Object
    cases: tuple[Case, ...]
    number: int = 0
    """Which document of the file it is."""

    def place(self, path: Path = ()) -> Place:
        """The place of a field of the document."""
        return self.document.place(path)._replace(file=self.file)


def read_tests(source: Source, reader: Reader) -> list[SidecarTest]:
    """Every SidecarTest of a file; InputError, with the lines of all that is wrong in it."""
    documents = [document for document in all_documents(source, reader) if document.value is not None]
    found, failures = [], []
    for index, document in enumerate(documents):
        problems = list(_problems(document.value))
        if problems:
            placed = [item._replace(place=document.place(item.path)) for item in problems]
            failures += in_file(placed, source.name)
        else:
            found.append(_taken_apart(source.name, document, index))
    if not documents:
        missing = input_error(Reason.NO_MANIFEST, f"expected an object of kind {KIND}")
        failures += in_file(missing.findings, source.name)
    if failures:
        raise InputError(*failures)
    return found


@cache
def _check() -> Check:
    return schema_check(shipped_schema(KIND))


def _problems(value: Value) -> Iterator[Finding]:
    if not isinstance(value, dict) or value.get("kind") != KIND:
        kind = value.get("kind") if isinstance(value, dict) else None
        message = f"expected an object of kind {KIND}" + (f", not {kind}" if kind else "")
        yield error(Reason.WRONG_TYPE, message, ("kind",) if kind else ())
        return
    if problems := list(_check()(value)):
        yield from problems
        return
    names: dict[str, int] = {}
    for index, case in enumerate(value["cases"]):
        if names.setdefault(case["name"], index) != index:
            message = f"another case has the name {case['name']}"
            yield error(Reason.DUPLICATE_KEY, message, ("cases", index, "name"))
        yield from (item._replace(path=("cases", index, *item.path)) for item in _case_problems(case))


def _case_problems(case: Object) -> Iterator[Finding]:
    subjects = [subject for subject in SUBJECTS if subject in case]
    if len(subjects) != 1:
        message = f"{' and '.join(subjects)} cannot be combined" if subjects else "what is the case about?"
        yield error(Reason.MISSING_FIELD, message, hint=f"write one of {', '.join(SUBJECTS)}")
        return
    [subject] = subjects
    if "allowEmpty" in case and subject != "select":
        yield error(Reason.UNKNOWN_FIELD, "allowEmpty belongs to select", ("allowEmpty",))
    yield from _expectation_problems(case["expect"], subject)
    if subject == "change" and not (case["change"].get("set") or case["change"].get("image")):
        hint = 'such as set: {"spec.containers[log-agent].image": log-agent:3.0}'
        yield error(Reason.MISSING_FIELD, "what changes?", ("change",), hint=hint)
    if "within" in case["expect"] and subject == "rollout" and not _is_time(case["rollout"].get("podUpdateDuration")):
        message = "within needs a podUpdateDuration that is a time"
        yield error(Reason.MISSING_FIELD, message, ("expect", "within"), hint="such as podUpdateDuration: 45s")


def _is_time(duration: Value) -> bool:
    return isinstance(duration, str) and seconds_of(duration) > 0


def _expectation_problems(expect: Object, subject: str) -> Iterator[Finding]:
    known = SUBJECTS[subject]
    if not expect:
        yield error(Reason.MISSING_FIELD, "nothing is expected", ("expect",), hint=f"such as {known[0]}")
    for key, value in expect.items():
        if key not in known:
            hint = f"valid here: {', '.join(known)}"
            yield error(Reason.UNKNOWN_FIELD, f"{key} cannot be expected of {subject}", ("expect", key), hint=hint)
        elif key in _TYPES:
            problems = pattern_problems(value, _TYPES[key], DEFAULT)
            yield from (item._replace(path=("expect", key, *item.path)) for item in problems)
        elif key == "env":
            yield from _env_problems(value or {})
    if "refused" in expect and len(expect) > 1:
        message = "nothing else can be expected of something that is refused"
        yield error(Reason.UNKNOWN_FIELD, message, ("expect", "refused"))


def _env_problems(env: Object) -> Iterator[Finding]:
    for container, variables in env.items():
        for name, value in (variables or {}).items():
            problems = pattern_problems(value, "core.EnvVar", DEFAULT)
            yield from (item._replace(path=("expect", "env", container, name, *item.path)) for item in problems)


def _taken_apart(file: str, document: Document, index: int) -> SidecarTest:
    cases = []
    for number, case in enumerate(document.value["cases"]):
        subject = next(subject for subject in SUBJECTS if subject in case)
        path = ("cases", number)
        allows_none = bool(case.get("allowEmpty"))
        cases.append(Case(case["name"], subject, case[subject], case["expect"], allows_none, file, document, path))
    inputs = value_at(document.value, ("inputs",)) or {}
    return SidecarTest(file, document, inputs, tuple(cases), index)


class Site(NamedTuple):
    """An object in a failure: `Deployment shop/web`, `SidecarSet logs`; its place, and what it says."""

    name: str
    place: Place | None = None
    why: str = ""

    def __str__(self) -> str:
        return f"{self.name} ({self.place})" if self.place else self.name


_SHOWN = 3


def few(items: Sequence[object]) -> str:
    """The first few of them, and how many more there are."""
    more = [f"{len(items) - _SHOWN} more"] if len(items) > _SHOWN else []
    return ", ".join([*map(str, items[:_SHOWN]), *more])


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
