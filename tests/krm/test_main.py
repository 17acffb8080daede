"""The console script: what it reads, writes, loads, and exits with."""

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest

from sidecarctl import __version__
from sidecarctl.krm import function
from sidecarctl.krm.main import HELP, main
from tests.krm.calls import SET, WEB, injection, text_of

MOST = 123
"""How many modules of the program a call may load."""


class Streams:
    """Standard streams with nothing on a terminal."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, stdin: str) -> None:
        self.out, self.err = io.BytesIO(), io.StringIO()
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode())))
        monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(self.out, write_through=True))
        monkeypatch.setattr(sys, "stderr", self.err)


def ended(monkeypatch: pytest.MonkeyPatch, *words: str, stdin: str = "") -> tuple[int, str, str]:
    streams = Streams(monkeypatch, stdin)
    monkeypatch.setattr(sys, "argv", ["sidecarctl-fn", *words])
    with pytest.raises(SystemExit) as ending:
        main()
    assert isinstance(ending.value.code, int)
    return ending.value.code, streams.out.getvalue().decode(), streams.err.getvalue()


def test_a_call(monkeypatch: pytest.MonkeyPatch) -> None:
    code, out, err = ended(monkeypatch, stdin=text_of([SET, WEB]))
    assert (code, err) == (0, "")
    assert "name: log-agent" in out


def test_a_call_with_arguments(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text("kind: ConfigMap\napiVersion: v1\n")
    code, _, err = ended(monkeypatch, str(tmp_path / "config.yaml"), "-", stdin="a: b\n")
    assert (code, err.partition(":")[0]) == (2, "error")


def test_no_resource_list(monkeypatch: pytest.MonkeyPatch) -> None:
    code, out, err = ended(monkeypatch)
    assert (code, out) == (2, "")
    assert err.startswith("error: expected a ResourceList on standard input, got nothing")


def test_a_large_call_that_needs_more_memory_than_there_is(monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr(function, "answer_to", failing)
    code, out, err = ended(monkeypatch, stdin="#" * (1 << 20))
    assert (code, out) == (3, "")
    assert "not enough memory" in err
    assert err.endswith("[TooLarge]\n")


FULL = OSError(28, "No space left on device")


@pytest.mark.parametrize(("fault", "code"), [(KeyboardInterrupt(), 130), (ValueError("odd"), 4), (FULL, 3)])
def test_interruptions_and_bugs(monkeypatch: pytest.MonkeyPatch, fault: BaseException, code: int) -> None:
    def failing(*_: object) -> None:
        raise fault

    monkeypatch.setattr(function, "answer_to", failing)
    ended_with, out, err = ended(monkeypatch)
    assert (ended_with, out) == (code, "")
    assert ("internal error: ValueError: odd" in err) == (code == 4)
    assert ("stdout: cannot be written: No space left on device" in err) == (code == 3)


@pytest.mark.parametrize(
    ("word", "text"), [("--help", HELP), ("-h", HELP), ("--version", f"sidecarctl-fn {__version__}\n")]
)
def test_help_and_version(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], word: str, text: str
) -> None:
    monkeypatch.setattr(sys, "argv", ["sidecarctl-fn", word])
    main()
    assert capsys.readouterr().out == text


@pytest.mark.slow
def test_a_closed_pipe_is_not_a_bug() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    words = [sys.executable, "-m", "sidecarctl.krm.main"]
    done = subprocess.run(
        words, input=text_of([SET, WEB]).encode(), stdout=writer, stderr=subprocess.PIPE, check=False
    )
    os.close(writer)
    assert (done.returncode, done.stderr) == (141, b"")


def test_a_closed_pipe_is_not_complained_of(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def failing(*_: object) -> None:
        raise BrokenPipeError

    monkeypatch.setattr(function, "answer_to", failing)
    monkeypatch.setattr(sys, "argv", ["sidecarctl-fn"])
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO()))
    with (tmp_path / "stdout").open("w") as stdout:
        monkeypatch.setattr(sys, "stdout", stdout)
        with pytest.raises(SystemExit) as ending:
            main()
        stdout.write("lost")
    assert ending.value.code == 141
    assert not (tmp_path / "stdout").read_text()


def test_it_loads_no_typer_and_nothing_else_that_is_heavy() -> None:
    program = (
        "import sys; from sidecarctl.krm.main import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "sys.stderr.write(' '.join(sys.modules))"
    )
    call = text_of([WEB], injection(sidecarSets=[SET])).encode()
    done = subprocess.run([sys.executable, "-c", program], input=call, capture_output=True, check=True)
    loaded = set(done.stderr.decode().split())
    heavy = {
        "typer",
        "click",
        "rich",
        "jsonschema",
        "jsonpatch",
        "importlib.metadata",
        "tempfile",
        "difflib",
    }
    assert not heavy & loaded
    assert not {"subprocess", "tokenize", "inspect", "dataclasses"} & loaded
    own = [module for module in loaded if module.startswith("sidecarctl")]
    assert 100 < len(own) <= MOST, f"{len(own)} modules: {sorted(own)}"
