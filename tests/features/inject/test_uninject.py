"""`sidecarctl uninject`: what inject did, undone to the byte."""

import json
from pathlib import Path

import jsonpatch
import pytest
import yaml

from tests.cli.manifests import BAD_TYPE, BAD_YAML, DEPLOYMENT, SERVICE, SET
from tests.cli.running import run


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "set.yaml").write_text(SET)
    (tmp_path / "web.yaml").write_text(DEPLOYMENT)
    return tmp_path


def test_restores_the_text_byte_for_byte(folder: Path) -> None:
    run("inject", "-s", "set.yaml", "-i", "web.yaml")
    assert (folder / "web.yaml").read_text() != DEPLOYMENT
    ended = run("uninject", "-s", "set.yaml", "web.yaml")
    assert (ended.code, ended.stdout) == (0, DEPLOYMENT)
    assert ended.stderr == "uninjected  web.yaml:2:1 Deployment shop/web  logs: log-agent\n1 uninjected\n"


def test_check_says_what_would_change_and_writes_nothing(folder: Path) -> None:
    run("inject", "-s", "set.yaml", "-i", "web.yaml")
    injected = (folder / "web.yaml").read_text()
    ended = run("uninject", "-s", "set.yaml", "--check", "web.yaml")
    assert (ended.code, ended.stdout) == (1, "")
    assert ended.stderr == "to uninject  web.yaml:2:1 Deployment shop/web  logs: log-agent\n1 to uninject\n"
    assert (folder / "web.yaml").read_text() == injected


def test_without_the_sets_what_is_marked_goes_and_doubt_is_reported() -> None:
    run("inject", "-s", "set.yaml", "-i", "web.yaml")
    ended = run("uninject", "web.yaml")
    assert (ended.code, ended.stdout) == (0, DEPLOYMENT)
    assert "NotReversible" in ended.stderr


def test_one_of_several_sets(folder: Path) -> None:
    other = SET.replace("name: logs", "name: mesh").replace("log-agent", "proxy")
    (folder / "mesh.yaml").write_text(other)
    with_one = run("inject", "-s", "set.yaml", "web.yaml").stdout
    run("inject", "-s", "set.yaml", "-s", "mesh.yaml", "-i", "web.yaml")
    ended = run("uninject", "-s", "set.yaml", "-s", "mesh.yaml", "--only", "mesh", "web.yaml")
    assert (ended.code, ended.stdout) == (0, with_one)


def test_what_was_never_injected_leaves_as_it_came(folder: Path) -> None:
    (folder / "web.yaml").write_text(DEPLOYMENT + "---\n" + SERVICE)
    ended = run("uninject", "-s", "set.yaml", "web.yaml")
    assert (ended.code, ended.stdout) == (0, DEPLOYMENT + "---\n" + SERVICE)
    assert "skipped     web.yaml:2:1 Deployment shop/web  NotInjected" in ended.stderr


def test_refuses_what_cannot_be_decoded(folder: Path) -> None:
    (folder / "web.yaml").write_text(BAD_TYPE)
    ended = run("uninject", "-s", "set.yaml", "web.yaml")
    assert (ended.code, ended.stdout) == (2, "")
    assert "spec.template.spec.containers[0].image" in ended.stderr


REGISTRY = "  imagePullSecrets: [{name: registry}]\n"
PATCH = "  patchPodMetadata: [{annotations: {owner: platform}, patchPolicy: Overwrite}]\n"
INIT = (
    "  initContainers:\n  - {name: setup, image: setup}\n  - {name: native, image: native, restartPolicy: Always}\n"
)
HOT = "    upgradeStrategy: {upgradeType: HotUpgrade, hotUpgradeEmptyImage: empty}\n"
VOLUME = "    volumeMounts: [{name: spool, mountPath: /spool}]\n"
FULL = SET + HOT + VOLUME + INIT + REGISTRY + PATCH + "  volumes: [{name: spool, emptyDir: {}}]\n"
FULL += "  updateStrategy: {type: NotUpdate}\n"

