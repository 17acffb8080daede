"""kubeconform with our schemas: it accepts the samples, and rejects what a schema can say is wrong."""

from pathlib import Path

import pytest

from tests.tools.running import ROOT, Ended, run

SAMPLES = sorted(
    path
    for path in (ROOT / "samples").rglob("*.yaml")
    if "\nkind: SidecarSet\n" in f"\n{path.read_text()}" and "kustomize" not in path.parts
)
SAMPLE = ROOT / "samples" / "quickstart" / "sidecarset.yaml"


def kubeconform(folder: Path, *manifests: Path) -> Ended:
    """What kubeconform says by the schemas that `schema` prints."""
    for version in ("v1alpha1", "v1beta1"):
        printed = run("sidecarctl", "schema", "--api-version", version)
        (folder / f"sidecarset-{version}.json").write_text(printed.stdout)
    where = f"{folder}/{{{{.ResourceKind}}}}-{{{{.ResourceAPIVersion}}}}.json"
    return run("kubeconform", "-schema-location", where, "-ignore-missing-schemas", "-verbose", *manifests)


def test_the_samples_are_valid(tmp_path: Path) -> None:
    ended = kubeconform(tmp_path, *SAMPLES)
    assert ended.code == 0, ended.stdout
    assert ended.stdout.count("SidecarSet") >= len(SAMPLES) > 5


@pytest.mark.parametrize(
    ("right", "wrong", "field"),
    [
        ("    matchLabels:", "    matchLabel:", "matchLabel"),
        ("    maxUnavailable:", "    type: Rolling\n    maxUnavailable:", "/spec/updateStrategy/type"),
        ("    - name: log-agent", "    - name: 5", "/spec/containers/0/name"),
    ],
)
def test_a_broken_sample_is_not(tmp_path: Path, right: str, wrong: str, field: str) -> None:
    text = SAMPLE.read_text()
    assert right in text
    broken = tmp_path / "broken.yaml"
    broken.write_text(text.replace(right, wrong, 1))
    ended = kubeconform(tmp_path, broken)
    assert ended.code == 1
    assert field in ended.stdout
