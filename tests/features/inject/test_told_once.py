"""What cannot be undone, and what a choice of revision lacks, is reported once and correctly."""

from pathlib import Path

import pytest

from tests.cli.manifests import SET
from tests.cli.running import run

WHITELIST = """\
apiVersion: v1
kind: ConfigMap
metadata: {name: kruise-configuration, namespace: kruise-system}
data:
  SidecarSet_PatchPodMetadata_WhiteList: '{"rules":[{"allowedAnnotationKeyExprs":["zone"]}]}'
"""
POD = """\
apiVersion: v1
kind: Pod
metadata:
  name: p
  labels: {app: web}
  annotations: {ANNOTATIONS}
spec:
  containers: [{name: web, image: "a:1"}]
"""
REVISION = """\
apiVersion: apps/v1
kind: ControllerRevision
metadata: {name: logs-1, namespace: kruise-system, labels: {kruise.io/sidecarset-name: logs}}
revision: 1
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("pod.yaml").write_text(POD.replace("{ANNOTATIONS}", "{b: c, zone: own, more: d}"))


@pytest.mark.parametrize(
    ("annotations", "severity", "told"),
    [
        ("{b: c, zone: own, more: d}", "warning", "annotation zone replaced the pod's own value, which cannot"),
        ("{b: c, zone: own}", "note", "annotation zone is removed; if the pod had a value of its own"),
        ("{zone: own}", "note", "annotation zone is removed; if the pod had a value of its own"),
    ],
)
def test_an_annotation_that_a_patch_overwrote_is_not_lost_silently(
    annotations: str, severity: str, told: str
) -> None:
    patch = "  patchPodMetadata: [{annotations: {zone: a}, patchPolicy: Overwrite}]\n"
    Path("set.yaml").write_text(f"{SET}{patch}---\n{WHITELIST}")
    Path("pod.yaml").write_text(POD.replace("{ANNOTATIONS}", annotations))
    injected = run("inject", "-s", "set.yaml", "pod.yaml")
    assert injected.stderr.count("[NotReversible]") == 1
    Path("pod.yaml").write_text(injected.stdout)
    ended = run("uninject", "-s", "set.yaml", "pod.yaml")
    assert "zone" not in ended.stdout
    assert ended.stderr.count("[NotReversible]") == 1
    [line] = [line for line in ended.stderr.splitlines() if line.endswith("[NotReversible]")]
    assert line.startswith(f"{severity}: ")
    assert told in line


def test_a_revision_without_data_is_one_warning() -> None:
    chosen = "  injectionStrategy: {revision: {revisionName: logs-1, policy: Always}}\n"
    Path("set.yaml").write_text(f"{SET}{chosen}---\n{REVISION}")
    ended = run("inject", "-s", "set.yaml", "pod.yaml")
    [line] = [line for line in ended.stderr.splitlines() if line.startswith("warning: ")]
    assert line.endswith("logs-1 has no data, so the current SidecarSet is injected [EmptyRevision]")


def test_a_partial_choice_without_a_name_lacks_that_and_no_revision() -> None:
    Path("set.yaml").write_text(f"{SET}  injectionStrategy: {{revision: {{policy: Partial}}}}\n")
    for ended in (run("inject", "-s", "set.yaml", "pod.yaml"), run("validate", "set.yaml")):
        said = ended.stdout + ended.stderr
        assert "spec.injectionStrategy.revision: revisionName or customVersion is required" in said
        assert "ControllerRevision" not in said
