"""`sidecarctl validate`: findings at their places, what cannot be read, suppression, updates, forms."""

import json
import re
from pathlib import Path

import pytest
import yaml

from tests.cli.manifests import BAD_YAML, DEPLOYMENT, SET
from tests.cli.running import Ended, run
from tests.schemas import assert_valid

NATIVE = """\
apiVersion: apps.kruise.io/v1beta1
kind: SidecarSet
metadata:
  name: proxy
spec:
  selector: {matchLabels: {app: web}}
  namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: shop}}
  initContainers:
  - name: proxy
    image: proxy:1.2
    restartPolicy: Always
    resources: {limits: {cpu: 1}}
"""

CRON_JOB = """\
apiVersion: batch/v1
kind: CronJob
metadata: {name: report}
spec: {jobTemplate: {spec: {template: {}}}}
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "set.yaml").write_text(SET)
    (tmp_path / "web.yaml").write_text(DEPLOYMENT)
    return tmp_path


def validate(*words: str) -> Ended:
    return run("validate", *words)


def rules_in(text: str) -> list[str]:
    return re.findall(r"\[([a-z-]+)\]$", text, re.MULTILINE)


@pytest.mark.usefixtures("folder")
def test_notes_do_not_fail() -> None:
    ended = validate("set.yaml", "web.yaml", "--strict")
    assert ended.code == 0
    assert rules_in(ended.stdout) == ["no-namespace-limit", "no-resources"]
    assert "note: set.yaml:6:3: SidecarSet logs: spec: the pods of every namespace are selected (" in ended.stdout
    assert ended.stderr == "1 SidecarSet of 2 manifests in 2 files: 2 notes\n"


def test_an_error_names_its_place_and_its_rule(folder: Path) -> None:
    (folder / "proxy.yaml").write_text(NATIVE)
    ended = validate("proxy.yaml")
    assert ended.code == 1
    assert ended.stdout.startswith("error: proxy.yaml:6:3: SidecarSet proxy: spec.updateStrategy.type: ")
    assert rules_in(ended.stdout) == ["native-sidecar-rolling-update"]


def test_warnings_fail_under_strict_alone(folder: Path) -> None:
    (folder / "set.yaml").write_text(SET.replace(":2.4.1", ":latest"))
    assert validate("set.yaml").code == 0
    ended = validate("set.yaml", "--strict")
    assert ended.code == 1
    assert "warning: set.yaml:11:12: " in ended.stdout


def test_quiet_lists_what_fails_alone(folder: Path) -> None:
    (folder / "set.yaml").write_text(SET.replace(":2.4.1", ":latest"))
    (folder / "proxy.yaml").write_text(NATIVE)
    ended = validate("set.yaml", "proxy.yaml", "-q")
    assert (ended.code, rules_in(ended.stdout), ended.stderr) == (1, ["native-sidecar-rolling-update"], "")
    ended = validate("set.yaml", "-q")
    assert (ended.code, ended.stdout, ended.stderr) == (0, "", "")
    ended = validate("set.yaml", "-q", "--strict")
    assert (ended.code, rules_in(ended.stdout)) == (1, ["image-without-tag"])
    assert "image-without-tag" in validate("set.yaml", "-q", "-o", "json").stdout


def test_a_summary_tells_equal_findings_once(folder: Path) -> None:
    (folder / "set.yaml").write_text("---\n".join(SET.replace("name: logs", f"name: s{at}", 1) for at in range(3)))
    (folder / "proxy.yaml").write_text(NATIVE)
    told = validate("set.yaml", "proxy.yaml", "--summary").stdout
    assert "native-sidecar-rolling-update" in rules_in(told)
    assert "note: 3 times: the pods of every namespace are selected [no-namespace-limit]\n" in told


def test_what_cannot_be_read_hides_nothing(folder: Path) -> None:
    (folder / "bad.yaml").write_text(BAD_YAML)
    (folder / "proxy.yaml").write_text(NATIVE)
    ended = validate(".", "nowhere.yaml", "-o", "text", "-o", "json=found.json")
    assert ended.code == 2
    assert "[native-sidecar-rolling-update]" in ended.stdout
    assert "error: bad.yaml:3:" in ended.stderr
    assert "error: nowhere.yaml: cannot be read: " in ended.stderr
    assert ended.stderr.endswith("; 2 errors while reading\n")
    assert len(json.loads((folder / "found.json").read_text())["failures"]) == 2


def test_one_set_that_cannot_be_decoded_is_a_finding(folder: Path) -> None:
    (folder / "wrong.yaml").write_text(NATIVE.replace("name: proxy\n    image", "name: 5\n    image"))
    ended = validate("wrong.yaml", "set.yaml")
    assert ended.code == 1
    assert "error: wrong.yaml:9:11: SidecarSet proxy: spec.initContainers[0].name: expected a string" in ended.stdout
    assert rules_in(ended.stdout)[:2] == ["native-sidecar-rolling-update", "wrong-type"]
    assert "no-resources" in rules_in(ended.stdout)  # of the other one


@pytest.mark.parametrize(
    ("header", "line"),
    [
        ("apiVersion: apps:kruise.io/v1beta1\nkind: SidecarSet", 1),
        ("apiVersion: apps.kruise.io/v1beta1\nKind: SidecarSet", 2),
    ],
)
def test_what_is_almost_a_sidecarset_is_reported_by_every_command(folder: Path, header: str, line: int) -> None:
    (folder / "near.yaml").write_text(SET.replace("apiVersion: apps.kruise.io/v1beta1\nkind: SidecarSet", header))
    place = f"warning: near.yaml:{line}:"
    ended = validate("near.yaml")
    assert (ended.code, rules_in(ended.stdout)) == (0, ["near-header"])
    assert ended.stdout.startswith(place)
    for words in (
        ("inject", "-s", "near.yaml", "-s", "set.yaml", "web.yaml"),
        ("inject", "near.yaml", "set.yaml", "web.yaml"),
        ("uninject", "-s", "near.yaml", "web.yaml"),
        ("hash", "near.yaml", "set.yaml"),
        ("diff", "set.yaml", "near.yaml", "web.yaml", "-s", "set.yaml"),
    ):
        assert place in run(*words).stderr, words


def test_two_of_one_name_are_both_checked(folder: Path) -> None:
    (folder / "again.yaml").write_text(NATIVE.replace("name: proxy\nspec", "name: logs\nspec"))
    ended = validate("set.yaml", "again.yaml")
    assert (
        "warning: again.yaml:4:9: SidecarSet logs: metadata.name: duplicate SidecarSet logs (also set.yaml:1:1)"
        in (ended.stdout)
    )
    assert "native-sidecar-rolling-update" in rules_in(ended.stdout)


def test_a_conflict_comes_with_a_witness(folder: Path) -> None:
    other = SET.replace("name: logs", "name: more-logs").replace("app: web", "tier: front")
    (folder / "more.yaml").write_text(other)
    ended = validate("set.yaml", "more.yaml")
    assert ended.code == 1
    assert "conflict" in rules_in(ended.stdout)
    found = next(line for line in ended.stdout.splitlines() if "[conflict]" in line)
    assert "app=web" in found
    assert "tier=front" in found


def test_workloads_are_pods(folder: Path) -> None:
    job = (
        DEPLOYMENT.replace("apps/v1", "batch/v1")
        .replace("Deployment", "Job")
        .replace("replicas: 2", "parallelism: 2")
    )
    (folder / "job.yaml").write_text(job)
    ended = validate("set.yaml", "job.yaml")
    assert 'the pod would never complete because of "log-agent" (in Job shop/web)' in ended.stdout
    (folder / "other.yaml").write_text(DEPLOYMENT.replace("app: web", "app: shop"))
    assert "selector-matches-nothing" in rules_in(validate("set.yaml", "other.yaml").stdout)


_POD = (
    "apiVersion: v1\nkind: Pod\nmetadata: {name: a, labels: {app: web}}\nspec: {containers: [{name: a, image: a}]}\n"
)


@pytest.mark.parametrize("manifest", [_POD, DEPLOYMENT], ids=["Pod", "Deployment"])
def test_a_label_that_is_null_is_empty(folder: Path, manifest: str) -> None:
    (folder / "set.yaml").write_text(SET.replace("app: web", 'app: ""'))
    (folder / "web.yaml").write_text(manifest.replace("app: web", "app: ~"))
    assert "1 injected" in run("inject", "-s", "set.yaml", "web.yaml").stderr
    assert "selector-matches-nothing" not in rules_in(validate("set.yaml", "web.yaml").stdout)


def test_percentages_count_replicas_where_they_are_known(folder: Path) -> None:
    (folder / "set.yaml").write_text(SET + "  updateStrategy: {maxUnavailable: 60%}\n")
    few = "percentage-of-few"
    (folder / "three.yaml").write_text(DEPLOYMENT.replace("replicas: 2", "replicas: 3"))
    assert few not in rules_in(validate("set.yaml", "three.yaml").stdout)  # 2 of 3
    assert few in rules_in(validate("set.yaml", "web.yaml").stdout)  # 2 of 2
    (folder / "one.yaml").write_text(DEPLOYMENT.replace("replicas: 2", "replicas: 1"))
    assert few not in rules_in(validate("set.yaml", "one.yaml").stdout)  # no percentage could be anything else
    (folder / "many.yaml").write_text(re.sub(r" +replicas: .*\n", "", DEPLOYMENT))  # an autoscaler's
    assert few not in rules_in(validate("set.yaml", "many.yaml").stdout)


def test_objects_that_are_missing_and_the_whitelist(folder: Path) -> None:
    (folder / "set.yaml").write_text(
        SET + "  imagePullSecrets: [{name: registry}]\n  patchPodMetadata: [{annotations: {example.com/a: b}}]\n"
    )
    manifest = "apiVersion: v1\nkind: Secret\nmetadata: {name: other, namespace: shop}\n"
    (folder / "secret.yaml").write_text(manifest)
    ended = validate("set.yaml", "web.yaml", "secret.yaml")
    assert {"object-missing", "patch-whitelist-unknown"} <= set(rules_in(ended.stdout))
    (folder / "secret.yaml").write_text(manifest.replace("other", "registry"))
    rules = '{"rules": [{"allowedAnnotationKeyExprs": ["^example[.]com/"]}]}'
    whitelist = (
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: kruise-configuration, namespace: kruise-system}\n"
        f"data: {{SidecarSet_PatchPodMetadata_WhiteList: '{rules}'}}\n"
    )
    (folder / "whitelist.yaml").write_text(whitelist)
    ended = validate("set.yaml", "web.yaml", "secret.yaml", "whitelist.yaml")
    assert not {"object-missing", "patch-whitelist-unknown", "patch-whitelist"} & set(rules_in(ended.stdout))
    (folder / "whitelist.yaml").write_text(whitelist.replace("example[.]", "other[.]"))
    assert "patch-whitelist" in rules_in(validate("set.yaml", "whitelist.yaml").stdout)
    assert "[patch-whitelist]" in run("inject", "-s", "set.yaml", "-s", "whitelist.yaml", "web.yaml").stderr


def test_the_warning_about_two_of_one_name_is_suppressed_like_any_other(folder: Path) -> None:
    again = NATIVE.replace("name: proxy\nspec", "name: logs\nspec")
    (folder / "again.yaml").write_text(again)
    assert "sidecarset-twice" in rules_in(validate("set.yaml", "again.yaml").stdout)
    assert "sidecarset-twice" not in rules_in(
        validate("set.yaml", "again.yaml", "--ignore", "sidecarset-twice").stdout
    )
    (folder / "again.yaml").write_text(
        again.replace(
            "name: logs\nspec", "name: logs\n  annotations: {sidecarctl.dev/ignore: sidecarset-twice}\nspec"
        )
    )
    assert "sidecarset-twice" not in rules_in(validate("set.yaml", "again.yaml").stdout)


def test_updates_and_what_the_old_version_hides(folder: Path) -> None:
    (folder / "old.yaml").write_text(SET.replace("name: log-agent", "name: agent"))
    ended = validate("set.yaml", "--old", "old.yaml")
    assert ended.code == 1
    assert rules_in(ended.stdout)[0] == "update-container-added"
    assert validate("set.yaml", "--old", "set.yaml").code == 0
    (folder / "old.yaml").write_text(BAD_YAML)
    assert validate("set.yaml", "--old", "old.yaml").code == 2


def test_zones_by_another_label(folder: Path) -> None:
    pods = "".join(
        f"---\napiVersion: v1\nkind: Pod\nmetadata: {{name: {name}, labels: {{app: web}}}}\n"
        "spec: {nodeName: a, containers: [{name: web, image: 'web:1'}]}\n"
        for name in ("one", "two")
    )
    node = "---\napiVersion: v1\nkind: Node\nmetadata: {name: a, labels: {rack: r1}}\n"
    (folder / "pods.yaml").write_text(pods + node)
    (folder / "set.yaml").write_text(SET + "  updateStrategy: {maxUnavailable: 2}\n")
    assert "zone-goes-at-once" in rules_in(validate("set.yaml", "pods.yaml", "--by-node", "rack").stdout)
    assert "zone-goes-at-once" not in rules_in(validate("set.yaml", "pods.yaml").stdout)


def test_suppression(folder: Path) -> None:
    ended = validate("set.yaml", "--ignore", "no-resources,no-namespace-limit")
    assert (ended.stdout, ended.stderr) == ("", "1 SidecarSet in 1 file: no findings; 2 suppressed\n")
    ended = validate("set.yaml", "--ignore", "no-resource")
    assert ended.code == 2
    assert "did you mean no-resources?" in ended.stderr
    (folder / "set.yaml").write_text(
        SET.replace("name: logs", "name: logs\n  annotations: {sidecarctl.dev/ignore: no-resources}")
    )
    assert rules_in(validate("set.yaml").stdout) == ["no-namespace-limit"]


def test_an_annotation_suppresses_in_inject_too(folder: Path) -> None:
    text = SET.replace(":2.4.1", ":latest")
    (folder / "set.yaml").write_text(text)
    assert "[image-without-tag]" in run("inject", "-s", "set.yaml", "web.yaml").stderr
    annotation = "name: logs\n  annotations: {sidecarctl.dev/ignore: image-without-tag}"
    (folder / "set.yaml").write_text(text.replace("name: logs", annotation))
    ended = run("inject", "-s", "set.yaml", "web.yaml", "--strict")
    assert (ended.code, "image-without-tag" in ended.stderr) == (0, False)


def test_a_baseline_hides_what_was_there(folder: Path) -> None:
    accepted = NATIVE.replace("  selector:", "  updateStrategy: {type: NotUpdate}\n  selector:")
    (folder / "proxy.yaml").write_text(accepted)
    assert validate(".", "--write-baseline").code == 2
    assert validate(".", "--baseline", "known.json").code == 2  # there is none yet
    written = validate("set.yaml", "proxy.yaml", "--baseline", "known.json", "--write-baseline")
    assert (written.code, written.stdout) == (0, "")
    again = validate("set.yaml", "proxy.yaml", "--baseline", "known.json")
    assert (again.code, again.stdout) == (0, "")
    (folder / "proxy.yaml").write_text("# moved\n" + accepted.replace("proxy:1.2", "proxy"))
    assert rules_in(validate("set.yaml", "proxy.yaml", "--baseline", "known.json").stdout) == ["image-without-tag"]
    (folder / "known.json").write_text("{}")
    ended = validate("set.yaml", "--baseline", "known.json")
    assert ended.code == 2
    assert ended.stderr.startswith("error: known.json:1:1: not a baseline: apiVersion is missing")


def test_nothing_hides_what_kruise_refuses(folder: Path) -> None:
    ignoring = "name: proxy\n  annotations: {sidecarctl.dev/ignore: native-sidecar-rolling-update}"
    (folder / "proxy.yaml").write_text(NATIVE.replace("name: proxy", ignoring, 1))
    refused = ["native-sidecar-rolling-update"]
    for options in ((), ("--ignore", refused[0]), ("--baseline", "known.json", "--write-baseline")):
        ended = validate("proxy.yaml", *options)
        assert (ended.code, rules_in(ended.stdout)) == (1, refused)
    ended = validate("proxy.yaml", "--baseline", "known.json")
    assert (ended.code, rules_in(ended.stdout)) == (1, refused)


def test_what_an_annotation_suppresses_is_counted(folder: Path) -> None:
    ignoring = "name: logs\n  annotations: {sidecarctl.dev/ignore: no-resources}"
    (folder / "set.yaml").write_text(SET.replace("name: logs", ignoring))
    assert json.loads(validate("set.yaml", "-o", "json").stdout)["suppressed"] == 1
    assert "; 1 suppressed" in validate("set.yaml").stderr


def test_a_baseline_is_not_written_if_something_cannot_be_read(folder: Path) -> None:
    (folder / "bad.yaml").write_text(BAD_YAML)
    assert validate(".", "--baseline", "known.json", "--write-baseline").code == 2
    assert not (folder / "known.json").exists()


def test_machine_forms_say_the_same(folder: Path) -> None:
    (folder / "proxy.yaml").write_text(NATIVE)
    found = json.loads(validate(".", "-o", "json").stdout)
    assert_valid(found, "validation-result.json")
    assert found == yaml.safe_load(validate(".", "-o", "yaml").stdout)
    assert found["counts"] == {"error": 1, "warning": 0, "note": 2}
    [error] = [finding for finding in found["findings"] if finding["severity"] == "error"]
    assert (error["file"], error["line"], error["rule"]) == ("proxy.yaml", 6, "native-sidecar-rolling-update")


def test_markdown_has_a_table_for_each_severity(folder: Path) -> None:
    (folder / "proxy.yaml").write_text(NATIVE)
    text = validate(".", "-o", "markdown").stdout
    assert text.index("#### Errors") < text.index("#### Notes")
    assert "<code>native-sidecar-rolling-update</code> |\n" in text


@pytest.mark.usefixtures("folder")
def test_nothing_to_validate_is_reported() -> None:
    ended = validate("web.yaml")
    assert ended.code == 2
    assert "[NoSidecarSet]" in ended.stderr
    assert validate("web.yaml", "--allow-empty").code == 0
    assert validate().code == 2


def test_odd_objects_beside_sets_end_in_findings(folder: Path) -> None:
    (folder / "odd.yaml").write_text(
        "---\n".join(
            [
                "apiVersion: v1\nkind: Namespace\nmetadata: {name: a, labels: 5}\n",
                "apiVersion: apps/v1\nkind: ControllerRevision\nmetadata: {name: 5}\n",
                "apiVersion: v1\nkind: Secret\nmetadata: text\n",
                "apiVersion: v1\nkind: Node\nmetadata: {name: n, labels: []}\n",
                DEPLOYMENT.replace("labels: {app: web}", "labels: {app: 5}"),
                CRON_JOB,
            ]
        )
    )
    ended = validate("set.yaml", "odd.yaml")
    assert ended.code == 1
    assert ended.stdout.count("error: odd.yaml:") >= 5


def test_each_message_says_what_decides(folder: Path) -> None:
    """As in published SidecarSets: a volume of an invalid name, unsorted containers, a strategy that nobody wrote."""
    (folder / "set.yaml").write_text(
        SET.rstrip()
        + """
    volumeMounts: [{name: nginx.conf, mountPath: /conf}]
  - name: agent
    image: agent:1
  initContainers: [{name: proxy, image: 'proxy:1', restartPolicy: Always}]
  volumes: [{name: nginx.conf, emptyDir: {}}]
