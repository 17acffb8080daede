"""The SidecarSets as they were before a plan, to which a rollback returns.

A plan records its SidecarSets, and what each patch replaces. An update in place changes images alone, so the set with
the earlier images is the earlier set, as far as pods record it; the recorded hash proves it.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from sidecarctl.facts.errors import impossible
from sidecarctl.facts.reasons import Reason
from sidecarctl.facts.values import Object
from sidecarctl.plan_file.reading import PlannedPatch, PlannedRollout, PodKey
from sidecarctl.sidecarset.pod_annotations import HASH, HashEntry, read_hashes
from sidecarctl.sidecarset.sets import is_hot, pair_names

_PACE = ("partition", "paused", "selector", "type")
"""Members of updateStrategy that would hold back pods that the plan has already patched."""


class EarlierSet(NamedTuple):
    """A SidecarSet as it was before a plan.

    `hash` and `revision` are what pods recorded for it, empty if they recorded nothing; `rolled_out` is the hash
    that the plan brought instead. `pods`: the uids of those that the plan takes from it, by namespace and name.
    """

    manifest: Object
    hash: str
    revision: str
    rolled_out: str
    pods: Mapping[PodKey, str]

    @property
    def name(self) -> str:
        """The name of the SidecarSet."""
        name: str = self.manifest["metadata"]["name"]
        return name


class _Before(NamedTuple):
    """The common parts of pods of one earlier version."""

    images: tuple[tuple[str, str], ...]
    entry: HashEntry


def earlier_sets(
    document: Object, rollout: PlannedRollout, chosen: Iterable[PlannedPatch], to: str = ""
) -> list[EarlierSet]:
    """The earlier SidecarSets of some patches of a plan, in the order of the plan.

    `to` chooses by the beginning of the recorded hash where pods come from several versions. ImpossibleError if it
    does not (SeveralEarlierVersions), or where the image of the idle half of a hot pair is not known
    (EarlierImageUnknown).
    """
    taken = {(patch.set_name, patch.pod) for patch in chosen}
    found = []
    for entry in document["sidecarSets"]:
        patches = [patch for patch in rollout.patches if (patch.set_name, patch.pod) in taken]
        versions = _versions(entry, [patch for patch in patches if patch.set_name == entry["name"]])
        if versions:
            before, pods = _chosen_version(entry["name"], versions, to)
            manifest = _with_images(entry["manifest"], dict(before.images))
            found.append(
                EarlierSet(manifest, before.entry.hash, before.entry.controller_revision, entry["hash"], pods)
            )
    return found


def _versions(item: Object, patches: Iterable[PlannedPatch]) -> dict[_Before, dict[PodKey, str]]:
    """The uids of the pods by what they had before."""
    of_pods: dict[PodKey, list[PlannedPatch]] = {}
    for patch in patches:
        of_pods.setdefault(patch.pod, []).append(patch)
    versions: dict[_Before, dict[PodKey, str]] = {}
    for pod, own in of_pods.items():
        if any(patch.kind == "upgrade" for patch in own):
            before = _Before(tuple(_images(item["manifest"], own, pod)), _entry(own))
            versions.setdefault(before, {})[pod] = own[0].uid
    return versions


def _entry(patches: Iterable[PlannedPatch]) -> HashEntry:
    """What the pod recorded for the set before the plan; the time does not count."""
    for patch in patches:
        for edit in patch.annotations:
            if edit.key == HASH:
                recorded = read_hashes(edit.before)
                entry = recorded.entries.get(patch.set_name) or HashEntry(hash=recorded.recorded(patch.set_name))
                return HashEntry(hash=entry.hash, controller_revision=entry.controller_revision)
    return HashEntry()


def _images(manifest: Object, patches: list[PlannedPatch], pod: PodKey) -> Iterator[tuple[str, str]]:
    """The earlier image of each container of the set."""
    for container in manifest["spec"].get("containers") or ():
        name = container["name"]
        if not is_hot(container):
            changed = [image.before for patch in patches for image in patch.images if image.container == name]
            yield name, changed[0] if changed else container["image"]
        elif image := _hot_image(container, patches, pod):
            yield name, image


def _hot_image(container: Object, patches: list[PlannedPatch], pod: PodKey) -> str:
    """The image of the half that ran: the reset empties it; that of the set where the pair is not upgraded."""
    halves = pair_names(container["name"])
    changes = [(patch, image) for patch in patches for image in patch.images if image.container in halves]
    emptied = [image.before for patch, image in changes if patch.kind == "reset"]
    if changes and not emptied:
        message = f"the plan upgrades {container['name']} in pod {'/'.join(pod)} and does not empty its other half"
        hint = "the image before is not in the plan: plan with the earlier SidecarSet instead"
        raise impossible(Reason.EARLIER_IMAGE_UNKNOWN, message, hint=hint)
    return emptied[0] if emptied else str(container["image"])


def _chosen_version(
    name: str, versions: Mapping[_Before, Mapping[PodKey, str]], to: str
) -> tuple[_Before, Mapping[PodKey, str]]:
    chosen = {before: pods for before, pods in versions.items() if before.entry.hash.startswith(to)}
    if len(chosen) == 1:
        return next(iter(chosen.items()))
    listed = "; ".join(
        f"{len(pods)} pod{'' if len(pods) == 1 else 's'} from {', '.join(f'{key}={image}' for key, image in images)}"
        f" (hash {entry.hash or 'none'})"
        for (images, entry), pods in versions.items()
    )
    message = f"the plan brought pods of SidecarSet {name} from several versions: {listed}"
    if to and not chosen:
        message = f"no pod of SidecarSet {name} had a hash that begins with {to}: {listed}"
    raise impossible(Reason.SEVERAL_EARLIER_VERSIONS, message, hint="choose one with --to HASH, then the next")


def _with_images(manifest: Object, images: Mapping[str, str]) -> Object:
    """The set with other images, whose update strategy holds nothing back."""
    spec = manifest["spec"]
    containers = [
        {**container, "image": images.get(container["name"], container["image"])}
        for container in spec.get("containers") or ()
    ]
    strategy = {key: value for key, value in (spec.get("updateStrategy") or {}).items() if key not in _PACE}
    return {**manifest, "spec": {**spec, "containers": containers, "updateStrategy": strategy}}
