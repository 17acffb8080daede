"""The lines of files that findings are about."""

from pathlib import Path

from sidecarctl.engine.facts.findings import Place
from sidecarctl.engine.files.inputs import Input, excerpts


def test_lines_around_places(tmp_path: Path) -> None:
    file = tmp_path / "set.yaml"
    file.write_bytes(b"\xef\xbb\xbfone\r\ntwo\nthree\nfour \xff\nfive\nsix\n")
    source = Input("set.yaml", file, Path("set.yaml"))
    found = excerpts([source], [Place("set.yaml", 1, 1), Place("set.yaml", 5, 1), Place("other.yaml", 1, 1)])
    assert found == {"set.yaml": {1: "one", 2: "two", 3: "three", 4: "four \ufffd", 5: "five", 6: "six"}}


def test_long_lines_are_cut_and_files_that_are_gone_have_none(tmp_path: Path) -> None:
    file = tmp_path / "set.json"
    file.write_text("x" * 1_000)
    places = [Place("set.json", 1, 900), Place("gone.yaml", 1, 1), Place("set.json")]
    sources = [Input("set.json", file, file), Input("gone.yaml", tmp_path / "gone", tmp_path / "gone")]
    found = excerpts(sources, places)
    assert found == {"set.json": {1: "x" * 400 + "…"}, "gone.yaml": {}}
