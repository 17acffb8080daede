"""docs/push.md: every command in it is run, in order, and prints what is shown; `REWRITE=1` records the output."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.cluster.shop import Shop
from tests.cluster.test_live import kruise
from tests.engine.rollout.manifests import pod, sidecarset

PAGE = Path(__file__).parents[2] / "docs" / "push.md"
_CONSOLE = re.compile(r"```console\n(.*?)```", re.DOTALL)
_ALIKE = (
    (re.compile(r"\bshop-\d+\b"), "shop"),
    (re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}\b"), "4d6f0e5c-..."),
    (re.compile(r"\b\d+\.\d s\b"), "1.2 s"),
    (re.compile(r"(?<=resourceVersion )\d+\b"), "1042"),
)

__all__ = ["kruise"]


@pytest.mark.usefixtures("kruise")
def test_every_command_gives_what_is_shown(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    paused = {"maxUnavailable": 1, "paused": True}
    run_pods_of_one_second(shop, [f"web-{index}" for index in range(3)])
    manifest = sidecarset("2", updateStrategy=paused).manifest
    (shop.folder / "sidecarset.yaml").write_text(yaml.safe_dump(manifest))
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    page = PAGE.read_text()
    now = _CONSOLE.sub(lambda block: f"```console\n{shown(block[1], shop.folder)}```", page)
    if os.environ.get("REWRITE"):
        PAGE.write_text(now)
    assert now == page


def run_pods_of_one_second(shop: Shop, names: list[str]) -> None:
    """Pods that are as old, and as long ready, as each other: so that their order is always the same."""
    while True:
        shop.run_pods([pod(name) for name in names])
        pods = [shop.pod(name) for name in names]
        ready = [item for found in pods for item in found["status"]["conditions"] if item["type"] == "Ready"]
        times = (
            {item["lastTransitionTime"] for item in ready},
            {item["metadata"]["creationTimestamp"] for item in pods},
        )
        if all(len(found) == 1 for found in times):
            return
        for name in names:
            shop.api.delete(shop.path(name))


def shown(block: str, folder: Path) -> str:
    """The commands of a block, each with its output, stderr included."""
    commands = [line for line in block.splitlines() if line.startswith("$ ")]
    return "".join(f"{line}\n{output(line.removeprefix('$ '), folder)}" for line in commands)


def output(command: str, folder: Path) -> str:
    """What a command says, with times and names that vary made alike."""
    ended = subprocess.run(
        ["bash", "-c", command], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    text = ended.stdout
    for pattern, same in _ALIKE:
        text = pattern.sub(same, text)
    return text
