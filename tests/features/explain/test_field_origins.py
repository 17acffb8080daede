"""`explain --field`: who put a field into a pod."""

import json
from pathlib import Path

import pytest
import yaml

from tests.cli.running import run
from tests.engine.rollout.manifests import pod, sidecarset
from tests.features.drift import test_outdated as outdated
from tests.schemas import assert_valid

SAMPLES = Path(__file__).parents[3] / "samples"
ON_CALL = SAMPLES / "on-call"
SET = ON_CALL / "sidecarset.yaml"
PODS = ON_CALL / "pods.yaml"


@pytest.mark.parametrize(
    ("field", "said"),
    [
        ("spec.containers[web].env[TZ]", "the pod itself: spec.containers[1].env[0] (pods.yaml:36:7); no SidecarSet"),
        (
            "spec.containers[log-agent].env[LEVEL]",
            "SidecarSet logs: spec.containers[0].env[0] (sidecarset.yaml",
        ),
        ("spec.containers[log-agent].image", "SidecarSet logs: spec.containers[0].image (sidecarset.yaml:10:14)"),
        ("spec.containers[log-agent]", "SidecarSet logs: spec.containers[0] (sidecarset.yaml:9:7)"),
        ("spec.containers[log-agent].env[IS_INJECTED].value", "Kruise; it marks every sidecar"),
        ("spec.containers[0].imagePullPolicy", "SidecarSet logs: spec.containers[0].imagePullPolicy; a default"),
        ("metadata.annotations[kruise.io/sidecarset-hash]", "Kruise; Kruise records there what it did to the pod"),
        ("metadata.labels.app", "the pod itself: metadata.labels.app (pods.yaml:7:10)"),
    ],
)
def test_a_field_of_a_running_pod(field: str, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ON_CALL)
    ended = run("explain", "sidecarset.yaml", "pods.yaml", "web-0", "--field", field)
    first, second, *rest = ended.stdout.splitlines()
    assert first.startswith(f"Pod shop/web-0: {field} = ")
    assert second.startswith(f"└─ from {said}")
    assert not rest


@pytest.mark.parametrize(
    ("field", "said"),
    [
        ("containers[log-agent].env[LOG_LEVEL]", "SidecarSet logs: spec.containers[0].transferEnv[0] ("),
        ("containers[log-agent].volumeMounts[/data]", "SidecarSet logs: spec.containers[0].shareVolumePolicy ("),
        ("initContainers[envoy].resources.limits.cpu", "SidecarSet proxy: spec.initContainers[0].resourcesPolicy ("),
        ("containers[web].image", "Deployment shop/web: spec.template.spec.containers[0].image ("),
        ("volumes[data]", "Deployment shop/web: spec.template.spec.volumes[0] ("),
    ],
)
def test_a_field_of_the_pods_that_a_workload_makes(field: str, said: str) -> None:
    inputs = ("-s", SAMPLES / "explain", SAMPLES / "explain" / "workloads.yaml", "deployment/web")
    ended = run("explain", *inputs, "--field", f"spec.template.spec.{field}")
    assert f"└─ from {said}" in ended.stdout


def test_the_image_of_an_idle_container_is_the_empty_one(tmp_path: Path) -> None:
    (tmp_path / "set.json").write_text(json.dumps(sidecarset("1", hot=True).manifest))
    (tmp_path / "pods.json").write_text(json.dumps(pod(hot=True)))
    for half, field in (("agent-2", "upgradeStrategy.hotUpgradeEmptyImage"), ("agent-1", "image (")):
        inputs = (tmp_path / "set.json", tmp_path / "pods.json", "--field", f"spec.containers[{half}].image")
        assert f"└─ from SidecarSet logs: spec.containers[0].{field}" in run("explain", *inputs).stdout


