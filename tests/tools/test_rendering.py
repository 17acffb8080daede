"""`--render`: overlays and charts as the real kustomize and Helm render them."""

import os
import shutil
import stat
from collections import Counter
from pathlib import Path

import pytest

from tests.cli.manifests import DEPLOYMENT, SET
from tests.cli.running import Ended, run
from tests.engine.inputs.repositories import CHART, git
from tests.tools.running import PATH, need
from tests.tools.running import run as run_tool

pytestmark = pytest.mark.slow
BARE = DEPLOYMENT.replace("  namespace: shop\n", "")
PATCH = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec: {template: {metadata: {labels: {app: "off"}}}}
"""
TEMPLATE = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: {{ .Release.Name }}}
spec:
  selector: {matchLabels: {app: {{ .Values.app }}}}
  template:
    metadata: {labels: {app: {{ .Values.app }}}}
    spec: {containers: [{name: api, image: "{{ required "the image is missing" .Values.image }}"}]}
"""
SETTINGS = """\
sidecarsets: [sets]
render:
- kustomize: teams/*/overlays/*
- helm: charts/api
  namespace: pay
  values: [charts/api-prod.yaml]
"""
FILES = {
    ".sidecarctl.yaml": SETTINGS,
    "sets/logs.yaml": SET,
    "teams/shop/base/deployment.yaml": BARE,
    "teams/shop/base/kustomization.yaml": "resources: [deployment.yaml]\n",
    **{
        f"teams/shop/overlays/{name}/kustomization.yaml": f"resources: [../../base]\nnamespace: {name}\n"
        for name in ("eu", "us", "asia")
    },
    "charts/api/Chart.yaml": CHART,
    "charts/api/values.yaml": "app: web\n",
    "charts/api/templates/api.yaml": TEMPLATE,
    "charts/api-prod.yaml": "image: api:1\n",
}
OVERLAY = FILES["teams/shop/overlays/eu/kustomization.yaml"]
PATCHED = f"{FILES['teams/shop/overlays/eu/kustomization.yaml']}patches: [{{path: patch.yaml}}]\n"


@pytest.fixture(autouse=True)
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for tool in ("kustomize", "helm"):
        need(tool)
    monkeypatch.setenv("PATH", PATH)
    root = tmp_path / "repository"
    monkeypatch.chdir(make(root, FILES))
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "all"]):
        git(root, *words)
    return root


