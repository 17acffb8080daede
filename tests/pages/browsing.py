"""Pages in a real browser: Debian's Chromium, without a head. In CI a missing one is a failure, elsewhere a skip."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal, NamedTuple

from playwright.sync_api import Browser, Page, sync_playwright

from tests.tools.running import PATH, need

CHROMIUM = "chromium"
_TELL_VIOLATIONS = "addEventListener('securitypolicyviolation', e => console.error(`CSP: ${e.violatedDirective}`))"


class Shown(NamedTuple):
    """An open page, and every error that the browser told about it."""

    page: Page
    errors: list[str]


@contextmanager
def a_browser() -> Iterator[Browser]:
    """The browser; a test that cannot have one is skipped, or fails in CI."""
    need(CHROMIUM)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which(CHROMIUM, path=PATH), args=["--no-sandbox"])
        yield browser
        browser.close()


@contextmanager
def opened(
    browser: Browser,
    file: Path,
    *,
    width: int = 1280,
    scheme: Literal["light", "dark"] = "light",
    scripts: bool = True,
) -> Iterator[Shown]:
    """A page as a window of this width shows it."""
    viewport = {"width": width, "height": 800}
    context = browser.new_context(viewport=viewport, color_scheme=scheme, java_script_enabled=scripts)  # type: ignore[arg-type] # a dict of its kind
    page = context.new_page()
    errors: list[str] = []
    page.on("console", lambda message: errors.append(message.text) if message.type in ("error", "warning") else None)
    page.on("pageerror", lambda fault: errors.append(str(fault)))
    page.add_init_script(_TELL_VIOLATIONS)
    page.goto(file.as_uri())
    yield Shown(page, errors)
    context.close()
