"""`--exclude`: files and folders of PATHS that are left out."""

from pathlib import Path

import pytest

from sidecarctl.engine.files.inputs import Input
from sidecarctl.engine.inputs.folders import is_excluded
from tests.cli.manifests import DEPLOYMENT, SET
from tests.cli.running import run


@pytest.mark.parametrize(
    ("pattern", "excluded"),
    [
        ("web.yaml", True),
        ("*.yaml", True),
        ("*.yml", False),
        ("charts", True),
        ("charts/", True),
        ("chart", False),
        ("charts/*", True),
        ("charts/old", True),
        ("old/web.yaml", False),
        ("apps/charts", True),
        ("./apps/charts/old", True),
        ("apps/*/web.yaml", True),
    ],
)
def test_patterns(pattern: str, *, excluded: bool) -> None:
    file = Input("apps/charts/old/web.yaml", Path("apps/charts/old/web.yaml"), Path("charts/old/web.yaml"))
    assert is_excluded(file, pattern) is excluded


def test_standard_input_has_no_name_to_be_excluded_by() -> None:
    assert not is_excluded(Input("stdin", Path("copy"), Path("stdin"), is_copy=True), "*")


def test_excluded_files_are_neither_read_nor_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("apps/charts").mkdir(parents=True)
    Path("set.yaml").write_text(SET)
    Path("apps/web.yaml").write_text(DEPLOYMENT)
    Path("apps/charts/web.yaml").write_text("apiVersion: v1\nkind: [")
    assert run("inject", "-R", "-s", "set.yaml", "apps", "-i").code == 2
    ended = run("inject", "-R", "-s", "set.yaml", "apps", "-i", "--exclude", "charts")
    assert (ended.code, ended.stderr.splitlines()[-1]) == (0, "1 injected; 1 file read")
    assert Path("apps/charts/web.yaml").read_text() == "apiVersion: v1\nkind: ["
    everything = run("inject", "-R", "-s", "set.yaml", "apps", "--exclude", "*")
    assert everything.code == 2
    assert "no manifest" in everything.stderr
