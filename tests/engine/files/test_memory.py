"""Where memory runs out, the run says so, and nothing is written."""

import json
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from sidecarctl.engine.facts.memory import with_room_left
from sidecarctl.engine.facts.values import Object
from tests.cli.manifests import DEPLOYMENT, SET
from tests.engine.files.peak_memory import peak_memory

MB = 1024 * 1024


@pytest.mark.slow
@pytest.mark.parametrize("jobs", ["1", "2"])
@pytest.mark.parametrize("limit", [70 * MB, 100 * MB, 130 * MB])  # in reading; in injecting; in editing
def test_a_list_that_is_too_large_for_the_memory(tmp_path: Path, limit: int, jobs: str) -> None:
    (tmp_path / "set.yaml").write_text(SET)
    item = "".join(f"  {line}\n" for line in DEPLOYMENT.splitlines()).replace("  ", "- ", 1)
    text = "apiVersion: v1\nkind: List\nmetadata: &one {}\nitems:\n" + item * 8_000  # with an anchor it is not cut
    (tmp_path / "web.yaml").write_text(text)

    def set_limit() -> None:
        resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))

    words = [sys.executable, "-m", "sidecarctl", "inject", "-s", "set.yaml", "-i", "-j", jobs, "web.yaml"]
    ended = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, preexec_fn=set_limit, check=False)
    assert ended.returncode == 3, ended.stderr
    assert "not enough memory" in ended.stderr
    assert ended.stderr.endswith("[TooLarge]\n")
    assert (tmp_path / "web.yaml").read_text() == text


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "form", "most"),
    [
        ("inject", "yaml", 20),
        ("inject", "json", 20),
        ("plan", "yaml", 26),
        ("plan", "json", 20),
        ("validate", "yaml", 26),
        ("validate", "json", 20),
        ("explain", "json", 20),
        ("explain", "yaml", 20),
    ],
)
def test_a_long_list_takes_few_times_its_size(tmp_path: Path, command: str, form: str, most: int) -> None:
    (tmp_path / "set.yaml").write_text(SET)
    items = [_small_pod(number) for number in range(80_000)]
    text = json.dumps({"apiVersion": "v1", "kind": "List", "items": items}, indent=1)
    if form == "yaml":
        flow = "".join(f"- {json.dumps(item)}\n" for item in items).replace('"', "")
        text = f"apiVersion: v1\nkind: List\nitems:\n{flow}"
    (tmp_path / f"list.{form}").write_text(text)
    assert peak_memory(command, "-q", "-s", "set.yaml", f"list.{form}", cwd=tmp_path) < most * len(text)


@pytest.mark.slow
@pytest.mark.parametrize("part", ["x", r"\n", r"\""], ids=["letters", "escapes", "quotes"])
@pytest.mark.parametrize("form", ["json", "yaml"])
def test_a_long_string_takes_few_times_its_size(tmp_path: Path, part: str, form: str) -> None:
    (tmp_path / "set.yaml").write_text(SET)
    pod = _small_pod(1) | {"note": "NOTE"}
    text = json.dumps(pod).replace("NOTE", part * (10_000_000 // len(part)))
    (tmp_path / f"pod.{form}").write_text(text if form == "json" else f"---\n{text}")
    assert peak_memory("inject", "-q", "-s", "set.yaml", f"pod.{form}", cwd=tmp_path) < 20 * len(text)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("form", "start", "item", "end"),
    [
        ("json", "[", '"a",', '"a"]'),
        ("yaml", "[", "a, ", "a]"),  # on one line
        ("yaml", "", "\n- a", "\n"),
    ],
    ids=["JSON", "flow", "block"],
)
def test_a_long_list_of_strings_takes_few_times_its_size(
    tmp_path: Path, form: str, start: str, item: str, end: str
) -> None:
    (tmp_path / "set.yaml").write_text(SET)
    note = start + item * (10_000_000 // len(item)) + end
    text = json.dumps(_small_pod(1) | {"note": "NOTE"}).replace('"NOTE"', note)
    if not start:
        text = f"{DEPLOYMENT}note:{note}"
    (tmp_path / f"pod.{form}").write_text(text if form == "json" else f"---\n{text}\n")
    assert peak_memory("inject", "-q", "-s", "set.yaml", f"pod.{form}", cwd=tmp_path) < 20 * len(text)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("item", "most"),
    [("- %s\n", 19), ("  %s: a\n", 24), ("- &%s a\n", 29), ("- {a: %s}\n", 32)],
    ids=["texts", "keys", "anchors", "small mappings"],
)
def test_an_edit_holds_the_values_of_a_document_once(tmp_path: Path, item: str, most: int) -> None:
    (tmp_path / "set.yaml").write_text(SET)
    text = f"{DEPLOYMENT}note:\n" + "".join(item % f"x{number}" for number in range(1_000_000, 1_100_000))
    peaks = []
    for content in (DEPLOYMENT, text):
        (tmp_path / "web.yaml").write_text(content)
        peaks.append(peak_memory("inject", "-q", "-s", "set.yaml", "web.yaml", cwd=tmp_path))
    assert peaks[1] - peaks[0] < most * len(text)


def _small_pod(number: int) -> Object:
    metadata = {"name": f"p{number}", "labels": {"app": "web"}}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": metadata,
        "spec": {"containers": [{"name": "a", "image": "a"}]},
    }


def test_a_lack_of_memory_shows_while_there_is_room_to_report_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sidecarctl.engine.facts.memory._ROOM", 1 << 62)  # more than any machine has
    taken: list[int] = []
    with pytest.raises(MemoryError):
        taken.extend(with_room_left(range(3)))
    assert not taken
