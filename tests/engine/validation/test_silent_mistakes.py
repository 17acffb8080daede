"""Mistakes that nobody rejects: what is found, and what looks alike and is right."""

import pytest

from sidecarctl.engine.facts.findings import Finding, RuleSettings, Severity
from sidecarctl.engine.facts.values import Object, Value
from sidecarctl.engine.releases.feature_gates import METADATA_DEFAULTS
from sidecarctl.engine.releases.profiles import release_named
from sidecarctl.engine.releases.release import DEFAULT, Release
from sidecarctl.engine.sidecarset.admission import admit
from sidecarctl.engine.sidecarset.webhook_scope import KUSTOMIZATION, WebhookScope
from sidecarctl.engine.sidecarset.world import World
from tests.engine.validation.examples import given_by, sound_set
from tests.engine.validation.neighbors import agent, deployment, env, found, pod

HOT: Object = {"upgradeType": "HotUpgrade", "hotUpgradeEmptyImage": "empty:1"}
NAME = "kubernetes.io/metadata.name"


def told(rule: str, *objects: Object, release: Release = DEFAULT) -> list[Finding]:
    return list(found(rule, given_by(objects, release=release)))


@pytest.mark.parametrize(
    "image",
    ["Log:1.0", "log@sha256:abc", "log agent:1", "https://registry.example.com/log:1", "log:", "log:1:2", "-log:1"],
)
def test_a_text_that_is_no_image(image: str) -> None:
    [finding] = told("image-form", agent(image=image))
    assert (finding.severity, finding.path[-1]) == (Severity.ERROR, "image")


@pytest.mark.parametrize(
    "image",
    [
        "log:1",
        "Registry/log:1",
        "localhost:5000/log",
        f"log@sha256:{'a' * 64}",
        "$(IMAGE)",
        "{{ .Values.image }}",
        "",
    ],
)
def test_images_and_placeholders(image: str) -> None:
    assert not told("image-form", agent(image=image))


@pytest.mark.parametrize(
    ("limits", "is_told"),
    [
        ({"memory": "128m"}, True),
        ({"ephemeral-storage": "500m"}, True),
        ({"memory": "256"}, True),
        ({"memory": 1}, True),
        ({"memory": "64Ki"}, True),
        ({"memory": "512k"}, True),
        ({"ephemeral-storage": "100"}, True),
        ({"ephemeral-storage": "64Ki"}, False),
        ({"memory": "0"}, False),
        ({"memory": "1Mi"}, False),
        ({"memory": "134217728"}, False),
        ({"memory": "128Mi"}, False),
        ({"memory": "128M"}, False),
        ({"cpu": "100"}, True),
        ({"cpu": 64}, True),
        ({"cpu": "64000m"}, True),
        ({"cpu": "63"}, False),
        ({"cpu": "100m"}, False),
        ({"example.com/gpu": "100"}, False),
    ],
)
def test_quantities_with_the_wrong_unit(limits: Object, *, is_told: bool) -> None:
    for kind in ("limits", "requests"):
        resources = {kind: limits} if kind == "limits" else {"requests": limits}
        assert bool(told("resource-scale", agent(resources=resources))) == is_told


@pytest.mark.parametrize(
    ("name", "text", "message", "hint"),
    [
        ("memory", "256", "256 is 256 bytes", "write 256Mi"),
        ("memory", "64Ki", "64Ki is 65,536 bytes", "write memory as 128Mi, and cpu as 100m"),
        ("cpu", "250", "250 is 250 cores", "for thousandths write 250m"),
        ("cpu", "100Mi", "100Mi is 104,857,600 cores", "write memory as 128Mi, and cpu as 100m"),
    ],
)
def test_the_quantity_that_was_meant(name: str, text: str, message: str, hint: str) -> None:
    [finding] = told("resource-scale", agent(resources={"limits": {name: text}}))
    assert (finding.message, finding.hint) == (message, hint)


@pytest.mark.parametrize(("size", "is_told"), [("100m", True), ("100", True), ("64Ki", False), ("100Mi", False)])
def test_the_size_of_an_empty_dir(size: str, *, is_told: bool) -> None:
    setting = sound_set(volumes=[{"name": "cache", "emptyDir": {"sizeLimit": size}}])
    assert bool(told("resource-scale", setting)) == is_told


