"""The whole pod webhook on the command line: readiness gate, launch priority, and which pods the webhook sees."""

from pathlib import Path

import pytest
import yaml

from sidecarctl.engine.facts.values import Object
from tests.cli.running import Ended, run

SET = """\
apiVersion: apps.kruise.io/v1beta1
kind: SidecarSet
metadata:
  name: logs
spec:
  selector:
    matchLabels:
      app: web
  containers:
  - name: log-agent
    image: registry.example.com/log-agent:1.0
    env:
    - name: KRUISE_CONTAINER_PRIORITY
      value: "5"
"""
POD = """\
apiVersion: v1
kind: Pod
metadata:
  name: web-0
  namespace: shop
  labels:
    app: web
spec:
  containers:
  - name: web
    image: registry.example.com/web:1.0
"""
TEMPLATE = """\
kind: {kind}
metadata:
  name: web
  namespace: shop
spec:
  template:
    metadata:
      labels:
        app: web
    spec:
      containers:
      - name: web
        image: registry.example.com/web:1.0
"""
DEPLOYMENT = "apiVersion: apps/v1\n" + TEMPLATE.format(kind="Deployment")
CLONESET = "apiVersion: apps.kruise.io/v1alpha1\n" + TEMPLATE.format(kind="CloneSet")
CONFIGURATION = """\
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingWebhookConfiguration
metadata:
  name: kruise-mutating-webhook-configuration
webhooks:
- name: mpod.kb.io
  failurePolicy: Ignore
  namespaceSelector:
    matchExpressions:
    - {key: team, operator: In, values: [a]}
  objectSelector:
    matchLabels:
      app: web
"""
NAMESPACE = "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: {name}\n  labels:\n    {label}\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "set.yaml").write_text(SET)
    return tmp_path


def inject(manifest: str, *options: str) -> Ended:
    Path("pod.yaml").write_text(manifest)
    return run("inject", "-s", "set.yaml", *options, "pod.yaml")


def spec_of(ended: Ended) -> Object:
    value = yaml.safe_load(ended.stdout)["spec"]
    spec: Object = value["template"]["spec"] if "template" in value else value
    return spec


def keys(spec: Object) -> list[str]:
    envs = [env for container in spec["containers"] for env in container.get("env", ())]
    return [env["valueFrom"]["configMapKeyRef"]["key"] for env in envs if env["name"] == "KRUISE_CONTAINER_BARRIER"]


def test_a_pod_gets_a_barrier_in_every_container() -> None:
    ended = inject(POD)
    assert keys(spec_of(ended)) == ["p_5", "p_0"]
    assert "name: web-0-barrier" in ended.stdout
    assert "barriers: log-agent starts first (p_5), then web (p_0)" in ended.stderr
    assert "[NeedsKruise]" in ended.stderr
    assert "[NotIdempotent]" in ended.stderr


def test_a_template_gets_none_and_the_report_shows_the_order() -> None:
    ended = inject(DEPLOYMENT)
    assert keys(spec_of(ended)) == []
    assert "log-agent starts first (p_5), then web (p_0) [LaunchOrder]" in ended.stderr


def test_workloads_of_kruise_get_the_readiness_gate() -> None:
    gate = [{"conditionType": "KruisePodReady"}]
    assert spec_of(inject(CLONESET))["readinessGates"] == gate
    assert "readinessGates" not in spec_of(inject(DEPLOYMENT))
    assert spec_of(inject(DEPLOYMENT, "--feature-gates", "KruisePodReadinessGate=true"))["readinessGates"] == gate


def test_a_template_that_no_sidecarset_matches_stays_as_it_is() -> None:
    other = CLONESET.replace("app: web", "app: api")
    assert inject(other).stdout == other


def test_without_kruise_leaves_out_what_only_kruise_fulfills() -> None:
    for manifest in (POD, CLONESET):
        ended = inject(manifest, "--without-kruise")
        assert keys(spec_of(ended)) == []
        assert "readinessGates" not in ended.stdout
        assert "NeedsKruise" not in ended.stderr
        assert "log-agent" in ended.stdout


