"""`sidecarctl revisions`."""

import json
from pathlib import Path

import pytest
import yaml

from sidecarctl.engine.facts.values import Object
from tests.cli.manifests import DEPLOYMENT, SET
from tests.cli.running import run
from tests.conformance.cases import FOLDER, Case, cases_in
from tests.conformance.difference import first_difference
from tests.conformance.revisions import _recorded, _shown
from tests.effort import sampled, unmeasured
from tests.engine.inputs.repositories import git
from tests.schemas import assert_valid

RECORDED = [case for case in cases_in(FOLDER / "revisions") if "steps" in case.expect]
OLD = SET.replace("spec:\n", "spec:\n  customVersion: one\n", 1)
NEW = SET.replace("2.4.1", "2.5.0").replace("spec:\n", "spec:\n  customVersion: two\n", 1)
POD = """\
apiVersion: v1
kind: Pod
metadata:
  name: web-0
  namespace: shop
  labels: {app: web}
  annotations:
    kruise.io/sidecarset-injected-list: logs
    kruise.io/sidecarset-hash: '{"logs": {"controllerRevision": "%s"}}'
spec:
  containers: [{name: web, image: "web:1"}, {name: log-agent, image: "registry.example.com/log-agent:2.4.1"}]
status: {phase: Running}
"""


@unmeasured
@pytest.mark.parametrize("case", sampled(RECORDED, 3))
def test_every_recorded_case_passes_through_the_commands(case: Case, tmp_path: Path) -> None:
    sets = [item for item in case.objects if item["kind"] == "SidecarSet"]
    stored = [item for item in case.objects if item["kind"] == "ControllerRevision"]
    others = [item for item in case.objects if item["kind"] in ("Pod", "Namespace")]
    steps: list[Object] = []
    seen: set[str] = set()
    for manifest in [sets[0], *case.params.get("updates", [])]:
        (tmp_path / "in.json").write_text(json.dumps({"kind": "List", "items": [manifest, *others, *stored]}))
        as_recorded = ("--kruise", "master", "--only", manifest["metadata"]["name"])
        listed = run("revisions", "list", tmp_path / "in.json", "-o", "json", *as_recorded)
        assert listed.code == 0, listed.stderr
        document = json.loads(listed.stdout)
        made = run("revisions", "make", tmp_path / "in.json", "--every", "-o", "json", *as_recorded)
        found = json.loads(made.stdout)
        stored = found["items"] if found["kind"] == "List" else [found]
        [entry] = document["sidecarSets"]
        shown = [_shown(each, seen) for each in sorted(stored, key=lambda each: each["revision"])]
        steps.append(
            {"latest": entry["latestRevision"], "collisionCount": entry["collisionCount"], "revisions": shown}
        )
        names = {each["metadata"]["name"]: each["revision"] for each in stored}
        rows = [row for row in entry["revisions"] if row["state"] != "Truncated"]
        assert {row["name"]: row["number"] for row in rows}.items() <= names.items()
    assert first_difference(_recorded(case.expect["steps"]), steps) is None


def _files(folder: Path) -> tuple[Path, Path]:
    """The current SidecarSet, and the stored revisions of it and of an older one."""
    (folder / "old.yaml").write_text(OLD)
    (folder / "set.yaml").write_text(NEW)
    made = run("revisions", "make", folder / "set.yaml", "--revision-from", folder / "old.yaml", "--every")
    assert made.code == 0
    (folder / "stored.yaml").write_text(made.stdout)
    return folder / "set.yaml", folder / "stored.yaml"


def test_what_pods_record_what_is_pinned_and_what_goes_next(tmp_path: Path) -> None:
    sidecarset, stored = _files(tmp_path)
    first, second = (item["metadata"]["name"] for item in yaml.safe_load_all(stored.read_text()))
    (tmp_path / "pods.yaml").write_text(POD % first)
    limited = NEW.replace("spec:\n", "spec:\n  revisionHistoryLimit: 1\n", 1)
    sidecarset.write_text(limited)
    recorded = run(
        "revisions", "list", sidecarset, stored, tmp_path / "pods.yaml", "-o", "text", "-o", f"json={tmp_path}/l"
    )
    document = json.loads((tmp_path / "l").read_text())
    assert_valid(document, "revision-list.json")
    rows = {row["name"]: row for row in document["sidecarSets"][0]["revisions"]}
    assert rows[first]["pods"] == ["shop/web-0"]
    assert (rows[first]["state"], rows[first]["truncatedByNextChange"]) == ("Kept", False)
    assert (rows[second]["state"], rows[second]["truncatedByNextChange"]) == ("Latest", True)
    assert "kept; recorded by shop/web-0" in recorded.stdout
    assert "latest; the next change truncates it" in recorded.stdout

    alone = run("revisions", "list", sidecarset, stored)
    assert "truncated now" in alone.stdout

    pinned = limited + "  injectionStrategy: {revision: {customVersion: one}}\n"
    sidecarset.write_text(pinned)
    told = run("revisions", "list", sidecarset, stored).stdout
    assert "kept; pinned by injectionStrategy.revision" in told