def test_the_number_of_cores_is_a_setting() -> None:
    given = given_by([agent(resources={"limits": {"cpu": "16"}})])
    assert not list(found("resource-scale", given))
    limited = given._replace(rules=RuleSettings(parameters={"resource-scale": {"cores": 16}}))
    [finding] = found("resource-scale", limited)
    assert finding.message == "16 is 16 cores"


@pytest.mark.parametrize(
    ("source", "path"),
    [
        ({"secret": {"secretName": "a", "defaultMode": 400}}, ("secret", "defaultMode")),
        ({"configMap": {"name": "a", "items": [{"key": "a", "path": "a", "mode": 444}]}}, ("items", 0, "mode")),
        ({"projected": {"sources": [{"secret": {"name": "a"}}], "defaultMode": 440}}, ("projected", "defaultMode")),
        ({"secret": {"secretName": "a", "defaultMode": 0o400}}, ()),
        ({"secret": {"secretName": "a", "defaultMode": 0o644}}, ()),
        ({"secret": {"secretName": "a", "defaultMode": 0o755}}, ()),
    ],
)
def test_a_decimal_mode(source: Object, path: tuple[str | int, ...]) -> None:
    paths = [finding.path for finding in told("file-mode-decimal", sound_set(volumes=[{"name": "a", **source}]))]
    assert [item[-len(path) :] for item in paths] == ([path] if path else [])


def mounting(size: str | None, limit: str | None, **mount: Value) -> Object:
    limits = {"resources": {"limits": {"memory": limit}}} if limit else {}
    mounts = [{"name": "cache", "mountPath": "/cache", **mount}]
    volume: Object = {"name": "cache", "emptyDir": {"medium": "Memory", **({"sizeLimit": size} if size else {})}}
    container = {"name": "agent", "image": "agent:1.2", "volumeMounts": mounts, **limits}
    return sound_set(containers=[container], volumes=[volume])


def test_a_volume_in_memory_above_the_limit() -> None:
    [finding] = told("memory-volume", mounting("128Mi", "64Mi"))
    assert finding.message == "128Mi is more than agent may use (64Mi)"
    for right in (
        mounting("64Mi", "64Mi"),
        mounting(None, "64Mi"),
        mounting("128Mi", None),
        mounting("128Mi", "64Mi", readOnly=True),
    ):
        assert not told("memory-volume", right)


@pytest.mark.parametrize(
    ("container", "names"),
    [
        ({"args": ["--name=$(POD)"]}, ["POD"]),
        ({"command": ["$(A)/run"], "env": env(("A", "/x"))}, []),
        ({"args": ["$(A)$(B)"], "env": env(("A", "/x"))}, ["B"]),
        ({"env": env(("A", "$(B)"), ("B", "1"))}, ["B"]),
        ({"env": env(("B", "1"), ("A", "$(B)"))}, []),
        ({"env": env(("A", "$(A)"))}, ["A"]),
        ({"env": env(("A", "$$(B)"))}, []),
        ({"env": env(("A", "$$$(B)"))}, ["B"]),
        ({"env": env(("A", "$(b)"))}, ["b"]),
        ({"args": ["$(POD-NAME) $(POD.NAME)"]}, ["POD-NAME", "POD.NAME"]),
        ({"args": ["-c", "echo $(date) $(cat /x)"]}, []),
        ({"args": ["$(WEB_SERVICE_HOST):$(WEB_SERVICE_PORT_HTTP)$(WEB_PORT_80_TCP_ADDR)"]}, []),
        ({"args": ["$(B)"], "envFrom": [{"configMapRef": {"name": "a"}}]}, []),
        ({"args": ["$(B)"], "transferEnv": [{"sourceContainerName": "main", "envNames": ["B"]}]}, []),
        ({"args": ["$(SIDECARSET_VERSION)$(SIDECARSET_VERSION_ALT)"], "upgradeStrategy": HOT}, []),
        ({"args": ["$(SIDECARSET_VERSION)"]}, ["SIDECARSET_VERSION"]),
    ],
)
def test_references_to_variables(container: Object, names: list[str]) -> None:
    findings = told("variable-undefined", agent(**container))
    assert {finding.severity for finding in findings} <= {Severity.NOTE}
    assert [finding.message.partition(")")[0].removeprefix("$(") for finding in findings] == names


