"""Every page in a real browser: nothing fails; by keyboard, without script, on a phone, on paper."""

import re
from pathlib import Path
from typing import Literal

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page

from tests.pages.browsing import opened
from tests.pages.made_pages import MadePage

PAGES = [
    "plan_of_cluster",
    "sweep_of_sample",
    "status_of_cluster",
    "diff_of_sample",
    "trees_of_shop",
    "upgrade_of_sample",
    "validation_of_sample",
]
WITH_CHARTS = PAGES[:3]
_BLOCKED_BY_JENKINS = "sandbox; default-src 'none'; img-src 'self'; style-src 'self';"
_RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"]}


@pytest.fixture(params=PAGES)
def made(request: pytest.FixtureRequest) -> MadePage:
    page: MadePage = request.getfixturevalue(request.param)
    return page


def unfold(page: Page) -> None:
    page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_page_shows_without_errors_and_is_accessible(
    browser: Browser, made: MadePage, scheme: Literal["light", "dark"]
) -> None:
    with opened(browser, made.file, scheme=scheme) as shown:
        unfold(shown.page)
        found = Axe().run(shown.page, options=_RULES).response["violations"]
        assert [(item["id"], [node["html"] for node in item["nodes"]][:3]) for item in found] == []
        assert shown.errors == []


@pytest.mark.parametrize("width", [360, 768, 1280])
def test_a_page_is_as_wide_as_its_window(browser: Browser, made: MadePage, width: int) -> None:
    with opened(browser, made.file, width=width) as shown:
        unfold(shown.page)
        assert shown.page.evaluate("document.documentElement.scrollWidth") == width


def test_nothing_of_a_page_is_fetched_or_styled_inline(made: MadePage) -> None:
    assert not re.search(
        r"\sstyle=|\son[a-z]+=|<link(?! rel=\"icon\" href=\"data:,\")|url\(|@import|https?://", made.source
    )


def test_what_a_page_did_not_come_with_does_not_run(browser: Browser, made: MadePage, tmp_path: Path) -> None:
    changed = tmp_path / "changed.html"
    added = "<script>document.title = 'run'</script><p id=red style='color: red'>red</p>"
    changed.write_text(made.source.replace("</main>", f"{added}</main>"))
    with opened(browser, changed) as shown:
        assert shown.page.title() != "run"
        colour = shown.page.evaluate("getComputedStyle(document.getElementById('red')).color")
        assert colour != "rgb(255, 0, 0)"
        assert {error for error in shown.errors if error.startswith("CSP: ")} == {
            "CSP: script-src-elem",
            "CSP: style-src-attr",
        }


def test_a_page_can_be_read_without_scripts(browser: Browser, made: MadePage) -> None:
    with opened(browser, made.file, scripts=False) as shown:
        assert shown.page.locator(".probing, .filter").filter(visible=True).count() == 0
        assert shown.page.locator("h1").inner_text()
        for cell in shown.page.locator("summary").all():
            assert cell.is_visible()


@pytest.mark.parametrize("made", WITH_CHARTS, indirect=True)
def test_a_server_that_forbids_styles_shows_charts_in_their_colours(browser: Browser, made: MadePage) -> None:
    page = browser.new_page()
    headers = {"Content-Security-Policy": _BLOCKED_BY_JENKINS, "Content-Type": "text/html"}
    page.route("**/*", lambda route: route.fulfill(body=made.source, headers=headers))
    page.goto("http://ci.example/page.html")
    fills = page.locator("svg [class^=fill-]").evaluate_all("all => all.map(one => getComputedStyle(one).fill)")
    assert fills
    assert "rgb(0, 0, 0)" not in fills
    assert page.locator("h1").is_visible()
    page.close()


def test_a_page_prints(browser: Browser, made: MadePage) -> None:
    with opened(browser, made.file) as shown:
        assert shown.page.pdf().startswith(b"%PDF")
        shown.page.emulate_media(media="print")
        assert shown.page.locator(".probing, .filter").filter(visible=True).count() == 0
        scrolled = "[...document.querySelectorAll('.scroll')].some(one => one.scrollHeight > one.clientHeight + 1)"
        assert not shown.page.evaluate(scrolled)


def test_a_chart_tells_its_numbers_by_keyboard(browser: Browser, plan_of_cluster: MadePage) -> None:
    [item] = plan_of_cluster.document["sidecarSets"]
    with opened(browser, plan_of_cluster.file) as shown:
        slider = shown.page.locator(".probing input")
        slider.focus()
        shown.page.keyboard.press("End")
        told = shown.page.locator(".probing output").inner_text()
        after = item["counts"]["after"]
        assert f"{after['updatedReadyPods']} updated" in told
        assert f"round {item['rounds']}" in told
        shown.page.keyboard.press("Home")
        assert shown.page.locator(".probing output").inner_text().startswith("start: ")


def test_waves_open_by_keyboard_and_by_their_place_on_the_strip(browser: Browser, plan_of_cluster: MadePage) -> None:
    [item] = plan_of_cluster.document["sidecarSets"]
    with opened(browser, plan_of_cluster.file) as shown:
        shown.page.locator("details.wave > summary").first.focus()
        shown.page.keyboard.press("Enter")
        rows = shown.page.locator("details.wave").first.locator("tbody tr")
        assert rows.first.is_visible()
        assert rows.count() == len(item["waves"][0]["pods"])
        assert item["waves"][0]["pods"][0]["name"] in rows.first.inner_text()
        shown.page.locator(".strip a").nth(1).click()
        assert shown.page.locator("details.wave").nth(1).get_attribute("open") is not None


def test_pods_are_found_by_text_and_by_state(browser: Browser, status_of_cluster: MadePage) -> None:
    [item] = status_of_cluster.document["sidecarSets"]
    with opened(browser, status_of_cluster.file) as shown:
        rows, found = shown.page.locator(".scroll.pods tbody tr"), shown.page.locator(".found")
        shown.page.locator("input[type=search]").press_sequentially("web-00012")
        assert rows.count() == 1
        assert found.inner_text() == f"1 of {len(item['pods']) + len(item['leftOut'])} pods"
        shown.page.locator("input[type=search]").fill("")
        boxes = shown.page.locator("fieldset input")
        for box in boxes.all():
            if box.get_attribute("value") != "NotUpgradable":
                box.press("Space")
        blocked = [pod for pod in item["pods"] if pod["state"] == "NotUpgradable"]
        assert rows.count() == len(blocked)
        assert rows.first.inner_text().startswith(f"shop/{blocked[0]['name']}")
