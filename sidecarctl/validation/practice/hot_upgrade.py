"""HotUpgrade: a container that becomes two in its pods, one of them with the empty image.

Source: docs/behaviour/validation.md, "The set".
"""

from collections.abc import Iterator

from sidecarctl.facts.findings import Finding
from sidecarctl.facts.values import Object
from sidecarctl.releases.release import Release
from sidecarctl.validation.admission.spec import placed
from sidecarctl.validation.rules import Rule, warned

_LONGEST = 63

_PAIRS = """\
containers:
- {{name: one, image: 'one:1', upgradeStrategy: {{upgradeType: HotUpgrade, hotUpgradeEmptyImage: 'empty:1'}}}}
- {{name: two, image: 'two:1', upgradeStrategy: {{upgradeType: {}, hotUpgradeEmptyImage: 'empty:1'}}}}
"""
IMAGE = Rule(
    "hot-upgrade-image",
    "A container with HotUpgrade has a hotUpgradeEmptyImage.",
    why="Two containers are injected, and the second runs the empty image; without it the pod has a container "
    "without an image, and the API server rejects the pod.",
    mend="write upgradeStrategy: {upgradeType: HotUpgrade, hotUpgradeEmptyImage: openkruise/hotupgrade-sample:empty}",
    fails="upgradeStrategy: {upgradeType: HotUpgrade}",
    passes="upgradeStrategy: {upgradeType: HotUpgrade, hotUpgradeEmptyImage: 'empty:1.0'}",
)
NAME = Rule(
    "hot-pair-name",
    "The name of a container with HotUpgrade has at most 61 characters, and NAME-1 and NAME-2 are unused.",
    why="Pods get the containers NAME-1 and NAME-2, which must be valid names too.",
    mend="shorten the name, or rename the other container",
    fails="name: a-container-with-a-name-that-is-as-long-as-names-may-be-in-kube\n"
    "upgradeStrategy: {upgradeType: HotUpgrade, hotUpgradeEmptyImage: 'empty:1.0'}",
    passes="{name: proxy, upgradeStrategy: {upgradeType: HotUpgrade, hotUpgradeEmptyImage: 'empty:1.0'}}",
)


PAIRS = warned(
    "hot-upgrade-pairs",
    "A SidecarSet has at most one container with HotUpgrade.",
    why="Up to Kruise 1.3, a pod records only the last of its HotUpgrade containers: for the others it counts as not "
    "injected, and they are never updated.",
    mend="keep one of them, or upgrade Kruise to 1.4 and recreate the pods",
    within="spec",
    until="1.3",
    fails=_PAIRS.format("HotUpgrade"),
    passes=_PAIRS.format("ColdUpgrade"),
)


def hot_upgrade_findings(spec: Object, release: Release) -> Iterator[Finding]:
    """Errors in the containers with HotUpgrade of a spec, defaults applied."""
    containers = placed(spec, "containers")
    hot = [path for container, path in containers if container["upgradeStrategy"].get("upgradeType") == "HotUpgrade"]
    if len(hot) > 1 and not release.all_hot_entries:
        yield PAIRS.at(hot[1], f"{release.behaviour} records only the last HotUpgrade container of a pod")
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
            yield NAME.at((*path, "name"), f'the name "{taken}" is already used by a container')
