"""Clusters for tests: recorded worlds of SidecarSets and pods, each in a folder."""

import json
from collections.abc import Sequence
from pathlib import Path

from sidecarctl.engine.facts.values import Object
from tests.conformance.cases import FOLDER, Case, cases_in

RECORDED = [case for case in cases_in(FOLDER / "rollout") if "error" not in case.expect["rounds"][0]]


def write_cluster(folder: Path, objects: Sequence[Object], *, files: int = 1) -> Path:
    """The objects as files of a folder."""
    folder.mkdir(parents=True)
    for number in range(files):
        items = list(objects[number::files])
        (folder / f"{number}.json").write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": items}))
    return folder


def write_clusters(folder: Path, cases: Sequence[Case]) -> list[str]:
    """A cluster for each recorded case, `c1` and so on; the options that name them."""
    return [
        word
        for number, case in enumerate(cases, 1)
        for word in ("--cluster", f"c{number}={write_cluster(folder / f'c{number}', case.objects)}")
    ]
