"""`-d OUT` makes a folder that can be built, names what an earlier run left there, and removes it only if asked."""

from pathlib import Path

import pytest

from tests.cli.manifests import DEPLOYMENT, SET
from tests.cli.running import Ended, run

KUSTOMIZATION = """\
resources: [web.yaml, jobs]
patches:
- path: patches/replicas.yaml
configMapGenerator:
- {name: settings, envs: [app.env], files: [page=static/page.html, ../outside.txt]}
"""
PATCH = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {replicas: 3}\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write("set.yaml", SET)
    write("kp/kustomization.yaml", KUSTOMIZATION)
    write("kp/web.yaml", DEPLOYMENT)
    write("kp/patches/replicas.yaml", PATCH)
    write("kp/app.env", "A=b\n")
    write("kp/static/page.html", "<p>\n")
    write("kp/notes.txt", "nothing names it\n")
    write("kp/jobs/Kustomization", "resources: [job.yaml]\n")
    write("kp/jobs/job.yaml", DEPLOYMENT.replace("name: web", "name: job", 1))
    write("outside.txt", "not in the folder\n")


def write(name: str, text: str) -> None:
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    Path(name).write_text(text)


def inject(*words: str) -> Ended:
    ended = run("inject", "-s", "set.yaml", "kp", "-d", "out", *words)
    assert ended.code in (0, 2), ended.stderr
    return ended


def files() -> set[str]:
    return {str(path.relative_to("out")) for path in Path("out").rglob("*") if path.is_file()} - {
        ".sidecarctl-output"
    }


WHOLE = {
    "kustomization.yaml",
    "web.yaml",
    "patches/replicas.yaml",
    "app.env",
    "static/page.html",
    "jobs/Kustomization",
    "jobs/job.yaml",
}


def test_what_the_kustomization_names_is_there() -> None:
    ended = inject()
    assert files() == WHOLE
    for name in WHOLE - {"web.yaml", "jobs/job.yaml"}:
        assert Path("out", name).read_bytes() == Path("kp", name).read_bytes()
    assert "note: copied as they are: kp/app.env, kp/jobs/Kustomization, kp/patches/replicas.yaml" in ended.stderr
    assert "log-agent" in Path("out/web.yaml").read_text()


def test_the_rest_of_a_chart_is_there() -> None:
    write("kp/chart/Chart.yaml", "apiVersion: v2\nname: chart\nversion: 0.1.0\n")
    write("kp/chart/templates/web.yaml", "kind: {{ .Values.kind }}\n")
    write("kp/chart/templates/_helpers.tpl", '{{ define "x" }}{{ end }}\n')
    inject()
    assert files() == WHOLE | {"chart/Chart.yaml", "chart/templates/web.yaml", "chart/templates/_helpers.tpl"}


def test_files_of_an_earlier_run_are_named_and_stay() -> None:
    inject()
    Path("kp/web.yaml").rename("kp/shop.yaml")
    for _ in range(2):
        ended = inject()
        assert "warning: out: still has 1 file (web.yaml) of an earlier run" in ended.stderr
        assert files() == WHOLE | {"shop.yaml"}
    assert "removed 1 file (web.yaml)" in inject("--prune").stderr
    assert files() == WHOLE - {"web.yaml"} | {"shop.yaml"}
    assert "EarlierOutput" not in inject().stderr


def test_only_what_a_run_recorded_is_removed() -> None:
    inject()
    write("out/mine.yaml", PATCH)
    write("out/jobs/mine.yaml", PATCH)
    for name in ("web.yaml", "jobs/job.yaml", "app.env"):
        Path("kp", name).unlink()
    Path("out/web.yaml").write_text("changed by hand\n")
    write("kp/other.yaml", PATCH)
    ended = inject("--prune")
    assert "still has 1 file (web.yaml)" in ended.stderr
    assert files() == WHOLE - {"jobs/job.yaml", "jobs/Kustomization", "app.env"} | {
        "other.yaml",
        "mine.yaml",
        "jobs/mine.yaml",
    }


def test_symbolic_links_are_not_followed() -> None:
    inject()
    text = Path("out/jobs/job.yaml").read_text()
    write("elsewhere/job.yaml", text)
    write("elsewhere/web.yaml", Path("out/web.yaml").read_text())
    Path("out/web.yaml").unlink()
    Path("out/web.yaml").symlink_to(Path("elsewhere/web.yaml").absolute())
    for path in sorted(Path("out/jobs").iterdir()):
        path.unlink()
    Path("out/jobs").rmdir()
    Path("out/jobs").symlink_to(Path("elsewhere").absolute())
    for name in ("web.yaml", "jobs/job.yaml", "jobs/Kustomization"):
        Path("kp", name).unlink()
    write("kp/other.yaml", PATCH)
    inject("--prune")
    assert sorted(path.name for path in Path("elsewhere").iterdir()) == ["job.yaml", "web.yaml"]
    assert Path("out/web.yaml").is_symlink()


@pytest.mark.parametrize("out", ["kp/out", "kp", ".", "kp/../kp/out"])
def test_a_folder_that_overlaps_an_input_is_not_pruned(out: str) -> None:
    ended = run("inject", "-s", "set.yaml", "kp", "-d", out, "--prune")
    assert (ended.code, "overlap" in ended.stderr) == (2, True)
    assert not Path(out, ".sidecarctl-output").exists()


def test_a_record_cannot_name_what_is_outside(tmp_path: Path) -> None:
    inject()
    record = Path("out/.sidecarctl-output")
    digest = record.read_text().split()[0]
    record.write_text(f"{digest}  ../set.yaml\n{digest}  {tmp_path}/set.yaml\nnonsense\n")
    inject("--prune")
    assert Path("set.yaml").exists()


def test_prune_needs_a_folder() -> None:
    ended = run("inject", "-s", "set.yaml", "kp", "--prune")
    assert (ended.code, ended.stdout) == (2, "")
    assert "--prune removes files from the folder of -d" in ended.stderr


def test_single_files_are_no_new_version_of_the_folder() -> None:
    write("b.yaml", PATCH)
    for name in ("kp/web.yaml", "b.yaml"):
        ended = run("inject", "-s", "set.yaml", name, "-d", "out")
        assert "EarlierOutput" not in ended.stderr
    assert files() == {"web.yaml", "b.yaml"}
