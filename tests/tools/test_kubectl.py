"""kubectl: what its own kustomize can do, and kubectl plugins."""

import json
import shutil
from pathlib import Path

import pytest

from tests.tools.running import PATH, SHOP, build, by_name, run

SETS = SHOP / "plain" / "sidecarsets"


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """The sample, its functionConfigs without the annotation that makes KRM functions of them."""
    shutil.copytree(SHOP, tmp_path / "shop")
    for name in ("inject", "check"):
        path = tmp_path / "shop" / "kustomize" / "overlays" / "production" / f"{name}.yaml"
        head, _, rest = path.read_text().partition("  annotations:")
        path.write_text(head + rest[rest.index("spec:") :])
    return tmp_path / "shop" / "kustomize" / "overlays" / "production"


def test_the_legacy_plugin_gives_what_the_function_gives(shop: Path, tmp_path: Path) -> None:
    installed = run("sidecarctl", "plugin", "install", "--legacy", "--folder", tmp_path / "plugins")
    assert installed.code == 0
    home = str(tmp_path / "plugins")
    done = run("kubectl", "kustomize", "--enable-alpha-plugins", shop, KUSTOMIZE_PLUGIN_HOME=home)
    assert done.code == 0
    assert by_name(done.objects) == by_name(build(SHOP / "kustomize" / "overlays" / "production").objects)


def test_a_failing_legacy_plugin_says_why(shop: Path, tmp_path: Path) -> None:
    run("sidecarctl", "plugin", "install", "--legacy", "--folder", tmp_path / "plugins")
    (shop / "inject.yaml").write_text((shop / "inject.yaml").read_text().replace("mode: inject", "mode: uninject"))
    done = run(
        "kubectl", "kustomize", "--enable-alpha-plugins", shop, KUSTOMIZE_PLUGIN_HOME=str(tmp_path / "plugins")
    )
    assert (done.code, done.stdout) == (1, "")
    assert "[InjectionDiffers]" in done.stderr


def test_kubectl_kustomize_skips_the_function_in_silence() -> None:
    done = run("kubectl", "kustomize", "--enable-alpha-plugins", SHOP / "kustomize" / "overlays" / "staging")
    assert (done.code, done.stderr) == (0, "")
    assert "IS_INJECTED" not in done.stdout


def test_a_pipe_does_instead() -> None:
    plain = run("kubectl", "kustomize", SHOP / "kustomize" / "base")
    done = run("sidecarctl", "inject", "-s", SETS, "-", stdin=plain.stdout)
    assert done.code == 0
    assert "IS_INJECTED" in done.stdout


def test_a_plugin_of_kubectl(tmp_path: Path) -> None:
    run("sidecarctl", "plugin", "install", "--folder", tmp_path)
    done = run(
        "kubectl", "sidecarctl", "inject", "-s", SETS, SHOP / "plain" / "apps", "--check", PATH=f"{tmp_path}:{PATH}"
    )
    assert done.code == 1


def completed(tmp_path: Path, *words: str) -> list[str]:
    """What kubectl's own completion answers about the words of the plugin, the last of which is not finished."""
    run("sidecarctl", "plugin", "install", "--folder", tmp_path / "plugins")
    done = run(
        "kubectl", "__complete", "sidecarctl", *words, cwd=tmp_path, stdin="", PATH=f"{tmp_path / 'plugins'}:{PATH}"
    )
    return [line.partition("\t")[0] for line in done.stdout.splitlines()]


def test_kubectl_completes_the_words_of_the_plugin(tmp_path: Path) -> None:
    assert completed(tmp_path, "pl") == ["plan", "plugin", ":4"]
    assert "--max-unavailable" in completed(tmp_path, "plan", "--max-")
    assert completed(tmp_path, "validate", "-o", "mark") == ["markdown", ":4"]
    (tmp_path / "sets").mkdir()
    assert completed(tmp_path, "inject", "-s", "se") == ["sets/", ":6"]


@pytest.mark.parametrize("empty", ["", "{}", "null"], ids=["missing", "empty", "null"])
def test_kubectl_takes_patches_into_parents_that_the_api_server_does_not_store(empty: str, tmp_path: Path) -> None:
    """An empty list or map of the file is not in the stored object, so a patch must not step into it."""
    lists = empty.replace("{}", "[]")
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web", "labels": {"app": "web"}}}
    container = "  containers:\n  - {name: web, image: 'web:1'}\n"
    text = "apiVersion: v1\nkind: Pod\nmetadata:\n  name: web\n  labels: {app: web}\n"
    text += f"  annotations: {empty}\n" if empty else ""
    text += "spec:\n" + container
    text += f"  volumes: {lists}\n  initContainers: {lists}\n" if empty else ""
    (tmp_path / "pod.yaml").write_text(text)
    stored = pod | {"spec": {"containers": [{"name": "web", "image": "web:1"}]}}
    (tmp_path / "stored.json").write_text(json.dumps(stored))
    (tmp_path / "set.yaml").write_text(
        "apiVersion: apps.kruise.io/v1beta1\nkind: SidecarSet\nmetadata: {name: logs}\n"
        "spec:\n  selector: {matchLabels: {app: web}}\n  volumes: [{name: buf, emptyDir: {}}]\n"
        "  initContainers: [{name: prepare, image: 'p:1'}]\n  containers:\n"
        "  - {name: agent, image: 'a:1', volumeMounts: [{name: buf, mountPath: /buf}]}\n"
    )
    patch = run("sidecarctl", "inject", "-s", tmp_path / "set.yaml", tmp_path / "pod.yaml", "-o", "jsonpatch")
    assert patch.code == 0, patch.stderr
    words = ("patch", "--local", "-f", tmp_path / "stored.json", "--type", "json", "-p", patch.stdout)
    patched = run("kubectl", *words, "-o", "json")
    assert patched.code == 0, patched.stderr
    wanted = run("sidecarctl", "inject", "-s", tmp_path / "set.yaml", tmp_path / "pod.yaml", "-o", "json")
    assert json.loads(patched.stdout) == json.loads(wanted.stdout)
