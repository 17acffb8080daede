"""What is said where nothing was found: where it was looked for, and where it may be."""

from pathlib import Path

import pytest

from tests.cli.manifests import DEPLOYMENT, SET
from tests.cli.running import run


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "set.yaml").write_text(SET)
    (tmp_path / "web.yaml").write_text(DEPLOYMENT)
    (tmp_path / "empty").mkdir()
    for parent, text in (("apps", DEPLOYMENT), ("sets", SET)):
        (tmp_path / parent / "below").mkdir(parents=True)
        (tmp_path / parent / "below" / "one.yaml").write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


NO_SET = "error: no SidecarSet found in the inputs"
DEEPER = "use -R: {} has manifests only in subfolders"
CASES = {
    "inject -s set.yaml empty": "error: no manifest found in empty (--allow-empty accepts this) [NoManifest]",
    "inject -s set.yaml -": "error: no manifest found in standard input (--allow-empty accepts this) ",
    "inject -s set.yaml apps": f"error: no manifest found in apps ({DEEPER.format('apps')}) [NoManifest]",
    "inject -s set.yaml empty empty empty empty": "error: no manifest found in empty, empty, empty and 1 more (",
    "inject web.yaml": f"{NO_SET} (add SidecarSets with -s, or use --allow-empty) [NoSidecarSet]",
    "inject -s empty web.yaml": "error: no SidecarSet found in empty (--allow-empty accepts this) [NoSidecarSet]",
    "inject -s sets web.yaml": f"error: no SidecarSet found in sets ({DEEPER.format('sets')}) [NoSidecarSet]",
    "inject -R -s empty web.yaml": "error: no SidecarSet found in empty (--allow-empty accepts this) [NoSidecarSet]",
    "status sets": f"{NO_SET} ({DEEPER.format('sets')}) [NoSidecarSet]",
    "plan web.yaml -s empty": "error: no SidecarSet found in empty (--allow-empty accepts this) [NoSidecarSet]",
    "hash web.yaml": f"{NO_SET} (add SidecarSets with -s, or use --allow-empty) [NoSidecarSet]",
    "hash sets": f"{NO_SET} ({DEEPER.format('sets')}) [NoSidecarSet]",
}


@pytest.mark.parametrize(("call", "told"), CASES.items(), ids=CASES)
def test_emptiness_is_told_with_its_place(call: str, told: str) -> None:
    ended = run(*call.split())
    assert (ended.code, ended.stdout) == (2, "")
    assert ended.stderr.startswith(told)


def test_recursively_they_are_found() -> None:
    assert run("inject", "-R", "-s", "sets", "apps").code == 0


def test_documents_that_are_no_objects_pass_with_a_warning(folder: Path) -> None:
    table = "NAME   READY   STATUS\nweb-0  1/1     Running\n"
    (folder / "pods.txt").write_text(table)
    ended = run("inject", "-s", "set.yaml", "pods.txt")
    assert (ended.code, ended.stdout) == (0, table)
    assert ended.stderr == (
        "warning: no Kubernetes object found in pods.txt; nothing changes"
        " (a Kubernetes object has apiVersion and kind) [NoManifest]\n0 injected; 1 warning\n"
    )
    assert run("inject", "-s", "set.yaml", "pods.txt", "--strict", "-q").code == 1
    for harmless in (["--allow-empty"], ["web.yaml"]):
        assert "warning" not in run("inject", "-s", "set.yaml", "pods.txt", *harmless).stderr
