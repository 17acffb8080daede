"""`diff --before` of files that kustomize and Helm build manifests from, without --render."""

from pathlib import Path

import pytest

from tests.cli.manifests import DEPLOYMENT, SET
from tests.cli.running import Ended, run
from tests.engine.inputs.repositories import CHART, TEMPLATE, git

COMPARED = "kustomize and Helm sources are compared with --render"
PATCH = DEPLOYMENT.partition("spec:")[0] + 'spec: {template: {metadata: {labels: {mesh: "true"}}}}\n'
FILES = {
    "sets/logs.yaml": SET,
    "teams/shop/base/deployment.yaml": DEPLOYMENT,
    "teams/shop/base/kustomization.yaml": "resources: [deployment.yaml]\n",
    "teams/shop/overlays/prod/kustomization.yaml": "resources: [../../base]\npatches: [{path: patch.yaml}]\n",
    "teams/shop/overlays/prod/patch.yaml": PATCH,
    "plain/kustomization.yaml": "namespace: shop\nresources: [api.yaml]\n",
    "plain/api.yaml": DEPLOYMENT.replace("name: web", "name: api"),
    "charts/web/Chart.yaml": CHART,
    "charts/web/values.yaml": "replicas: 2\n",
    "charts/web/templates/web.yaml": TEMPLATE,
    "charts/web/templates/_helpers.tpl": '{{ define "labels" }}app: web{{ end }}\n',
}


@pytest.fixture(autouse=True)
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        write(name, text)
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "all"]):
        git(tmp_path, *words)
    return tmp_path


def write(name: str, text: str) -> None:
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    Path(name).write_text(text)


def diff(*options: str) -> Ended:
    return run("diff", "--before", "git:HEAD", *options)


def told(ended: Ended) -> list[str]:
    return [line for line in ended.stderr.splitlines() if COMPARED in line]


def test_without_a_change_there_is_no_warning() -> None:
    ended = diff("--strict")
    assert ended.code == 0
    assert "render" not in ended.stderr
    assert "Helm" not in ended.stderr


@pytest.mark.parametrize(
    "name",
    [
        "teams/shop/overlays/prod/patch.yaml",
        "teams/shop/overlays/prod/kustomization.yaml",
        "teams/shop/base/kustomization.yaml",
        "charts/web/values.yaml",
        "charts/web/templates/web.yaml",
        "charts/web/templates/_helpers.tpl",
    ],
)
def test_a_changed_source_is_a_warning_and_an_error_if_strict(name: str) -> None:
    write(name, f"{FILES[name]}# more\n")
    ended = diff()
    assert (ended.code, told(ended)) == (
        0,
        [f"warning: {name} changed and was not compared: {COMPARED} [NotRendered]"],
    )
    assert diff("--strict").code == 1


def test_the_resource_of_an_overlay_is_compared_as_written() -> None:
    write("teams/shop/base/deployment.yaml", DEPLOYMENT.replace("web:1", "web:2") + "# more\n")
    [line] = told(diff())
    assert "deployment.yaml changed and was compared as written, not as teams/shop/overlays/prod builds it: " in line


def test_a_kustomization_that_changes_nothing_deploys_its_files_as_they_are() -> None:
    write("plain/api.yaml", f"{FILES['plain/api.yaml']}# more\n")
    assert told(diff("--strict")) == []


def test_added_and_removed_sources() -> None:
    write("charts/web/templates/more.yaml", TEMPLATE)
    Path("teams/shop/overlays/prod/patch.yaml").unlink()
    assert [line.partition(" and ")[0] for line in told(diff())] == [
        "warning: charts/web/templates/more.yaml was added",
        "warning: git:HEAD:teams/shop/overlays/prod/patch.yaml was removed",
    ]


def test_two_folders_are_paired_by_the_paths_in_them() -> None:
    for folder in ("old", "new"):
        for name, text in FILES.items():
            write(f"{folder}/{name}", text)
    write("new/charts/web/values.yaml", "replicas: 3\n")
    [line] = told(run("diff", "--before", "old", "--after", "new"))
    assert "new/charts/web/values.yaml changed and was not compared" in line


def test_what_is_excluded_is_not_named() -> None:
    write("charts/web/values.yaml", "replicas: 3\n")
    assert told(diff("--exclude", "charts")) == []
