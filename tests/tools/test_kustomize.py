"""The function under the real kustomize."""

import shutil
from pathlib import Path

import pytest
import yaml

from tests.cli.manifests import DEPLOYMENT, REJECTED, SET
from tests.tools.running import SHOP, build, by_name, kustomization, run

FUNCTION = """\
  annotations:
    config.kubernetes.io/function: |
      exec: {path: sidecarctl-fn}
"""


def config(mode: str, name: str = "inject") -> str:
    head = f"apiVersion: sidecarctl.dev/v1alpha1\nkind: SidecarInjection\nmetadata:\n  name: {name}\n{FUNCTION}"
    return f"{head}spec:\n  mode: {mode}\n  paths: [set.yaml]\n"


@pytest.mark.parametrize("overlay", ["staging", "production"])
def test_the_sample_gets_what_inject_gives(tmp_path: Path, overlay: str) -> None:
    shutil.copytree(SHOP, tmp_path / "shop")
    folder = tmp_path / "shop" / "kustomize" / "overlays" / overlay
    built = build(folder)
    assert (built.code, built.stderr.count("error")) == (0, 0)
    plain = folder / "kustomization.yaml"
    plain.write_text(plain.read_text().partition("transformers:")[0].partition("# Transformers")[0])
    only = ["--only", "log-agent", "--only", "mesh-proxy"] if overlay == "staging" else []
    sets = SHOP / "plain" / "sidecarsets"
    injected = run("sidecarctl", "inject", "-s", sets, "-", *only, stdin=run("kustomize", "build", folder).stdout)
    assert injected.code == 0
    assert by_name(built.objects) == by_name(injected.objects)
    assert "IS_INJECTED" in built.stdout


def test_names_that_kustomize_changes_stay_known_to_it() -> None:
    built = build(SHOP / "kustomize" / "overlays" / "production")
    [settings] = [item for item in built.objects if item["kind"] == "ConfigMap"]
    web = by_name(built.objects)["Deployment", "storefront"]["spec"]["template"]["spec"]["containers"]
    [app] = [item for item in web if item["name"] == "web"]
    assert settings["metadata"]["name"] == "storefront-settings-t7gmm8cdg4"
    assert app["envFrom"] == [{"configMapRef": {"name": "storefront-settings-t7gmm8cdg4"}}]
    assert app["image"].endswith(":7.2.1")
    assert "config.kubernetes.io" not in built.stdout


def test_the_copies_of_the_plain_sample_are_copies() -> None:
    for path in (SHOP / "plain" / "apps").glob("*.yaml"):
        assert (SHOP / "kustomize" / "base" / path.name).read_text() == path.read_text()
        assert (SHOP / "kpt" / "apps" / path.name).read_text() == path.read_text()
    for path in (SHOP / "plain" / "sidecarsets").glob("*.yaml"):
        assert (SHOP / "kpt" / "sidecarsets" / path.name).read_text() == path.read_text()


def test_strings_that_look_like_something_else_stay_strings(tmp_path: Path) -> None:
    odd = """\
        env:
        - {name: A, value: y}
        - {name: B, value: "0777"}
        - {name: C, value: "1e3"}
        - {name: D, value: 'off'}
        - {name: E, value: "a\\tb\\u2028\\U0001F600"}
        - {name: F, value: "2001-01-01"}
        - {name: G, value: "# no comment\\n\\n  text\\n"}
"""
    folder = kustomization(
        tmp_path / "with",
        "resources: [web.yaml]\ntransformers: [inject.yaml]\n",
        web_yaml=DEPLOYMENT + odd,
        set_yaml=SET,
        inject_yaml=config("inject"),
    )
    plain = kustomization(tmp_path / "without", "resources: [web.yaml]\n", web_yaml=DEPLOYMENT + odd)
    [before], [after] = run("kustomize", "build", plain).objects, build(folder).objects
    own = before["spec"]["template"]["spec"]["containers"][0]
    assert after["spec"]["template"]["spec"]["containers"][1] == own
    assert [item["value"] for item in own["env"][:4]] == ["y", "0777", "1e3", "off"]


def test_a_failure_fails_the_build_and_says_why(tmp_path: Path) -> None:
    folder = kustomization(
        tmp_path,
        "resources: [web.yaml]\ntransformers: [inject.yaml]\n",
        web_yaml=REJECTED,
        set_yaml=SET,
        inject_yaml=config("inject"),
    )
    built = build(folder)
    assert (built.code, built.stdout) == (1, "")
    assert "error: Deployment shop/web: spec.template.metadata.annotations[kruise.io/sidecarset-hash]" in built.stderr


@pytest.mark.parametrize("mode", ["validate", "check"])
def test_a_validator_passes_and_keeps_everything(tmp_path: Path, mode: str) -> None:
    text = "resources: [web.yaml]\ntransformers: [inject.yaml]\nvalidators: [check.yaml]\n"
    files = {"web_yaml": DEPLOYMENT, "set_yaml": SET, "inject_yaml": config("inject")}
    built = build(kustomization(tmp_path, text, **files, check_yaml=config(mode, "check")))
    assert built.code == 0
    [web] = built.objects
    assert [container["name"] for container in web["spec"]["template"]["spec"]["containers"]] == ["log-agent", "web"]


