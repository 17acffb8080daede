"""SidecarSets with other images than their manifests have: what a change would do, before anyone edits a file."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from sidecarctl.engine.api.field_table import did_you_mean
from sidecarctl.engine.facts.errors import usage_error
from sidecarctl.engine.facts.values import Object, natural
from sidecarctl.engine.sidecarset.admission import admit
from sidecarctl.engine.sidecarset.sets import SidecarSet
from sidecarctl.engine.sidecarset.world import Located, World, refuse_unknown_sidecarsets

OPTION = "--set-image"
_LISTS = ("containers", "initContainers")


class SetImage(NamedTuple):
    """The new image of a container: in one SidecarSet, or in all that have the container if the name is empty."""

    sidecarset: str
    container: str
    image: str


def set_image(text: str) -> SetImage:
    """`[SET/]CONTAINER=IMAGE`; UsageError for another form."""
    name, _, image = text.partition("=")
    sidecarset, slash, container = name.partition("/")
    if not slash:
        sidecarset, container = "", name
    if not container or not image or (slash and not sidecarset) or "/" in container:
        raise usage_error(
            f"{OPTION} {text} is not [SET/]CONTAINER=IMAGE", hint=f"such as {OPTION} mesh/proxy=proxy:1.3"
        )
    return SetImage(sidecarset, container, image)


def with_images(world: World, asked: Sequence[SetImage]) -> World:
    """The world with these images, its SidecarSets admitted again: with the hashes that Kruise would compute.

    Only `image` changes; hotUpgradeEmptyImage stays. UsageError for a SidecarSet or container that does not exist.
    """
    for item in asked:
        _refuse_unknown(item, world)
    if not asked:
        return world
    sources = {name: _edited(found, name, asked) for name, found in world.sources.items()}
    sets = [_admitted(item, sources[item.name], world.sources[item.name]) for item in world.sidecarsets]
    return world._replace(sidecarsets=tuple(sets), sources=sources)


def _refuse_unknown(item: SetImage, world: World) -> None:
    if item.sidecarset:
        refuse_unknown_sidecarsets([item.sidecarset], world.sources, OPTION)
    names = [name for name in world.by_name if item.sidecarset in ("", name)]
    known = sorted({each for name in names for each in _containers(world.by_name[name])}, key=natural)
    if item.container not in known:
        meant = did_you_mean(item.container, known)
        hint = f"did you mean {meant}?" if meant else f"containers: {', '.join(known)}" if known else ""
        where = f"SidecarSet {item.sidecarset} has no such container" if item.sidecarset else "container not found"
        name = "/".join(filter(None, (item.sidecarset, item.container)))
        raise usage_error(f"{OPTION} {name}: {where}", hint=hint)


def _containers(sidecarset: SidecarSet) -> Iterable[str]:
    return (item.get("name") or "" for field in _LISTS for item in sidecarset.spec.get(field) or ())


def _edited(found: Located, name: str, asked: Iterable[SetImage]) -> Located:
    """The manifest with the images; the same object if no image changes."""
    images = {item.container: item.image for item in asked if item.sidecarset in ("", name)}
    spec = found.manifest.get("spec") or {}
    lists = {field: _with_images(spec[field], images) for field in _LISTS if spec.get(field)}
    if all(lists[field] == spec[field] for field in lists):
        return found
    return found._replace(manifest={**found.manifest, "spec": {**spec, **lists}})


def _with_images(containers: Sequence[Object | None], images: dict[str, str]) -> list[Object | None]:
    return [
        {**item, "image": images[item["name"]]} if item and item.get("name") in images else item
        for item in containers
    ]


def _admitted(sidecarset: SidecarSet, now: Located, before: Located) -> SidecarSet:
    if now is before:
        return sidecarset
    return admit(now.manifest, sidecarset.release)._replace(latest_revision="")
