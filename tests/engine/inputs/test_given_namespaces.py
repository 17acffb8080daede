"""The namespaces that kustomizations, Argo CD, Flux and the settings give to plain manifests."""

import json
from pathlib import Path

import pytest

from tests.cli.manifests import DEPLOYMENT, SET
from tests.cli.running import run
from tests.engine.inputs.repositories import git

BARE = DEPLOYMENT.replace("  namespace: shop\n", "")
OTHER = DEPLOYMENT.replace("  namespace: shop\n", "  namespace: other\n")
APPLICATION = """\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: pay, namespace: argocd}
spec:
  source: {repoURL: https://git.example.com/acme/pay.git, path: apps/pay}
  destination: {namespace: pay}
"""
FLUX = """\
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: pay, namespace: flux-system}
spec: {path: ./apps/pay, targetNamespace: pay}
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write("sets/logs.yaml", SET)
    write("platform/nothing.yaml", "kind: ConfigMap\napiVersion: v1\nmetadata: {name: a}\n")
    return tmp_path


def write(name: str, text: str) -> None:
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    Path(name).write_text(text)


def namespaces() -> list[str]:
    """The namespaces of the workloads; two commands agree on them."""
    found = json.loads(run("diff", "--before", "sets", "--after", ".", "-o", "json").stdout)["workloads"]
    names = [item["namespace"] or "default" for item in found]
    injected = run("inject", "-s", "sets", ".").stderr
    assert all(f"Deployment {name}/" in injected for name in names if name != "default")
    return names


def notes() -> str:
    return "".join(line for line in run("validate", ".").stdout.splitlines() if "namespaces of what deploys" in line)


def test_a_kustomization_replaces_the_namespace() -> None:
    write("apps/web.yaml", OTHER)
    write("apps/kustomization.yaml", "namespace: shop\nresources: [web.yaml]\n")
    assert namespaces() == ["shop"]
    assert "shop from the kustomization apps" in notes()


def test_the_outermost_kustomization_decides() -> None:
    write("apps/base/web.yaml", BARE)
    write("apps/base/kustomization.yaml", "namespace: base\nresources: [web.yaml]\n")
    write("apps/prod/kustomization.yaml", "namespace: prod\nresources: [../base]\n")
    assert namespaces() == ["prod"]


def test_a_base_of_several_namespaces_has_none_of_them() -> None:
    write("apps/base/web.yaml", BARE)
    write("apps/base/kustomization.yaml", "resources: [web.yaml]\n")
    for name in ("prod", "test"):
        write(f"apps/{name}/kustomization.yaml", f"namespace: {name}\nresources: [../base]\n")
    assert namespaces() == ["default"]
    assert notes() == ""


def test_argo_cd_fills_a_missing_namespace_alone() -> None:
    write("apps/pay/web.yaml", BARE)
    write("apps/pay/api.yaml", OTHER.replace("name: web\n", "name: api\n", 1))
    write("platform/pay.yaml", APPLICATION)
    assert sorted(namespaces()) == ["other", "pay"]
    assert "pay from Application pay (platform/pay.yaml)" in notes()


def test_an_application_of_another_repository_says_nothing(folder: Path) -> None:
    write("apps/pay/web.yaml", BARE)
    write("platform/pay.yaml", APPLICATION)
    git(folder, "init", "-q")
    git(folder, "remote", "add", "origin", "git@git.example.com:acme/shop.git")
    assert namespaces() == ["default"]
    git(folder, "remote", "set-url", "origin", "git@git.example.com:acme/pay.git")
    assert namespaces() == ["pay"]


def test_flux_replaces_the_namespace_of_kustomizations_too() -> None:
    write("apps/pay/web.yaml", OTHER)
    write("apps/pay/kustomization.yaml", "namespace: shop\nresources: [web.yaml]\n")
    write("platform/pay.yaml", FLUX)
    assert namespaces() == ["pay"]


def test_the_settings_map_paths_and_the_last_pattern_counts() -> None:
    write("apps/pay/web.yaml", BARE)
    write("apps/shop/web.yaml", BARE)
    write(".sidecarctl.yaml", "namespaces:\n  apps/*: every\n  apps/pay: pay\n")
    assert namespaces() == ["pay", "every"]
    assert "pay from namespaces of .sidecarctl.yaml, every from" in notes()


def test_the_settings_refuse_what_is_no_namespace() -> None:
    write(".sidecarctl.yaml", "namespaces:\n  apps: Not A Name\n")
    ended = run("validate", ".")
    assert ended.code == 2
    assert ".sidecarctl.yaml:2" in ended.stderr


def test_files_stay_as_they_are_written() -> None:
    write("apps/web.yaml", OTHER)
    write("apps/kustomization.yaml", "namespace: shop\nresources: [web.yaml]\n")
    written = run("inject", "-s", "sets", ".").stdout
    assert "namespace: other" in written
    assert "namespace: shop\nresources" in written
