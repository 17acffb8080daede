"""What an interrupted run says it has written."""

from pathlib import Path

import pytest
import typer

from sidecarctl.cli.exiting import conclude
from sidecarctl.cli.flags.reporting import DocumentFlags
from sidecarctl.files.effects import file_written, forget, patch_sent, stream_written, what_was_written
from sidecarctl.files.outputs import to_stdout
from sidecarctl.files.replacing import NewFile
from sidecarctl.operations.report import Report


def test_words() -> None:
    forget()
    assert what_was_written() == "nothing was written"
    patch_sent()
    assert what_was_written() == "1 patch had been sent to the cluster, see the journal"
    forget()
    file_written("a.yaml")
    assert what_was_written() == "1 file was written: a.yaml"
    file_written("b.yaml")
    stream_written("stdout")
    assert what_was_written() == "2 files were written, the last is b.yaml; the output on stdout is incomplete"
    forget()


def test_an_interrupted_run_names_what_it_has_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def run() -> Report[str]:
        for name in ("a", "b"):
            new = NewFile(tmp_path / name)
            new.write(b"whole")
            new.finish()
            if name == "a":
                new.replace()
            else:
                new.discard()
        to_stdout("a part")
        raise KeyboardInterrupt

    with pytest.raises(typer.Exit) as ended:
        conclude(run, DocumentFlags(), "message")
    assert ended.value.exit_code == 130
    told = f"interrupted; 1 file was written: {tmp_path.resolve()}/a; the output on stdout is incomplete\n"
    assert capsys.readouterr().err == told
    assert [path.name for path in tmp_path.iterdir()] == ["a"]
