"""The simulated rollout of a set over many pods: `python -m benchmarks.rollout [NUMBER...]`.

CPU time of the simulation alone, from pods in memory to the last round; the pods are as a cluster lists them.
"""

import gc
import resource
import sys
import time
from collections.abc import Iterator
from typing import NamedTuple

from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.rollout.simulated_rollout import Simulation
from sidecarctl.engine.rollout.targets import target_of
from sidecarctl.engine.sidecarset.admission import admit
from sidecarctl.engine.sidecarset.pod_annotations import HashEntry, write_hashes

SCATTER = [{"key": "zone", "value": "*"}]
"""Three zones make three terms."""


class Scenario(NamedTuple):
    """A rollout to be timed."""

    about: str
    pods: int
    strategy: Object
    hot: bool = False


def scenarios(numbers: list[int]) -> Iterator[Scenario]:
    """What is timed, for these numbers of pods."""
    for number in numbers:
        yield Scenario("scatter over 3 terms, maxUnavailable 1%", number, _strategy("1%", SCATTER))
        yield Scenario("maxUnavailable 1%", number, _strategy("1%"))
        yield Scenario("hot upgrade, maxUnavailable 1%", number, _strategy("1%"), hot=True)
        yield Scenario("maxUnavailable 1", number, _strategy(1))
    yield Scenario("scatter over 3 terms, maxUnavailable 1", min(numbers), _strategy(1, SCATTER))


def sidecarset(image: str, strategy: Object, *, hot: bool) -> Object:
    """The manifest of a set with one sidecar."""
    container: Object = {"name": "log-agent", "image": image}
    if hot:
        empty = "registry.example.com/platform/empty:1"
        container["upgradeStrategy"] = {"upgradeType": "HotUpgrade", "hotUpgradeEmptyImage": empty}
    return {
        "apiVersion": "apps.kruise.io/v1beta1",
        "kind": "SidecarSet",
        "metadata": {"name": "log-agent", "resourceVersion": "5100"},
        "spec": {
            "selector": {"matchLabels": {"logging": "on"}},
            "containers": [container],
            "updateStrategy": strategy,
        },
    }


def pods(old: Object, number: int, *, hot: bool) -> list[Object]:
    """Pods that run the old version of the set, each with its own times, as a cluster lists them."""
    held = admit(old)
    containers = ("log-agent-1", "log-agent-2", "checkout") if hot else ("log-agent", "checkout")
    image = held.spec["containers"][0]["image"]
    empty = held.spec["containers"][0]["upgradeStrategy"].get("hotUpgradeEmptyImage")
    images = {"log-agent-2": empty, "checkout": "registry.example.com/shop/checkout:7"}
    return [
        _pod(index, {name: images.get(name, image) for name in containers}, held.hash, held.hash_without_image)
        for index in range(number)
    ]


def _strategy(max_unavailable: int | str, scatter: list[Object] | None = None) -> Object:
    strategy: Object = {"maxUnavailable": max_unavailable}
    return {**strategy, "scatterStrategy": scatter} if scatter else strategy


def _pod(index: int, images: dict[str, str], recorded: str, without_image: str) -> Object:
    moment = f"2025-03-{1 + index % 28:02}T{index % 24:02}:{index % 60:02}:{index // 60 % 60:02}Z"
    entry = HashEntry(moment, recorded, "log-agent", ("log-agent",), "log-agent-1")
    annotations = {
        "kruise.io/sidecarset-hash": write_hashes({"log-agent": entry}),
        "kruise.io/sidecarset-hash-without-image": write_hashes(
            {"log-agent": entry._replace(hash=without_image, controller_revision="")}
        ),
        "kruise.io/sidecarset-injected-list": "log-agent",
    }
    if "log-agent-1" in images:
        annotations["kruise.io/sidecarset-working-hotupgrade-container"] = '{"log-agent":"log-agent-1"}'
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": f"checkout-{index}",
            "namespace": "shop",
            "labels": {"app": "checkout", "logging": "on", "zone": f"zone-{'abc'[index % 3]}"},
            "annotations": annotations,
            "creationTimestamp": moment,
        },
        "spec": {
            "nodeName": f"node-{index % 500}",
            "containers": [{"name": name, "image": image} for name, image in images.items()],
        },
        "status": {
            "phase": "Running",
            "conditions": [{"type": "Ready", "status": "True", "lastTransitionTime": moment}],
            "containerStatuses": [
                {
                    "name": name,
                    "image": image,
                    "imageID": f"docker-pullable://{image.rpartition(':')[0]}@sha256:{'0' * 64}",
                    "ready": True,
                    "restartCount": index % 3,
                }
                for name, image in images.items()
            ],
        },
    }


def timed(scenario: Scenario) -> tuple[int, float]:
    """The number of rounds, and the seconds of CPU that the whole simulation took."""
    old = sidecarset("registry.example.com/platform/log-agent:1.4.0", scenario.strategy, hot=scenario.hot)
    new = sidecarset("registry.example.com/platform/log-agent:1.5.0", scenario.strategy, hot=scenario.hot)
    dump = pods(old, scenario.pods, hot=scenario.hot)
    target = target_of(admit(new), "log-agent-2")
    gc.collect()
    start = time.process_time()
    simulation = Simulation([target], dump)
    rounds = list(simulation.rounds())
    simulation.outcomes()
    return len(rounds), time.process_time() - start


def main(numbers: list[int]) -> None:
    """Print a row for every scenario."""
    print(f"{'scenario':42} {'pods':>7} {'rounds':>7} {'CPU s':>7} {'us/pod':>7}")
    for scenario in scenarios(numbers):
        rounds, seconds = timed(scenario)
        per_pod = seconds / scenario.pods * 1e6
        print(f"{scenario.about:42} {scenario.pods:7} {rounds:7} {seconds:7.2f} {per_pod:7.1f}")
    print(f"peak RSS {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024} MB, the pods included")


if __name__ == "__main__":
    main([int(argument) for argument in sys.argv[1:]] or [10_000, 100_000])
