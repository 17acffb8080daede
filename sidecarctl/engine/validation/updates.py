"""What Kruise rejects in an update of a SidecarSet, although both versions may be valid.

Source: docs/behavior/validation.md, "Strategies": updates of an existing SidecarSet, and the last rule about
canaries.
"""

from collections.abc import Iterable, Iterator

from sidecarctl.engine.facts.findings import Finding, error
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Object, value_at
from sidecarctl.engine.sidecarset.defaults import default_pull_policy
from sidecarctl.engine.sidecarset.sets import BASE, SidecarSet, annotated_base_of, base_of, canaries_of
from sidecarctl.engine.sidecarset.world import World
from sidecarctl.engine.validation.admission.spec import refusals
from sidecarctl.engine.validation.flipped_defaults import flipped
from sidecarctl.engine.validation.rules import kruise, warned
from sidecarctl.engine.validation.suppression import refuses

_VERSIONS = """\
apiVersion: apps.kruise.io/v1beta1
kind: SidecarSet
metadata: {{name: log-agent, annotations: {old_base}}}
spec:
  selector: {{matchLabels: {{app: web}}}}
  updateStrategy: {{type: NotUpdate}}
  containers: [{{name: log-agent, image: log-agent:1.2}}]
---
apiVersion: apps.kruise.io/v1beta1
kind: SidecarSet
metadata: {{name: log-agent, annotations: {new_base}}}
spec:
  selector: {{matchLabels: {{app: web}}}}
  updateStrategy: {{type: NotUpdate}}
  containers: [{{name: {name}, image: log-agent:1.2, upgradeStrategy: {{upgradeType: {upgrade}, \
hotUpgradeEmptyImage: empty:1}}}}]
"""
_CANARY = "{{apps.kruise.io/sidecarset-canary: 'true', apps.kruise.io/sidecarset-base: {}}}"
_SAME = _VERSIONS.format(old_base="{}", new_base="{}", name="log-agent", upgrade="ColdUpgrade")

ADDED = kruise(
    "update-container-added",
    "Container added by an update",
    "An update of a SidecarSet adds no container with a new name; initContainers may be added.",
    why="Running pods could never get it, so they would never be updated.",
    mend="put it into a SidecarSet of its own, or delete the SidecarSet and create it again",
    within="update",
    fails=_VERSIONS.format(old_base="{}", new_base="{}", name="agent", upgrade="ColdUpgrade"),
    passes=_SAME,
)
UPGRADE_TYPE = kruise(
    "update-upgrade-type",
    "upgradeType changed by an update",
    "An update of a SidecarSet does not change the upgradeType of a container.",
    why="A container with HotUpgrade is two containers in its pods, and running pods cannot get another container.",
    mend="delete the SidecarSet and create it again; its pods must be recreated",
    within="update",
    fails=_VERSIONS.format(old_base="{}", new_base="{}", name="log-agent", upgrade="HotUpgrade"),
    passes=_SAME,
)
CANARY_BASE = kruise(
    "update-canary-base",
    "Base of a canary changed by an update",
    "An update of a canary does not change its base.",
    why="Kruise compares the annotation apps.kruise.io/sidecarset-base, even if the SidecarSet was not a canary.",
    mend="create another canary",
    within="update",
    fails=_VERSIONS.format(
        old_base=_CANARY.format("mesh"), new_base=_CANARY.format("proxy"), name="log-agent", upgrade="ColdUpgrade"
    ),
    passes=_SAME,
)
_IMAGES = """\
apiVersion: apps.kruise.io/v1beta1
kind: SidecarSet
metadata: {{name: log-agent}}
spec:
  selector: {{matchLabels: {{app: web}}}}
  updateStrategy: {{type: NotUpdate}}
  containers: [{{name: log-agent, image: log-agent}}]
---
apiVersion: apps.kruise.io/v1beta1
kind: SidecarSet
metadata: {{name: log-agent}}
spec:
  selector: {{matchLabels: {{app: web}}}}
  updateStrategy: {{type: NotUpdate}}
  containers: [{{name: log-agent, image: 'log-agent:1.2'{}}}]
"""
FLIPPED = warned(
    "update-default-flipped",
    "imagePullPolicy changed by a new image tag",
    "An image change keeps the default of imagePullPolicy: Always with the tag latest or none, else IfNotPresent.",
    why="The default is part of the hash without images: pods are not updated in place, and must be recreated.",
    mend="write imagePullPolicy with its old value to keep the update in place",
    source="docs/behavior/rollout.md",
    within="update",
    fails=_IMAGES.format(""),
    passes=_IMAGES.format(", imagePullPolicy: Always"),
)


