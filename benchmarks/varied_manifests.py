"""Deployments of about 4 KB, of which hardly two have the same shape: other parts, other order, other indents."""

import random
from collections.abc import Iterator

_BETWEEN = "===\n"
_CONTAINER_PARTS = """\
# the port of the service
ports:
- name: http
  containerPort: 8080
- {{name: metrics, containerPort: 9090}}
===
resources:
  requests: {{cpu: 250m, memory: 256Mi}}
  limits:
    cpu: '1'
    memory: 512Mi
===
volumeMounts:
- name: data
  mountPath: /var/lib/data
- name: config
  mountPath: /etc/app
  readOnly: true
===
readinessProbe:
  httpGet:
    path: /healthz
    port: http
  initialDelaySeconds: {number}
===
livenessProbe:
  httpGet: {{path: /livez, port: http}}
  failureThreshold: 5
===
securityContext:
  runAsNonRoot: true
  capabilities:
    drop: [ALL]
===
args: ["--listen=8080", "--level={number}"]
===
imagePullPolicy: IfNotPresent   # as ever
===
lifecycle:
  preStop:
    exec:
      command: [/bin/sh, -c, sleep 5]
===
terminationMessagePolicy: FallbackToLogsOnError
===
workingDir: /srv/app-{number}
===
command:
- /bin/sh
- -c
- |
  set -e
  exec /bin/app --level {number}
"""
_POD_PARTS = """\
serviceAccountName: shop
===
terminationGracePeriodSeconds: {number}
===
nodeSelector:
  kubernetes.io/os: linux
===
tolerations:
- key: node.kubernetes.io/not-ready
  operator: Exists
  effect: NoExecute
===
securityContext: {{fsGroup: 1000}}
===
imagePullSecrets:
- name: registry
===
dnsPolicy: ClusterFirst
===

# spread over zones
topologySpreadConstraints:
- maxSkew: 1
  topologyKey: zone
  whenUnsatisfiable: ScheduleAnyway
===
affinity:
  podAntiAffinity:
    requiredDuringSchedulingIgnoredDuringExecution:
    - topologyKey: kubernetes.io/hostname
      labelSelector:
        matchLabels:
          app: checkout
===
volumes:
- name: data
  emptyDir: {{}}
- name: config
  configMap:
    name: shop-{number}
"""
_HEAD = """\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: shop-service-{number}
  namespace: shop
  labels:
    app: checkout
    app.kubernetes.io/name: shop-service-{number}
spec:
  replicas: {replicas}
  selector:
    matchLabels:
      app: checkout
  template:
    metadata:
      labels:
        app: checkout
{labels}    spec:
"""


def varied_deployments(count: int) -> Iterator[str]:
    """Deployments, a document each, always the same."""
    draw = random.Random(1)
    for number in range(count):
        labels = "".join(
            f"        label-{index}: value-{draw.randint(1, 9)}\n" for index in range(draw.randint(0, 5))
        )
        head = _HEAD.format(number=number, replicas=draw.randint(1, 9), labels=labels)
        yield head + _indented(6, "\n".join(_pod(draw)))


_KINDS = ("Deployment", "Deployment", "StatefulSet", "DaemonSet")
_VARIATIONS = (
    (0.5, "      labels:\n        app: checkout", "      labels:\n        app: shop-{}"),
    (0.4, 'args: ["--listen=8080"', 'args: ["--listen=:80{}"'),
    (0.4, "  labels:\n", "  labels: &labels{}\n"),
    (0.3, "apiVersion", "# {} replicas at night\napiVersion"),
)


def varied_workloads(count: int) -> Iterator[str]:
    """Some of several kinds, of 3 KB; half of them match, and they have what those of people have.

    Comments, anchors, block scalars, and colons in quoted words of flow lists.
    """
    draw = random.Random(2)
    for deployment in varied_deployments(count):
        text = deployment.replace("kind: Deployment", f"kind: {draw.choice(_KINDS)}", 1)
        for share, part, other in _VARIATIONS:
            text = text.replace(part, other.format(draw.randint(1, 99)), 1) if draw.random() < share else text
        yield text


def _pod(draw: random.Random) -> Iterator[str]:
    parts = _some(_POD_PARTS, draw)
    offset = draw.choice((0, 2, 4))
    containers = "\n".join(_container(index, draw) for index in range(1, draw.randint(2, 4)))
    parts.insert(draw.randint(0, len(parts)), "containers:\n" + _indented(offset, containers).rstrip("\n"))
    yield from parts


def _container(index: int, draw: random.Random) -> str:
    tag = f"{draw.randint(1, 9)}.{draw.randint(0, 20)}"
    env = "".join(
        f"- name: SETTING_{place}\n  value: 'value {draw.randint(1, 99)}'\n" for place in range(draw.randint(1, 12))
    )
    parts = [
        *_some(_CONTAINER_PARTS, draw),
        f"image: registry.example.com/shop/app-{index}:{tag}",
        f"env:\n{env.rstrip()}",
    ]
    draw.shuffle(parts)
    first, *rest = _indented(2, "\n".join([f"name: app-{index}", *parts])).split("\n")
    return "\n".join([f"- {first.strip()}", *rest]).rstrip("\n")


def _some(parts: str, draw: random.Random) -> list[str]:
    chosen = [
        part.rstrip("\n").format(number=draw.randint(1, 60)) for part in parts.split(_BETWEEN) if draw.random() < 0.8
    ]
    draw.shuffle(chosen)
    return chosen


def _indented(by: int, text: str) -> str:
    return "".join(f"{' ' * by}{line}\n" if line else "\n" for line in text.split("\n"))