def test_a_field_of_an_older_revision() -> None:
    inputs = (SET, PODS, "web-3", "--field")
    older = ("--revision-from", ON_CALL / "older.yaml")
    said = run("explain", *inputs, "spec.containers[log-agent].image", *older).stdout
    assert "from SidecarSet logs: spec.containers[0].image; in revision logs-74f4b7db58, which the pod runs" in said
    said = run("explain", *inputs, "spec.containers[metrics].image", *older).stdout
    assert "spec.containers[1].image; in revision" in said
    said = run("explain", *inputs, "spec.containers[metrics].image").stdout
    assert "from SidecarSet logs; it no longer has the container" in said
    assert (
        "revision logs-74f4b7db58, which the pod runs, is not among the inputs"
        in run("explain", *inputs, "spec.containers[log-agent].image").stdout
    )


def test_fields_that_somebody_changed_or_added(tmp_path: Path) -> None:
    pod = next(iter(yaml.safe_load_all(PODS.read_text())))
    agent = pod["spec"]["containers"][0]
    agent["image"] = "mirror.example.com/log-agent:2.1.0"
    agent["ports"] = [{"containerPort": 8080}]
    agent["volumeMounts"] = [{"name": "t", "mountPath": "/var/run/secrets/kubernetes.io/serviceaccount"}]
    pod["spec"]["containers"].append({"name": "old", "env": [{"name": "IS_INJECTED", "value": "true"}]})
    (tmp_path / "pod.json").write_text(json.dumps(pod))
    for field, said in {
        "containers[log-agent].image": "which says registry.example.com/log-agent:2.1.0: it was changed since",
        "containers[log-agent].ports[8080]": "SidecarSet logs has the container without it: another webhook wrote it",
        "containers[log-agent].volumeMounts[/var/run/secrets/kubernetes.io/serviceaccount]": "from the API server",
        "containers[log-agent].terminationMessagePath": "spec.containers[0].terminationMessagePath; a default",
        "containers[old].env": "from a SidecarSet; it is not among the inputs, or no longer has the container",
        "containers[none]": "spec.containers[none]: the pod has no such field",
    }.items():
        assert said in run("explain", SET, tmp_path / "pod.json", "--field", f"spec.{field}").stdout


def test_an_annotation_that_a_sidecarset_patches(tmp_path: Path) -> None:
    mount = "      volumeMounts: [{name: spool, mountPath: /spool}]\n"
    patch = "  patchPodMetadata: [{annotations: {team: shop}, patchPolicy: Overwrite}]\n"
    (tmp_path / "set.yaml").write_text(
        f"{SET.read_text()}{mount}{patch}  volumes: [{{name: spool, emptyDir: {{}}}}]\n"
    )
    inputs = (tmp_path / "set.yaml", ON_CALL / "workload.yaml", "deployment/web")
    gate = ("--feature-gates", "SidecarSetPatchPodMetadataDefaultsAllowed=true")
    said = run("explain", *inputs, "--field", "metadata.annotations.team", *gate).stdout
    assert "from SidecarSet logs: spec.patchPodMetadata[0].annotations.team (" in said
    assert "; policy Overwrite" in said
    said = run("explain", *inputs, "--field", "spec.volumes[spool]", *gate).stdout
    assert "from SidecarSet logs: spec.volumes[0] (" in said


def test_json_and_what_is_not_a_path() -> None:
    document = json.loads(run("explain", SET, PODS, "web-0", "--field", "spec.nodeName", "-o", "json").stdout)
    assert_valid(document, "pod-explanation.json")
    found = document["pods"][0]["field"]
    assert (found["path"], found["value"], found["from"], found["line"]) == (
        "spec.nodeName",
        "n1",
        "the pod itself",
        21,
    )
    ended = run("explain", SET, PODS, "web-0", "--field", "spec..x")
    assert (ended.code, ended.stdout) == (2, "")
    assert "--field spec..x is not a path to a field (such as 'spec.containers[web].env[TZ]')" in ended.stderr