def test_a_name_that_kruise_generates_is_marked() -> None:
    ended = inject(POD.replace("name: web-0", "generateName: web-"))
    assert yaml.safe_load(ended.stdout)["metadata"]["name"] == "web-xxxxx"
    assert "[NameGenerated]" in ended.stderr


def test_a_priority_that_is_not_a_number_refuses_the_pod_and_names_the_env() -> None:
    Path("set.yaml").write_text(SET.replace('"5"', '"1st"'))
    ended = inject(POD)
    assert (ended.code, ended.stdout) == (3, "")
    text = 'strconv.Atoi: parsing "1st": invalid syntax, in env[0] of container log-agent of SidecarSet logs'
    assert text in ended.stderr
    assert "set.yaml:13:7: SidecarSet logs: spec.containers[0].env[0]" in ended.stderr


@pytest.mark.parametrize(
    ("options", "namespace", "label", "is_injected"),
    [
        ([], "shop", "control-plane: manager", True),
        ([], "shop", "control-plane: openkruise", False),
        ([], "kube-system", "a: b", False),
        (["--installed-by", "kustomization"], "shop", "control-plane: manager", False),
        (["--installed-by", "kustomization"], "kube-system", "a: b", True),
        (["--kruise", "1.5.1"], "kube-system", "a: b", True),
        (["--kruise", "1.5.2"], "kube-system", "a: b", False),
        (["--kruise", "1.5.2"], "shop", "control-plane: manager", True),
        (["--kruise", "1.4"], "shop", "control-plane: manager", False),
        (["--feature-gates", "PodWebhook=false"], "shop", "a: b", False),
    ],
)
def test_which_namespaces_the_webhook_sees(
    folder: Path,
    options: list[str],
    namespace: str,
    label: str,
    is_injected: bool,  # noqa: FBT001 - by pytest
) -> None:
    old = SET.replace("v1beta1", "v1alpha1") if "--kruise" in options else SET
    (folder / "set.yaml").write_text(old + "---\n" + NAMESPACE.format(name=namespace, label=label))
    ended = inject(POD.replace("namespace: shop", f"namespace: {namespace}"), *options)
    assert ("log-agent" in ended.stdout) is is_injected
    assert ended.code == 0


@pytest.mark.parametrize(
    ("team", "app", "why"), [("a", "web", ""), ("b", "web", "namespaceSelector"), ("a", "api", "objectSelector")]
)
def test_the_configuration_among_the_inputs_decides(folder: Path, team: str, app: str, why: str) -> None:
    namespace = NAMESPACE.format(name="shop", label=f"team: {team}\n    control-plane: openkruise")
    (folder / "set.yaml").write_text("---\n".join([SET.replace("app: web", f"app: {app}"), namespace, CONFIGURATION]))
    ended = inject(POD.replace("app: web", f"app: {app}"))
    assert ("log-agent" in ended.stdout) is (not why)
    assert why in ended.stderr
    assert "[IgnoredFailures]" in ended.stderr


def test_a_configuration_of_another_product_says_nothing(folder: Path) -> None:
    other = CONFIGURATION.replace("kruise-mutating-webhook-configuration", "istio").replace("mpod.kb.io", "inject")
    (folder / "set.yaml").write_text(f"{SET}---\n{other}")
    assert "log-agent" in inject(POD).stdout


def test_a_broken_configuration_refuses_every_pod(folder: Path) -> None:
    config = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: kruise-configuration, namespace: kruise-system}\n"
    config += "data:\n  PPS_Watch_Custom_Workload_WhiteList: 'workloads: []'\n"
    (folder / "set.yaml").write_text(f"{SET}---\n{config}")
    ended = inject(POD.replace("app: web", "app: api"))
    assert ended.code == 3
    assert "[ConfigurationUnreadable]" in ended.stderr


def uninject(manifest: str, *options: str) -> Ended:
    Path("pod.yaml").write_text(manifest)
    return run("uninject", "-s", "set.yaml", *options, "pod.yaml")


OWNER = """\
  ownerReferences:
  - apiVersion: apps.kruise.io/v1alpha1
    kind: CloneSet
    name: web
    uid: a
    controller: true
"""
OWNED = POD.replace("spec:\n", OWNER + "spec:\n")


