"""Every page in a real browser: nothing fails; by keyboard, without script, on a phone, on paper."""

import re
from collections import Counter
from pathlib import Path
from typing import Literal

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page

from tests.pages.browsing import opened
from tests.pages.conftest import SAMPLES, renamed
from tests.pages.made_pages import MadePage

PAGES = [
    "plan_of_cluster",
    "sweep_of_sample",
    "status_of_mesh",
    "diff_of_sample",
    "drift_of_sample",
    "trees_of_shop",
    "upgrade_of_sample",
    "validation_of_mesh",
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
        color = shown.page.evaluate("getComputedStyle(document.getElementById('red')).color")
        assert color != "rgb(255, 0, 0)"
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
def test_a_server_that_forbids_styles_shows_charts_in_their_colors(browser: Browser, made: MadePage) -> None:
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
        boxes = shown.page.locator(".states input")
        for box in boxes.all():
            if box.get_attribute("value") != "NotUpgradable":
                box.press("Space")
        blocked = [pod for pod in item["pods"] if pod["state"] == "NotUpgradable"]
        assert rows.count() == len(blocked)
        assert rows.first.inner_text().startswith(f"shop/{blocked[0]['name']}")


def test_what_is_searched_for_is_kept_in_the_address(browser: Browser, status_of_cluster: MadePage) -> None:
    with opened(browser, status_of_cluster.file) as shown:
        shown.page.locator(".states input[value=Updated]").press("Space")
        shown.page.locator("input[type=search]").fill("web-0001")
        address = shown.page.evaluate("location.href")
        told = shown.page.locator(".found").inner_text()
    with opened(browser, status_of_cluster.file) as shown:
        shown.page.goto(address)
        shown.page.reload()
        assert shown.page.locator(".found").inner_text() == told
        assert shown.page.locator("input[type=search]").input_value() == "web-0001"
        assert not shown.page.locator(".states input[value=Updated]").is_checked()


def test_pods_without_their_sidecars_come_first_and_loudest(browser: Browser, status_of_cluster: MadePage) -> None:
    with opened(browser, status_of_cluster.file) as shown:
        states = shown.page.locator(".states > li")
        assert states.first.get_attribute("data-state") == "NeverInjected"
        assert shown.page.locator(".square.fill-lacking").count() == int(states.first.locator(".n").inner_text())


def test_the_legend_filters_and_says_whether_it_does(browser: Browser, status_of_cluster: MadePage) -> None:
    with opened(browser, status_of_cluster.file) as shown:
        page = shown.page
        box = page.locator(".states input[value=Updated]")
        page.locator("[data-state=Updated] label").click()
        assert not box.is_checked()
        assert "without0=Updated" in page.evaluate("location.hash")
        assert "Updated" not in page.locator(".scroll.pods tbody .state").all_inner_texts()
        box.press("Space")
        assert box.is_checked()
        assert not shown.errors


@pytest.mark.parametrize("what", ["namespace", "workload"])
def test_pods_are_counted_and_found_by_group(browser: Browser, status_of_mesh: MadePage, what: str) -> None:
    item = next(item for item in status_of_mesh.document["sidecarSets"] if item["name"] == "mesh-proxy")
    counts = Counter(pod[what] for pod in (*item["pods"], *item["leftOut"]))
    with opened(browser, status_of_mesh.file) as shown:
        section = shown.page.locator("section").filter(has=shown.page.get_by_role("heading", name="mesh-proxy"))
        group = section.locator("details").filter(has_text=f"{len(counts)} {what}s")
        group.evaluate("one => one.open = true")
        rows = group.locator("tbody tr")
        told = {row.locator("th").inner_text(): int(row.locator("td.n").inner_text()) for row in rows.all()}
        assert told == dict(counts)
        name, count = counts.most_common()[-1]
        button = group.get_by_role("button", name=name, exact=True)
        button.click()
        assert section.locator(".found").inner_text() == f"{count} of 300 pods, only those of {name}"
        found = section.locator(".scroll.pods tbody th").all_inner_texts()
        pods = (*item["pods"], *item["leftOut"])
        assert sorted(found) == sorted(f"{pod['namespace']}/{pod['name']}" for pod in pods if pod[what] == name)
        address = shown.page.evaluate("location.href")
        shown.page.goto(address)
        shown.page.reload()
        assert section.locator(".found").inner_text() == f"{count} of 300 pods, only those of {name}"
        group.evaluate("one => one.open = true")
        button.press("Enter")
        assert section.locator(".found").inner_text().startswith("300 of 300 pods")
        assert not shown.errors


def test_states_are_sorted_by_their_severity(browser: Browser, status_of_mesh: MadePage) -> None:
    with opened(browser, status_of_mesh.file) as shown:
        section = shown.page.locator("section").filter(has=shown.page.get_by_role("heading", name="mesh-proxy"))
        states = [one.get_attribute("data-state") for one in section.locator(".states > li").all()]
        assert states == ["NeverInjected", "NotReady", "Waiting", "HeldByPartition", "Updated"]


LINES = (
    "all => all.map(one => { const range = document.createRange(); range.selectNodeContents(one);"
    " return range.getClientRects().length })"
)
"""The lines that each cell takes."""


@pytest.mark.parametrize("width", [360, 1280])
def test_no_hash_is_broken(browser: Browser, status_of_mesh: MadePage, width: int) -> None:
    with opened(browser, status_of_mesh.file, width=width) as shown:
        unfold(shown.page)
        assert set(shown.page.locator("td.hash").evaluate_all(LINES)) == {1}


@pytest.mark.parametrize("width", [360, 1000])
def test_a_time_breaks_after_its_date_only_and_covers_nothing(
    browser: Browser, drift_of_sample: MadePage, width: int
) -> None:
    with opened(browser, drift_of_sample.file, width=width) as shown:
        assert max(shown.page.locator("td[data-label=since]").evaluate_all(LINES)) <= 2
        spills = "all => all.some(one => one.scrollWidth > one.clientWidth)"
        assert not shown.page.locator("td.hash").evaluate_all(spills)


def test_findings_are_filtered_and_grouped_by_file(browser: Browser, validation_of_mesh: MadePage) -> None:
    found = validation_of_mesh.document["findings"]
    with opened(browser, validation_of_mesh.file) as shown:
        page = shown.page
        headings = page.locator("[data-findings] h2")
        counts = validation_of_mesh.document["counts"]
        assert [heading.inner_text().split()[0] for heading in headings.all()] == [
            str(count) for count in counts.values() if count
        ]
        rule, number = Counter(item["rule"] for item in found).most_common(1)[0]
        page.locator("select").select_option(rule)
        assert page.locator(".found").inner_text() == f"{number} of {len(found)} findings"
        page.get_by_label("by file").check()
        assert {heading.inner_text() for heading in headings.filter(visible=True).all()} == {
            item["file"] for item in found if item["rule"] == rule
        }
        assert page.locator(".finding").filter(visible=True).count() == number
        address = page.evaluate("location.href")
        page.goto(address)
        page.reload()
        assert page.locator(".finding").filter(visible=True).count() == number
        page.locator("select").select_option("")
        page.get_by_label("note").uncheck()
        assert page.locator(".finding").filter(visible=True).count() == len(found) - counts["note"]
        assert not shown.errors


def test_findings_that_say_the_same_are_folded_and_lead_to_their_rule(
    browser: Browser, validation_of_mesh: MadePage
) -> None:
    found = validation_of_mesh.document["findings"]
    alike = Counter((item["rule"], item["message"]) for item in found)
    with opened(browser, validation_of_mesh.file) as shown:
        folds = shown.page.locator(".alike > details > summary b")
        assert sorted(folds.all_inner_texts()) == sorted(f"{n} places" for n in alike.values() if n > 1)
        link = shown.page.locator(".finding .message a").filter(visible=True).first
        rule = link.inner_text()
        link.click()
        text = shown.page.locator(f"#rule-{rule}")
        assert text.get_attribute("open") is not None
        assert "To fix it" in text.inner_text()
        assert not shown.errors


def test_a_plan_names_every_set_and_marks_the_partition(browser: Browser, tmp_path: Path) -> None:
    sample = SAMPLES / "rollouts" / "partition-50"
    old, new = ((sample / name).read_text() for name in ("old.yaml", "sidecarset.yaml"))
    (tmp_path / "old.yaml").write_text(old + renamed(old))
    (tmp_path / "new.yaml").write_text(new + renamed(old))
    words = (tmp_path / "new.yaml", sample / "workloads.yaml", "--from", tmp_path / "old.yaml")
    made = MadePage.of(tmp_path, "plan", *words, "--partition", "20%")
    sets = {item["name"]: item for item in made.document["sidecarSets"]}
    with opened(browser, made.file, width=360) as shown:
        rows = shown.page.locator("table.overview tbody tr").all()
        assert sorted(row.locator("th").inner_text() for row in rows) == sorted(sets)
        for row in rows:
            item = sets[row.locator("th").inner_text()]
            assert row.locator(".badge").inner_text() == item["ending"]
            assert int(row.locator("td.n").nth(1).inner_text()) == item["counts"]["after"]["matchedPods"]
        assert shown.page.evaluate("document.documentElement.scrollWidth") == 360
        held = len(sets["sidecarset"]["heldBack"]["partition"])
        assert f"dashed: partition holds back {held}" in shown.page.locator(".key").first.inner_text()
        assert shown.page.locator(".plot .held").count() == 1
        assert shown.errors == []


def test_a_plan_draws_the_share_of_the_canary(tmp_path: Path) -> None:
    sample = SAMPLES / "rollouts" / "canary"
    words = (sample / "sidecarset.yaml", sample / "workloads.yaml", "--from", sample / "old.yaml")
    made = MadePage.of(tmp_path, "plan", *words)
    [item] = made.document["sidecarSets"]
    matched, left = item["counts"]["after"]["matchedPods"], len(item["heldBack"]["selector"])
    assert f"dotted: the canary that the selector chooses: {matched - left} pods of {matched}" in made.source
    assert re.search(rf'class="held canary"[^>]* d="M0 {left / matched * 100:.2f}H1000"', made.source)
