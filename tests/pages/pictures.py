"""Makes the pictures of the README, in the light and in the dark: `make pictures`."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

from tests.cli.running import run
from tests.pages.browsing import a_browser, opened

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "docs" / "pictures"
_ROLLOUT = ROOT / "samples" / "rollouts" / "partition-50"
_NAMES = {
    "name: sidecarset": "name: mesh-proxy",
    "name: sidecar\n": "name: mesh-proxy\n",
    "platform/sidecar:1.0": "platform/mesh-proxy:2.8.1",
    "platform/sidecar:2.0": "platform/mesh-proxy:2.9.0",
}
"""The sample as a mesh proxy, which people know by such a name."""
_PICTURES = {"plan": ".axes", "validate": ".finding + .finding"}
"""Each picture, and what it ends with."""
_WIDTH, _MOST = 960, 900
_SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")


def make_pictures() -> None:
    """Write all pictures."""
    FOLDER.mkdir(exist_ok=True)
    with TemporaryDirectory() as folder, a_browser() as browser:
        for name in ("old.yaml", "sidecarset.yaml", "workloads.yaml"):
            text = (_ROLLOUT / name).read_text()
            for was, now in _NAMES.items():
                text = text.replace(was, now)
            Path(folder, name).write_text(text)
        plan = ["plan", "sidecarset.yaml", "workloads.yaml", "--from", "old.yaml", "--partition=20"]
        commands = {
            "plan": [*plan, "--max-unavailable=8", "--pod-update-duration=45s"],
            "validate": ["validate", "samples/explain"],
        }
        for name, last in _PICTURES.items():
            file = Path(folder, f"{name}.html")
            words = [str(Path(folder, word)) if word.endswith(".yaml") else word for word in commands[name]]
            run(*words, "-o", f"html={file}", "-q")
            for scheme in _SCHEMES:
                with opened(browser, file, width=_WIDTH, scheme=scheme) as shown:
                    box = shown.page.locator(last).first.bounding_box() or {"y": 0, "height": _MOST}
                    height = min(box["y"] + box["height"] + 8, _MOST)
                    clip = {"x": 0, "y": 0, "width": _WIDTH, "height": height}
                    path = FOLDER / f"{name}{'' if scheme == 'light' else '-dark'}.png"
                    shown.page.screenshot(path=path, clip=clip, full_page=True)  # type: ignore[arg-type] # a dict of its kind


if __name__ == "__main__":
    make_pictures()