def test_a_sub_path_that_refers_to_nothing_is_a_warning() -> None:
    mount = {"name": "spool", "mountPath": "/spool", "subPathExpr": "$(POD)"}
    [finding] = told("variable-undefined", agent(volumeMounts=[mount]))
    assert finding.severity is Severity.WARNING
    assert not told("variable-undefined", agent(volumeMounts=[mount], env=env(("POD", "x"))))


def test_items_that_are_listed_twice() -> None:
    one: Object = {"containerPort": 80}
    assert told("listed-twice", agent(ports=[one, one]))
    assert told("listed-twice", agent(ports=[one, {**one, "name": "http", "protocol": "TCP"}]))
    assert not told("listed-twice", agent(ports=[one, {**one, "protocol": "UDP"}]))
    [finding] = told("listed-twice", sound_set(imagePullSecrets=[{"name": "a"}, {"name": "b"}, {"name": "a"}]))
    assert (finding.severity, finding.path[-1]) == (Severity.NOTE, 2)


def test_a_host_port_of_a_hot_upgrade_container_is_told_once() -> None:
    hot = agent(upgradeStrategy=HOT, ports=[{"containerPort": 80, "hostPort": 80}])
    for others in ([], [pod()]):
        [finding] = told("hot-upgrade-host-port", hot, *others)
        assert finding.severity is Severity.ERROR
        assert not told("pod-invalid", hot, *others)
    on_host = pod()
    on_host["spec"]["hostNetwork"] = True
    [finding] = told("pod-invalid", agent(upgradeStrategy=HOT, ports=[{"containerPort": 80}]), on_host)
    assert finding.hint.startswith("write upgradeType: ColdUpgrade, or exclude the pods with hostNetwork")


def test_host_ports_of_replicas() -> None:
    ported = agent(ports=[{"containerPort": 80, "hostPort": 80}])
    few, many = deployment({}), deployment({})
    many["spec"]["replicas"] = 3
    assert told("host-port-of-replicas", ported, many)
    assert not told("host-port-of-replicas", ported, few)
    assert not told("host-port-of-replicas", ported, pod())
    assert not told("host-port-of-replicas", agent(ports=[{"containerPort": 80}]), many)
    term = {"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": {"app": "web"}}}
    required = {"requiredDuringSchedulingIgnoredDuringExecution": [term]}
    many["spec"]["template"]["spec"]["affinity"] = {"podAntiAffinity": required}
    assert not told("host-port-of-replicas", ported, many)


def test_a_claim_for_several_pods() -> None:
    claiming = sound_set(volumes=[{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}])
    pods = [pod(), pod(name="two")]
    claim: Object = {"apiVersion": "v1", "kind": "PersistentVolumeClaim"}
    claim |= {"metadata": {"name": "data", "namespace": "shop"}, "spec": {"accessModes": ["ReadWriteOnce"]}}
    [finding] = told("claim-shared", claiming, *pods, claim)
    assert finding.severity is Severity.WARNING
    assert finding.message == "all pods of shop mount the claim data, which is ReadWriteOnce"
    assert not told("claim-shared", claiming, pods[0], claim)
    assert told("claim-shared", claiming, {**deployment({}), "kind": "DaemonSet"}, claim)
    assert not told("claim-shared", claiming, *pods, {**claim, "spec": {"accessModes": ["ReadOnlyMany"]}})
    for others in ([], pods):
        [finding] = told("claim-shared", claiming, *others)
        assert finding.severity is Severity.NOTE
    assert not told("claim-shared", claiming, pods[0])


