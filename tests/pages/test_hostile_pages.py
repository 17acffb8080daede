"""Any content of manifests stays text in a page."""

import json
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from sidecarctl.engine.facts.values import Object
from tests.cli.running import run
from tests.pages.browsing import opened
from tests.pages.clusters import dump

_RUN = "document.title='run'"
HOSTILE = f'</script><script>{_RUN}</script><img src=x onerror="{_RUN}">{{{{ 7*7 }}}}\u202e\x1b[31m'


def hostile_dump() -> Object:
    made = dump(40)
    for number, item in enumerate(made["items"][1:]):
        item["metadata"]["name"] = f"{HOSTILE}-{number}"
        item["metadata"]["labels"]["zone"] = f"{HOSTILE}{number % 3}"
        item["metadata"]["namespace"] = HOSTILE
    made["items"][0]["spec"]["containers"][0]["image"] = f"agent:{HOSTILE}"
    made["items"][0]["spec"]["updateStrategy"]["scatterStrategy"] = [{"key": HOSTILE, "value": HOSTILE}]
    return made


@pytest.mark.parametrize("command", [("plan", "--by", "zone", "--assume-ready"), ("status",)])
def test_hostile_names_stay_text(browser: Browser, tmp_path: Path, command: tuple[str, ...]) -> None:
    (tmp_path / "dump.json").write_text(json.dumps(hostile_dump()))
    ended = run(*command, tmp_path / "dump.json", "-o", f"html={tmp_path}/page.html")
    assert ended.code in (0, 1), ended.stderr
    with opened(browser, tmp_path / "page.html") as shown:
        if command[0] == "status":
            shown.page.locator("input[type=search]").fill("onerror")
            assert shown.page.locator(".scroll.pods tbody tr").count() == 40
        assert shown.page.title() != "run"
        assert shown.page.locator("img, main script").count() == 0
        assert shown.errors == []
        text = shown.page.locator("body").text_content() or ""
        assert "<img src=x onerror=" in text
        assert "{{ 7*7 }}" in text
        assert "\u202e" not in text
        assert "\x1b" not in text


def test_hostile_lines_stay_text(browser: Browser, tmp_path: Path) -> None:
    manifest = f"""apiVersion: apps.kruise.io/v1beta1
kind: SidecarSet
metadata:
  name: logs # {HOSTILE[:-5]}
spec:
  selector:
    matchLabels: {{app: {json.dumps(HOSTILE)}}}
  containers:
  - name: {json.dumps(HOSTILE)}
    image: x
"""
    (tmp_path / "set.yaml").write_text(manifest)
    ended = run("validate", tmp_path / "set.yaml", "-o", f"html={tmp_path}/page.html")
    assert ended.code == 1, ended.stderr
    with opened(browser, tmp_path / "page.html") as shown:
        assert shown.page.title() == "Validation of SidecarSets"
        assert shown.page.locator("img, main script").count() == 0
        assert shown.errors == []
        assert "<img src=x onerror=" in (shown.page.locator("mark").first.text_content() or "")
