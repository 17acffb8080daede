"""An apiVersion that is malformed, or that its group never had, is an error for the kinds of the table."""

from pathlib import Path

import pytest

from tests.cli.manifests import DEPLOYMENT, SET
from tests.cli.running import run

POD = (
    "apiVersion: v1\nkind: Pod\nmetadata: {name: p, labels: {app: web}}\n"
    "spec: {containers: [{name: a, image: 'a:1'}]}\n"
)
COMMANDS = [
    ["inject", "-s", "set.yaml", "one.yaml"],
    ["uninject", "-s", "set.yaml", "one.yaml"],
    ["plan", "--from", "set.yaml", "new.yaml", "one.yaml"],
    ["validate", "set.yaml", "one.yaml"],
    ["explain", "-s", "set.yaml", "one.yaml"],
    ["diff", "set.yaml", "new.yaml", "one.yaml"],
]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("set.yaml").write_text(SET)
    Path("new.yaml").write_text(SET.replace("2.4.1", "2.4.2"))
    return tmp_path


@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: words[0])
@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        (POD.replace("v1", "v1,"), 1, '"v1," is malformed (such as v1)'),
        (POD.replace("v1", "v2"), 1, "Kubernetes has no version v2 (such as v1)"),
        ("apiVersion: ;1\nkind: Pod\nmetadata: {name: p}\n", 1, '";1" is malformed (such as v1)'),
        (POD.replace("apiVersion: v1\n", ""), 1, "apiVersion is missing (such as v1)"),
        (POD.replace("apiVersion: v1\n", "apiVersion: 1\n"), 1, "apiVersion: expected a string (such as v1)"),
        (DEPLOYMENT.replace("apps/v1", "apps/v3"), 2, "apps has no version v3 (such as apps/v1)"),
        (DEPLOYMENT.replace("apps/v1", "apps/"), 2, '"apps/" is malformed (such as apps/v1 or extensions/v1beta1)'),
        (DEPLOYMENT.replace("apps/v1", "Apps/V1"), 2, '"Apps/V1" is malformed'),
    ],
)
def test_it_is_an_error_everywhere(words: list[str], text: str, line: int, message: str) -> None:
    Path("one.yaml").write_text(text)
    ended = run(*words)
    assert ended.code == (1 if words[0] == "validate" else 2)
    said = ended.stderr + ended.stdout
    assert f"one.yaml:{line}" in said
    assert message in said
    assert "[UnknownVersion]" in said


@pytest.mark.parametrize(
    ("version", "kind", "said"),
    [
        ("apps/v1beta1", "DaemonSet", "apps/v1beta1 has no DaemonSet (such as apps/v1)"),
        ("apps/v1beta1", "ReplicaSet", "apps/v1beta1 has no ReplicaSet (such as apps/v1)"),
        ("batch/v1beta1", "Job", "batch/v1beta1 has no Job (such as batch/v1)"),
        ("kubeflow.org/v1beta2", "JAXJob", ""),
        ("v1", "Deployment", "v1 has no Deployment (such as apps/v1 or extensions/v1beta1)"),
        ("batch/v1", "DaemonSet", "batch/v1 has no DaemonSet (such as apps/v1 or extensions/v1beta1 or"),
        ("policy/v1", "Deployment", "policy/v1 has no Deployment"),
        ("extensions/v1beta1", "StatefulSet", "extensions/v1beta1 has no StatefulSet (such as apps/v1 or"),
        ("apps/v1beta2", "DaemonSet", ""),
        ("extensions/v1beta1", "Job", ""),
        ("example.com/v1", "Deployment", ""),
    ],
)
def test_versions_are_those_of_the_kind(version: str, kind: str, said: str) -> None:
    Path("one.yaml").write_text(DEPLOYMENT.replace("apps/v1", version).replace("kind: Deployment", f"kind: {kind}"))
    Path("web.yaml").write_text(DEPLOYMENT)
    ended = run("inject", "-s", "set.yaml", "one.yaml", "web.yaml")
    assert ended.code == (2 if said else 0), ended.stderr
    assert said in ended.stderr
    assert ("[UnknownVersion]" in ended.stderr) is bool(said)


def test_a_kind_that_is_taught_for_every_group_is_none() -> None:
    Path("one.yaml").write_text(DEPLOYMENT.replace("apps/v1", "v1"))
    assert run("inject", "-s", "set.yaml", "one.yaml", "--template-path", "Deployment=spec.template").code == 0


@pytest.mark.parametrize(
    "text",
    [
        "kind: DaemonSet   # values of a chart\nimage: {tag: '1'}\n",
        "apiVersion: v1\nkind: List\nitems:\n- {kind: Pod, metadata: {name: p}, spec: {containers: []}}\n",
        "apiVersion: example.com/v7\nkind: Job\nmetadata: {name: x}\nspec: {}\n",
        "apiVersion: apps/v3\nkind: Deployment\nmetadata: {name: x}\n",
    ],
)
def test_what_has_no_template_is_left_alone(text: str) -> None:
    Path("one.yaml").write_text(text)
    Path("web.yaml").write_text(DEPLOYMENT)
    ended = run("inject", "-s", "set.yaml", "one.yaml", "web.yaml")
    assert ended.code == 0, ended.stderr
    assert "UnknownVersion" not in ended.stderr


def test_a_version_that_is_taught_is_none() -> None:
    text = DEPLOYMENT.replace("apps/v1", "ray.io/v7").replace("Deployment", "RayCluster").replace("template", "x")
    text = text.replace("  x:", "  headGroupSpec:\n   template:")
    Path("one.yaml").write_text(text)
    assert "ray.io has no version v7 (such as ray.io/v1)" in run("inject", "-s", "set.yaml", "one.yaml").stderr
    taught = run(
        "inject", "-s", "set.yaml", "one.yaml", "--template-path", "RayCluster.ray.io=spec.headGroupSpec.template"
    )
    assert taught.code == 0
    assert "log-agent" in taught.stdout
