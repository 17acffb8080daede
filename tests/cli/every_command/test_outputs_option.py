"""Several outputs in one run."""

import os
import threading
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import pytest

from sidecarctl.cli.documents import OutputFiles
from sidecarctl.cli.flags.outputs import AskedOutput, DocumentFlags
from sidecarctl.engine.facts.errors import ImpossibleError, UsageError
from sidecarctl.engine.files.outputs import written


def documents(*asked: str) -> list[AskedOutput]:
    return DocumentFlags(output=list(asked) or None).documents()


def write_outputs(outputs: Sequence[AskedOutput], render: Callable[[AskedOutput], Iterable[str]]) -> None:
    with written(OutputFiles()) as files:
        for output in outputs:
            files.add(output.file, render(output))
        files.commit()


def form_of(output: AskedOutput) -> list[str]:
    return [f"{output.form}\n"]


def test_a_text_goes_to_stdout_by_default() -> None:
    assert documents() == [AskedOutput("text")]


def test_several_forms_each_in_its_place() -> None:
    expected = [
        AskedOutput("markdown", Path("comment.md")),
        AskedOutput("json", Path("a=b.json")),
        AskedOutput("text"),
    ]
    assert documents("markdown=comment.md", "json=a=b.json", "text=-") == expected


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (["json="], "the file name is missing (json=FILE, or json alone)"),
        (["json", "text"], "two outputs of -o go to a standard stream"),
        (["json=a", "text=a"], "two outputs of -o go to a"),
    ],
)
def test_what_cannot_be_meant(asked: list[str], message: str) -> None:
    with pytest.raises(UsageError) as raised:
        documents(*asked)
    assert message in str(raised.value)


def test_files_and_stdout_are_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_outputs([AskedOutput("json", tmp_path / "x.json"), AskedOutput("text")], form_of)
    assert (tmp_path / "x.json").read_text() == "json\n"
    assert capsys.readouterr().out == "text\n"
    assert [file.name for file in tmp_path.iterdir()] == ["x.json"]


def test_a_pipe_is_written_into(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()))
    reader.start()
    write_outputs([AskedOutput("json", pipe)], form_of)
    reader.join()
    assert read == ["json\n"]


def test_nothing_shows_when_one_of_them_cannot_be_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    outputs = [AskedOutput("text"), AskedOutput("json", tmp_path / "x"), AskedOutput("markdown", tmp_path / "no/y")]
    with pytest.raises(ImpossibleError, match="cannot be written: No such file"):
        write_outputs(outputs, form_of)
    assert not list(tmp_path.iterdir())
    assert capsys.readouterr().out == ""


def test_parts_are_written_as_they_come_and_show_together(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sidecarctl.cli.documents._KEPT", 8)
    outputs = [AskedOutput("text"), AskedOutput("json", tmp_path / "x.json")]
    write_outputs(outputs, lambda output: (f"{output.form} {number} é\n" for number in range(5)))
    assert (tmp_path / "x.json").read_text() == "".join(f"json {number} é\n" for number in range(5))
    assert capsys.readouterr().out == "".join(f"text {number} é\n" for number in range(5))
