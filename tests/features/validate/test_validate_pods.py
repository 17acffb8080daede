"""`sidecarctl validate` with workloads, and with other objects in their namespace."""

import json
from pathlib import Path

from tests.cli.running import run

FILES = """\
apiVersion: apps.kruise.io/v1beta1
kind: SidecarSet
metadata: {name: agent}
spec:
  selector: {matchLabels: {app: web}}
  namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: shop}}
  containers:
  - name: agent
    image: agent:1.2
    resources: {limits: {memory: 64Mi}}
    ports:
    - {name: http, containerPort: 9090}
---
apiVersion: v1
kind: Service
metadata: {name: web}
spec: {selector: {app: web}, ports: [{port: 80, targetPort: http}]}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - name: main
        image: main:1
        ports:
        - {name: http, containerPort: 8080}
"""


def test_objects_without_a_namespace_are_in_that_of_the_option(tmp_path: Path) -> None:
    (tmp_path / "all.yaml").write_text(FILES)
    ended = run("validate", "-n", "shop", tmp_path / "all.yaml", "-o", "json")
    [told] = [item for item in json.loads(ended.stdout)["findings"] if item.get("rule") == "service-port"]
    assert ended.code == 1
    assert (told["file"], told["line"]) == (str(tmp_path / "all.yaml"), 12)
    assert told["hint"].endswith(f"; see {tmp_path}/all.yaml:31:11")


TYPES = """\
apiVersion: apps.kruise.io/v1beta1
kind: SidecarSet
metadata: {name: agent}
spec:
  selector: {matchLabels: {app: web}}
  updateStrategy: [1]
  containers:
  - name: agent
    image: agent
    env:
    - {name: RETRIES, value: 3}
    - {name: 9RETRIES}
"""


def test_a_wrong_type_does_not_hide_what_else_is_wrong(tmp_path: Path) -> None:
    (tmp_path / "set.yaml").write_text(TYPES)
    ended = run("validate", tmp_path / "set.yaml", "-o", "json")
    told = [(item["rule"], item["path"]) for item in json.loads(ended.stdout)["findings"]]
    assert told == [
        ("wrong-type", "spec.updateStrategy"),
        ("no-resources", "spec.containers[0]"),
        ("image-without-tag", "spec.containers[0].image"),
        ("wrong-type", "spec.containers[0].env[0].value"),
        ("env-name", "spec.containers[0].env[1].name"),
    ]


def test_the_system_namespace_is_named_where_its_pods_are_injected(tmp_path: Path) -> None:
    text = FILES.replace("  namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: shop}}\n", "")
    (tmp_path / "all.yaml").write_text(text)
    for release, said in (("1.9", "selected ("), ("1.3", "selected, kube-system included (")):
        ended = run("validate", tmp_path / "all.yaml", "--kruise", release)
        assert f"the pods of every namespace are {said}" in ended.stdout, release


def test_a_selector_that_takes_kube_system_in(tmp_path: Path) -> None:
    selector = "{matchExpressions: [{key: kubernetes.io/metadata.name, operator: NotIn, values: [%s]}]}"
    for names, release, is_told in (("shop", "1.4", True), ("kube-system", "1.4", False), ("shop", "1.9", False)):
        text = FILES.replace("{matchLabels: {kubernetes.io/metadata.name: shop}}", selector % names)
        (tmp_path / "all.yaml").write_text(text)
        ended = run("validate", tmp_path / "all.yaml", "--kruise", release)
        assert ("the pods of kube-system are selected too" in ended.stdout) == is_told, (names, ended.stdout)


def test_a_mount_of_a_volume_with_a_wrong_name_is_not_reported_beside_it(tmp_path: Path) -> None:
    mounts = "volumeMounts: [{name: Spool, mountPath: /spool}, {name: nowhere, mountPath: /nowhere}]"
    text = FILES.partition("---")[0].replace("    ports:\n", f"    {mounts}\n    ports:\n")
    (tmp_path / "set.yaml").write_text(f"{text}  volumes: [{{name: Spool, emptyDir: {{}}}}]\n")
    ended = run("validate", tmp_path / "set.yaml")
    assert ended.stdout.count("[volume-name]") == 1
    assert ended.stdout.count("[mount-volume]") == 1
    assert 'declares no valid volume "nowhere"' in ended.stdout
