"""The MkDocs site builds without a warning, has every page and no dead link, and its search works from a folder."""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from playwright.sync_api import Browser

from sidecarctl.engine.facts.values import Value
from tests.documentation.examples import DOCS, ROOT
from tests.pages.browsing import opened

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


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    words = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet"]
    ended = subprocess.run(
        [*words, "--config-file", CONFIGURATION, "--site-dir", folder], capture_output=True, text=True, check=False
    )
    assert (ended.returncode, ended.stderr) == (0, "")
    return folder


@pytest.mark.slow
def test_the_site_loads_nothing_from_elsewhere_and_has_no_dead_link(site: Path) -> None:
    assert (site / "tour.html").exists()
    assert {"action.yml", "ci"} <= {file.name for file in (site / "repository").iterdir()}
    for page in site.rglob("*.html"):
        text = page.read_text()
        own = {link for link in re.findall(r'(?:href|src)="([^"#?]+)', text) if "://" not in link}
        dead = [link for link in own if not link.startswith("/") and not (page.parent / link).exists()]
        assert not dead, page
        assert not re.findall(r'(?:src|<link[^>]* href)="https?://[^"]*', text), "loads something from elsewhere"


@pytest.mark.slow
def test_the_search_works_from_a_folder_without_a_network(site: Path, browser: Browser) -> None:
    for page, query in (("tour.html", "partit"), ("how-to/canary.html", "maxUnavailable")):
        with opened(browser, site / page) as shown:
            shown.page.locator("[data-bs-target='#mkdocs_search_modal']").first.click()
            shown.page.locator("#mkdocs-search-query").fill(query)
            first = shown.page.locator("#mkdocs-search-results a").first
            first.wait_for()
            target = first.get_attribute("href") or ""
            assert (site / page).parent.joinpath(target.partition("#")[0]).is_file(), target
            shown.page.locator("#mkdocs-search-query").fill("xyzzyqwertz")
            shown.page.get_by_text("No results found").wait_for()
            assert shown.errors == []


def test_every_page_is_reached_from_the_first() -> None:
    reached: set[Path] = set()
    left = [DOCS / "README.md"]
    while left:
        page = left.pop()
        if page not in reached:
            reached.add(page)
            links = re.findall(r"\]\(([^)#:]+\.md)", page.read_text())
            left += [file for file in ((page.parent / link).resolve() for link in links) if file.is_relative_to(DOCS)]
    assert reached == set(DOCS.rglob("*.md"))
