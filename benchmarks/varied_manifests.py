"""Deployments of about 4 KB, of which hardly two have the same shape: other parts, other order, other indents."""

import random
from collections.abc import Iterator

_CONTAINER_PARTS = [
    "# the port of the service\nports:\n- name: http\n  containerPort: 8080\n- {{name: metrics, containerPort: 9090}}\n",
    "resources:\n  requests: {{cpu: 250m, memory: 256Mi}}\n  limits:\n    cpu: '1'\n    memory: 512Mi\n",
    "volumeMounts:\n- name: data\n  mountPath: /var/lib/data\n- name: config\n  mountPath: /etc/app\n  readOnly: true\n",
    "readinessProbe:\n  httpGet:\n    path: /healthz\n    port: http\n  initialDelaySeconds: {number}\n",
    "livenessProbe:\n  httpGet: {{path: /livez, port: http}}\n  failureThreshold: 5\n",
    "securityContext:\n  runAsNonRoot: true\n  capabilities:\n    drop: [ALL]\n",
    'args: ["--listen=8080", "--level={number}"]\n',
    "imagePullPolicy: IfNotPresent   # as ever\n",
    "lifecycle:\n  preStop:\n    exec:\n      command: [/bin/sh, -c, sleep 5]\n",
    "terminationMessagePolicy: FallbackToLogsOnError\n",
    "workingDir: /srv/app-{number}\n",
]
_POD_PARTS = [
    "serviceAccountName: shop\n",
    "terminationGracePeriodSeconds: {number}\n",
    "nodeSelector:\n  kubernetes.io/os: linux\n",
    "tolerations:\n- key: node.kubernetes.io/not-ready\n  operator: Exists\n  effect: NoExecute\n",
    "securityContext: {{fsGroup: 1000}}\n",
    "imagePullSecrets:\n- name: registry\n",
    "dnsPolicy: ClusterFirst\n",
    "\n# spread over zones\ntopologySpreadConstraints:\n- maxSkew: 1\n  topologyKey: zone\n  whenUnsatisfiable: ScheduleAnyway\n",
    "affinity:\n  podAntiAffinity:\n    requiredDuringSchedulingIgnoredDuringExecution:\n    - topologyKey: kubernetes.io/hostname\n      labelSelector:\n        matchLabels:\n          app: checkout\n",
    "volumes:\n- name: data\n  emptyDir: {{}}\n- name: config\n  configMap:\n    name: shop-{number}\n",
]
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


def _some(parts: list[str], draw: random.Random) -> list[str]:
    chosen = [part.rstrip("\n").format(number=draw.randint(1, 60)) for part in parts if draw.random() < 0.8]
    draw.shuffle(chosen)
    return chosen


def _indented(by: int, text: str) -> str:
    return "".join(f"{' ' * by}{line}\n" if line else "\n" for line in text.split("\n"))
