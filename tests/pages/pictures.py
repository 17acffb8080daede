"""Makes the pictures of the README, in the light and in the dark: `make pictures`."""

from contextlib import chdir
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

from tests.cli.running import run
from tests.pages.browsing import a_browser, opened
from tests.pages.mesh import write_mesh

FOLDER = Path(__file__).parents[2] / "docs" / "pictures"
_SETS = "after/sidecarsets.yaml"
_PICTURES = {
    "plan": (["plan", "after", "--from", "before/sidecarsets.yaml", "--only=mesh-proxy"], ".axes"),
    "status": (["status", _SETS, "pods.json", "--only=mesh-proxy"], "details"),
    "validate": (["validate", "broken.yaml"], "[aria-labelledby=warnings]"),
}
"""The command of each picture, over the cluster of `mesh`, and what the picture ends with."""
_BROKEN = {
    "cpu: 100m": "cpu: 100 m",
    "mesh-proxy:2.9.0": "mesh-proxy:latest",
    "maxUnavailable: 4": "maxUnavailable: 0",
}
_WIDTH = 960
_SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")


def make_pictures() -> None:
    """Write all pictures."""
    FOLDER.mkdir(exist_ok=True)
    with TemporaryDirectory() as folder, chdir(folder), a_browser() as browser:
        write_mesh(Path())
        text = Path(_SETS).read_text()
        for was, now in _BROKEN.items():
            text = text.replace(was, now, 1)
        Path("broken.yaml").write_text(text)
        for name, (words, last) in _PICTURES.items():
            run(*words, "--pod-update-duration=45s" if name == "plan" else "-q", "-o", "html=page.html")
            for scheme in _SCHEMES:
                with opened(browser, Path("page.html").absolute(), width=_WIDTH, scheme=scheme) as shown:
                    box = shown.page.locator(last).first.bounding_box() or {"y": 0, "height": 0}
                    clip = {"x": 0, "y": 0, "width": _WIDTH, "height": box["y"] + box["height"] + 12}
                    path = FOLDER / f"{name}{'' if scheme == 'light' else '-dark'}.png"
                    shown.page.screenshot(path=path, clip=clip, full_page=True)  # type: ignore[arg-type] # a dict of its kind


if __name__ == "__main__":
    make_pictures()
