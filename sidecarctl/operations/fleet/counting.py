"""What the documents of `images`, `cost` and `diff` count, in each cluster and over all of them."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from sidecarctl.api.pod_resources import Resources, quantities, read_quantities, shares
from sidecarctl.facts.values import Object, natural
from sidecarctl.operations.counting.images import Way
from sidecarctl.operations.fleet.cells import Cell, ClusterRow


def cells_of_images(document: Object) -> Iterator[Cell]:
    """The pods of each SidecarSet by the hardest way to the wanted images."""
    for item in document["sidecarSets"]:
        ways = item["ways"]
        worst = next((str(way) for way in Way if way in ways), "")
        yield Cell(item["name"], "", sum(ways.values()), ways.get(Way.CURRENT, 0), state=worst, counts=ways)


def images_of(document: Object) -> Object:
    """The images of a cluster."""
    return {"images": document["sidecarSets"]}


_USE = ("container", "role", "image", "wanted", "way")


def images_over_all(rows: Sequence[ClusterRow]) -> Object:
    """The same images in all clusters together."""
    by_set: dict[str, list[Object]] = {}
    for row in rows:
        for item in row.further["images"]:
            by_set.setdefault(item["name"], []).append(item)
    return {"images": [_joined(name, by_set[name]) for name in sorted(by_set, key=natural)]}


def _joined(name: str, items: Sequence[Object]) -> Object:
    uses: dict[tuple[str, ...], list[Object]] = {}
    for item in items:
        for use in item["images"]:
            uses.setdefault(tuple(use[key] for key in _USE), []).append(use)
    order, places = [*map(str, Way)], {key[:2]: place for place, key in reversed([*enumerate(uses)])}
    keys = sorted(uses, key=lambda key: (places[key[:2]], key[3], order.index(key[4])))
    return {
        "name": name,
        "images": [
            {
                **dict(zip(_USE, key, strict=True)),
                "pods": sum(use["pods"] for use in uses[key]),
                "states": _summed(use["states"] for use in uses[key]),
                "digests": _summed(use["digests"] for use in uses[key]),
            }
            for key in keys
        ],
        "ways": _summed(item["ways"] for item in items),
        "leftOut": _summed(item["leftOut"] for item in items),
    }


def _summed(counts: Iterable[Object]) -> dict[str, int]:
    return dict(sum(map(Counter, counts), Counter[str]()))


def cells_of_costs(document: Object) -> Iterator[Cell]:
    """The pods with sidecars of each SidecarSet."""
    for item in document["sidecarSets"]:
        yield Cell(item["name"], pods=item["pods"])


def costs_of(document: Object) -> Object:
    """The costs of a cluster, without its namespaces."""
    sets = [{key: item[key] for key in ("name", "pods", "added", "share")} for item in document["sidecarSets"]]
    return {"total": document["total"], "costs": sets}


def costs_over_all(rows: Sequence[ClusterRow]) -> Object:
    """The costs of all clusters together."""
    totals = [row.further["total"] for row in rows]
    whole = _resources(totals, "all")
    added = _resources(totals, "added")
    by_set: dict[str, list[Object]] = {}
    for row in rows:
        for item in row.further["costs"]:
            by_set.setdefault(item["name"], []).append(item)
    total = {key: sum(item[key] for item in totals) for key in ("pods", "injectedPods")}
    return {
        "total": {**total, "all": quantities(whole), "added": quantities(added), "share": shares(added, whole)},
        "costs": [
            {
                "name": name,
                "pods": sum(item["pods"] for item in by_set[name]),
                "added": quantities(added),
                "share": shares(added, whole),
            }
            for name in sorted(by_set, key=natural)
            for added in [_resources(by_set[name], "added")]
        ],
    }


def _resources(items: Iterable[Object], key: str) -> Resources:
    return sum((read_quantities(item[key]) for item in items), Resources())


def change_of(document: Object) -> Object:
    """What a change adds to the requests in a cluster, if anything."""
    return {"cost": document["cost"]} if "cost" in document else {}


def changes_over_all(rows: Sequence[ClusterRow]) -> Object:
    """What it adds in all clusters together, and in how many it adds anything."""
    found = [row.further["cost"] for row in rows if "cost" in row.further]
    if not found:
        return {}
    pods = "running" if all(item["pods"] == "running" for item in found) else "workloads"
    changed = sum(item["changedPods"] for item in found)
    change = quantities(_resources(found, "change"))
    return {"cost": {"pods": pods, "changedPods": changed, "change": change, "clusters": len(found)}}
