"""A claim of a StatefulSet, which its controller writes into a pod before Kruise sees it, in every command."""

from pathlib import Path

import pytest

from tests.cli.running import run

SET = """\
apiVersion: apps.kruise.io/v1alpha1
kind: SidecarSet
metadata: {name: backup}
spec:
  selector: {matchLabels: {app: db}}
  containers:
  - name: backup
    image: backup:1
    volumeMounts: [{name: data, mountPath: /data}]
  volumes: [{name: data, emptyDir: {}}]
"""
HOLDER = """\
    selector: {matchLabels: {app: db}}
    serviceName: db
    template:
      metadata: {labels: {app: db}}
      spec: {containers: [{name: db, image: 'db:1'}], volumes: [{name: cfg, configMap: {name: cfg}}]}
    volumeClaimTemplates:
    - metadata: {name: data}
"""
STATEFUL = (
    "apiVersion: apps/v1\nkind: StatefulSet\nmetadata: {name: db, namespace: data}\nspec:\n  replicas: 2\n"
    + HOLDER.replace("\n  ", "\n").removeprefix("  ")
)
UNITED = (
    "apiVersion: apps.kruise.io/v1alpha1\nkind: UnitedDeployment\nmetadata: {name: db, namespace: data}\n"
    "spec:\n  replicas: 2\n  selector: {matchLabels: {app: db}}\n  topology: {subsets: [{name: a, replicas: 2}]}\n"
    "  template:\n    statefulSetTemplate:\n      metadata: {labels: {app: db}}\n      spec:\n"
    + HOLDER.replace("\n    ", "\n        ").replace("    ", "        ", 1)
)


@pytest.fixture(params=[STATEFUL, UNITED], ids=["StatefulSet", "UnitedDeployment"])
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "set.yaml").write_text(SET)
    (tmp_path / "db.yaml").write_text(request.param)
    return tmp_path


@pytest.mark.usefixtures("folder")
def test_inject_says_nothing_about_a_volume_that_is_not_in_the_file() -> None:
    ended = run("inject", "-s", "set.yaml", "db.yaml")
    assert "emptyDir" not in ended.stdout
    assert "persistentVolumeClaim" not in ended.stdout
    assert "NotReversible" not in ended.stderr


def test_inject_names_the_own_volume_where_it_is(folder: Path) -> None:
    text = SET.replace("[{name: data, emptyDir: {}}]", "[{name: data, emptyDir: {}}, {name: cfg, emptyDir: {}}]")
    mounting = text.replace(
        "{name: data, mountPath: /data}", "{name: data, mountPath: /data}, {name: cfg, mountPath: /c}"
    )
    (folder / "set.yaml").write_text(mounting)
    ended = run("inject", "-s", "set.yaml", "db.yaml")
    assert "spec.volumes[0]: cfg also comes from a SidecarSet; the pod's own is kept" in ended.stderr
    assert "data also comes" not in ended.stderr


@pytest.mark.usefixtures("folder")
def test_the_pods_have_the_claim() -> None:
    ended = run("inject", "-s", "set.yaml", "db.yaml", "--as-pods")
    assert ended.stdout.count("claimName: data-db-") == 2
    assert "emptyDir" not in ended.stdout


@pytest.mark.usefixtures("folder")
def test_explain_credits_the_controller() -> None:
    ended = run("explain", "set.yaml", "db.yaml")
    assert "volumes that the pod has already, and keeps: data" in ended.stdout
    assert "added with it" not in ended.stdout
    assert (
        "from the controller of"
        in run("explain", "set.yaml", "db.yaml", "db", "--field", "spec.volumes[data]").stdout
    )


def test_explain_adds_no_volume_that_the_sidecarset_does_not_declare(folder: Path) -> None:
    (folder / "set.yaml").write_text(SET.replace("{name: data, mountPath", "{name: cache, mountPath"))
    assert "added with it" not in run("explain", "set.yaml", "db.yaml").stdout
    (folder / "set.yaml").write_text(SET.replace("name: data", "name: cache"))
    assert "volumes added with it: cache" in run("explain", "set.yaml", "db.yaml").stdout


@pytest.mark.usefixtures("folder")
def test_validate_lets_the_usual_declaration_be() -> None:
    ended = run("validate", "set.yaml", "db.yaml", "--strict")
    [line] = [line for line in ended.stdout.splitlines() if "[volume-kept]" in line]
    assert line.startswith("note: ")
    assert "if the sidecar is to have a volume of its own" in line
    assert ended.code == 0


def test_another_volume_of_the_sidecarset_changes_no_pod(folder: Path) -> None:
    for name in ("before", "after"):
        (folder / name).mkdir()
        for file in ("set.yaml", "db.yaml"):
            (folder / name / file).write_text((folder / file).read_text())
    (folder / "after" / "set.yaml").write_text(SET.replace("emptyDir: {}", "configMap: {name: cfg}"))
    assert "1 workload: 1 unchanged" in run("diff", "--before", "before", "--after", "after").stdout
    assert "warning: " in run("validate", "after").stdout


TEMPLATE = "{metadata: {labels: {app: db}}, spec: {containers: [{name: main, image: 'main:1'}]}}"
KINDS = {
    "apps/v1 Deployment": ("template", False),
    "batch/v1 Job": ("template", False),
    "argoproj.io/v1alpha1 Rollout": ("template", False),
    "batch.volcano.sh/v1alpha1 Job": ("tasks: [{name: a, template", True),
    "kubeflow.org/v1 PyTorchJob": ("pytorchReplicaSpecs: {Master: {template", True),
    "ray.io/v1 RayCluster": ("headGroupSpec: {template", True),
    "serving.knative.dev/v1 Service": ("template", True),
    "agones.dev/v1 Fleet": ("template: {spec: {template", True),
}


@pytest.mark.parametrize("kind", KINDS)
def test_what_a_controller_may_add(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    monkeypatch.chdir(tmp_path)
    holder, may_be_added = KINDS[kind]
    closing = "".join({"[": "]", "{": "}"}[sign] for sign in reversed(holder) if sign in "[{")
    (tmp_path / "db.yaml").write_text(
        f"apiVersion: {kind.split(maxsplit=1)[0]}\nkind: {kind.split()[1]}\nmetadata: {{name: db}}\n"
        f"spec:\n  {holder}: {TEMPLATE}{closing}\n"
    )
    transfer = "    transferEnv: [{sourceContainerName: main, envName: RANK}]\n"
    (tmp_path / "set.yaml").write_text(SET.replace("  volumes:", f"{transfer}  volumes:"))
    for words in (("inject", "-s", "set.yaml", "db.yaml"), ("explain", "set.yaml", "db.yaml"), ("validate", ".")):
        ended = run(*words)
        [line] = [line for line in (ended.stdout + ended.stderr).splitlines() if "RANK" in line and ".yaml:" in line]
        assert ("note: " in line) == may_be_added, words
        assert ("RANK may be added by its controller" in line) == may_be_added, words
        assert ("does not define it" in line) != may_be_added, words