@pytest.mark.parametrize(
    ("strategy", "is_told"),
    [
        ({"scatterStrategy": [{"key": "zone", "value": "a"}]}, True),
        ({"scatterStrategy": [{"key": "app", "value": "web"}]}, False),
        ({"priorityStrategy": {"orderPriority": [{"orderedKey": "tier"}]}}, True),
        ({"priorityStrategy": {"orderPriority": [{"orderedKey": "app"}]}}, False),
        (
            {"priorityStrategy": {"weightPriority": [{"weight": 5, "matchSelector": {"matchLabels": {"a": "b"}}}]}},
            True,
        ),
        ({"selector": {"matchLabels": {"canary": "true"}}}, True),
        ({"selector": {"matchLabels": {"app": "web"}}}, False),
        ({"type": "NotUpdate", "scatterStrategy": [{"key": "zone", "value": "a"}]}, False),
    ],
)
def test_labels_of_the_update_strategy(strategy: Object, *, is_told: bool) -> None:
    updating = sound_set(updateStrategy=strategy)
    assert bool(told("update-label-unused", updating, pod())) == is_told
    assert not told("update-label-unused", updating)  # no pods are known


@pytest.mark.parametrize(
    ("spec", "rule"),
    [
        ({"updateStrategy": {"partition": "100%"}}, "update-held-back"),
        ({"revisionHistoryLimit": 0}, "no-revision-history"),
        ({"updateStrategy": {"maxUnavailable": 0}}, "max-unavailable"),
        ({"updateStrategy": {"maxUnavailable": "0%"}}, "max-unavailable"),
    ],
)
def test_what_holds_everything_back_is_a_note(spec: Object, rule: str) -> None:
    [finding] = told(rule, sound_set(**spec))
    assert finding.severity is Severity.NOTE


@pytest.mark.parametrize(("partition", "number"), [(2, 2), (1000, 2), (1, 1)])
def test_a_partition_of_all_pods(partition: int, number: int) -> None:
    pods = [pod(name=f"pod-{index}") for index in range(number)]
    holding = sound_set(updateStrategy={"partition": partition})
    [finding] = told("update-held-back", holding, *pods)
    assert finding.severity is Severity.NOTE
    assert not told("update-held-back", holding)
    assert not told("update-held-back", holding, *pods, *(pod(name=f"more-{index}") for index in range(partition)))
    assert not told(
        "update-held-back", sound_set(updateStrategy={"partition": partition, "type": "NotUpdate"}), *pods
    )


def in_namespaces(*names: str) -> Object:
    expression = {"key": NAME, "operator": "In", "values": [*names]}
    return sound_set(namespaceSelector={"matchExpressions": [expression]})


def test_pods_that_the_webhook_does_not_see() -> None:
    system, shop = pod(), pod()
    system["metadata"]["namespace"] = "kube-system"
    for namespaces, pods, is_told in (
        (["kube-system"], [], True),
        (["kube-system"], [system], True),
        (["kube-system", "shop"], [], False),
        (["kube-system", "shop"], [system], True),
        (["kube-system", "shop"], [system, shop], False),
        (["shop"], [shop], False),
    ):
        assert bool(told("webhook-sees-no-pod", in_namespaces(*namespaces), *pods)) == is_told


def test_no_advice_to_exclude_a_namespace_that_is_named_on_purpose() -> None:
    def advice(selecting: Object) -> list[Finding]:
        world: World = given_by([selecting])._replace(webhook=WebhookScope(KUSTOMIZATION))
        return list(found("no-namespace-limit", world))

    assert not advice(in_namespaces("kube-system", "shop"))
    exists = {"matchExpressions": [{"key": NAME, "operator": "Exists"}]}
    assert advice(sound_set(namespaceSelector=exists))


def test_what_a_release_ignores_in_init_containers() -> None:
    def ignored(release: str, **fields: Value) -> list[str]:
        init: Object = {"name": "prep", "image": "prep:1", **fields}
        setting = sound_set(initContainers=[init]) | {"apiVersion": "apps.kruise.io/v1alpha1"}
        return [item.message for item in told("ignored-in-init-container", setting, release=release_named(release))]

    shared: Object = {"type": "enabled"}
    before = "it has no effect in initContainers before 1.5"
    assert ignored("1.4", shareVolumePolicy=shared) == [before]
    assert ignored("1.5", shareVolumePolicy=shared) == []
    assert ignored("1.4", shareVolumePolicy={"type": "disabled"}) == []
    transfer: Value = [{"sourceContainerName": "main", "envName": "A"}]
    assert ignored("1.0", transferEnv=transfer) == ["it has no effect in initContainers before 1.1"]
    assert ignored("1.2", transferEnv=transfer) == []
    assert len(ignored("1.0", podInjectPolicy="AfterAppContainer")) == 1
    assert ignored("1.9", podInjectPolicy="AfterAppContainer") == []
    assert len(ignored("1.9", env=env(("KRUISE_CONTAINER_PRIORITY", "5")), restartPolicy="Always")) == 1
    assert len(ignored("1.9", env=env(("KRUISE_TERMINATE_SIDECAR_WHEN_JOB_EXIT", "true")))) == 1
    assert len(ignored("1.9", upgradeStrategy=HOT)) == 1
    assert ignored("1.9", upgradeStrategy=HOT, restartPolicy="Always") == []


