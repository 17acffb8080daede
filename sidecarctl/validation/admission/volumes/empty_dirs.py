"""The requirements of emptyDir, which most volumes of sidecars are.

Source: docs/behaviour/validation.md, "Volumes".
"""

from collections.abc import Iterator

from sidecarctl.api.quantities import parse_quantity
from sidecarctl.facts.findings import Finding
from sidecarctl.facts.paths import Path
from sidecarctl.facts.values import Object
from sidecarctl.validation.rules import kubernetes

EMPTY_DIR = kubernetes(
    "volume-size-limit",
    "The sizeLimit of an emptyDir is not negative.",
    why="Otherwise nothing could be written.",
    mend="write sizeLimit: 1Gi",
    within="volume",
    fails="{name: buffer, emptyDir: {sizeLimit: -1Gi}}",
    passes="{name: buffer, emptyDir: {sizeLimit: 1Gi}}",
)


def empty_dir_findings(source: Object, path: Path) -> Iterator[Finding]:
    """Errors in the source of an emptyDir."""
    if parse_quantity(source.get("sizeLimit", "0")).nanos < 0:
        yield EMPTY_DIR.at((*path, "sizeLimit"), f"{source['sizeLimit']} is negative")
