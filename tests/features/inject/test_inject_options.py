"""What each option of `inject` decides: seen in the artefact, the report and the exit code."""

import json
import re
from pathlib import Path

import jsonpatch
import pytest
import yaml

from tests.cli.manifests import BAD_TYPE, DEPLOYMENT, SERVICE, SET
from tests.cli.manifests import REJECTED as REJECTED_POD
from tests.cli.running import Ended, run

MESH = SET.replace("name: logs", "name: mesh").replace("log-agent", "proxy")
MERGED = """\
apiVersion: v1
kind: Pod
metadata: {name: web, labels: {app: web}}
x-common: &common
  containers: [{name: other, image: other}]
spec:
  containers: [{name: web, image: web}]
  <<: *common
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "set.yaml").write_text(SET)
    (tmp_path / "mesh.yaml").write_text(MESH)
    (tmp_path / "web.yaml").write_text(DEPLOYMENT)
    return tmp_path


def inject(*words: str | Path) -> Ended:
    return run("inject", "-s", "set.yaml", "web.yaml", *words)


def containers(text: str) -> list[str]:
    return [container["name"] for container in yaml.safe_load(text)["spec"]["template"]["spec"]["containers"]]


def test_only_some_sets() -> None:
    both = inject("-s", "mesh.yaml")
    assert containers(both.stdout) == ["log-agent", "proxy", "web"]
    item = inject("-s", "mesh.yaml", "--only", "mesh")
    assert containers(item.stdout) == ["proxy", "web"]
    assert item.stderr == "injected   web.yaml:2:1 Deployment shop/web  mesh (proxy)\n1 injected\n"
    assert inject("-s", "mesh.yaml", "--only", "mesh", "--only", "logs") == both


def test_a_feature_gate_sorts_containers(folder: Path) -> None:
    (folder / "set.yaml").write_text(SET + "  - name: a-first\n    image: registry.example.com/a:1\n")
    assert containers(inject().stdout) == ["log-agent", "a-first", "web"]
    sorted_ones = inject("--feature-gates", "EnableSortSidecarContainerByName=true")
    assert containers(sorted_ones.stdout) == ["a-first", "log-agent", "web"]


def test_the_order_between_sets_is_not_that_of_kruise(folder: Path) -> None:
    words = "logs, mesh: Kruise may order the containers of these SidecarSets differently"
    gate = "--feature-gates=EnableSortSidecarContainerByName=true"
    assert words in inject("-s", "mesh.yaml", "-v").stderr
    assert words not in inject("-s", "mesh.yaml").stderr
    assert words not in inject("-s", "mesh.yaml", "-v", gate).stderr
    assert words not in inject("-v").stderr
    (folder / "mesh.yaml").write_text((folder / "mesh.yaml").read_text().replace("containers:", "initContainers:"))
    assert words not in inject("-s", "mesh.yaml", "-v").stderr


def test_the_seed_decides_the_draws(folder: Path) -> None:
    (folder / "older.yaml").write_text(
        SET.replace("2.4.1", "2.3.0").replace("spec:\n", "spec:\n  customVersion: v1\n")
    )
    strategy = "  injectionStrategy: {revision: {customVersion: v1, policy: Partial}}\n"
    (folder / "set.yaml").write_text(SET + strategy + "  updateStrategy: {partition: 50%}\n")
    outputs = [inject("--revision-from", "older.yaml", "--seed", str(seed)).stdout for seed in range(20)]
    drawn = ["log-agent:2.3.0" in output for output in outputs]
    assert 0 < sum(drawn) < 20
    assert all(("log-agent:2.4.1" in output) is not old for output, old in zip(outputs, drawn, strict=True))
    assert inject("--revision-from", "older.yaml", "--seed", "7").stdout == outputs[7]
    assert inject("--revision-from", "older.yaml").stdout == outputs[0]


def test_recorded_hashes_may_be_trusted(folder: Path) -> None:
    recorded = "  annotations: {kruise.io/sidecarset-hash: recorded}\n"
    (folder / "set.yaml").write_text(SET.replace("  name: logs\n", "  name: logs\n" + recorded, 1))
    computed = inject()
    assert '"hash":"recorded"' not in computed.stdout
    assert "[StaleHash]" in computed.stderr
    assert '"hash":"recorded"' in inject("--trust-annotated-hash").stdout


def test_files_may_be_named_by_an_option() -> None:
    assert run("inject", "-s", "set.yaml", "-f", "web.yaml") == inject()
    assert run("inject", "-s", "set.yaml", "--filename", "-", stdin=DEPLOYMENT.encode()).stdout == inject().stdout


def test_the_time_that_is_recorded_already_stays(folder: Path) -> None:
    (folder / "web.yaml").write_text(inject("--timestamp", "2026-01-31T00:00:00Z").stdout)
    again = inject("--timestamp", "2027-01-31T00:00:00Z")
    assert again.stdout == (folder / "web.yaml").read_text()
    assert again.stderr == "unchanged  web.yaml:2:1 Deployment shop/web  logs (log-agent)\n0 injected, 1 unchanged\n"


def test_where_injecting_twice_differs_strict_objects(folder: Path) -> None:
    patch = "  patchPodMetadata: [{annotations: {cfg: plain text}, patchPolicy: MergePatchJson}]\n"
    (folder / "set.yaml").write_text(SET + patch)
    allowed = "--feature-gates=SidecarSetPatchPodMetadataDefaultsAllowed=true"
    ended = inject("--strict", allowed)
    assert ended.code == 1
    assert "log-agent" in ended.stdout
    assert "warning: web.yaml:" in ended.stderr
    assert "[NotIdempotent]\n" in ended.stderr
    assert ended.stderr.endswith("1 injected; 1 warning\n")
    assert inject().code == 0


def test_keep_going_prints_what_failed_as_it_came(folder: Path) -> None:
    broken = "kind: Pod\nkind: Pod\n"
    (folder / "web.yaml").write_text(f"{broken}---\n{DEPLOYMENT}---\n{SERVICE}")
    ended = inject("--keep-going")
    assert ended.code == 2
    assert ended.stdout.startswith(f"{broken}---\n# the shop's front\n")
    assert ended.stdout.endswith(f"---\n{SERVICE}")
    assert "log-agent" in ended.stdout
    assert "web.yaml:2:1: duplicate key 'kind'" in ended.stderr


WAYS = [(), ("-i",), ("-d", "out"), ("--diff",), ("-o", "json"), ("-j", "2")]


@pytest.mark.parametrize("options", WAYS, ids=" ".join)
def test_a_shape_that_cannot_be_edited_is_impossible(folder: Path, options: tuple[str, ...]) -> None:
    (folder / "pod.yaml").write_text(MERGED)
    ended = inject("pod.yaml", *options)
    assert (ended.code, ended.stdout) == (3, "")
    assert "error: pod.yaml:7:15: Pod web: spec.containers: " in ended.stderr
    assert "[MergedMember]" in ended.stderr
    assert (folder / "pod.yaml").read_text() == MERGED
    assert (folder / "web.yaml").read_text() == DEPLOYMENT
    assert not list((folder / "out").glob("*"))


@pytest.mark.parametrize("options", WAYS[:4], ids=" ".join)
def test_what_cannot_be_proven_is_not_written(
    folder: Path, options: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sidecarctl.engine.documents.editing.document_edits.identical", lambda *_: False)
    ended = inject(*options)
    assert (ended.code, ended.stdout) == (4, "")
    assert "error: web.yaml:2:1: Deployment shop/web: the edited text failed verification" in ended.stderr
    assert "(please report this with the manifest) [Unproven]" in ended.stderr
    assert (folder / "web.yaml").read_text() == DEPLOYMENT
    assert not list((folder / "out").glob("*"))


def test_a_list_of_json_is_edited_item_by_item(folder: Path) -> None:
    items = [yaml.safe_load(DEPLOYMENT), yaml.safe_load(SERVICE)]
    text = json.dumps({"apiVersion": "v1", "kind": "List", "items": items}, indent=2)
    (folder / "web.yaml").write_text(text)
    after = inject().stdout
    assert containers(json.dumps(json.loads(after)["items"][0])) == ["log-agent", "web"]
    assert [
        line.rstrip(",") for line in text.splitlines() if line.rstrip(",") not in after.replace(",\n", "\n")
    ] == []


REVISION = "  injectionStrategy: {revision: {customVersion: v1, policy: Partial}}\n"
POLICY = """\
    resourcesPolicy:
      targetContainersMode: sum
      targetContainersNameRegex: '%s'
      resourcesExpr: {requests: {cpu: '%s'}}
