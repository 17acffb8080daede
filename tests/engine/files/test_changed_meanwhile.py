"""A file that somebody saves while the run reads it keeps the saved content, and the run reports it."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from sidecarctl.engine.facts.errors import ImpossibleError
from sidecarctl.engine.files.inputs import Input, inputs
from sidecarctl.engine.files.outputs import InPlace, written
from sidecarctl.features.inject import run as transforming
from tests.cli.manifests import DEPLOYMENT, SERVICE, SET
from tests.cli.running import run
from tests.engine.rollout.manifests import pod


def _saved(path: Path) -> None:
    path.write_text("an edit\n")


def _saved_as_editors_do(path: Path) -> None:
    (path.parent / "other").write_text("an edit\n")
    (path.parent / "other").replace(path)


def _saved_with_its_old_time(path: Path) -> None:
    old = path.stat()
    path.write_text("x" * old.st_size)
    os.utime(path, ns=(old.st_atime_ns, old.st_mtime_ns))


def _inputs(folder: Path) -> list[Input]:
    return inputs([str(folder)], recursive=False, stdin=None)


def _write_all(output: InPlace, sources: list[Input], then: Callable[[], None], late: Callable[[], None]) -> None:
    with written(output):
        for source in sources:
            output.begin(source)
            output.write(b"injected\n", 9, changed=True)
            output.end()
        then()
        output.verify()
        late()
        output.commit()


@pytest.mark.parametrize("save", [_saved, _saved_as_editors_do, _saved_with_its_old_time, Path.unlink])
def test_nothing_is_written_once_one_file_changed(tmp_path: Path, save: Callable[[Path], None]) -> None:
    (tmp_path / "a.yaml").write_text("original\n")
    (tmp_path / "b.yaml").write_text("original\n")
    sources = _inputs(tmp_path)
    with pytest.raises(ImpossibleError, match=r"b\.yaml: changed while sidecarctl was reading it"):
        _write_all(InPlace(), sources, lambda: save(tmp_path / "b.yaml"), lambda: None)
    assert (tmp_path / "a.yaml").read_text() == "original\n"
    assert not (tmp_path / "b.yaml").exists() or (tmp_path / "b.yaml").read_text() != "injected\n"
    assert {path.name for path in tmp_path.iterdir()} <= {"a.yaml", "b.yaml"}


def test_a_save_between_two_replacements_is_kept(tmp_path: Path) -> None:
    for name in ("a.yaml", "b.yaml"):
        (tmp_path / name).write_text("original\n")
    sources = _inputs(tmp_path)
    with pytest.raises(ImpossibleError, match=r"b\.yaml.*files already written: 1"):
        _write_all(InPlace(), sources, lambda: None, lambda: _saved(tmp_path / "b.yaml"))
    assert (tmp_path / "b.yaml").read_text() == "an edit\n"


def test_several_names_of_one_file_are_no_change_by_others(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("original\n")
    (tmp_path / "b.yaml").symlink_to("a.yaml")
    (tmp_path / "c.yaml").hardlink_to(tmp_path / "a.yaml")
    _write_all(InPlace(), _inputs(tmp_path), lambda: None, lambda: None)
    assert [(tmp_path / name).read_text() for name in ("a.yaml", "b.yaml", "c.yaml")] == ["injected\n"] * 3


@pytest.mark.slow
def test_a_save_in_the_middle_of_a_run_is_kept(tmp_path: Path) -> None:
    """Many documents that stay, then one that is injected: those before it are read once more when it is written."""
    (tmp_path / "set.yaml").write_text(SET)
    config = SERVICE.replace("kind: Service", "kind: ConfigMap")
    text = "---\n".join([DEPLOYMENT, *[config] * 20_000, DEPLOYMENT])
    (tmp_path / "web.yaml").write_text(text)
    words = [sys.executable, "-m", "sidecarctl", "inject", "-q", "-s", "set.yaml", "-i", "web.yaml"]
    process = subprocess.Popen(words, cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    while process.poll() is None and len(list(tmp_path.iterdir())) == 2:  # the first object is not done
        time.sleep(0.005)
    saved = text.replace("ConfigMap", "Secret")
    (tmp_path / "web.yaml").write_text(saved)
    _, stderr = process.communicate(timeout=120)
    assert process.returncode == 3, stderr[-2000:]
    assert "web.yaml: changed while sidecarctl was reading it" in stderr
    assert "[ChangedMeanwhile]" in stderr
    assert (tmp_path / "web.yaml").read_text() == saved
    assert sorted(path.name for path in tmp_path.iterdir()) == ["set.yaml", "web.yaml"]


@pytest.mark.parametrize("saved", ["set.yaml", "web.yaml"])
@pytest.mark.parametrize("options", [(), ("-d", "out"), ("--diff",), ("-o", "jsonpatch"), ("-i",), ("--check",)])
def test_no_output_is_of_two_versions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...], saved: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "set.yaml").write_text(SET)
    (tmp_path / "web.yaml").write_text(DEPLOYMENT)
    monkeypatch.setattr(transforming, "_refuse_emptiness", lambda *_: _saved(tmp_path / saved))
    ended = run("inject", "-s", "set.yaml", "web.yaml", *options)
    assert (ended.code, ended.stdout) == (3, "")
    assert f"{saved}: changed while sidecarctl was reading it" in ended.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["set.yaml", "web.yaml"]


def _saves_after_reading(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Somebody saves a file when it has been read for the first time."""
    blocks, saved = Input.blocks, list[Path]()

    def then_saved(source: Input) -> Iterator[bytes]:
        yield from blocks(source)
        if source.path.name == name and not saved:
            saved.append(source.path)
            source.path.write_bytes(source.path.read_bytes() + b"\n")

    monkeypatch.setattr(Input, "blocks", then_saved)