@pytest.mark.parametrize("manifest", [POD, POD.replace("name: web-0", "generateName: web-"), DEPLOYMENT])
def test_uninject_removes_barriers_and_generated_names(manifest: str) -> None:
    assert uninject(inject(manifest).stdout).stdout == manifest


def test_a_gate_that_the_author_may_have_written_stays_and_is_reported() -> None:
    injected = inject(OWNED).stdout
    ended = uninject(injected)
    assert "KruisePodReady" in ended.stdout
    assert keys(yaml.safe_load(ended.stdout)["spec"]) == []
    assert "readiness gate KruisePodReady is kept" in ended.stderr
    assert "[NotReversible]" in ended.stderr
    assert uninject(injected, "--force").stdout == OWNED


def test_a_barrier_that_was_there_before_stays_and_is_reported() -> None:
    env = """\
    env:
    - name: KRUISE_CONTAINER_BARRIER
      valueFrom:
        configMapKeyRef:
          name: web-0-barrier
          key: p_0
"""
    injected = inject(POD + env)
    assert "has a barrier already" in injected.stderr
    ended = uninject(injected.stdout)
    assert ended.stdout == POD + env
    assert "a barrier of container web is kept" in ended.stderr


def test_probes_come_back_without_their_comments() -> None:
    probe = "    livenessProbe: # here\n      httpGet:\n        port: 80\n"
    asked = OWNED.replace(
        "  labels:", "  annotations:\n    apps.kruise.io/using-enhanced-liveness: 'true'\n  labels:"
    )
    ended = inject(asked + probe, "--feature-gates", "EnhancedLivenessProbe=true")
    assert "livenessProbe" not in spec_of(ended)["containers"][1]
    assert "[LivenessProbeRemoved]" in ended.stderr
    back = uninject(ended.stdout)
    assert yaml.safe_load(back.stdout)["spec"]["containers"] == yaml.safe_load(asked + probe)["spec"]["containers"]
    assert "[NotReversible]" in back.stderr


def test_explain_shows_the_order_and_names_the_rule_that_leaves_a_namespace_out(folder: Path) -> None:
    (folder / "pod.yaml").write_text(DEPLOYMENT)
    assert "log-agent starts first (p_5), then web (p_0)" in run("explain", "-s", "set.yaml", "pod.yaml").stdout
    (folder / "pod.yaml").write_text(DEPLOYMENT.replace("namespace: shop", "namespace: kube-system"))
    ended = run("explain", "-s", "set.yaml", "pod.yaml")
    assert "the Helm chart of Kruise 1.9 leaves out namespace kube-system" in ended.stdout
    ended = run("explain", "-s", "set.yaml", "--installed-by", "kustomization", "pod.yaml")
    assert "leaves out" not in ended.stdout


def test_explain_and_plan_report_a_pod_that_a_bad_priority_refuses(folder: Path) -> None:
    (folder / "set.yaml").write_text(SET.replace('"5"', "five"))
    (folder / "pod.yaml").write_text(DEPLOYMENT)
    assert 'parsing "five": invalid syntax' in run("explain", "-s", "set.yaml", "pod.yaml").stdout
    ended = run("plan", "-s", "set.yaml", "pod.yaml", "--from", "set.yaml")
    assert 'parsing "five": invalid syntax' in ended.stdout + ended.stderr


def test_diff_shows_that_new_pods_would_be_refused(folder: Path) -> None:
    for name, priority in (("before", '"5"'), ("after", "five")):
        (folder / name).mkdir()
        (folder / name / "all.yaml").write_text(SET.replace('"5"', priority) + "---\n" + POD)
    ended = run("diff", "--before", "before", "--after", "after")
    assert 'parsing "five": invalid syntax' in ended.stdout + ended.stderr
    assert ended.code != 0


