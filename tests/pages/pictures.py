"""Makes the pictures of the README from samples: `make pictures`."""

from pathlib import Path
from tempfile import TemporaryDirectory

from tests.cli.running import run
from tests.pages.browsing import a_browser, opened

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "docs" / "pictures"
_ROLLOUT = Path("samples/rollouts/partition-50")
_PICTURES = {
    "plan": (
        (
            "plan",
            _ROLLOUT / "sidecarset.yaml",
            _ROLLOUT / "workloads.yaml",
            "--from",
            _ROLLOUT / "old.yaml",
            "--partition=20",
            "--max-unavailable=8",
            "--pod-update-duration=45s",
        ),
        848,
    ),
    "validate": (("validate", "samples/explain"), 640),
}
"""The command of each, and the height that is shown."""
_WIDTH = 960


def make_pictures() -> None:
    """Write all pictures."""
    FOLDER.mkdir(exist_ok=True)
    with TemporaryDirectory() as folder, a_browser() as browser:
        for name, (command, height) in _PICTURES.items():
            file = Path(folder, f"{name}.html")
            run(*command, "-o", f"html={file}", "-q")
            with opened(browser, file, width=_WIDTH) as page:
                clip = {"x": 0, "y": 0, "width": _WIDTH, "height": height}
                page.page.screenshot(path=FOLDER / f"{name}.png", clip=clip, full_page=True)  # type: ignore[arg-type] # a dict of its kind


if __name__ == "__main__":
    make_pictures()