def test_a_revision_that_pods_record_is_stored_somewhere(tmp_path: Path) -> None:
    sidecarset, stored = _files(tmp_path)
    latest = list(yaml.safe_load_all(stored.read_text()))[1]["metadata"]["name"]
    assert "latest; not stored yet" in run("revisions", "list", sidecarset).stdout
    (tmp_path / "pods.yaml").write_text(POD % latest)
    text = run("revisions", "list", sidecarset, tmp_path / "pods.yaml").stdout
    assert "latest; not among the inputs; recorded by shop/web-0" in text


def test_what_goes_next_is_what_goes_when_it_changes(tmp_path: Path) -> None:
    text = SET.replace("spec:\n", "spec:\n  revisionHistoryLimit: 2\n", 1)
    file, stored = tmp_path / "set.yaml", tmp_path / "stored.yaml"
    expected: set[str] = set()
    for number in range(6):
        file.write_text(text.replace("2.4.1", f"2.4.{number}"))
        files = [file, *([stored] if stored.exists() else [])]
        document = json.loads(run("revisions", "list", *files, "-o", "json").stdout)
        rows = document["sidecarSets"][0]["revisions"]
        assert {row["name"] for row in rows if row["state"] == "Truncated"} == expected
        expected = {row["name"] for row in rows if row["truncatedByNextChange"]}
        stored.write_text(run("revisions", "make", *files, "--every").stdout)
    assert expected


def test_the_difference_of_two_revisions(tmp_path: Path) -> None:
    sidecarset, stored = _files(tmp_path)
    ended = run("revisions", "diff", sidecarset, stored)
    assert ended.code == 0
    assert "logs: InPlace" in ended.stdout
    assert "2.4.1" in ended.stdout
    back = run("revisions", "diff", sidecarset, stored, "--old", "two", "--new", "1", "-o", "json")
    fields = json.loads(back.stdout)["sidecarSets"][0]["fields"]
    assert "spec.containers[log-agent].image" in json.dumps(fields)


@pytest.mark.parametrize("asked", ["1", "one"])
def test_a_restored_sidecarset_is_the_revision_again(asked: str, tmp_path: Path) -> None:
    sidecarset, stored = _files(tmp_path)
    first = next(yaml.safe_load_all(stored.read_text()))
    ended = run("revisions", "restore", sidecarset, stored, "--revision", asked)
    assert ended.code == 0
    assert f"reuse {first['metadata']['name']}" in ended.stderr
    restored = tmp_path / "restored.yaml"
    restored.write_text(ended.stdout)
    assert run("hash", restored).stdout == run("hash", tmp_path / "old.yaml").stdout
    made = yaml.safe_load(run("revisions", "make", restored).stdout)
    assert made == first
    again = json.loads(run("revisions", "list", restored, stored, "-o", "json").stdout)["sidecarSets"][0]
    assert [row["number"] for row in again["revisions"]] == [2, 3]


def test_a_sidecarset_that_is_gone_is_restored_without_what_no_revision_stores(tmp_path: Path) -> None:
    _, stored = _files(tmp_path)
    ended = run("revisions", "restore", stored, "--revision", "2")
    assert ended.code == 0
    assert yaml.safe_load(ended.stdout)["spec"].keys() == {"containers", "customVersion"}
    assert "a revision does not store the selector" in ended.stderr
    assert "NoSidecarSet" in run("revisions", "list", stored).stderr


def test_what_cannot_be_meant(tmp_path: Path) -> None:
    sidecarset, stored = _files(tmp_path)
    for words, told in {
        ("restore", sidecarset, stored): "no revision given to restore",
        ("restore", sidecarset, stored, "--revision", "9"): "logs has no revision 9 (available: 1: logs-",
        ("list", sidecarset, "--new", "1"): "--new is an option of revisions diff, not list",
        ("diff", sidecarset): "logs has only one revision",
    }.items():
        ended = run("revisions", *words)
        assert (ended.code, ended.stdout) == (2, "")
        assert told in ended.stderr
    (tmp_path / "web.yaml").write_text(DEPLOYMENT)
    assert run("revisions", "list", tmp_path / "web.yaml").code == 2


