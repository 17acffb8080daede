"""The page of several clusters, in a browser: cells that lead on, columns that sort, nothing that overflows."""

import json
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Browser

from tests.cli.running import run
from tests.pages.browsing import opened

STATES = ("Updated", "Updating", "NeverInjected")


def fleet(folder: Path, clusters: int, sets: int) -> Path:
    """The page of clusters, the third of which has another revision of the first SidecarSet, and lacks the last."""
    rows = [
        {
            "name": f"eu-{number}",
            "kind": "RolloutStatus",
            "behavior": "Kruise 1.8" if number == 2 else "Kruise 1.9",
            "featureGates": [],
            "differs": False,
            "sidecarSets": [
                {
                    "name": f"set-{place}",
                    "revision": f"set-{place}-{'b' if (number, place) == (3, 1) else 'a'}",
                    "pods": 10,
                    "updatedPods": 10 - number % 3,
                    "worstState": STATES[number % 3],
                    "counts": {STATES[number % 3]: 10},
                }
                for place in range(1, sets + (number != 3))
            ],
            "findings": [{"severity": "warning", "reason": "Doubtful", "message": "<b>odd</b>", "file": "a.yaml"}],
        }
        for number in range(1, clusters + 1)
    ]
    head = {"apiVersion": "sidecarctl.dev/v1alpha1", "kind": "FleetReport", "command": "status", "sidecarSets": []}
    (folder / "fleet.json").write_text(json.dumps({**head, "clusters": rows}))
    page = folder / "fleet.html"
    assert run("merge", folder / "fleet.json", "-o", f"html={page}").code == 0
    return page


@pytest.mark.slow
@pytest.mark.parametrize("width", [360, 768, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_and_says_no_errors(
    browser: Browser, tmp_path: Path, width: int, scheme: Literal["light", "dark"]
) -> None:
    with opened(browser, fleet(tmp_path, 12, 6), width=width, scheme=scheme) as shown:
        assert not shown.page.evaluate("document.documentElement.scrollWidth > innerWidth")
        assert not shown.errors


def test_a_narrow_page_says_which_columns_it_hides(browser: Browser, tmp_path: Path) -> None:
    page = fleet(tmp_path, 3, 2)
    says = "text => document.querySelector('.fleet .hidden-columns').textContent.includes(text)"
    with opened(browser, page, width=360) as shown:
        shown.page.wait_for_function(says, arg="2 more columns \N{RIGHTWARDS ARROW}")
        shown.page.locator(".fleet .scroll").evaluate("area => area.scrollLeft = area.scrollWidth")
        shown.page.wait_for_function(says, arg="scroll back")
        assert shown.page.locator(".fleet .hidden-columns").is_visible()
        shown.page.set_viewport_size({"width": 1280, "height": 800})
        shown.page.wait_for_function("document.querySelector('.fleet .hidden-columns').hidden")


def test_two_clusters_that_differ_are_not_marked(tmp_path: Path) -> None:
    """Which of them is the other one, nobody knows; three clusters have a majority."""
    page = fleet(tmp_path, 2, 2)
    text = run("merge", tmp_path / "fleet.json").stdout
    assert " *" not in text
    assert "\nno majority for the worst state of set-1, set-2\n" in text
    assert 'class="differs"' not in page.read_text()
    assert 'title="other' not in page.read_text()
    assert "no majority for the worst state of set-1, set-2" in page.read_text()
    marked = [line.split() for line in run("merge", fleet(tmp_path, 3, 2).with_suffix(".json")).stdout.splitlines()]
    assert ["set-1", "b", "*"] in [words[:3] for words in marked]


@pytest.mark.slow
def test_cells_lead_to_their_clusters_and_columns_sort(browser: Browser, tmp_path: Path) -> None:
    with opened(browser, fleet(tmp_path, 12, 6)) as shown:
        page = shown.page
        rows = page.locator(".matrix tbody tr")
        assert rows.first.locator("th").inner_text() == "eu-1"
        page.locator(".matrix thead button", has_text="set-2").click()
        assert rows.first.locator(".badge").nth(1).inner_text() == "NeverInjected"
        assert page.locator(".matrix thead th[aria-sort]").inner_text() == "set-2"
        page.locator(".matrix thead button", has_text="cluster").press("Enter")
        assert rows.locator("th").all_inner_texts() == [f"eu-{number}" for number in range(1, 13)]
        rows.nth(4).locator("td a").first.click()
        assert page.evaluate("location.hash") == "#c5"
        assert str(page.locator(":target h2").text_content()).startswith("eu-5")  # it may not be drawn yet
        page.locator("section.fleet input[type=search]").fill("eu-1")
        assert rows.locator("visible=true").locator("th").all_inner_texts() == ["eu-1", "eu-10", "eu-11", "eu-12"]
        assert not shown.errors


@pytest.mark.slow
def test_all_is_there_without_scripts(browser: Browser, tmp_path: Path) -> None:
    with opened(browser, fleet(tmp_path, 4, 3), scripts=False) as shown:
        text = shown.page.inner_text("main")
    assert "<b>odd</b>" in text
    assert "absent ≠" in text
    assert "1.8 ≠" in text


def test_very_many_clusters_make_a_page_of_a_few_megabytes(tmp_path: Path) -> None:
    page = fleet(tmp_path, 200, 40)
    assert page.stat().st_size < 4_000_000
    assert (
        page.read_text().count("<td data-rank=") + page.read_text().count('<td class="differs" data-rank=') == 8_000
    )


def test_errors_come_before_what_is_not_shown(tmp_path: Path) -> None:
    page = fleet(tmp_path, 1, 1)
    document = json.loads((tmp_path / "fleet.json").read_text())
    (odd,) = document["clusters"][0]["findings"]
    document["clusters"][0]["findings"] = [*[odd] * 20, {**odd, "severity": "error", "message": "broken"}]
    (tmp_path / "fleet.json").write_text(json.dumps(document))
    assert run("merge", tmp_path / "fleet.json", "-o", f"html={page}").code == 0
    assert page.read_text().index(">broken<") < page.read_text().index("1 more finding")