"""
REJECTED = {
    "a patch that cannot be merged": (
        SET + "  patchPodMetadata: [{annotations: {cfg: '{\"a\":1}'}, patchPolicy: MergePatchJson}]\n",
        "error: web.yaml:12:26: Deployment shop/web: spec.template.metadata.annotations.cfg: ",
        "[MetadataPatchFailed]",
    ),
    "an operator that is none": (
        SET.replace("matchLabels:\n      app: web", "matchExpressions: [{key: app, operator: Near}]"),
        "error: set.yaml:7:45: SidecarSet logs: spec.selector.matchExpressions[0].operator: ",
        "[MalformedSelector]",
    ),
    "a revision that is nowhere": (
        SET + REVISION,
        "error: set.yaml:12:33: SidecarSet logs: spec.injectionStrategy.revision: no usable revision",
        "[RevisionNotFound]",
    ),
    "a pattern that is none": (
        SET + POLICY % ("(", "1"),
        "error: set.yaml:14:34: SidecarSet logs: spec.containers[0].resourcesPolicy.targetContainersNameRegex: ",
        "[BadRegex]",
    ),
    "an expression that is none": (
        SET + POLICY % (".*", "cpu*"),
        "error: set.yaml:15:39: SidecarSet logs: spec.containers[0].resourcesPolicy.resourcesExpr.requests.cpu: ",
        "[BadExpression]",
    ),
}


@pytest.mark.parametrize(("text", "place", "reason"), REJECTED.values(), ids=REJECTED)
def test_a_set_that_has_pods_rejected(folder: Path, text: str, place: str, reason: str) -> None:
    held = text.replace("metadata:\n  name: logs", "metadata: {name: logs,\n  uid: 0a1b}", 1)
    (folder / "set.yaml").write_text(held)
    deployment = DEPLOYMENT.replace("labels: {app: web}", "labels: {app: web}\n      annotations: {cfg: '{'}")
    (folder / "web.yaml").write_text(deployment)
    for options in ((), ("-i",)):
        ended = inject(*options)
        assert (ended.code, ended.stdout) == (3, "")
        assert place in ended.stderr
        assert reason in ended.stderr
        assert re.search(
            r"0 would inject, 1 failed; \d warnings?\n1 error in 1 file; nothing was written\n$", ended.stderr
        )
        assert (folder / "web.yaml").read_text() == deployment


def test_types_matter_only_where_a_set_may_match(folder: Path) -> None:
    (folder / "web.yaml").write_text(BAD_TYPE.replace("app: web", "app: api"))
    ended = inject()
    assert (ended.code, ended.stdout) == (0, (folder / "web.yaml").read_text())
    assert "skipped    web.yaml:2:1 Deployment shop/web  PodNotSelected: " in ended.stderr


def test_a_jsonpatch_of_a_list_has_paths_from_the_document_s_root(folder: Path) -> None:
    item = yaml.safe_load(DEPLOYMENT)
    document = {"apiVersion": "v1", "kind": "List", "items": [yaml.safe_load(SERVICE), item]}
    (folder / "web.yaml").write_text(f"{SERVICE}---\n{yaml.safe_dump(document)}")
    [patch] = json.loads(inject("-o", "jsonpatch").stdout)
    assert (patch["file"], patch["index"]) == ("web.yaml", 1)
    assert patch["target"] == {"apiVersion": "apps/v1", "kind": "Deployment", "namespace": "shop", "name": "web"}
    assert all(operation["path"].startswith("/items/1/spec/template/") for operation in patch["patch"])
    injected = jsonpatch.apply_patch(document, patch["patch"])["items"][1]
    assert containers(yaml.safe_dump(injected)) == ["log-agent", "web"]
    assert inject("-o", "name").stdout == "service/web\nservice/web\ndeployment.apps/web\n"


def test_a_jsonpatch_beside_another_object_says_what_it_is_for(folder: Path) -> None:
    (folder / "web.yaml").write_text(f"{SERVICE}---\n{DEPLOYMENT}")
    [patch] = json.loads(inject("-o", "jsonpatch").stdout)
    assert (patch["index"], patch["target"]["kind"]) == (1, "Deployment")


def test_a_file_that_cannot_be_replaced_is_reported_and_no_temporary_is_left(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "b.yaml").write_text(DEPLOYMENT)
    replace = Path.replace

    def failing(path: Path, target: Path) -> Path:
        if target.name == "b.yaml":
            raise PermissionError(1, "Operation not permitted", str(path), None, str(target))
        return replace(path, target)

    monkeypatch.setattr(Path, "replace", failing)
    ended = inject("b.yaml", "-i")
    assert (ended.code, ended.stdout) == (3, "")
    assert "/b.yaml: cannot be written: Operation not permitted (files already written: 1) [Unwrit" in ended.stderr
    assert (folder / "b.yaml").read_text() == DEPLOYMENT
    assert "log-agent" in (folder / "web.yaml").read_text()
    assert not list(folder.glob(".*.tmp"))


def test_d_onto_the_source_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "set.yaml").write_text(SET)
    (tmp_path / "apps").mkdir()
    (tmp_path / "apps" / "web.yaml").write_text(DEPLOYMENT)
    (tmp_path / "link").symlink_to(tmp_path / "apps")
    for source, folder in (("apps", "apps"), ("apps/web.yaml", "apps"), ("apps", "link")):
        ended = run("inject", "-s", tmp_path / "set.yaml", tmp_path / source, "-d", tmp_path / folder)
        assert (ended.code, ended.stdout) == (2, "")
        assert "would overwrite" in ended.stderr
        assert (tmp_path / "apps" / "web.yaml").read_text() == DEPLOYMENT


def test_a_failing_d_leaves_no_folders(tmp_path: Path) -> None:
    (tmp_path / "set.yaml").write_text(SET)
    for name, text in (("a", DEPLOYMENT), ("b", REJECTED_POD)):
        (tmp_path / "apps" / name).mkdir(parents=True)
        (tmp_path / "apps" / name / "web.yaml").write_text(text)
    words = ("inject", "-R", "-s", tmp_path / "set.yaml", tmp_path / "apps", "-d", tmp_path / "out" / "deep")
    assert run(*words).code == 3
    assert not (tmp_path / "out").exists()
    (tmp_path / "out").mkdir()
    assert run(*words).code == 3
    assert list((tmp_path / "out").iterdir()) == []
    assert run(*words, "--keep-going").code == 3
    assert (tmp_path / "out" / "deep" / "a" / "web.yaml").exists()


def test_short_options_take_values_as_those_of_kubectl_do() -> None:
    assert run("inject", "-s=set.yaml", "web.yaml", "-n=shop") == run(
        "inject", "-s", "set.yaml", "web.yaml", "-nshop"
    )
    assert "-i does not take a value" in run("inject", "-s=set.yaml", "web.yaml", "-i=true").stderr