WEBHOOK = """\
# as kubectl get -o yaml shows it
apiVersion: v1
kind: Pod
metadata:
  name: web
  namespace: shop
  labels: {app: web}
  annotations:
    kruise.io/sidecarset-hash: 'RECORD'
    kruise.io/sidecarset-hash-without-image: 'RECORD'
    kruise.io/sidecarset-injected-list: logs
    note: kept
    owner: platform
spec:
  containers:
  - env:
    - {name: SIDECARSET_VERSION, value: "1"}
    - name: IS_INJECTED
      value: "true"
    image: registry.example.com/log-agent:2.4.0   # an older one
    imagePullPolicy: IfNotPresent
    name: log-agent-1
    resources: {}
    terminationMessagePath: /dev/termination-log
    volumeMounts:
    - {mountPath: /spool, name: spool}
    - {mountPath: /var/run/secrets/kubernetes.io/serviceaccount, name: kube-api-access-x, readOnly: true}
  - env:
    - {name: IS_INJECTED, value: "true"}
    image: empty
    name: log-agent-2
  # the app
  - image: registry.example.com/web:1.0
    name: web
    volumeMounts:
    - {mountPath: /var/run/secrets/kubernetes.io/serviceaccount, name: kube-api-access-x, readOnly: true}
  imagePullSecrets:
  - name: registry
  initContainers:
  - env:
    - {name: IS_INJECTED, value: "true"}
    image: setup
    name: setup
  - env:
    - {name: IS_INJECTED, value: "true"}
    image: native
    name: native
    restartPolicy: Always
  nodeName: n1
  volumes:
  - name: kube-api-access-x
    projected: {sources: []}
  - emptyDir: {}
    name: spool
status: {phase: Running}
""".replace(
    "RECORD",
    '{"logs":{"updateTimestamp":"2026-05-01T10:00:00Z","hash":"abc","sidecarSetName":"logs","sidecarList":["log-agent"]}}',
)
BEFORE_WEBHOOK = """\
# as kubectl get -o yaml shows it
apiVersion: v1
kind: Pod
metadata:
  name: web
  namespace: shop
  labels: {app: web}
  annotations:
    note: kept
spec:
  containers:
  # the app
  - image: registry.example.com/web:1.0
    name: web
    volumeMounts:
    - {mountPath: /var/run/secrets/kubernetes.io/serviceaccount, name: kube-api-access-x, readOnly: true}
  nodeName: n1
  volumes:
  - name: kube-api-access-x
    projected: {sources: []}
status: {phase: Running}
"""


def test_one_of_everything_comes_out_again_byte_for_byte(folder: Path) -> None:
    (folder / "set.yaml").write_text(FULL)
    assert run("inject", "-s", "set.yaml", "-i", "web.yaml").code == 0
    injected = (folder / "web.yaml").read_text()
    for said in ("log-agent-2", "name: setup", "name: native", "name: registry", "name: spool", "owner: platform"):
        assert said in injected
    ended = run("uninject", "-s", "set.yaml", "web.yaml", "-v")
    assert (ended.code, ended.stdout) == (0, DEPLOYMENT)
    assert ended.stderr.startswith(
        "uninjected  web.yaml:2:1 Deployment shop/web  logs: native, setup, log-agent-1, log-agent-2\n"
    )


def test_a_pod_that_the_webhook_injected(folder: Path) -> None:
    (folder / "set.yaml").write_text(FULL)
    (folder / "web.yaml").write_text(WEBHOOK)
    ended = run("uninject", "-s", "set.yaml", "web.yaml")
    assert (ended.code, ended.stdout) == (0, BEFORE_WEBHOOK)
    assert ended.stderr == (
        "uninjected  web.yaml:2:1 Pod shop/web  logs: setup, native, log-agent-1, log-agent-2\n"
        "note: web.yaml:13:12: Pod shop/web: metadata.annotations.owner: annotation owner is removed; if the pod had "
        "a value of its own, it cannot be restored [NotReversible]\n"
        "1 uninjected\n"
    )


def test_without_the_sets_secrets_and_patched_annotations_stay_and_are_reported(folder: Path) -> None:
    (folder / "web.yaml").write_text(WEBHOOK)
    ended = run("uninject", "web.yaml")
    kept = BEFORE_WEBHOOK.replace("    note: kept\n", "    note: kept\n    owner: platform\n")
    kept = kept.replace("  nodeName: n1\n", "  imagePullSecrets:\n  - name: registry\n  nodeName: n1\n")
    assert (ended.code, ended.stdout) == (0, kept)
    assert "warning: web.yaml:9:5: Pod shop/web: metadata.annotations: SidecarSet logs is not given" in ended.stderr
    assert run("uninject", "web.yaml", "--strict").code == 1