"""
    )
    said = run("validate", "set.yaml").stdout
    assert '"nginx.conf" is not a valid volume name' in said
    assert "declares no valid volume" not in said, "what is wrong is said once, at the volume"
    assert "the feature gate EnableSortSidecarContainerByName would sort them by name: agent, log-agent" in said
    assert 'the native sidecar "proxy" cannot be updated in place, which RollingUpdate, the default, requires' in said


def test_a_field_next_to_its_list_item_gets_a_hint_where_it_belongs(folder: Path) -> None:
    """As a published manual has it: mountPath less indented than its mount."""
    slip = "    volumeMounts:\n    - name: logs\n    mountPath: /logs\n  upgradeStrategy: {}\n"
    (folder / "set.yaml").write_text(SET.rstrip() + "\n" + slip)
    said = run("validate", "set.yaml").stdout
    assert "mountPath is missing (write mountPath: /logs, for example)" in said
    assert "unknown field mountPath; the API server drops it (it belongs in an item of volumeMounts)" in said
    assert "the API server drops it (it belongs in each container; a SidecarSet has updateStrategy)" in said
    (folder / "set.yaml").write_text(SET.replace("spec:\n", "spec:\n  zzz: 1\n", 1))
    assert (
        "drops it (correct or delete the field; sidecarctl schema prints all that exist)"
        in run("validate", "set.yaml").stdout
    )
