"""How manifests are transformed, whatever becomes of them: a target that keeps everything in memory."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from sidecarctl.engine.facts.errors import InputError
from sidecarctl.engine.facts.exit_codes import COMPLETED, FINDINGS, UNREADABLE
from sidecarctl.engine.facts.findings import Finding
from sidecarctl.engine.files.inputs import Input
from sidecarctl.engine.injection.decisions import InjectionOptions
from sidecarctl.engine.injection.injection_context import injection_context
from sidecarctl.engine.injection.pod_templates import Templates
from sidecarctl.engine.inputs.opening import Named, Sources, opened_to_write
from sidecarctl.engine.inputs.reading import Reading
from sidecarctl.engine.report import Outcome, Report, RunFacts, exit_code
from sidecarctl.engine.sidecarset.world import World
from sidecarctl.engine.transforming.inject import Inject
from sidecarctl.features.inject.batches import BatchResult
from sidecarctl.features.inject.run import TransformRequest, transform
from tests.cli.manifests import DEPLOYMENT, SET


class Memory:
    """A target, and its sink: what is committed is in `files`."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self._written: dict[str, bytes] = {}
        self._name = ""
        self.events: list[str] = []

    def refuse(self, sources: Sources[Input]) -> None:
        self.events.append(f"{len(sources.paths)} to write")

    @property
    def wrote(self) -> list[str]:
        return [*self._written]

    def begin(self, source: Input, first: BatchResult) -> None:
        del first
        self._name = source.name
        self._written[self._name] = b""

    def add(self, result: BatchResult) -> None:
        self._written[self._name] += result.data

    def end(self) -> None:
        self.events.append(f"{Path(self._name).name} ended")

    def take_beside(self, sources: Sources[Input]) -> Sequence[Finding]:
        del sources
        return ()

    def verify(self) -> Sequence[Finding]:
        return ()

    def commit(self) -> None:
        self.files = dict(self._written)

    def discard(self) -> None:
        self.events.append("discarded")


def request(**options: bool) -> TransformRequest:
    def prepare(world: World) -> Inject:
        return Inject(Templates(world), injection_context(world, InjectionOptions()))

    return TransformRequest(
        reading=Reading(),
        verb="inject",
        done="injected",
        prepare=prepare,
        look_at=lambda _world: [],
        needs_sidecarsets=True,
        allow_empty=False,
        **options,  # type: ignore[arg-type] # only its flags are given here
    )


def transformed(target: Memory, asked: TransformRequest, *paths: Path) -> Report[RunFacts]:
    with opened_to_write(Named([str(path) for path in paths]), lenient=asked.keep_going) as (sources,):
        return transform(sources, asked, [target], target.refuse)


@pytest.fixture
def manifests(tmp_path: Path) -> list[Path]:
    files = [tmp_path / "set.yaml", tmp_path / "web.yaml"]
    for file, text in zip(files, (SET, DEPLOYMENT), strict=True):
        file.write_text(text)
    return files


def test_all_files_are_committed_together(manifests: list[Path]) -> None:
    target = Memory()
    report = transformed(target, request(), *manifests)
    assert target.files[str(manifests[0])].decode() == SET
    assert target.files[str(manifests[1])].decode() != DEPLOYMENT
    assert target.events == ["2 to write", "set.yaml ended", "web.yaml ended", "discarded"]
    assert report.wrote == [str(file) for file in manifests]
    assert report.facts.outcomes[Outcome.CHANGED] == len([item for item in report.objects if item.place]) == 1
    assert exit_code(report) == COMPLETED


def test_nothing_is_committed_if_something_fails(manifests: list[Path], tmp_path: Path) -> None:
    broken = tmp_path / "broken.yaml"
    broken.write_text("a: [\n")
    target = Memory()
    report = transformed(target, request(), *manifests, broken)
    assert target.files == {}
    assert report.wrote == []
    assert (report.facts.word, exit_code(report)) == ("would inject", UNREADABLE)
    report = transformed(target, request(keep_going=True), *manifests, broken)
    assert target.files[str(broken)] == b"a: [\n"
    assert (report.facts.word, exit_code(report)) == ("injected", UNREADABLE)


def test_check_objects_to_what_would_change(manifests: list[Path]) -> None:
    report = transformed(Memory(), request(check=True), *manifests)
    assert (report.facts.word, exit_code(report)) == ("to inject", FINDINGS)


def test_files_without_manifests_are_refused(manifests: list[Path], tmp_path: Path) -> None:
    empty = tmp_path / "empty.yaml"
    empty.write_text("# nothing\n")
    target = Memory()
    with pytest.raises(InputError, match=r"no manifest found in .*empty\.yaml"):
        transformed(target, request(), *manifests, empty)
    assert target.files == {}
    assert target.events[-1] == "discarded"
