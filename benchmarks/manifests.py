"""Realistic manifests: Deployments of about 4 KB with comments and mixed styles, pods of about 1.3 KB."""

import random
from collections.abc import Iterator

SIDECARSET = """\
apiVersion: apps.kruise.io/v1beta1
kind: SidecarSet
metadata: {name: logs}
spec:
  selector: {matchLabels: {app: checkout}}
  containers:
  - name: log-agent
    image: registry.example.com/log-agent:2.4.1
    command: ["/bin/agent", "--config=/etc/agent/agent.yaml"]
    shareVolumePolicy: {type: enabled}
    transferEnv:
    - {sourceContainerName: app-1, envNames: [REGION, POD_NAME]}
    volumeMounts: [{name: spool, mountPath: /var/spool}]
    resources: {limits: {cpu: 200m, memory: 128Mi}}
  volumes: [{name: spool, emptyDir: {}}]
"""
UNMATCHED = SIDECARSET.replace("app: checkout", "app: nobody")

_CONTAINER = """\
        - name: app-{index}
          image: registry.example.com/shop/app-{index}:{tag}
          imagePullPolicy: IfNotPresent
          # the port of the service
          ports:
            - name: http
              containerPort: 8080
              protocol: TCP
            - {{name: metrics, containerPort: 9090}}
          env:
            - name: POD_NAME
              valueFrom:
                fieldRef:
                  fieldPath: metadata.name
            - name: LOG_LEVEL
              value: "info"
            - name: REGION
              value: 'eu-west-1'
            - name: FEATURE_FLAGS
              value: "checkout-v2,search-v3,recommendations"
          resources:
            requests: {{cpu: 250m, memory: 256Mi}}
            limits:
              cpu: "1"
              memory: 512Mi
          volumeMounts:
            - name: data
              mountPath: /var/lib/data
            - name: config
              mountPath: /etc/app
              readOnly: true
          readinessProbe:
            httpGet:
              path: /healthz
              port: http
            initialDelaySeconds: 5
          livenessProbe:
            httpGet: {{path: /livez, port: http}}
            failureThreshold: 5
          securityContext:
            runAsNonRoot: true
            capabilities:
              drop: [ALL]
"""
_DEPLOYMENT = """\
# service {number}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: shop-service-{number}
  namespace: shop
  labels:
    app: checkout
    app.kubernetes.io/name: shop-service-{number}
    team: payments
  annotations:
    example.com/owner: "payments@example.com"
    example.com/runbook: https://runbooks.example.com/shop/{number}
spec:
  replicas: {replicas}   # scaled by hand
  revisionHistoryLimit: 5
  selector:
    matchLabels:
      app: checkout
      app.kubernetes.io/name: shop-service-{number}
  strategy:
    type: RollingUpdate
    rollingUpdate: {{maxSurge: 25%, maxUnavailable: 0}}
  template:
    metadata:
      labels:
        app: checkout
        app.kubernetes.io/name: shop-service-{number}
      annotations:
        prometheus.io/scrape: "true"
        prometheus.io/port: "9090"
    spec:
      serviceAccountName: shop
      terminationGracePeriodSeconds: 30
      containers:
{containers}      volumes:
        - name: data
          emptyDir: {{}}
        - name: config
          configMap:
            name: shop-service-{number}
            defaultMode: 0644
      affinity:
        podAntiAffinity:
          preferredDuringSchedulingIgnoredDuringExecution:
            - weight: 100
              podAffinityTerm:
                topologyKey: kubernetes.io/hostname
                labelSelector:
                  matchLabels:
                    app: checkout
"""
_POD = """\
apiVersion: v1
kind: Pod
metadata:
  name: checkout-{number:05}
  namespace: shop
  labels:
    app: checkout
    team: payments
    pod-template-hash: "{number:08x}"
  annotations:
    prometheus.io/scrape: "true"
    prometheus.io/port: "9102"
spec:
  serviceAccountName: checkout
  containers:
  - name: app-1
    image: registry.example.com/shop/checkout:{tag}
    env:
    - name: REGION
      value: eu-west-1
    - name: POD_NAME
      valueFrom:
        fieldRef:
          fieldPath: metadata.name
    ports:
    - name: http
      containerPort: 8080
    resources:
      limits:
        cpu: 500m
        memory: 512Mi
    volumeMounts:
    - name: data
      mountPath: /var/data
    - name: logs
      mountPath: /var/log/app
  - name: metrics
    image: registry.example.com/infra/exporter:1.4.0
    args: [--listen=:9102, --path=/metrics]   # scraped
    volumeMounts:
    - name: logs
      mountPath: /var/log/app
      readOnly: true
  volumes:
  - name: data
    emptyDir: {{}}
  - name: logs
    emptyDir:
      sizeLimit: 1Gi
  nodeSelector:
    kubernetes.io/os: linux
  tolerations:
  - key: node.kubernetes.io/not-ready
    operator: Exists
    effect: NoExecute
    tolerationSeconds: 300
  - key: node.kubernetes.io/unreachable
    operator: Exists
    effect: NoExecute
    tolerationSeconds: 300
"""


def deployments(count: int) -> Iterator[str]:
    """Deployments, a document each, always the same."""
    draw = random.Random(1)
    for number in range(count):
        containers = "".join(_CONTAINER.format(index=index, tag=_tag(draw)) for index in (1, 2))
        yield _DEPLOYMENT.format(number=number, replicas=draw.randint(1, 9), containers=containers)


def pods(count: int) -> Iterator[str]:
    """Pods, a document each, always the same."""
    draw = random.Random(1)
    for number in range(count):
        yield _POD.format(number=number, tag=_tag(draw))


def _tag(draw: random.Random) -> str:
    return f"{draw.randint(1, 9)}.{draw.randint(0, 20)}.{draw.randint(0, 30)}"


def parts(documents: Iterator[str]) -> Iterator[str]:
    """The parts of a stream of documents; of a whole one in memory a process that is started would count the size."""
    for index, document in enumerate(documents):
        yield f"---\n{document}" if index else document


def stream(documents: Iterator[str]) -> str:
    """Documents as one stream."""
    return "".join(parts(documents))
