"""For each kind of expectation: the samples' own tests pass, and fail when their subject is changed."""

import json
import shutil
from pathlib import Path
from typing import NamedTuple

import pytest
import yaml

from sidecarctl.features.expectations.document import SUBJECTS
from tests.cli.running import run

SAMPLES = Path(__file__).parents[3] / "samples"


class Mutation(NamedTuple):
    """A change of a sample, the case that then fails, and the field that fails."""

    file: str
    before: str
    after: str
    case: str
    field: str


MUTATIONS = [Mutation(**row) for row in yaml.safe_load(Path(__file__).with_name("mutations.yaml").read_text())]


def failing(folder: Path) -> dict[str, list[str]]:
    """The fields that fail, by case."""
    ended = run("test", folder / "tests", "-o", "json")
    document = json.loads(ended.stdout)
    assert ended.code == (1 if document["counts"]["failed"] else 0)
    return {
        case["name"]: [failure["field"] for failure in case["failures"]]
        for case in document["cases"]
        if case["outcome"] == "failed"
    }


def test_the_tests_of_the_samples_hold() -> None:
    assert not failing(SAMPLES)


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: f"{mutation.case}: {mutation.field}")
def test_what_no_longer_holds_fails(mutation: Mutation, tmp_path: Path) -> None:
    folder = tmp_path / "samples"
    shutil.copytree(SAMPLES, folder)
    file = folder / mutation.file
    text = file.read_text()
    assert mutation.before in text
    file.write_text(text.replace(mutation.before, mutation.after, 1))
    assert mutation.field in failing(folder).get(mutation.case, [])


def test_every_kind_of_expectation_has_a_mutation() -> None:
    fields = {mutation.field.replace("[", ".").split(".")[0] for mutation in MUTATIONS}
    every = {key for keys in SUBJECTS.values() for key in keys}
    assert every == fields - {"select", ""}


PRIORITY = """\
apiVersion: apps.kruise.io/v1beta1
kind: SidecarSet
metadata: {name: logs}
spec:
  selector: {matchLabels: {app: web}}
  updateStrategy: {type: RollingUpdate, partition: 0}
  containers: [{name: agent, image: "agent:1", env: [{name: KRUISE_CONTAINER_PRIORITY, value: high}]}]
"""
REFUSED = """\
apiVersion: sidecarctl.dev/v1alpha1
kind: SidecarTest
inputs: {sidecarsets: [set.yaml], manifests: [pod.yaml]}
cases:
- {name: select, select: {kind: Pod}, expect: {refused: PriorityNotANumber}}
- name: pod
  pod: {metadata: {labels: {app: web}}, spec: {containers: [{name: a, image: "a:1"}]}}
  expect: {refused: PriorityNotANumber}
- name: rollout
  rollout: {sidecarset: logs, set: {spec.updateStrategy.partition: some}}
  expect: {refused: int-or-percentage}
"""


def test_what_kruise_refuses_of_each_subject(tmp_path: Path) -> None:
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "set.yaml").write_text(PRIORITY)
    pod = {
        "metadata": {"name": "a", "labels": {"app": "web"}},
        "spec": {"containers": [{"name": "a", "image": "a:1"}]},
    }
    (tmp_path / "tests" / "pod.yaml").write_text(json.dumps({"apiVersion": "v1", "kind": "Pod", **pod}))
    tests = tmp_path / "tests" / "a.sidecartest.yaml"
    tests.write_text(REFUSED)
    assert not failing(tmp_path)
    (tmp_path / "tests" / "set.yaml").write_text(PRIORITY.replace("high", '"5"'))
    tests.write_text(REFUSED.replace("partition: some", "partition: 5"))
    assert failing(tmp_path) == {"select": ["refused"], "pod": ["refused"], "rollout": ["refused"]}