def test_a_validator_fails_the_build(tmp_path: Path) -> None:
    files = {"web_yaml": DEPLOYMENT, "set_yaml": SET, "check_yaml": config("check")}
    built = build(kustomization(tmp_path, "resources: [web.yaml]\nvalidators: [check.yaml]\n", **files))
    assert (built.code, built.stdout) == (1, "")
    assert "[InjectionDiffers]" in built.stderr


def test_a_validator_among_transformers_does_not_delete_everything(tmp_path: Path) -> None:
    files = {"web_yaml": DEPLOYMENT, "set_yaml": SET, "check_yaml": config("validate")}
    built = build(kustomization(tmp_path, "resources: [web.yaml]\ntransformers: [check.yaml]\n", **files))
    assert (built.code, built.stdout) == (1, "")
    assert "list the functionConfig under validators" in built.stderr


def test_a_set_itself_is_a_function_config(tmp_path: Path) -> None:
    own = SET.replace("  name: logs\n", f"  name: logs\n{FUNCTION}")
    files = {"web_yaml": DEPLOYMENT, "own_yaml": own}
    built = build(kustomization(tmp_path, "resources: [web.yaml]\ntransformers: [own.yaml]\n", **files))
    assert [item["kind"] for item in built.objects] == ["Deployment"]
    assert "name: log-agent" in built.stdout


def test_it_is_safe_as_a_generator(tmp_path: Path) -> None:
    files = {"web_yaml": DEPLOYMENT, "set_yaml": SET, "inject_yaml": config("inject")}
    built = build(kustomization(tmp_path, "resources: [web.yaml]\ngenerators: [inject.yaml]\n", **files))
    assert (built.code, built.objects) == (0, [yaml.safe_load(DEPLOYMENT)])


def test_sets_among_the_resources_stay(tmp_path: Path) -> None:
    files = {
        "web_yaml": DEPLOYMENT,
        "set_yaml": SET,
        "inject_yaml": config("inject").replace("  paths: [set.yaml]\n", ""),
    }
    built = build(kustomization(tmp_path, "resources: [web.yaml, set.yaml]\ntransformers: [inject.yaml]\n", **files))
    assert sorted(item["kind"] for item in built.objects) == ["Deployment", "SidecarSet"]
    assert "IS_INJECTED" in built.stdout


OVERLAYS = {
    "base/kustomization.yaml": "resources: [web.yaml]\n"
    "configMapGenerator:\n- {name: settings, envs: [app.env], files: [page=static/page.html]}\n",
    "base/web.yaml": DEPLOYMENT,
    "base/app.env": "A=b\n",
    "base/static/page.html": "<p>\n",
    "components/debug/kustomization.yaml": "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\n"
    "patches:\n- target: {kind: Deployment}\n  path: debug.json\n",
    "components/debug/debug.json": '[{"op": "add", "path": "/metadata/annotations", "value": {"debug": "on"}}]\n',
    "overlays/prod/kustomization.yaml": "resources: [../../base]\ncomponents: [../../components/debug]\n"
    "namePrefix: prod-\npatches:\n- path: patches/replicas.yaml\n"
    "replacements:\n- path: replacements.yaml\n",
    "overlays/prod/patches/replicas.yaml": "apiVersion: apps/v1\nkind: Deployment\n"
    "metadata: {name: web, namespace: shop}\n"
    "spec: {replicas: 3}\n",
    "overlays/prod/replacements.yaml": "- source: {kind: ConfigMap, fieldPath: metadata.name}\n"
    "  targets:\n  - select: {kind: Deployment}\n    fieldPaths: [metadata.annotations.settings]\n"
    "    options: {create: true}\n",
}


def test_a_folder_that_inject_wrote_can_be_built(tmp_path: Path) -> None:
    for name, text in OVERLAYS.items():
        (tmp_path / "kp" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "kp" / name).write_text(text)
    (tmp_path / "set.yaml").write_text(SET)
    wrote = run("sidecarctl", "inject", "-s", "set.yaml", "kp", "-d", "out", cwd=tmp_path)
    assert wrote.code == 0, wrote.stderr
    [before], [after] = ([run("kustomize", "build", tmp_path / top / "overlays/prod")] for top in ("kp", "out"))
    assert (before.code, after.code) == (0, 0), after.stderr
    settings, web = before.objects
    built_settings, built = after.objects
    assert built_settings == settings
    assert (web["spec"]["replicas"], web["metadata"]["annotations"]["debug"]) == (3, "on")
    injected = run("sidecarctl", "inject", "-s", tmp_path / "set.yaml", "-", stdin=before.stdout)
    assert built["spec"]["template"] == injected.objects[1]["spec"]["template"] != web["spec"]["template"]
    assert built["metadata"]["annotations"].items() >= web["metadata"]["annotations"].items()