def flip_findings(old: SidecarSet, new: SidecarSet, written: Object) -> Iterator[Finding]:
    """A warning for each container whose default pull policy changes with its image; `written`: the new manifest."""
    before = {item.get("name"): item for item in old.spec.get("containers") or ()}
    for index, container in enumerate(new.spec.get("containers") or ()):
        own = value_at(written, ("spec", "containers", index)) or {}
        known, now = before.get(container.get("name"), {}), container.get("imagePullPolicy")
        was, default = known.get("imagePullPolicy"), default_pull_policy(known.get("image", ""), old.release)
        if was and was == default != now and not own.get("imagePullPolicy"):
            yield flipped(was, now, index)._replace(rule=FLIPPED.id)


def update_refusals(old: SidecarSet, new: SidecarSet) -> Iterator[Finding]:
    """An error for each change of a SidecarSet that Kruise rejects; paths refer to the new version.

    A container may be removed or moved, but not added with a new name; initContainers are not compared.
    """
    known = {item.get("name", ""): item for item in old.spec.get("containers") or ()}
    names = {item.get("name", "") for item in new.spec.get("containers") or ()}
    repeated = {*_repeated(old), *_repeated(new)}  # which of them Kruise compares does not matter: it rejects both
    gone = [name for name in known if name not in names]
    for index, container in enumerate(new.spec.get("containers") or ()):
        name = container.get("name", "")
        path = ("spec", "containers", index)
        if name not in known and not new.release.containers_may_be_added:
            renamed = f" (is it {gone[0]}, renamed?)" if gone else ""
            message = f"container {name} is new{renamed}: an update cannot add or rename containers"
            hint = "put it into a SidecarSet of its own, or delete the SidecarSet and create it again"
            yield error(Reason.CONTAINER_ADDED, message, (*path, "name"), hint=hint)._replace(rule=ADDED.id)
        elif name in known and name not in repeated and _upgrade_type(container) != _upgrade_type(known[name]):
            message = f"upgradeType of {name} cannot change from {_upgrade_type(known[name])}"
            hint = "delete the SidecarSet and create it again; its pods must be recreated"
            at_type = (*path, "upgradeStrategy", "upgradeType")
            yield error(Reason.UPGRADE_TYPE_CHANGED, message, at_type, hint=hint)._replace(rule=UPGRADE_TYPE.id)
    if base_of(new) and base_of(new) != annotated_base_of(old):
        message = f"the base of a canary cannot change from {annotated_base_of(old) or 'none'}"
        where = ("metadata", "annotations", BASE)
        found = error(Reason.CANARY_BASE_CHANGED, message, where, hint="create another canary")
        yield found._replace(rule=CANARY_BASE.id)


def _repeated(sidecarset: SidecarSet) -> list[str]:
    """The names that several containers have."""
    names = [container.get("name", "") for container in sidecarset.spec.get("containers") or ()]
    return [name for name in names if names.count(name) > 1]


def canaries_by_base(old: Iterable[SidecarSet], new: Iterable[SidecarSet]) -> dict[str, str]:
    """The name of the canary of each SidecarSet that has one, before and after the change."""
    staying = {item.name for item in new if base_of(item)}
    return {base: item.name for item in old if item.name in staying and (base := base_of(item))}


def base_refusal(canary: str) -> Finding:
    """The error for any change of a SidecarSet, even of a label, while its canary exists."""
    message = f"it cannot be changed while its canary {canary} exists: Kruise rejects every update of it"
    hint = f"delete {canary} before you change it"
    return error(Reason.CANARY_EXISTS, message, ("metadata", "name"), hint=hint)


def refusal_of_change(old: SidecarSet, new: SidecarSet, world: World) -> Finding | None:
    """Why Kruise rejects an update of a SidecarSet of a world, because of what it changes; None if it accepts it."""
    if canaries := canaries_of(old.name, world.sidecarsets):
        return base_refusal(canaries[0])
    known = {finding.message for finding in refusals(old, world, world.by_name)}
    every = (*refusals(new, world, world.by_name), *update_refusals(old, new))
    return next((finding for finding in every if refuses(finding) and finding.message not in known), None)


def _upgrade_type(container: Object) -> str:
    return str((container.get("upgradeStrategy") or {}).get("upgradeType", ""))