ALPHA = """\
apiVersion: apps.kruise.io/v1alpha1
kind: SidecarSet
metadata:
  name: logs
  labels: {apps.kruise.io/sidecarset-custom-version: two}  # named by hand
spec:
  namespace: shop   # the shop alone
  selector: {matchLabels: {app: web}}
  containers:
  # the agent
  - name: log-agent
    image: registry.example.com/log-agent:2.4.1   # newest
    resources: {limits: {cpu: 0.5}}
  - {name: added, image: "a:1"}
"""


def _alpha(folder: Path) -> tuple[Path, Path]:
    old = ALPHA.replace("2.4.1", "2.3.0").replace("-version: two", "-version: one").split("  - {name: added")[0]
    (folder / "old.yaml").write_text(old)
    (folder / "set.yaml").write_text(ALPHA)
    made = run("revisions", "make", folder / "set.yaml", "--revision-from", folder / "old.yaml", "--every")
    (folder / "stored.yaml").write_text(made.stdout)
    return folder / "set.yaml", folder / "stored.yaml"


def test_restore_keeps_the_api_version(tmp_path: Path) -> None:
    sidecarset, stored = _alpha(tmp_path)
    ended = run("revisions", "restore", sidecarset, stored, "--revision", "one")
    assert ended.code == 0
    manifest = yaml.safe_load(ended.stdout)
    assert manifest["apiVersion"] == "apps.kruise.io/v1alpha1"
    assert manifest["metadata"]["labels"] == {"apps.kruise.io/sidecarset-custom-version": "one"}
    assert manifest["spec"]["namespace"] == "shop"
    (tmp_path / "restored.yaml").write_text(ended.stdout)
    checked = run("validate", tmp_path / "restored.yaml")
    assert "unknown" not in checked.stdout
    assert run("hash", tmp_path / "restored.yaml").stdout == run("hash", tmp_path / "old.yaml").stdout


def test_restore_in_place_edits_the_file(tmp_path: Path) -> None:
    sidecarset, stored = _alpha(tmp_path)
    sidecarset.write_text(f"# ours\n---\n{DEPLOYMENT}---\n{ALPHA}")
    ended = run("revisions", "restore", sidecarset, stored, "--revision", "1", "-i")
    assert ended.code == 0, ended.stderr
    assert "restored" in ended.stderr
    assert sidecarset.read_text() == f"# ours\n---\n{DEPLOYMENT}---\n{(tmp_path / 'old.yaml').read_text()}"
    again = run("revisions", "restore", sidecarset, stored, "--revision", "one", "-i")
    assert (again.code, again.stdout) == (0, "")
    assert "is already logs-" in again.stderr


def test_restore_prints_the_edited_file(tmp_path: Path) -> None:
    sidecarset, stored = _alpha(tmp_path)
    text = f"# ours\n---\n{DEPLOYMENT}---\n{ALPHA}"
    sidecarset.write_text(text)
    ended = run("revisions", "restore", sidecarset, stored, "--revision", "1")
    assert ended.code == 0, ended.stderr
    assert ended.stdout == f"# ours\n---\n{DEPLOYMENT}---\n{(tmp_path / 'old.yaml').read_text()}"
    assert sidecarset.read_text() == text
    as_value = run("revisions", "restore", sidecarset, stored, "--revision", "1", "-o", "yaml")
    assert yaml.safe_load(as_value.stdout)["kind"] == "SidecarSet"  # one document: the SidecarSet alone


def test_restore_in_place_of_v1beta1(tmp_path: Path) -> None:
    sidecarset, stored = _files(tmp_path)
    assert run("revisions", "restore", sidecarset, stored, "--revision", "1", "-i").code == 0
    assert run("hash", sidecarset).stdout == run("hash", tmp_path / "old.yaml").stdout
    assert yaml.safe_load(sidecarset.read_text()) == yaml.safe_load((tmp_path / "old.yaml").read_text())


