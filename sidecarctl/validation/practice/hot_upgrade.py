"""HotUpgrade: a container that is two in its pods, of which one is empty.

Source: docs/behaviour/validation.md, "The set".
"""

from collections.abc import Iterator

from sidecarctl.facts.findings import Finding
from sidecarctl.facts.values import Object
from sidecarctl.validation.admission.spec import placed
from sidecarctl.validation.rules import Rule

_LONGEST = 63

IMAGE = Rule(
    "hot-upgrade-image",
    "A container with HotUpgrade has a hotUpgradeEmptyImage.",
    why="Two containers are injected, and the second one runs the empty image: without it the pod has a container "
    "without an image, and the API server refuses the pod.",
    mend="write upgradeStrategy: {upgradeType: HotUpgrade, hotUpgradeEmptyImage: openkruise/hotupgrade-sample:empty}",
    fails="upgradeStrategy: {upgradeType: HotUpgrade}",
    passes="upgradeStrategy: {upgradeType: HotUpgrade, hotUpgradeEmptyImage: 'empty:1.0'}",
)
NAME = Rule(
    "hot-pair-name",
    "The name of a container with HotUpgrade has at most 61 characters, and NAME-1 and NAME-2 are free.",
    why="In pods there are NAME-1 and NAME-2, and these must be names of containers too.",
    mend="shorten the name, or rename the other container",
    fails="name: a-container-with-a-name-that-is-as-long-as-names-may-be-in-kube\n"
    "upgradeStrategy: {upgradeType: HotUpgrade, hotUpgradeEmptyImage: 'empty:1.0'}",
    passes="{name: proxy, upgradeStrategy: {upgradeType: HotUpgrade, hotUpgradeEmptyImage: 'empty:1.0'}}",
)


def hot_upgrade_findings(spec: Object) -> Iterator[Finding]:
    """What cannot work in the hot containers of a spec after defaults."""
    containers = placed(spec, "containers")
    names = {container.get("name", "") for container, _ in (*containers, *placed(spec, "initContainers"))}
    for container, path in containers:
        strategy, name = container["upgradeStrategy"], container.get("name", "")
        if strategy.get("upgradeType") != "HotUpgrade":
            continue
        if not strategy.get("hotUpgradeEmptyImage"):
            where = (*path, "upgradeStrategy", "hotUpgradeEmptyImage")
            yield IMAGE.at(where, "HotUpgrade needs a hotUpgradeEmptyImage")
        pair = (f"{name}-1", f"{name}-2")
        if len(name) <= _LONGEST < len(pair[0]):
            yield NAME.at((*path, "name"), f"{pair[0]} and -2 have more than {_LONGEST} characters")
        for taken in names.intersection(pair):
            yield NAME.at((*path, "name"), f'there is a container "{taken}" already')
