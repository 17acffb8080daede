"""SidecarSets with one thing broken: nothing breaks in the program, and the place is reported."""

from random import Random

import pytest

from sidecarctl.engine.facts.findings import Finding
from sidecarctl.engine.facts.values import Object, Path, path_text
from sidecarctl.engine.sidecarset.world import World
from sidecarctl.engine.validation.checking import check
from sidecarctl.engine.validation.practice.fields import admitted
from tests.conformance.cases import FOLDER, cases_in
from tests.engine.inputs.worlds import located
from tests.engine.validation.mutations import mutated


def sound_sets() -> list[Object]:
    """Recorded SidecarSets that Kruise takes, and which roll out: else their strategies are not looked at."""
    return [
        manifest
        for case in cases_in(FOLDER / "admit")
        if "sets" in case.expect and "old" not in case.params
        for manifest, recorded in zip(
            [item for item in case.objects if item["kind"] == "SidecarSet"], case.expect["sets"], strict=True
        )
        if not recorded.get("errors") and not recorded.get("schemaErrors")
        if (recorded["defaulted"]["spec"].get("updateStrategy") or {}).get("type") == "RollingUpdate"
    ]


def findings_of(manifest: Object) -> list[Finding]:
    found = admitted(manifest)
    if isinstance(found, list):
        return found
    [checked] = check(World([found], sources={found.name: located(manifest)}))
    return list(checked.findings)


def related(path: Path, other: Path) -> bool:
    shorter = min(len(path), len(other))
    return path[:shorter] == other[:shorter]


@pytest.mark.parametrize("many", [400, pytest.param(2000, marks=pytest.mark.slow)])
def test_what_is_broken_is_among_the_findings(many: int) -> None:
    random, sets = Random(16), sound_sets()  # noqa: S311 - the same mutations in every run, no secrets
    silent = []
    for _ in range(many):
        mutation = mutated(random.choice(sets), random)
        found = [item for item in findings_of(mutation.manifest) if len(item.path) > 1]
        if not any(related(item.path, mutation.path) for item in found):
            silent.append(f"{path_text(mutation.path)}: {mutation.what}, told: {list(map(str, found))}")
    assert silent == []