def test_as_pods_prints_the_pods_with_their_barriers() -> None:
    ended = inject(DEPLOYMENT.replace("spec:\n  template", "spec:\n  replicas: 2\n  template", 1), "--as-pods")
    pods = list(yaml.safe_load_all(ended.stdout))
    assert [pod["metadata"]["name"] for pod in pods] == ["web-00000", "web-00001"]
    assert {pod["kind"] for pod in pods} == {"Pod"}
    assert [keys(pod["spec"]) for pod in pods] == [["p_5", "p_0"]] * 2
    assert "name: web-00001-barrier" in ended.stdout
    assert "# the name is an example" in ended.stdout
    assert "[NameGenerated]" in ended.stderr
    assert pods[0]["metadata"]["ownerReferences"][0]["kind"] == "ReplicaSet"


def test_as_pods_knows_the_names_and_the_gate_of_a_statefulset_of_kruise() -> None:
    manifest = (
        CLONESET.replace("CloneSet", "StatefulSet")
        + "---\n"
        + POD
        + "---\n"
        + NAMESPACE.format(name="a", label="b: c")
    )
    ended = inject(manifest, "--as-pods")
    documents = list(yaml.safe_load_all(ended.stdout))
    assert [item["metadata"]["name"] for item in documents] == ["web-0", "web-0", "a"]
    assert documents[0]["spec"]["readinessGates"] == [{"conditionType": "KruisePodReady"}]
    assert "# the name" not in ended.stdout


CRON_JOB = """\
apiVersion: batch/v1
kind: CronJob
metadata: {name: web}
spec:
  jobTemplate:
    spec:
      parallelism: 2
      template:
        metadata: {labels: {app: web}}
        spec: {containers: [{name: web, image: 'registry.example.com/web:1.0'}]}
"""


def test_as_pods_makes_the_pods_of_one_run_of_a_cron_job() -> None:
    pods = list(yaml.safe_load_all(inject(CRON_JOB, "--as-pods").stdout))
    assert [pod["metadata"]["name"] for pod in pods] == ["web-00000-00000", "web-00000-00001"]
    assert pods[0]["metadata"]["labels"]["job-name"] == "web-00000"
    [owner] = pods[0]["metadata"]["ownerReferences"]
    assert (owner["kind"], owner["name"]) == ("Job", "web-00000")


def test_as_pods_says_that_there_is_a_pod_on_each_node() -> None:
    ended = inject(DEPLOYMENT.replace("kind: Deployment", "kind: DaemonSet"), "--as-pods")
    assert ended.stdout.count("kind: Pod\n") == 1
    assert "a pod is shown for one node; the cluster has one for each node that fits" in ended.stderr


def test_as_pods_knows_that_nothing_controls_the_pods_of_a_podtemplate() -> None:
    template = (
        "apiVersion: v1\nkind: PodTemplate\nmetadata: {name: web}\ntemplate:\n"
        + DEPLOYMENT.partition("template:\n")[2]
    )
    assert "ownerReferences" not in inject(template, "--as-pods").stdout


def test_as_pods_is_for_stdout() -> None:
    assert inject(POD, "--as-pods", "--diff").code == 2
    assert inject(POD, "--as-pods", "-o", "jsonpatch").code == 2


BARRIER = """\
    env:
    - name: KRUISE_CONTAINER_BARRIER
      valueFrom:
        configMapKeyRef:
          name: {name}-barrier
          key: p_0
"""
COMPLETED = "  annotations:\n    apps.kruise.io/container-launch-priority-completed: 'true'\n  labels:"


@pytest.mark.parametrize("app", ["web", "api"])  # with and without a SidecarSet
def test_what_was_copied_from_a_running_pod_is_reported(app: str) -> None:
    pod = POD.replace("app: web", f"app: {app}")
    ended = inject(pod + BARRIER.format(name="web-7"))
    assert "names web-7-barrier, which is not the pod's own: it never starts" in ended.stderr
    assert "[BarrierInManifest]" in inject(pod + BARRIER.format(name="web-0")).stderr
    assert "[StartMarkedCompleted]" in inject(pod.replace("  labels:", COMPLETED)).stderr


def test_a_priority_that_does_nothing_is_noted() -> None:
    priority = "    env:\n    - name: KRUISE_CONTAINER_PRIORITY\n      value: '5'\n"
    assert "[PriorityWithoutEffect]" in inject(POD + priority).stderr


