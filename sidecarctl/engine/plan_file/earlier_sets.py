"""The SidecarSets as they were before a plan, to which a rollback returns.

A plan records its SidecarSets, and what each patch replaces. An update in place changes images alone, so the set with
the earlier images is the earlier set, as far as pods record it; the recorded hash proves it.
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from sidecarctl.engine.facts.errors import impossible
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.plan_file.reading import PlannedPatch, PlannedRollout, PodKey
from sidecarctl.engine.rollout.summary.sentences import number
from sidecarctl.engine.sidecarset.pod_annotations import HASH, HashEntry, read_hashes
from sidecarctl.engine.sidecarset.sets import SidecarSet, is_hot, pair_names

_PACE = ("partition", "paused", "selector", "type")
"""Members of updateStrategy that would hold back pods that the plan has already patched."""


class EarlierSet(NamedTuple):
    """A SidecarSet as it was before a plan.

    `hash` and `revision` are what pods recorded for it, empty if they recorded nothing; `rolled_out` is the hash
    that the plan brought instead. `pods`: the uids of those that the plan takes from it, by namespace and name.
    `odd` are those of them that ran other images than most pods with that hash. `unsaid`: those whose images the plan
    does not say, which get those of the others; `lacking`: the containers of which it says no image at all.
    `unfinished`: those that the plan upgrades in a hot pair and does not reset.
    `metadata`: the annotations from patchPodMetadata that the plan changes on them; no update of images brings their
    earlier values back.
    """

    manifest: Object
    hash: str
    revision: str
    rolled_out: str
    pods: Mapping[PodKey, str]
    odd: Sequence[PodKey] = ()
    metadata: Sequence[str] = ()
    unsaid: Sequence[PodKey] = ()
    lacking: Sequence[str] = ()
    unfinished: Sequence[PodKey] = ()

    @property
    def name(self) -> str:
        """The name of the SidecarSet."""
        name: str = self.manifest["metadata"]["name"]
        return name


class _Before(NamedTuple):
    """A pod before the plan: the images of its sidecars by container, and what it recorded.

    `metadata`: its annotations that patchPodMetadata changes.
    """

    pod: PodKey
    uid: str
    images: tuple[tuple[str, str], ...]
    entry: HashEntry
    metadata: frozenset[str]

    @property
    def is_unsaid(self) -> bool:
        """Whether the plan does not say the image of a container: it upgrades a hot pair and does not reset it."""
        return not all(image for _, image in self.images)


def earlier_sets(
    document: Object, rollout: PlannedRollout, chosen: Iterable[PlannedPatch], to: str = ""
) -> list[EarlierSet]:
    """The earlier SidecarSets of some patches of a plan, in the order of the plan.

    `to` chooses by the beginning of the recorded hash where pods come from several versions. ImpossibleError if it
    does not (SeveralEarlierVersions).
    """
    taken = {(patch.set_name, patch.pod) for patch in chosen}
    found = []
    for entry in document["sidecarSets"]:
        patches = [patch for patch in rollout.patches if (patch.set_name, patch.pod) in taken]
        versions = _versions(entry, [patch for patch in patches if patch.set_name == entry["name"]])
        if versions:
            found.append(_earlier_set(entry, _chosen_version(entry["name"], versions, to)))
    return found


def _earlier_set(item: Object, pods: Sequence[_Before]) -> EarlierSet:
    """The set as most of its pods had it: their hash identifies the version, whatever was changed by hand."""
    images, unsaid = _common_images(pods), [before.pod for before in pods if before.is_unsaid]
    return EarlierSet(
        _with_images(item["manifest"], dict(images)),
        pods[0].entry.hash,
        next(filter(None, (before.entry.controller_revision for before in pods)), ""),
        item["hash"],
        {before.pod: before.uid for before in pods},
        [before.pod for before in pods if not before.is_unsaid and before.images != images],
        sorted({key for before in pods for key in before.metadata}),
        unsaid,
        [name for name, image in images if not image],
        unsaid,
    )


def _common_images(pods: Sequence[_Before]) -> tuple[tuple[str, str], ...]:
    """The images of most pods of which the plan says them."""
    known = [before.images for before in pods if not before.is_unsaid]
    return Counter(known or [pods[0].images]).most_common(1)[0][0]


def _versions(item: Object, patches: Iterable[PlannedPatch]) -> Sequence[Sequence[_Before]]:
    """The pods before the plan by their version: their hash, or without one their images."""
    of_pods: dict[PodKey, list[PlannedPatch]] = {}
    for patch in patches:
        of_pods.setdefault(patch.pod, []).append(patch)
    versions: dict[Hashable, list[_Before]] = {}
    for pod, own in of_pods.items():
        if any(patch.kind == "upgrade" for patch in own):
            images = tuple(_images(item["manifest"], own))
            before = _Before(pod, own[0].uid, images, _entry(own), _metadata(item["manifest"], own))
            versions.setdefault(before.entry.hash or before.images, []).append(before)
    return [*versions.values()]


def _metadata(manifest: Object, patches: Iterable[PlannedPatch]) -> frozenset[str]:
    """The annotations from patchPodMetadata that patches change."""
    items = manifest["spec"].get("patchPodMetadata") or ()
    keys = {key for item in items for key in item.get("annotations") or ()}
    return frozenset(edit.key for patch in patches for edit in patch.annotations if edit.key in keys)


def _entry(patches: Iterable[PlannedPatch]) -> HashEntry:
    """What the pod recorded for the set before the plan; the time does not count."""
    for patch in patches:
        for edit in patch.annotations:
            if edit.key == HASH:
                recorded = read_hashes(edit.before)
                entry = recorded.entries.get(patch.set_name) or HashEntry(hash=recorded.recorded(patch.set_name))
                return HashEntry(hash=entry.hash, controller_revision=entry.controller_revision)
    return HashEntry()


def _images(manifest: Object, patches: list[PlannedPatch]) -> Iterator[tuple[str, str]]:
    """The earlier image of each container of the SidecarSet; empty where the plan does not say it."""
    for container in manifest["spec"].get("containers") or ():
        name = container["name"]
        if not is_hot(container):
            changed = [image.before for patch in patches for image in patch.images if image.container == name]
            yield name, changed[0] if changed else container["image"]
        else:
            yield name, _hot_image(container, patches)


def _hot_image(container: Object, patches: list[PlannedPatch]) -> str:
    """The image of the half that ran: the reset empties it; that of the set where the pair is not upgraded."""
    halves = pair_names(container["name"])
    changes = [(patch, image) for patch in patches for image in patch.images if image.container in halves]
    emptied = [image.before for patch, image in changes if patch.kind == "reset"]
    if changes:
        return emptied[0] if emptied else ""
    return str(container["image"])


def _chosen_version(name: str, versions: Sequence[Sequence[_Before]], to: str) -> Sequence[_Before]:
    chosen = [pods for pods in versions if (pods[0].entry.hash or _NO_HASH).startswith(to)]
    if len(chosen) == 1:
        return chosen[0]
    listed = "; ".join(
        f"{number(len(pods))} from {', '.join(f'{key}={image}' for key, image in _common_images(pods))}"
        f" (hash {pods[0].entry.hash or _NO_HASH})"
        for pods in versions
    )
    message = f"the plan brought pods of SidecarSet {name} from several versions: {listed}"
    if to and not chosen:
        message = f"no pod of SidecarSet {name} had a hash that begins with {to}: {listed}"
    raise impossible(Reason.SEVERAL_EARLIER_VERSIONS, message, hint="choose one with --to HASH, then the next")


_NO_HASH = "none"


def with_earlier_images(earlier: EarlierSet, versions: Iterable[SidecarSet]) -> EarlierSet:
    """The earlier SidecarSet with the images that the plan does not say, from the version that its pods recorded.

    ImpossibleError (EarlierImageUnknown) if it is not among `versions`, and the plan says them of no pod.
    """
    if not earlier.unsaid:
        return earlier
    for version in versions:
        is_older = version.name == earlier.name and version.hash != earlier.rolled_out
        if is_older and earlier.hash in ("", version.hash):
            images = {item["name"]: item["image"] for item in version.spec.get("containers") or ()}
            return earlier._replace(manifest=_with_images(earlier.manifest, images), unsaid=(), lacking=())
    if not earlier.lacking:
        return earlier
    pods = f"pod {'/'.join(earlier.unsaid[0])}" if len(earlier.unsaid) == 1 else number(len(earlier.unsaid))
    message = f"the plan upgrades {', '.join(earlier.lacking)} in {pods} and does not empty the other half"
    recorded = f"with the hash {earlier.hash}, " if earlier.hash else ""
    either = f"the earlier SidecarSet, {recorded}or its ControllerRevision"
    hint = f"the plan does not say the image before: add {either}, with -s"
    raise impossible(Reason.EARLIER_IMAGE_UNKNOWN, message, hint=hint)


def _with_images(manifest: Object, images: Mapping[str, str]) -> Object:
    """The set with other images, whose update strategy holds nothing back."""
    spec = manifest["spec"]
    containers = [
        {**container, "image": images.get(container["name"], container["image"])}
        for container in spec.get("containers") or ()
    ]
    strategy = {key: value for key, value in (spec.get("updateStrategy") or {}).items() if key not in _PACE}
    return {**manifest, "spec": {**spec, "containers": containers, "updateStrategy": strategy}}