@pytest.mark.parametrize("saved", ["set.yaml", "pods.json"])
@pytest.mark.parametrize(
    "words",
    [
        ("plan", "set.yaml", "pods.json"),
        ("plan", "set.yaml", "pods.json", "--sweep", "partition=0,1"),
        ("status", "set.yaml", "pods.json"),
        ("diff", "old.yaml", "set.yaml", "pods.json"),
        ("diff", "--before", "old.yaml", "--after", "set.yaml", "-s", "pods.json"),
        ("diff", "--kruise-from", "1.8", "--kruise-to", "1.9", "set.yaml", "pods.json"),
        ("validate", "set.yaml", "pods.json"),
        ("explain", "-s", "set.yaml", "pods.json"),
        ("revisions", "list", "set.yaml", "pods.json"),
        ("hash", "set.yaml", "pods.json"),
    ],
    ids=lambda words: " ".join(words[:2]),
)
def test_no_report_is_of_two_versions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], saved: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("set.yaml").write_text(SET)
    Path("old.yaml").write_text(SET)
    Path("pods.json").write_text(json.dumps(pod()))
    files = sorted(tmp_path.iterdir())
    assert run(*words).code in (0, 1)
    _saves_after_reading(monkeypatch, saved)
    forms = () if words[0] == "hash" else ("-o", "json=out.json", "-o", "text")
    ended = run(*words, *forms)
    assert (ended.code, ended.stdout) == (3, "")
    assert f"error: {saved}: changed while sidecarctl was reading it" in ended.stderr
    assert sorted(tmp_path.iterdir()) == files
    assert run(*words).code in (0, 1)


@pytest.mark.parametrize("options", [(), ("-d", "out")])
def test_no_patch_is_of_two_versions_of_a_plan(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("set.yaml").write_text(SET)
    Path("pods.json").write_text(json.dumps(pod()))
    assert run("plan", "set.yaml", "pods.json", "-o", "json=plan.json").code == 0
    files = sorted(tmp_path.iterdir())
    _saves_after_reading(monkeypatch, "plan.json")
    ended = run("render", "plan.json", *options)
    assert (ended.code, ended.stdout) == (3, "")
    assert "plan.json: changed while sidecarctl was reading it" in ended.stderr
    assert sorted(tmp_path.iterdir()) == files


@pytest.mark.parametrize("command", ["status", "diff", "validate"])
def test_half_of_a_save_is_no_error_in_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("set.yaml").write_text(SET)

    def half(source: Input) -> Iterator[bytes]:
        whole = source.path.read_bytes()
        source.path.write_bytes(whole + b"\n")
        yield b"kind: [" + whole[:20]

    monkeypatch.setattr(Input, "blocks", half)
    old = ["set.yaml"] if command == "diff" else []
    ended = run(command, *old, "set.yaml")
    assert (ended.code, ended.stdout) == (3, "")
    assert "set.yaml: changed while sidecarctl was reading it" in ended.stderr
