"""The answer for a cluster equals that of a run over it alone, and the answer for all equals that of `merge`."""

import json
import re
import shutil
from pathlib import Path
from tempfile import mkdtemp

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sidecarctl.cli.clusters.matrix import fleet_document, fleet_of
from sidecarctl.cli.clusters.rows import row_of
from sidecarctl.engine.facts.values import Object
from tests.cli.manifests import SET
from tests.cli.running import run
from tests.effort import sampled, share
from tests.features.merge.clusters import RECORDED, write_clusters
from tests.schemas import assert_valid

COMMANDS = [
    "status",
    "validate",
    "plan",
    "diff old.yaml new.yaml",
    "drift",
    "images",
    "cost",
    "diff --kruise-from 1.6 --kruise-to 1.9",
]


@st.composite
def fleets(draw: st.DrawFn) -> tuple[list[int], list[str], int]:
    """Recorded cases as clusters, their releases of Kruise, and a number of worker processes."""
    cases = draw(st.lists(st.integers(0, len(RECORDED) - 1), min_size=1, max_size=3))
    releases = draw(st.lists(st.sampled_from(["1.5", "1.8", "1.9"]), min_size=len(cases), max_size=len(cases)))
    return cases, releases, draw(st.sampled_from([1, 1, 1, 2]))


@pytest.mark.parametrize("command", sampled(COMMANDS, 3))
@share(30)
@given(fleet=fleets())
@example(fleet=([258], ["1.5"], 1))  # sidecars that belong to no SidecarSet
def test_one_run_is_the_runs_over_each_cluster_merged(command: str, fleet: tuple[list[int], list[str], int]) -> None:
    cases, releases, jobs = fleet
    folder = Path(mkdtemp())
    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(folder)
            write_clusters(folder, [RECORDED[case] for case in cases])
            Path("old.yaml").write_text(SET)
            Path("new.yaml").write_text(SET.replace("2.4.1", "2.5.0").replace("app: web", "app: x"))
            documents = [f"c{number}.json" for number, _ in enumerate(cases, 1)]
            codes = []
            for document, release in zip(documents, releases, strict=True):
                of = [] if "--kruise-from" in command else ["--kruise", release]
                codes.append(run(*command.split(), document[:2], *of, "-o", f"json={document}", "-q").code)
            own = [{"name": f"c{number}", "kruise": release} for number, release in enumerate(releases, 1)]
            Path(".sidecarctl.yaml").write_text(json.dumps({"clusters": ["c[0-9]", *own]}))
            together = run(*command.split(), "--cluster", "*", "-j", str(jobs), "-q", "-o", "json=fleet.out")
            assert together.code == max(codes), together.stderr
            read: Object = json.loads(Path("fleet.out").read_text())
            assert_valid(read, "fleet-report.json")
            rows = [row_of(document[:2], json.loads(Path(document).read_text())) for document in documents]
            assert read == fleet_document(fleet_of(rows))
            assert run("merge", *reversed(documents), "-o", "json=merged.out", "-q").code == 0
            assert Path("merged.out").read_bytes() == Path("fleet.out").read_bytes()
    finally:
        shutil.rmtree(folder)


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("form", ["text", "json", "markdown", "html"])
def test_only_cluster_gives_what_a_run_over_its_paths_gives(command: str, form: str, tmp_path: Path) -> None:
    clusters = write_clusters(tmp_path, RECORDED[:3])
    if "old.yaml" in command:
        old, new = (tmp_path / name for name in ("old.yaml", "new.yaml"))
        old.write_text(SET)
        new.write_text(SET.replace("2.4.1", "2.5.0"))
        command = f"diff {old} {new}"
    alone = run(*command.split(), tmp_path / "c2", "-o", form)
    chosen = run(*command.split(), *clusters, "--only-cluster", "c2", "-o", form)
    assert _without_the_command_line(chosen.stdout) == _without_the_command_line(alone.stdout)
    assert (chosen.code, chosen.stderr) == (alone.code, alone.stderr)


def _without_the_command_line(text: str) -> list[str]:
    return [line for line in text.splitlines() if not line.startswith('<p class="made">')]


@pytest.mark.parametrize("command", [command for command in COMMANDS if ".yaml" not in command])
def test_every_format_shows_every_cluster(command: str, tmp_path: Path) -> None:
    clusters = write_clusters(tmp_path, RECORDED[:2])
    for form in ("text", "markdown", "yaml", "html"):
        ended = run(*command.split(), *clusters, "-j", "1", "-o", form, "-q")
        assert {"c1", "c2"} <= set(re.findall(r"\bc[12]\b", ended.stdout)), ended.stderr