@pytest.mark.parametrize(
    ("field", "said"),
    [
        ("spec.volumes[buf]", 'from version {old}; the file has {{"configMap": {{"name": "log-v2"'),
        ("spec.volumes[buf].emptyDir", "from version {old}; the file has"),
        ("spec.initContainers[setup].image", "from version {old}; the file has setup:2 at new.json:"),
        ("metadata.annotations[example.com/rules]", "from version {old}; the file has v2 at new.json:"),
        ("spec.imagePullSecrets[pull]", "from version {old}; new pods do not get it"),
        ("spec.imagePullSecrets[other]", "the pod has no such field; new pods get"),
        (
            "spec.initContainers[setup].volumeMounts[/extra]",
            "SidecarSet logs: spec.initContainers[0].volumeMounts[0] (new",
        ),
        ("spec.volumes[extra]", "SidecarSet logs: spec.volumes[1] (new.json:"),
        ("spec.volumes[data]", "the pod itself: spec.volumes[0] (pods.json:"),
    ],
)
def test_a_value_of_an_earlier_version_cites_no_line_of_the_current_one(
    field: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = _old_and_new(tmp_path, monkeypatch)
    inputs = ("new.json", "pods.json", "web-0", "--revision-from", "old.json", "--field", field)
    assert said.format(old=old) in run("explain", *inputs).stdout


def test_a_running_pod_says_which_fields_are_of_an_earlier_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = _old_and_new(tmp_path, monkeypatch)
    inputs = ("new.json", "pods.json", "web-0", "--revision-from", "old.json")
    text = run("explain", *inputs).stdout
    assert "not as a new pod" in text
    document = json.loads(run("explain", *inputs, "-o", "json").stdout)
    assert_valid(document, "pod-explanation.json")
    [item] = document["pods"][0]["sidecarSets"]
    said = {each["path"]: each["message"] for each in item["outdated"]}
    assert all(f"{path}: {message}" in text for path, message in said.items())
    volume = next(message for path, message in said.items() if path.endswith("volumes[buf]"))
    assert f'"emptyDir": {{}}}} from version {old}; the file has' in volume
    assert "log-v2" in volume
    assert " at new.json:" in volume
    assert any(path.endswith("imagePullSecrets[other]") for path in said)


def test_a_pod_as_new_ones_differs_in_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _old_and_new(tmp_path, monkeypatch)
    assert "not as a new pod" not in run("explain", "old.json", "pods.json", "web-0").stdout


def _old_and_new(folder: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The files of two versions and a pod of the older; its revision."""
    monkeypatch.chdir(folder)
    old = outdated.sidecarset()
    new = outdated.sidecarset(
        volumes=[{"name": "buf", "configMap": {"name": "log-v2"}}, {"name": "extra", "emptyDir": {}}],
        initContainers=[{**old["spec"]["initContainers"][0], "image": "setup:2"}],
        imagePullSecrets=[{"name": "other"}],
        patchPodMetadata=[{"patchPolicy": "Overwrite", "annotations": {"example.com/rules": "v2"}}],
    )
    made = {"new.json": new, "old.json": old, "pods.json": outdated.created(outdated.app(), old)}
    for name, manifest in made.items():
        Path(name).write_text(json.dumps(manifest, indent=1))
    return str(outdated.admitted(old).latest_revision)


def test_a_volume_of_the_pods_own_is_not_that_of_the_sidecarset(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    manifest = outdated.sidecarset()
    made = outdated.created(outdated.app(volumes=[{"name": "buf", "hostPath": {"path": "/own"}}]), manifest)
    for name, each in {"set.json": manifest, "pods.json": made}.items():
        Path(name).write_text(json.dumps(each, indent=1))
    ended = run("explain", "set.json", "pods.json", "web-0", "--field", "spec.volumes[buf]")
    assert "from the pod itself: spec.volumes[0] (pods.json:" in ended.stdout