def test_what_restore_in_place_cannot_do(tmp_path: Path) -> None:
    sidecarset, stored = _files(tmp_path)
    before = sidecarset.read_text()
    for words, told in {
        ("restore", stored, "--revision", "1", "-i"): "-i edits the manifest of logs, which is not in PATHS",
        ("restore", sidecarset, stored, "--revision", "1", "-i", "-o", "yaml"): "-o is for stdout",
        ("restore", "-", stored, "--revision", "1", "-i"): "standard input (-) cannot be written back",
        ("list", sidecarset, "-i"): "-i is an option of revisions restore, not list",
    }.items():
        ended = run("revisions", *words, stdin=before.encode())
        assert (ended.code, ended.stdout) == (2, "")
        assert told in ended.stderr
    assert sidecarset.read_text() == before


def _by_hash(name: str, recorded: str) -> str:
    return (POD % "").replace('{"controllerRevision": ""}', json.dumps({"hash": recorded})).replace("web-0", name)


def test_pods_that_record_no_revision_count_by_their_hash(tmp_path: Path) -> None:
    sidecarset, stored = _files(tmp_path)
    hashes = [run("hash", file).stdout.split()[1] for file in (tmp_path / "old.yaml", sidecarset)]
    first, second = (item["metadata"]["name"] for item in yaml.safe_load_all(stored.read_text()))
    pods = [_by_hash("a", hashes[0]), _by_hash("b", hashes[0]), _by_hash("c", hashes[1]), _by_hash("d", "other")]
    pods += [(POD % first).replace("web-0", "e"), (POD % "gone").replace("web-0", "f")]
    (tmp_path / "pods.yaml").write_text("---\n".join(pods))
    ended = run(
        "revisions", "list", sidecarset, stored, tmp_path / "pods.yaml", "-o", "text", "-o", f"json={tmp_path}/l"
    )
    document = json.loads((tmp_path / "l").read_text())
    assert_valid(document, "revision-list.json")
    (entry,) = document["sidecarSets"]
    rows = {row["name"]: (row["pods"], row["podsByHash"]) for row in entry["revisions"]}
    assert rows == {first: (["shop/e"], ["shop/a", "shop/b"]), second: ([], ["shop/c"])}
    assert entry["otherPods"] == ["shop/f", "shop/d"]
    assert "kept; recorded by shop/e; its hash is recorded by shop/a, shop/b\n" in ended.stdout
    assert "  2 pods record none of these: shop/f, shop/d\n" in ended.stdout
    assert [line.split()[4] for line in ended.stdout.splitlines()[2:4]] == ["3", "1"]


def test_a_history_from_git_names_the_commit_of_each_revision(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    git(tmp_path, "init", "-q", "-b", "main")
    commits = []
    for text in (OLD, NEW, NEW + "  updateStrategy: {partition: 1}\n", OLD, NEW.replace("2.5.0", "2.6.0")):
        Path("set.yaml").write_text(text)
        git(tmp_path, "add", "-A")
        git(tmp_path, "commit", "-q", "-m", "one")
        commits.append(git(tmp_path, "rev-parse", "HEAD").strip()[:12])
    ended = run(
        "revisions", "list", "set.yaml", "--revision-from", "git:..main:set.yaml", "-o", "text", "-o", "json=l"
    )
    document = json.loads(Path("l").read_text())
    assert_valid(document, "revision-list.json")
    rows = document["sidecarSets"][0]["revisions"]
    assert [row["commit"] for row in rows] == [commits[1], commits[3], commits[4]]
    assert ended.stdout.splitlines()[1].split() == ["NUMBER", "NAME", "VERSION", "HASH", "COMMIT", "PODS", "STATE"]
    Path("set.yaml").write_text(NEW.replace("2.5.0", "2.7.0"))
    changed = run("revisions", "list", "set.yaml", "--revision-from", "git:..main:set.yaml", "-o", "json")
    assert json.loads(changed.stdout)["sidecarSets"][0]["revisions"][-1]["commit"] == ""
    assert "COMMIT" not in run("revisions", "list", "set.yaml").stdout
    at_head = json.loads(run("revisions", "list", "git:main:set.yaml", "-o", "json").stdout)
    assert [row["commit"] for row in at_head["sidecarSets"][0]["revisions"]] == ["main"]


def test_restoring_what_kruise_rejects_as_an_update_says_so() -> None:
    on_call = Path(__file__).parents[3] / "samples" / "on-call"
    words = (on_call / "sidecarset.yaml", "--revision-from", on_call / "older.yaml", "--revision", "1")
    ended = run("revisions", "restore", *words)
    assert ended.code == 0
    assert "warning: SidecarSet logs: spec.containers[1].name: container metrics is new: an update" in ended.stderr
    assert "will reuse" not in ended.stderr
