"""Messages if nothing was found: where it was looked for, and where it may be."""

import shlex
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
DEEPER = "omit --no-recursive: {} has manifests only in subfolders"
CASES = {
    "inject -s set.yaml empty": "error: no manifest found in empty (--allow-empty accepts this) [NoManifest]",
    "inject -s set.yaml -": "error: no manifest found in standard input (--allow-empty accepts this) ",
    "inject -s set.yaml apps --no-recursive": f"error: no manifest found in apps ({DEEPER.format('apps')}) ",
    "inject -s set.yaml empty empty empty empty": "error: no manifest found in empty, empty, empty and 1 more (",
    "inject web.yaml": f"{NO_SET} (add SidecarSets with -s, or use --allow-empty) [NoSidecarSet]",
    "inject -s empty web.yaml": "error: no SidecarSet found in empty (--allow-empty accepts this) [NoSidecarSet]",
    "inject -s sets web.yaml --no-recursive": f"error: no SidecarSet found in sets ({DEEPER.format('sets')}) ",
    "inject -R -s empty web.yaml": "error: no SidecarSet found in empty (--allow-empty accepts this) [NoSidecarSet]",
    "status sets --no-recursive": f"{NO_SET} ({DEEPER.format('sets')}) [NoSidecarSet]",
    "plan web.yaml -s empty": "error: no SidecarSet found in empty (--allow-empty accepts this) [NoSidecarSet]",
    "hash web.yaml": f"{NO_SET} (add SidecarSets with -s, or use --allow-empty) [NoSidecarSet]",
    "hash sets --no-recursive": f"{NO_SET} ({DEEPER.format('sets')}) [NoSidecarSet]",
}


@pytest.mark.parametrize(("call", "told"), CASES.items(), ids=CASES)
def test_emptiness_is_reported_with_its_place(call: str, told: str) -> None:
    ended = run(*call.split())
    assert (ended.code, ended.stdout) == (2, "")
    assert ended.stderr.startswith(told)


def test_with_subfolders_they_are_found() -> None:
    assert run("inject", "-s", "sets", "apps").code == 0


TABLE = "NAME   READY   STATUS\nweb-0  1/1     Running\n"
COMMANDS = {
    "inject": "inject -s set.yaml {} web.yaml",
    "inject -s": "inject -s set.yaml -s {} web.yaml",
    "uninject": "uninject {} web.yaml",
    "plan": "plan -s set.yaml {}",
    "plan -s": "plan -s {} set.yaml",
    "plan --from": "plan set.yaml web.yaml --from {}",
    "status": "status -s set.yaml {}",
    "status --revision-from": "status set.yaml --revision-from {}",
    "diff OLD": "diff {} set.yaml",
    "diff NEW": "diff set.yaml {}",
    "diff PODS": "diff set.yaml set.yaml {}",
    "hash": "hash set.yaml {}",
}


@pytest.mark.parametrize("call", COMMANDS.values(), ids=COMMANDS)
@pytest.mark.parametrize("text", [TABLE, "", "# nothing\n", "a: 1\n"])
def test_a_named_file_or_stdin_without_a_manifest_is_an_error(folder: Path, call: str, text: str) -> None:
    (folder / "pods.txt").write_text(text)
    ended = run(*call.format("pods.txt").split())
    assert (ended.code, ended.stdout) == (2, "")
    assert "error: no manifest found in pods.txt (" in ended.stderr
    ended = run(*call.format("-").split(), stdin=text.encode())
    assert (ended.code, ended.stdout) == (2, "")
    assert "error: no manifest found in standard input (" in ended.stderr
    if "--from" not in call:
        loses_all = call == COMMANDS["diff NEW"]
        assert run(*call.format("pods.txt").split(), "--allow-empty").code == int(loses_all)


EMPTY_PATHS = (
    "inject '' -s set.yaml",
    "inject -i '' -s set.yaml",
    "inject web.yaml -s ''",
    "inject web.yaml -s set.yaml -d ''",
    "uninject ''",
    "plan set.yaml ''",
    "plan set.yaml web.yaml --from ''",
    "status set.yaml --revision-from ''",
    "diff '' set.yaml",
    "diff set.yaml set.yaml -s ''",
    "diff --before '' --after sets",
    "hash ''",
    "render ''",
)


@pytest.mark.parametrize("call", EMPTY_PATHS)
def test_an_empty_path_is_no_folder(call: str) -> None:
    ended = run(*shlex.split(call))
    assert (ended.code, ended.stdout) == (2, "")
    assert "error: a path is empty" in ended.stderr or "error: -d needs a folder" in ended.stderr


def test_a_list_without_items_is_a_manifest(folder: Path) -> None:
    (folder / "pods.txt").write_text("apiVersion: v1\nkind: List\nitems: []\n")
    for call in (
        "inject -s set.yaml {} web.yaml",
        "plan -s set.yaml {}",
        "status -s set.yaml {}",
        "hash set.yaml {}",
    ):
        assert run(*call.format("pods.txt").split()).code == 0


def test_files_of_a_folder_may_hold_other_things(folder: Path) -> None:
    (folder / "apps" / "values.yaml").write_text("replicas: 3\n")
    ended = run("inject", "-s", "set.yaml", "apps", "web.yaml")
    (folder / "apps" / "below" / "one.yaml").unlink()
    assert (ended.code, "replicas: 3" in ended.stdout) == (0, True)
    ended = run("inject", "-s", "set.yaml", "apps")
    assert (ended.code, ended.stdout) == (0, "replicas: 3\n")
    assert ended.stderr.startswith("warning: no Kubernetes object found in apps; nothing changes")