@pytest.mark.parametrize("env", ["value: first", "valueFrom: {fieldRef: {fieldPath: metadata.name}}"])
def test_validate_warns_of_priorities_that_refuse_pods(folder: Path, env: str) -> None:
    (folder / "set.yaml").write_text(SET.replace('value: "5"', env))
    ended = run("validate", "set.yaml")
    assert "[launch-priority]" in ended.stdout + ended.stderr


def test_validate_warns_of_an_order_for_all_containers(folder: Path) -> None:
    patch = "  patchPodMetadata:\n  - annotations: {apps.kruise.io/container-launch-priority: Ordered}\n"
    (folder / "set.yaml").write_text(SET + patch)
    ended = run("validate", "set.yaml")
    assert "[launch-priority-ordered]" in ended.stdout + ended.stderr


def test_unknown_labels_of_a_namespace_are_doubted_where_the_configuration_asks_for_them(
    folder: Path,
) -> None:
    (folder / "set.yaml").write_text(f"{SET}---\n{CONFIGURATION}")
    assert "its labels are unknown: there is no manifest for Namespace shop" in inject(POD).stderr
    others = CONFIGURATION.replace("operator: In, values: [a]", "operator: NotIn, values: [a]")
    (folder / "set.yaml").write_text(f"{SET}---\n{others}")
    told = inject(POD).stderr
    assert "the MutatingWebhookConfiguration selects by labels of namespaces, but there is no manifest" in told
    assert told.count("[NamespaceUnknown]") == 1
    (folder / "set.yaml").write_text("---\n".join([SET, NAMESPACE.format(name="shop", label="team: b"), others]))
    assert "NamespaceUnknown" not in inject(POD).stderr
    installed = CONFIGURATION.replace("key: team", "key: control-plane").replace("operator: In", "operator: NotIn")
    (folder / "set.yaml").write_text(f"{SET}---\n{installed}")
    assert "[NamespaceUnknown]" not in inject(POD).stderr


def test_a_gate_on_the_template_of_a_workload_that_runs_without_kruise_is_a_warning() -> None:
    on = ("--feature-gates", "KruisePodReadinessGate=true")
    assert "the pod would never be ready" in inject(DEPLOYMENT, *on).stderr
    assert "NeedsKruise" not in inject(CLONESET, *on).stderr


def explained(pod: str, *options: str) -> str:
    Path("pod.yaml").write_text(pod)
    return run("explain", "-s", "set.yaml", *options, "pod.yaml").stdout


def test_explain_says_what_decides_whether_the_webhook_sees_a_pod_and_what_happens_without_it() -> None:
    Path("webhook.yaml").write_text(CONFIGURATION)
    Path("namespace.yaml").write_text(NAMESPACE.format(name="shop", label="team: a"))
    given = ("-s", "webhook.yaml", "-s", "namespace.yaml")
    sees = "the pod is active, and Kruise's webhook sees it"
    assert f"{sees} (failurePolicy Ignore)\n" in explained(POD, *given)
    Path("webhook.yaml").write_text(CONFIGURATION.replace("Ignore", "Fail"))
    assert f"{sees} (failurePolicy Fail)\n" in explained(POD, *given)
    assert f"{sees}\n" in explained(POD)
    assert f"{sees} (failurePolicy Ignore)\n" in explained(POD, "--kruise", "1.4", "--allow-unknown")
    assert f"{sees}\n" in explained(POD, "--kruise", "1.4", "--allow-unknown", "--installed-by", "kustomization")
    said = explained(POD.replace("app: web", "app: api"), *given)
    assert "leaves out the pod (objectSelector)" in said
    assert 'Pod shop/web-0: metadata.labels.app = "api"' in said
    assert "change label app of the pod, or the MutatingWebhookConfiguration of Kruise" in said
    Path("namespace.yaml").write_text(NAMESPACE.format(name="shop", label="team: b"))
    said = explained(POD, *given)
    assert "leaves out namespace shop (namespaceSelector)" in said
    assert 'metadata.labels.team = "b"' in said
