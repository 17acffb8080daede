"""The MkDocs site builds without a warning, and its navigation has every page."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from sidecarctl.facts.values import Value
from tests.documentation.examples import DOCS, ROOT

CONFIGURATION = ROOT / "mkdocs.yml"


def named(navigation: Value) -> Iterator[str]:
    """The files of a navigation, at any depth."""
    for entry in navigation:
        if isinstance(entry, str):
            yield entry
        else:
            [value] = entry.values()
            yield from named(value) if isinstance(value, list) else [value]


def test_the_navigation_has_every_page_once() -> None:
    pages = sorted(str(page.relative_to(DOCS)) for page in DOCS.rglob("*.md"))
    assert sorted(named(yaml.safe_load(CONFIGURATION.read_text())["nav"])) == pages


@pytest.mark.slow
def test_the_strict_build_succeeds(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet"]
    ended = subprocess.run(
        [*words, "--config-file", CONFIGURATION, "--site-dir", tmp_path], capture_output=True, text=True, check=False
    )
    assert (ended.returncode, ended.stderr) == (0, "")
    assert (tmp_path / "tour" / "index.html").exists()
