"""What an interrupted run says it has written."""

import os
from pathlib import Path
from signal import SIGTERM
from threading import Event, Thread

import pytest
import typer

from sidecarctl.cli.exiting import conclude
from sidecarctl.cli.flags.outputs import DocumentFlags
from sidecarctl.engine.files.outputs import to_stdout
from sidecarctl.engine.files.replacing import (
    NewFile,
    file_written,
    forget_writes,
    patch_sent,
    stream_written,
    what_was_written,
)
from sidecarctl.engine.report import Report
from tests.cli.manifests import DEPLOYMENT, SET
from tests.cli.running import run


def test_words() -> None:
    forget_writes()
    assert what_was_written() == "nothing was written"
    patch_sent()
    assert what_was_written() == "1 patch had been sent to the cluster, see the journal"
    forget_writes()
    file_written("a.yaml")
    assert what_was_written() == "1 file was written: a.yaml (run the same command again to write the rest)"
    file_written("b.yaml")
    stream_written("stdout")
    files = "2 files were written, the last is b.yaml (run the same command again to write the rest)"
    assert what_was_written() == f"{files}; the output on stdout is incomplete"
    forget_writes()


@pytest.mark.parametrize(
    ("signal", "word", "code"), [(KeyboardInterrupt(), "interrupted", 130), (SystemExit(143), "terminated", 143)]
)
def test_an_interrupted_run_names_what_it_has_written(
    signal: BaseException, word: str, code: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
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
        raise signal

    with pytest.raises((typer.Exit, SystemExit)) as ended:
        conclude(run, DocumentFlags(), "message")
    assert code in (getattr(ended.value, "exit_code", None), getattr(ended.value, "code", None))
    file = f"1 file was written: {tmp_path.resolve()}/a (run the same command again to write the rest)"
    assert capsys.readouterr().err == f"{word}; {file}; the output on stdout is incomplete\n"
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_a_file_counts_that_took_its_place_as_the_signal_came(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "set.yaml").write_text(SET)
    for name in ("one.yaml", "two.yaml"):
        (tmp_path / name).write_text(DEPLOYMENT)
    replace = Path.replace

    def replace_and_signal(path: Path, target: Path) -> Path:
        new = replace(path, target)
        os.kill(os.getpid(), SIGTERM)
        return new

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(Path, "replace", replace_and_signal)
    is_over = Event()
    other = Thread(target=is_over.wait)  # a signal may come to any thread, such as one that talks to workers
    other.start()
    try:
        ended = run("inject", "-q", "-s", "set.yaml", "-i", "one.yaml", "two.yaml")
    finally:
        is_over.set()
        other.join()
    assert ended.code == 143
    assert f"terminated; 1 file was written: {tmp_path.resolve()}/one.yaml (" in ended.stderr
    assert (tmp_path / "two.yaml").read_text() == DEPLOYMENT
