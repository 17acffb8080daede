"""The function under the real kpt."""

import shutil
from pathlib import Path

import pytest
import yaml

from tests.cli.manifests import REJECTED, SET
from tests.tools.running import SHOP, run, texts_below

WEB = """\
# the front of the shop
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web # its name
  namespace: shop
spec:
  replicas: 2 # by hand
  template:
    metadata:
      labels: {app: web}
    spec:
      # before the list
      containers:
      - image: "registry.example.com/web:1.0" # pinned
        name: web
        env:
        # what
        - name: A
          value: 'yes'
      # the end of the list
      serviceAccountName: web
---
# the settings
apiVersion: v1
kind: ConfigMap
metadata: {name: c} # in flow
data:
  x: |
    # no comment
"""
AFTER = SET.replace("  - name: log-agent\n", "  - name: log-agent\n    podInjectPolicy: AfterAppContainer\n")


@pytest.fixture
def package(tmp_path: Path) -> Path:
    folder = tmp_path / "package"
    folder.mkdir()
    (folder / "web.yaml").write_text(WEB)
    (folder / "set.yaml").write_text(AFTER)
    return folder


def injected_by_the_command(package: Path) -> str:
    return run("sidecarctl", "inject", "-s", package / "set.yaml", package / "web.yaml").stdout


def test_eval_gives_the_same_text_as_inject(package: Path) -> None:
    expected = injected_by_the_command(package)
    done = run("kpt", "fn", "eval", package, "--exec", "sidecarctl-fn")
    assert done.code == 0
    assert "[info] apps/v1/Deployment/shop/web: injected: logs (log-agent)" in done.stderr
    assert (package / "web.yaml").read_text() == expected
    assert (package / "set.yaml").read_text() == AFTER


def test_source_and_sink_give_the_same_text(package: Path, tmp_path: Path) -> None:
    sent = run("kpt", "fn", "source", package).stdout
    answer = run("sidecarctl-fn", stdin=sent)
    assert (answer.code, answer.stderr) == (0, "")
    run("kpt", "fn", "sink", tmp_path / "out", stdin=answer.stdout)
    assert (tmp_path / "out" / "web.yaml").read_text() == injected_by_the_command(package)
    assert (tmp_path / "out" / "set.yaml").read_text() == AFTER


def test_uninject_restores_the_package(package: Path) -> None:
    run("kpt", "fn", "eval", package, "--exec", "sidecarctl-fn")
    done = run("kpt", "fn", "eval", package, "--exec", "sidecarctl-fn", "--", "mode=uninject")
    assert done.code == 0
    assert (package / "web.yaml").read_text() == WEB


def test_a_second_time_changes_nothing(package: Path) -> None:
    run("kpt", "fn", "eval", package, "--exec", "sidecarctl-fn")
    once = (package / "web.yaml").read_text()
    run("kpt", "fn", "eval", package, "--exec", "sidecarctl-fn")
    assert (package / "web.yaml").read_text() == once


@pytest.mark.parametrize("mode", ["check", "validate"])
def test_a_validator_never_empties_the_package(package: Path, mode: str) -> None:
    run("kpt", "fn", "eval", package, "--exec", "sidecarctl-fn")
    before = dict(texts_below(package))
    done = run("kpt", "fn", "eval", package, "--exec", "sidecarctl-fn", "--", f"mode={mode}")
    assert done.code == 0
    assert dict(texts_below(package)) == before


def test_a_failure_leaves_the_files_and_shows_the_results(package: Path, tmp_path: Path) -> None:
    (package / "odd.yaml").write_text(REJECTED)
    before = dict(texts_below(package))
    done = run("kpt", "fn", "eval", package, "--exec", "sidecarctl-fn", "--results-dir", tmp_path / "results")
    assert done.code == 1
    assert "[error] apps/v1/Deployment/shop/web spec.template.metadata.annotations[kruise.io/side" in done.stderr
    assert "1 error, nothing was changed; see the results" in done.stderr
    assert dict(texts_below(package)) == before
    [called] = yaml.safe_load((tmp_path / "results" / "results.yaml").read_text())["items"]
    [result, _] = called["results"]
    assert called["exitCode"] == 3
    assert result["file"] == {"path": "odd.yaml"}
    assert result["tags"] == {"reason": "UnreadableHashes"}
    assert result["field"]["currentValue"] == "not json"


def test_the_sample_package_is_rendered(tmp_path: Path) -> None:
    shutil.copytree(SHOP / "kpt", tmp_path / "shop")
    done = run("kpt", "fn", "render", "shop", "--allow-exec", cwd=tmp_path)
    assert done.code == 0
    assert done.stderr.count("[PASS]") == 2
    for name in ("storefront", "orders", "payments"):
        told = run("sidecarctl", "inject", "-s", SHOP / "kpt" / "sidecarsets", SHOP / "kpt" / "apps" / f"{name}.yaml")
        after = list(yaml.safe_load_all((tmp_path / "shop" / "apps" / f"{name}.yaml").read_text()))
        assert after == told.objects
    untouched = dict(texts_below(SHOP / "kpt" / "sidecarsets"))
    assert dict(texts_below(tmp_path / "shop" / "sidecarsets")) == untouched


def test_a_config_file_in_the_package_finds_sets_beside_it(tmp_path: Path) -> None:
    shutil.copytree(SHOP / "kpt", tmp_path / "shop")
    shutil.move(tmp_path / "shop" / "sidecarsets", tmp_path / "shop" / "sets.d")
    for path in (tmp_path / "shop" / "sets.d").iterdir():  # kpt does not take them for items
        path.rename(path.with_suffix(".yaml.set"))
    pipeline = (tmp_path / "shop" / "Kptfile").read_text().partition("  validators")[0]
    (tmp_path / "shop" / "Kptfile").write_text(pipeline)
    config = (tmp_path / "shop" / "inject.yaml").read_text()
    names = sorted(path.name for path in (tmp_path / "shop" / "sets.d").iterdir())
    (tmp_path / "shop" / "inject.yaml").write_text(
        config + f"  paths: [{', '.join(f'sets.d/{name}' for name in names)}]\n"
    )
    done = run("kpt", "fn", "render", "shop", "--allow-exec", cwd=tmp_path)
    assert (done.code, done.stderr.count("[PASS]")) == (0, 1)
    assert "IS_INJECTED" in (tmp_path / "shop" / "apps" / "orders.yaml").read_text()
