"""`-o html=DIR/`: a page for each part of a run, and an index."""

import json
import re
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser

from tests.cli.running import run
from tests.pages.browsing import opened


def names_in(folder: Path) -> list[str]:
    return sorted(file.name for file in folder.iterdir())


def test_a_plan_has_a_page_for_each_set_and_an_index(mesh: Path, tmp_path: Path) -> None:
    words = (mesh / "after", "--from", mesh / "before" / "sidecarsets.yaml")
    ended = run("plan", *words, "-o", f"html={tmp_path}/new/pages/", "-o", f"json={tmp_path}/plan.json", "-q")
    assert ended.code == 1
    folder = tmp_path / "new" / "pages"
    assert names_in(folder) == ["1-SidecarSet-log-shipper.html", "2-SidecarSet-mesh-proxy.html", "index.html"]
    index = (folder / "index.html").read_text()
    assert re.findall(r'<a href="(\d[^"]*)">([^<]*)</a>', index) == [
        ("1-SidecarSet-log-shipper.html", "SidecarSet log-shipper"),
        ("2-SidecarSet-mesh-proxy.html", "SidecarSet mesh-proxy"),
    ]
    assert '<a href="../../plan.json">' in index
    for item in json.loads((tmp_path / "plan.json").read_text())["sidecarSets"]:
        assert re.search(rf'SidecarSet {item["name"]}.*<span class="badge \w+">{item["ending"]}</span>', index)
    page = (folder / "2-SidecarSet-mesh-proxy.html").read_text()
    assert "<h1>Rollout of SidecarSet mesh-proxy</h1>" in page
    assert "SidecarSet log-shipper" not in page


def test_the_pages_of_a_folder_lead_to_each_other_and_work(browser: Browser, mesh: Path, tmp_path: Path) -> None:
    run("status", mesh / "after" / "sidecarsets.yaml", mesh / "pods.json", "-o", f"html={tmp_path}/")
    with opened(browser, tmp_path / "index.html", width=360) as shown:
        assert shown.page.evaluate("document.documentElement.scrollWidth") == 360
        assert Axe().run(shown.page).response["violations"] == []
        shown.page.get_by_role("link", name="SidecarSet mesh-proxy").click()
        shown.page.locator("input[type=search]").fill("ledger")
        assert shown.page.locator(".found").inner_text() == "24 of 300 pods"
        shown.page.get_by_role("link", name="All pages of this run").click()
        assert shown.page.url.endswith("/index.html")
        assert not shown.errors


def test_one_page_is_its_own_index(mesh: Path, tmp_path: Path) -> None:
    run("validate", mesh / "after", "-o", f"html={tmp_path}")
    assert names_in(tmp_path) == ["index.html"]


def test_a_folder_is_only_for_pages(mesh: Path, tmp_path: Path) -> None:
    ended = run("validate", mesh / "after", "-o", f"json={tmp_path}/")
    assert ended.code == 2
    assert "json is one file (only html makes a folder of pages)" in ended.stderr


@pytest.mark.parametrize("name", ["../../x", "a/b", "...", "<b>", "index"])
def test_no_name_leads_elsewhere(tmp_path: Path, name: str) -> None:
    sets = [
        {
            "apiVersion": "apps.kruise.io/v1beta1",
            "kind": "SidecarSet",
            "metadata": {"name": each},
            "spec": {"selector": {"matchLabels": {"app": "a"}}, "containers": [{"name": "a", "image": "a:1"}]},
        }
        for each in (name, "other")
    ]
    (tmp_path / "sets.json").write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": sets}))
    run("status", tmp_path / "sets.json", "-o", f"html={tmp_path}/pages/")
    assert names_in(tmp_path) == ["pages", "sets.json"]
    assert len(names_in(tmp_path / "pages")) in (0, 3)