def test_labels_beside_the_pod_template() -> None:
    selecting = sound_set(selector={"matchLabels": {"inject": "true"}})
    labeled = deployment({})
    labeled["metadata"]["labels"] = {"inject": "true"}
    [finding] = told("selector-matches-nothing", selecting, labeled)
    assert finding.message.endswith(
        "Deployment shop/web has the labels on the Deployment itself, where they do not count"
    )
    annotated = pod()
    annotated["metadata"]["annotations"] = {"inject": "true"}
    [finding] = told("selector-matches-nothing", selecting, annotated)
    assert finding.message.endswith("Pod shop/one has the labels among its annotations, where they do not count")
    [finding] = told("selector-matches-nothing", selecting, pod())
    assert finding.message == "no pod among the inputs is selected"


@pytest.mark.parametrize(
    ("spec", "hint"),
    [
        ({"shareProcessNamespace": True}, "a SidecarSet cannot set it: it is a field of pods, which keep their own"),
        (
            {"containers": [{"name": "a", "image": "a:1", "upgradeStrategy": {"type": "x"}}]},
            "the field is upgradeType",
        ),
        ({"containers": [{"name": "a", "image": "a:1", "imagePullSecrets": []}]}, "it belongs to spec"),
        ({"containers": [{"name": "a", "image": "a:1", "securityContext": {"fsGroup": 1}}]}, "a SidecarSet cannot"),
    ],
)
def test_fields_of_pods_and_of_old_releases(spec: Object, hint: str) -> None:
    [finding] = told("unknown-field", sound_set(**spec))
    assert finding.hint.startswith(hint)


def test_a_sidecarset_is_named_without_the_namespace_that_the_api_server_clears() -> None:
    [finding] = told("sidecarset-namespace", sound_set() | {"metadata": {"name": "agent", "namespace": "shop"}})
    assert finding.severity is Severity.WARNING
    assert str(finding.subject) == "SidecarSet agent"


def whitelist(name: str, key: str) -> Object:
    rules = '{"rules": [{"allowedAnnotationKeyExprs": ["^a$"]}]}'
    metadata = {"name": name, "namespace": "kruise-system"}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {key: rules}}


def test_a_whitelist_of_another_name_or_key() -> None:
    patching, key = sound_set(patchPodMetadata=[{"annotations": {"a": "1"}}]), "SidecarSet_PatchPodMetadata_WhiteList"
    [finding] = told("patch-whitelist-unknown", patching, whitelist("kruise-config", key))
    assert finding.message.endswith("kruise-system/kruise-configuration, not kruise-system/kruise-config")
    misspelled = whitelist("kruise-configuration", key.replace("List", "list"))
    [finding] = told("patch-whitelist", patching, misspelled)
    assert finding.message.endswith(f"and not {key}: the whitelist is empty")
    allowing = given_by([patching, misspelled])._replace(gates=frozenset({METADATA_DEFAULTS}))
    assert not list(found("patch-whitelist", allowing))
    assert not told("patch-whitelist", patching, whitelist("kruise-configuration", key))


def test_a_name_that_the_api_server_makes_is_no_error() -> None:
    [finding] = told("sidecarset-name", sound_set() | {"metadata": {"generateName": "agent-"}})
    assert finding.severity is Severity.WARNING
    assert "kubectl apply rejects it" in finding.message


@pytest.mark.parametrize("status", ["none", {"matchedPods": "many"}])
def test_a_status_that_the_api_server_drops_is_no_error(status: Value) -> None:
    sidecarset = admit(sound_set() | {"status": status})
    assert (sidecarset.latest_revision, sidecarset.collision_count) == ("", 0)
