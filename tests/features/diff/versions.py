"""Two versions of a SidecarSet, compared in the current folder."""

import json
from pathlib import Path

from sidecarctl.engine.facts.values import Object
from tests.cli.manifests import SET
from tests.cli.running import Ended, run
from tests.schemas import assert_valid

LATEST = SET.replace("log-agent:2.4.1", "log-agent:latest")
NEWER = SET.replace("log-agent:2.4.1", "log-agent:2.5.0")
RENAMED = SET.replace("name: log-agent", "name: shipper")
MESH = SET.replace("name: logs", "name: mesh").replace("log-agent", "proxy")
HOT = "    upgradeStrategy: {upgradeType: HotUpgrade, hotUpgradeEmptyImage: empty:1}\n"


def diff(old: str, new: str, *more: str, **files: str) -> Ended:
    for name, text in {"old.yaml": old, "new.yaml": new, **files}.items():
        Path(name).write_text(text)
    return run("diff", "old.yaml", "new.yaml", *more)


def document(old: str, new: str, *more: str, **files: str) -> Object:
    written: Object = json.loads(diff(old, new, "-o", "json", *more, **files).stdout)
    assert_valid(written, "sidecarset-diff.json")
    return written
