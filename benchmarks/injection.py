"""`python -m benchmarks.injection`: CPU time per pod of selecting, injecting, injecting again and taking out."""

import gc
import sys
from collections import deque
from collections.abc import Callable, Iterable
from time import process_time

from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.injection.injecting import inject
from sidecarctl.engine.injection.injection_context import InjectionContext
from sidecarctl.engine.injection.removal import uninject
from sidecarctl.engine.injection.removal_scope import RemovalRequest
from sidecarctl.engine.injection.selection import select
from sidecarctl.engine.sidecarset.admission import admit

_ROUNDS = 5


def pod(number: int) -> Object:
    """A pod of about 1.4 KB: two app containers, three volumes."""
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": f"checkout-{number:05}",
            "namespace": "shop",
            "labels": {"app": "checkout", "team": "payments", "pod-template-hash": f"{number:08x}"},
            "annotations": {"prometheus.io/scrape": "true", "prometheus.io/port": "9102"},
        },
        "spec": {
            "containers": [
                {
                    "name": "checkout",
                    "image": "registry.example.com/shop/checkout:3.8.1",
                    "env": [
                        {"name": "REGION", "value": f"eu-{number % 3}"},
                        {"name": "POD_IP", "valueFrom": {"fieldRef": {"fieldPath": "status.podIP"}}},
                        {"name": "LOG_LEVEL", "value": "info"},
                    ],
                    "ports": [{"name": "http", "containerPort": 8080}],
                    "resources": {"limits": {"cpu": "500m", "memory": "512Mi"}},
                    "volumeMounts": [
                        {"name": "data", "mountPath": "/var/data"},
                        {"name": "logs", "mountPath": "/var/log/app"},
                    ],
                },
                {
                    "name": "metrics",
                    "image": "registry.example.com/infra/exporter:1.4.0",
                    "volumeMounts": [{"name": "logs", "mountPath": "/var/log/app", "readOnly": True}],
                },
            ],
            "volumes": [
                {"name": "data", "emptyDir": {}},
                {"name": "logs", "emptyDir": {}},
                {"name": "conf", "configMap": {"name": "checkout"}},
            ],
        },
    }


def sidecarset(name: str, app: str) -> Object:
    """A set with one sidecar that shares volumes, takes two envs and has a volume of its own."""
    sidecar = {
        "name": f"{name}-agent",
        "image": f"registry.example.com/infra/{name}:2.4.1",
        "env": [{"name": "MODE", "value": "ship"}],
        "resources": {"limits": {"cpu": "100m", "memory": "64Mi"}},
        "shareVolumePolicy": {"type": "enabled"},
        "transferEnv": [{"sourceContainerName": "checkout", "envNames": ["REGION", "POD_IP"]}],
        "volumeMounts": [{"name": f"{name}-buffer", "mountPath": "/buffer"}],
    }
    return {
        "apiVersion": "apps.kruise.io/v1beta1",
        "kind": "SidecarSet",
        "metadata": {"name": name},
        "spec": {
            "selector": {"matchLabels": {"app": app}},
            "containers": [sidecar],
            "volumes": [{"name": f"{name}-buffer", "emptyDir": {}}],
        },
    }


def main(count: int = 10_000) -> None:
    """Print microseconds for each pod, the best of several rounds."""
    pods = [pod(number) for number in range(count)]
    context = InjectionContext([admit(sidecarset("logging", "checkout"))])
    others = InjectionContext([admit(sidecarset(f"other-{number}", "another")) for number in range(10)])
    selections = [select(each, context) for each in pods]
    injected = [inject(each, chosen, context).pod for each, chosen in zip(pods, selections, strict=True)]
    _measure("select, one set that matches", count, lambda: (select(each, context) for each in pods))
    _measure("select, ten sets that do not match", count, lambda: (select(each, others) for each in pods))
    _measure("inject", count, lambda: map(inject, pods, selections, [context] * count))
    _measure("take out", count, lambda: (uninject(each, context, RemovalRequest()) for each in injected))
    _measure("inject again, nothing changes", count, lambda: map(inject, injected, selections, [context] * count))


def _measure(what: str, count: int, work: Callable[[], Iterable[object]]) -> None:
    gc.collect()
    gc.freeze()  # what is measured does not keep its pods, so it would not walk over these again and again
    times = []
    for _ in range(_ROUNDS):
        start = process_time()
        deque(work(), maxlen=0)
        times.append(process_time() - start)
    print(f"{what:40} {min(times) / count * 1e6:8.1f} µs")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