def test_force_takes_out_what_may_have_been_the_pod_s_own(folder: Path) -> None:
    (folder / "set.yaml").write_text(SET + VOLUME + "  volumes: [{name: spool, emptyDir: {}}]\n")
    (folder / "web.yaml").write_text(DEPLOYMENT + "      volumes:\n      - {name: spool, hostPath: {path: /x}}\n")
    run("inject", "-s", "set.yaml", "-i", "web.yaml")
    kept = run("uninject", "-s", "set.yaml", "web.yaml")
    assert "- {name: spool, hostPath: {path: /x}}\n" in kept.stdout
    assert "volume spool is kept: it differs from what the SidecarSet declares [NotReversible]\n" in kept.stderr
    forced = run("uninject", "-s", "set.yaml", "--force", "web.yaml")
    assert (forced.code, forced.stdout) == (0, DEPLOYMENT)
    assert forced.stderr == "uninjected  web.yaml:2:1 Deployment shop/web  logs: log-agent\n1 uninjected\n"


def test_every_way_out(folder: Path) -> None:
    injected = run("inject", "-s", "set.yaml", "web.yaml").stdout
    (folder / "web.yaml").write_text(injected)
    words = ("uninject", "-s", "set.yaml", "web.yaml")
    assert (run(*words, "--check").code, run(*words, "--check").stdout) == (1, "")
    diff = run(*words, "--diff").stdout
    assert diff.startswith("--- a/web.yaml\n+++ b/web.yaml\n@@ ")
    assert "-      - name: log-agent\n" in diff
    assert run(*words, "-o", "name").stdout == "deployment.apps/web\n"
    patch = json.loads(run(*words, "-o", "jsonpatch").stdout)
    assert jsonpatch.apply_patch(yaml.safe_load(injected), patch) == yaml.safe_load(DEPLOYMENT)
    assert json.loads(run(*words, "-o", "json").stdout) == yaml.safe_load(DEPLOYMENT)
    assert run(*words, "-d", "out").code == 0
    assert (folder / "out" / "web.yaml").read_text() == DEPLOYMENT
    assert run(*words, "-j", "2").stdout == DEPLOYMENT
    assert (folder / "web.yaml").read_text() == injected
    assert run(*words, "-i").code == 0
    assert (folder / "web.yaml").read_text() == DEPLOYMENT
    assert run(*words, "--check").code == 0


def test_a_set_that_the_pod_does_not_name_is_reported(folder: Path) -> None:
    injected = run("inject", "-s", "set.yaml", "web.yaml").stdout
    (folder / "web.yaml").write_text(injected)
    ended = run("uninject", "-s", "set.yaml", "--only", "logz", "web.yaml")
    assert (ended.code, ended.stdout) == (0, injected)
    assert ended.stderr.startswith(
        "skipped     web.yaml:2:1 Deployment shop/web  NotInjected: nothing was injected by logz"
    )


USAGE = {
    "no PATHS": ([], "no PATHS given"),
    "stdin in place": (["-i", "-"], "standard input (-) cannot be written back"),
    "stdin twice": (["-", "-"], "standard input (-) can be read only once"),
    "no such file": (["nope.yaml"], "nope.yaml: cannot be read: No such file or directory [UnreadableFile]"),
    "no manifest": (["empty"], "no manifest found in empty"),
}


@pytest.mark.parametrize(("arguments", "said"), USAGE.values(), ids=USAGE)
def test_usage_errors(folder: Path, arguments: list[str], said: str) -> None:
    (folder / "empty").mkdir()
    ended = run("uninject", "-s", "set.yaml", *arguments)
    assert (ended.code, ended.stdout) == (2, "")
    assert said in ended.stderr


@pytest.mark.parametrize("text", [BAD_YAML, BAD_TYPE], ids=["not YAML", "a wrong type"])
@pytest.mark.parametrize("options", [(), ("-i",), ("-d", "out"), ("--diff",), ("-o", "json")], ids=" ".join)
def test_a_failure_leaves_stdout_empty_and_files_untouched(folder: Path, text: str, options: tuple[str, ...]) -> None:
    run("inject", "-s", "set.yaml", "-i", "web.yaml")
    before = (folder / "web.yaml").read_text()
    (folder / "bad.yaml").write_text(text)
    ended = run("uninject", "-s", "set.yaml", *options, "web.yaml", "bad.yaml")
    assert (ended.code, ended.stdout) == (2, "")
    assert "error: bad.yaml:" in ended.stderr
    assert (folder / "web.yaml").read_text() == before
    assert (folder / "bad.yaml").read_text() == text
    assert not list((folder / "out").glob("*"))
    assert run("uninject", "-s", "set.yaml", "-i", "--keep-going", "web.yaml", "bad.yaml").code == 2
    assert (folder / "web.yaml").read_text() == DEPLOYMENT
    assert (folder / "bad.yaml").read_text() == text