@pytest.fixture
def calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file with the calls of the renderers, and what they saw of the environment."""
    log = tmp_path / "calls"
    for tool in ("kustomize", "helm"):
        path = tmp_path / "bin" / tool
        path.parent.mkdir(exist_ok=True)
        real = shutil.which(tool, path=PATH)
        path.write_text(
            f'#!/bin/sh\necho "{tool} $* KUBECONFIG=$KUBECONFIG SECRET=$SECRET" >>{log}\nexec {real} "$@"\n'
        )
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{PATH}")
    return log


def make(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


def diff(*options: str) -> Ended:
    return run("diff", "--before", "git:HEAD", "--render", *options)


def built(log: Path) -> list[str]:
    return [
        line.split()[2] for line in log.read_text().splitlines() if line.startswith(("kustomize build", "helm temp"))
    ]


def test_everything_is_read_as_it_is_deployed() -> None:
    ended = run("inject", "--check", "--render")
    assert ended.stderr.count("to inject") == 5  # four workloads, and their number
    for name in ("eu", "us", "asia"):
        assert (
            f"teams/shop/overlays/{name} (from teams/shop/base/deployment.yaml) Deployment {name}/web" in ended.stderr
        )
    assert "charts/api (from charts/api/templates/api.yaml) Deployment pay/api" in ended.stderr
    assert "left out" not in ended.stderr


def test_a_patch_that_takes_a_sidecar_away_is_found() -> None:
    make(Path(), {"teams/shop/overlays/eu/kustomization.yaml": PATCHED, "teams/shop/overlays/eu/patch.yaml": PATCH})
    ended = diff()
    assert ended.code == 1
    assert "SidecarLost: 2 pods of 1 workload (Deployment eu/web) no longer get its sidecars" in ended.stdout
    assert "teams/shop/overlays/eu (from teams/shop/base/deployment.yaml)" in ended.stdout
    assert ended.stdout.endswith("4 workloads: 1 changed, 3 unchanged\n")
    assert "NotRendered" not in ended.stderr


def test_values_that_take_a_sidecar_away_are_found() -> None:
    make(Path(), {"charts/api-prod.yaml": "image: api:1\napp: api\n"})
    ended = diff()
    assert (ended.code, "(Deployment pay/api)" in ended.stdout) == (1, True)


def test_equal_files_are_rendered_once_and_without_the_environment(
    calls: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KUBECONFIG", "/home/me/.kube/config")
    monkeypatch.setenv("SECRET", "hidden")
    make(Path(), {"teams/shop/overlays/eu/kustomization.yaml": PATCHED, "teams/shop/overlays/eu/patch.yaml": PATCH})
    assert diff().code == 1
    folders = ["asia", "eu", "eu", "us"]
    assert sorted(built(calls)) == ["api", *(f"teams/shop/overlays/{name}" for name in folders)]
    assert "hidden" not in calls.read_text()
    assert "/home/me" not in calls.read_text()


def test_nothing_runs_without_the_option(calls: Path) -> None:
    run("diff", "--before", "git:HEAD")
    run("validate", "--render", "--list")
    assert not calls.exists()


def test_the_list_says_what_would_be_rendered() -> None:
    assert run("validate", "--render", "--list").stdout.splitlines() == [
        *(f"kustomize teams/shop/overlays/{name}" for name in ("asia", "eu", "us")),
        "helm charts/api, release api, namespace pay, values charts/api-prod.yaml",
    ]


def test_the_environment_asks_for_it_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIDECARCTL_RENDER", "1")
    assert run("inject", "--check").stderr.count("to inject") == 5


REFUSED = {
    "resources: [https://example.com/base]\n": "https://example.com/base is remote, and nothing is fetched",
    "resources: ['github.com/acme/base?ref=v1']\n": "github.com/acme/base?ref=v1 is remote",
    "resources: [../../base]\npatches: [{path: 'https://example.com/patch.yaml'}]\n": "is remote",
    "resources: [../../base]\nconfigMapGenerator: [{name: a, files: ['a=https://example.com/a']}]\n": "is remote",
    "helmCharts: [{name: redis, repo: 'https://example.com'}]\n": "helmCharts: kustomize would run Helm",
    "resources: [../nothing]\n": "there is no file ../nothing, and no kustomization in a folder ../nothing",
    "resources: [../../base]\ntransformers: [plugin.yaml]\n": "kustomize build: ",
    "resources: [\n": "teams/shop/overlays/eu/kustomization.yaml: ",
}


@pytest.mark.parametrize("text", REFUSED)
def test_what_cannot_be_rendered_is_an_error_and_the_rest_goes_on(text: str) -> None:
    plugin = (
        "apiVersion: example.com/v1\nkind: Plugin\nmetadata: {name: a, annotations: {config.kubernetes.io/function: "
    )
    plugin += "'exec: {path: ./run}'}}\n"
    make(Path(), {"teams/shop/overlays/eu/kustomization.yaml": text, "teams/shop/overlays/eu/plugin.yaml": plugin})
    make(Path(), {"teams/shop/overlays/us/kustomization.yaml": PATCHED, "teams/shop/overlays/us/patch.yaml": PATCH})
    ended = diff()
    assert ended.code == 2
    [line] = [line for line in ended.stderr.splitlines() if line.startswith("error: teams/shop/overlays/eu: ")]
    assert REFUSED[text] in line
    assert "SidecarLost" in ended.stdout
    for words in (("inject", "--check"), ("validate",)):
        others = run(*words, "--render")
        assert (others.code, REFUSED[text] in others.stdout + others.stderr) == (2, True)


def test_literals_that_are_addresses_are_none_of_files() -> None:
    generators = "configMapGenerator: [{name: a, literals: ['url=https://example.com']}]\n"
    path = "teams/shop/overlays/eu/kustomization.yaml"
    make(Path(), {path: FILES[path] + generators})
    assert diff("--strict").code == 0


def test_a_chart_that_fails_says_so_in_its_own_words() -> None:
    make(Path(), {"charts/api-prod.yaml": "app: web\n"})
    ended = diff()
    assert (ended.code, "the image is missing" in ended.stderr) == (2, True)


def test_a_chart_that_lacks_its_dependency_says_so_and_one_in_charts_is_rendered() -> None:
    make(Path(), {"charts/api/Chart.yaml": f"{CHART}dependencies: [{{name: db, version: 1.0.0}}]\n"})
    ended = diff()
    assert (ended.code, "missing in charts/ directory: db" in ended.stderr) == (2, True)
    own = CHART.replace("name: web", "name: db")
    make(Path(), {"charts/api/charts/db/Chart.yaml": own, "charts/api/charts/db/templates/db.yaml": BARE})
    assert "charts/api (from charts/api/charts/db/templates/db.yaml)" in run("inject", "--check", "--render").stderr


def test_links_do_not_lead_out(tmp_path: Path) -> None:
    (tmp_path / "secret.yaml").write_text(BARE)
    Path("teams/shop/overlays/eu/patch.yaml").symlink_to(tmp_path / "secret.yaml")
    make(Path(), {"teams/shop/overlays/eu/kustomization.yaml": PATCHED})
    ended = diff()
    assert (ended.code, "is a symbolic link out of the repository" in ended.stderr) == (2, True)


def test_a_link_in_the_tree_is_followed_on_both_sides(repository: Path) -> None:
    Path("teams/shop/overlays/fr").symlink_to("eu")
    git(repository, "add", "-A")
    git(repository, "commit", "-qm", "link")
    assert diff("--strict").code == 0


def test_an_entry_without_anything_is_an_error() -> None:
    make(Path(), {".sidecarctl.yaml": SETTINGS.replace("teams/*", "clusters/*")})
    ended = run("validate", "--render")
    assert (ended.code, "render[0] names no folder: there is no clusters/*/overlays/*" in ended.stderr) == (2, True)


def test_an_overlay_that_is_new_is_added() -> None:
    make(Path(), {"teams/shop/overlays/fr/kustomization.yaml": "resources: [../../base]\nnamespace: fr\n"})
    assert diff().stdout.endswith("5 workloads: 4 unchanged, 1 added\n")


def test_a_missing_program_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = tmp_path / "few"
    found.mkdir()
    (found / "git").symlink_to(str(shutil.which("git")))
    monkeypatch.setenv("PATH", str(found))
    ended = run("validate", "--render")
    assert ended.code == 2
    assert "kustomize is not on PATH (nor is kubectl, which includes kustomize" in ended.stderr
    assert "helm is not on PATH (install it: https://helm.sh" in ended.stderr


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("echo v3.2.1", "is v3.2, and 4.5 is the oldest that can be used"),
        ("case $1 in version) echo v5.8.1;; *) sleep 30;; esac", "kustomize build did not finish within 1 s"),
        (
            "case $1 in version) echo v5.8.1;; *) printf 'a: [\\n';; esac",
            "kustomize printed something that is not YAML: ",
        ),
    ],
)
def test_programs_that_are_old_or_slow_or_print_no_yaml(
    script: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = tmp_path / "own"
    own.mkdir()
    (own / "kustomize").write_text(f"#!/bin/sh\n{script}\n")
    (own / "kustomize").chmod(0o755)
    monkeypatch.setenv("PATH", f"{own}{os.pathsep}{PATH}")
    make(Path(), {".sidecarctl.yaml": f"{SETTINGS}rendering: {{seconds: 1}}\n"})
    ended = run("validate", "--render")
    assert (ended.code, said in ended.stdout + ended.stderr) == (2, True), ended


def test_what_two_entries_deploy_counts_once() -> None:
    make(Path(), {".sidecarctl.yaml": f"{SETTINGS}- kustomize: teams/shop/overlays/eu\n"})
    ended = diff()
    assert (ended.code, "also at" in ended.stderr) == (0, False)
    assert ended.stdout.endswith("4 workloads: 4 unchanged\n")


def test_random_values_are_reported() -> None:
    template = "apiVersion: v1\nkind: Secret\nmetadata: {name: a}\ndata: {a: {{ randAlpha 5 }}}\n"
    make(Path(), {"charts/api/templates/secret.yaml": template})
    assert "renders different values on each run, as charts/api/templates/secret.yaml asks" in diff().stderr


def test_paths_choose_what_is_rendered() -> None:
    ended = run("inject", "--check", "--render", "teams/shop/overlays/eu")
    assert [line.partition("Deployment ")[2] for line in ended.stderr.splitlines() if "Deployment" in line] == [
        "eu/web  logs (log-agent)"
    ]


def test_without_entries_the_option_is_refused() -> None:
    make(Path(), {".sidecarctl.yaml": "sidecarsets: [sets]\n"})
    ended = run("validate", "--render")
    assert (ended.code, "--render needs the setting render" in ended.stderr) == (2, True)


def test_a_named_folder_of_a_revision_is_rendered_from_the_revision() -> None:
    make(Path(), {"teams/shop/overlays/eu/kustomization.yaml": PATCHED, "teams/shop/overlays/eu/patch.yaml": PATCH})
    folder = "teams/shop/overlays/eu"
    ended = run("diff", "--render", "-s", "sets", "--before", f"git:HEAD:{folder}", "--after", folder)
    assert (ended.code, "(Deployment eu/web) no longer get its sidecars" in ended.stdout) == (1, True)


def test_files_are_not_edited_by_what_is_rendered_from_them() -> None:
    ended = run("inject", "-i", "--render", "-s", "sets", "teams/shop/overlays/eu")
    assert ended.code == 2
    assert "error: " in ended.stderr
    assert Path("teams/shop/base/deployment.yaml").read_text() == BARE


@pytest.mark.parametrize("call", ["images", "cost", "plan --from git:HEAD", "explain", "validate"])
def test_every_command_reads_what_is_deployed(call: str) -> None:
    make(Path(), {"teams/shop/overlays/eu/kustomization.yaml": "resources: [../nothing]\n"})
    ended = run(*call.split(), "--render")
    assert "there is no file ../nothing" in ended.stdout + ended.stderr
    assert ended.code == 2


def test_the_recipe_by_hand(repository: Path) -> None:
    """docs/how-to/overlays.md, "By hand"."""
    overlay = "teams/shop/overlays/eu"
    git(repository, "worktree", "add", "../before", "HEAD")
    make(Path(), {f"{overlay}/kustomization.yaml": PATCHED, f"{overlay}/patch.yaml": PATCH})
    for name, folder in (("old", f"../before/{overlay}"), ("new", overlay)):
        make(Path(), {f"{name}/eu.yaml": run_tool("kustomize", "build", folder).stdout})
    ended = run("diff", "-s", "sets", "--before", "old", "--after", "new")
    assert (ended.code, "(Deployment eu/web) no longer get its sidecars" in ended.stdout) == (1, True)


def test_one_of_many_overlays_is_rendered_twice(calls: Path) -> None:
    make(Path(), {f"teams/shop/overlays/r{number}/kustomization.yaml": OVERLAY for number in range(60)})
    git(Path(), "add", "-A")
    git(Path(), "commit", "-qm", "more")
    make(Path(), {"teams/shop/overlays/r7/kustomization.yaml": f"{OVERLAY}namePrefix: a-\n"})
    diff()
    assert Counter(built(calls))["teams/shop/overlays/r7"] == 2
    assert sorted(Counter(built(calls)).values()) == [1] * 63 + [2]


def test_expectations_are_about_what_is_deployed() -> None:
    make(Path(), {"teams/shop/overlays/eu/kustomization.yaml": PATCHED, "teams/shop/overlays/eu/patch.yaml": PATCH})
    expected = (
        "apiVersion: sidecarctl.dev/v1alpha1\nkind: SidecarTest\ninputs: {sidecarsets: [sets], manifests: [teams]}\n"
    )
    expected += "cases: [{name: eu, select: {kind: Deployment, namespace: eu}, expect: {injected: [logs]}}]\n"
    make(Path(), {"eu.sidecartest.yaml": expected})
    ended = run("test", "--render")
    assert (ended.code, "teams/shop/overlays/eu (from teams/shop/base/deployment.yaml)" in ended.stdout) == (1, True)


def test_annotations_and_links_lead_to_the_file_that_an_object_is_from() -> None:
    make(Path(), {"teams/shop/overlays/eu/kustomization.yaml": PATCHED, "teams/shop/overlays/eu/patch.yaml": PATCH})
    link = "https://code.example.com/acme/shop/blob/main"
    ended = run(
        *("diff", "--before", "git:HEAD", "--render", "--report", "github", "-o", "markdown", "--link-base", link)
    )
    assert "::error file=teams/shop/base/deployment.yaml,title=SidecarLost::" in ended.stdout + ended.stderr
    assert f'<a href="{link}/teams/shop/base/deployment.yaml"><code>teams/shop/overlays/eu (from' in ended.stdout
